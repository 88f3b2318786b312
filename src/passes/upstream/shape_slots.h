// ShapeSlots: the places of a shape heap, one for each scalar other than a number that the types and shapes of a
// function use, in the order of the function. Which of them are known where is for the pass to say.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

struct ShapeSlot {
  Scalar value;
  int64_t index;
  std::vector<ShapeSlot*> users = {};  // for a symbol: the slots whose scalars read it
  size_t missing = 0;                  // how many of its symbols are not known yet
  bool is_known = false;
};

class ShapeSlots {
 public:
  /// Takes from a function the scalars of its types, shapes and arguments; those of local functions are left out.
  explicit ShapeSlots(const Function& function);
  /// Returns the place of the scalar; null when it has none.
  ShapeSlot* find(const Scalar& value) const;
  const std::vector<std::unique_ptr<ShapeSlot>>& all() const { return slots_; }
  int64_t count() const { return static_cast<int64_t>(slots_.size()); }

 private:
  class Collector;
  void add(const Scalar& value);
  void link();

  struct Hash {
    size_t operator()(const Scalar& s) const;
  };
  struct Equal {
    bool operator()(const Scalar& a, const Scalar& b) const;
  };
  std::vector<std::unique_ptr<ShapeSlot>> slots_;
  std::unordered_map<Scalar, ShapeSlot*, Hash, Equal> by_value_;
};

/// True for a scalar whose value a run must find out before it can stand in a shape.
bool is_computed_size(const Scalar& value);

}  // namespace sunmao
