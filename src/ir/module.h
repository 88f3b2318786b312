// Module: functions by name, attributes and global infos. A persistent value: updates return a new module that shares
// the unchanged parts.
#pragma once
#include <functional>
#include <map>
#include <unordered_map>

#include "ir/expr.h"

namespace sunmao {

using GlobalInfos = std::map<std::string, std::vector<Ref<GlobalInfo>>>;

struct FunctionEntry {
  Ref<GlobalVar> var;
  Ref<BaseFunc> func;
};

class Module {
 public:
  Module();

  /// Functions in insertion order.
  const std::vector<FunctionEntry>& functions() const;
  Ref<BaseFunc> find(std::string_view name) const;
  Ref<GlobalVar> find_var(std::string_view name) const;
  /// Returns the function of that name and kind, or null.
  template <class T>
  Ref<T> find_as(std::string_view name) const {
    return find_ref<T>(Expr(find(name)));
  }
  const Attrs& attrs() const;
  const GlobalInfos& global_infos() const;

  /// Replaces the function of that name or adds it; returns the same module when it already has this function.
  [[nodiscard]] Module with_function(std::string_view name, Ref<BaseFunc> func) const;
  [[nodiscard]] Module with_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func) const&;
  /// Replaces or adds many functions in linear time.
  [[nodiscard]] Module with_functions(std::vector<FunctionEntry> entries) const&;
  /// Overload for a module that is not used afterwards. When no other Module shares its state, the state is changed in
  /// place, so the call takes time for the new function alone.
  [[nodiscard]] Module with_function(const Ref<GlobalVar>& var, Ref<BaseFunc> func) &&;
  [[nodiscard]] Module without_function(std::string_view name) const;
  /// Returns the module without the functions for which `is_gone` is true.
  [[nodiscard]] Module without_functions(const std::function<bool(const FunctionEntry&)>& is_gone) const;
  [[nodiscard]] Module with_attrs(Attrs attrs) const;
  [[nodiscard]] Module with_global_infos(GlobalInfos infos) const;
  bool same_as(const Module& other) const { return state_ == other.state_; }

 private:
  struct State;
  explicit Module(std::shared_ptr<State> state) : state_(std::move(state)) {}
  // The state changes only while a single Module holds it: during construction, and in `with_function(…) &&`.
  std::shared_ptr<State> state_;
};

/// Weights by parameter name; they are not part of the module.
using Weights = std::map<std::string, Array>;

/// A module and its weights, as read by a front end.
struct Model {
  Module module;
  Weights weights;
  Weights states = {};  // the first values of what `main` takes and returns as its state, by parameter name
};

}  // namespace sunmao
