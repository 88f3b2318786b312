// Scope: what the names of a function stand for while it is read, block by block, and the symbols of its shapes.
#pragma once
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "ir/expr.h"
#include "loop/buffer.h"

namespace sunmao::script {

/// `cls = Module`: the module that is being read.
struct ModuleAlias {};

/// A variable, a symbol or scalar, a buffer, several scalars (`for ij in T.grid(2, 3)`), the module, a plain value.
using Named = std::variant<Ref<Var>, Scalar, Ref<Buffer>, std::vector<Scalar>, ModuleAlias, AttrValue>;

class Scope {
 public:
  Scope() { push(); }
  /// With `hides_outer`, names of the levels around are not seen from inside.
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
  /// Whether subscripts such as `args[0]` may be names.
  bool has_parts() const { return has_parts_; }
  /// Into the level around the innermost one: what leaves a dataflow block.
  void set_outside(const std::string& name, Named value) { levels_[levels_.size() - 2][name] = std::move(value); }
  const Named* find(const std::string& name) const;
  template <class T>
  const T* find_as(const std::string& name) const {
    const Named* n = find(name);
    return n ? std::get_if<T>(n) : nullptr;
  }
  std::vector<std::string> names() const;

  /// Symbols are seen by the whole function and by the functions inside it, but not where names are hidden.
  Ref<SymVar> find_symbol(const std::string& name) const;
  Ref<SymVar> define_symbol(const std::string& name, DType dtype, Span span);
  Ref<SymVar> define_symbol(const std::string& name, Ref<SymVar> symbol);
  /// `n = T.int32()` stands somewhere in the body, or `n` is a type parameter: a dimension may name it before.
  void declare_symbol(const std::string& name, DType dtype) { declared_.emplace(symbol_key(name), dtype); }
  const DType* find_declared(const std::string& name) const;

 private:
  std::vector<std::unordered_map<std::string, Named>> levels_;
  // The name of a symbol, told apart by how many levels hide what is around them.
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
