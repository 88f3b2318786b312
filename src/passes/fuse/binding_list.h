// The bindings of a block while kernels are merged: what produces a variable is found, and taken away, in constant
// time.
#pragma once
#include <iterator>
#include <list>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

class BindingList {
 public:
  using Place = std::list<Binding>::iterator;

  void add(const Binding& b) { places_[b.var] = list_.insert(list_.end(), b); }
  Binding& last() { return list_.back(); }
  /// The binding of a variable; `none()` for other expressions, and variables that are bound elsewhere.
  Place producer_of(const Expr& e) {
    const auto found = places_.find(find_ref<Var>(e));
    return found == places_.end() ? none() : found->second;
  }
  Place none() { return list_.end(); }
  void remove(Place place) {
    places_.erase(place->var);
    list_.erase(place);
  }
  std::vector<Binding> take() { return {std::move_iterator(list_.begin()), std::move_iterator(list_.end())}; }

 private:
  std::list<Binding> list_;
  std::unordered_map<Ref<Var>, Place> places_;
};

}  // namespace sunmao
