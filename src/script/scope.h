// Scope: the name bindings visible while a function is read, as nested levels, and the symbols of its shapes.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/expr.h"
#include "loop/buffer.h"

namespace sunmao::script {

/// The name of the module being read, as bound by `cls = Module`.
struct ModuleAlias {};

/// What a name is bound to: a variable, a scalar, a buffer, several scalars (`for ij in T.grid(2, 3)`), the module, a
/// plain value.
using Named = std::variant<Ref<Var>, Scalar, Ref<Buffer>, std::vector<Scalar>, ModuleAlias, AttrValue>;

class Scope {
 public:
  Scope() { push(); }
  /// Opens a level; with `hides_outer`, names of the enclosing levels are not visible in it.
  void push(bool hides_outer = false) {
    levels_.emplace_back();
    hides_.push_back(hides_outer);
    hidden_ += hides_outer;
  }
  void pop() {
    hidden_ -= hides_.back();
    levels_.pop_back();
    hides_.pop_back();
  }
  void set(const std::string& name, Named value) {
    has_parts_ = has_parts_ || name.ends_with(']');
    levels_.back()[name] = std::move(value);
  }
  /// True when subscripts such as `args[0]` may be bound as names.
  bool has_parts() const { return has_parts_; }
  const Named* find(const std::string& name) const;
  template <class T>
  const T* find_as(const std::string& name) const {
    const Named* n = find(name);
    return n ? std::get_if<T>(n) : nullptr;
  }
  std::vector<std::string> names() const;

  /// Symbols are visible in the whole function and in nested functions, except in levels that hide outer names.
  Ref<SymVar> find_symbol(const std::string& name) const;
  Ref<SymVar> define_symbol(const std::string& name, DType dtype, Span span);
  Ref<SymVar> define_symbol(const std::string& name, Ref<SymVar> symbol);
  /// Records a declaration such as `n = T.int32()` in the body, or a type parameter, since dimensions may use it
  /// earlier.
  void declare_symbol(const std::string& name, DType dtype) { declared_.emplace(symbol_key(name), dtype); }
  const DType* find_declared(const std::string& name) const;

 private:
  std::vector<std::unordered_map<std::string, Named>> levels_;
  // Returns the key of a symbol: its name, distinguished by the number of levels that hide outer names.
  std::string symbol_key(const std::string& name) const {
    return hidden_ == 0 ? name : name + "@" + std::to_string(hidden_);
  }

  std::vector<bool> hides_;
  int hidden_ = 0;
  bool has_parts_ = false;
  std::unordered_map<std::string, Ref<SymVar>> symbols_;
  std::unordered_map<std::string, DType> declared_;
};

class ScopeLevel {
 public:
  explicit ScopeLevel(Scope& scope, bool hides_outer = false) : scope_(scope) { scope_.push(hides_outer); }
  ~ScopeLevel() { scope_.pop(); }
  ScopeLevel(const ScopeLevel&) = delete;
  ScopeLevel& operator=(const ScopeLevel&) = delete;

 private:
  Scope& scope_;
};

}  // namespace sunmao::script
