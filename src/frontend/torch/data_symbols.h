// DataSymbols: the symbols of a program that no input has as a dimension: sizes that data decides, which casts define,
// and numbers that a program reads from tensors.
#pragma once
#include <functional>
#include <unordered_map>

#include "frontend/model_builder.h"
#include "frontend/torch/guards.h"
#include "frontend/torch/sympy_text.h"
#include "io/json.h"
#include "ir/infer.h"
#include "sym/walk.h"

namespace sunmao::torch {

class DataSymbols {
 public:
  struct Number {
    Expr tensor;  // of rank 0: int64 or float64; null when it could not be read
    bool is_size;
  };

  explicit DataSymbols(ModelBuilder& builder) : builder_(builder) {}

  /// Takes the ranges that the program states, by name.
  void note_ranges(io::JsonValue ranges) { ranges_ = ranges; }

  /// Takes `tensor`, which has one element, as the value of the number that the program writes as `text`; null when it
  /// could not be read.
  void define_number(std::string_view text, const Expr& tensor, const Span& span);
  /// Returns the value of a number as a tensor of rank 0: int64, float64 or bool. Throws UnsupportedUse when it is
  /// unknown.
  Expr number(std::string_view text, const Span& span);

  /// Returns a size in terms of symbols that have a value in the module; numbers in it become symbols. Throws
  /// UnsupportedUse when one has none, or may be negative.
  Scalar size(const Scalar& written, const Span& span);
  /// True when `size` gives it.
  bool is_size(const Scalar& written) const;
  /// Returns a type of the program with its symbols in terms of others, as far as they stand for such.
  Type meant(const Type& written) const { return substitute(written, meanings_); }

  /// Returns `value` in the sizes that the program states, which gives new symbols their value. What it says of known
  /// symbols is checked where it is not proven.
  Expr sized(const Expr& value, const Type& stated, const Span& span);

  /// True when data decides a condition, and all of it has a value in the module; not for the exporter's own assumption
  /// about a size that an op gives, that it is at least 2: what the program does is as right for 0 and 1.
  bool is_decided(std::string_view text);
  /// Lets a run check a condition, unless it is proven.
  void require(std::string_view text, const Span& span);

  /// Returns what `make` gives, which is called once for each operand.
  Expr once(const Expr& operand, const std::function<Expr()>& make);

  /// What is known around a body that is kept, or read several times.
  struct Around {
    Substitution meanings;
    std::unordered_map<Ref<SymVar>, Number> numbers;
    std::unordered_map<Expr, Expr> made;
    size_t first_own_size;
  };
  Around begin_body();
  /// Forgets what was defined in the body: its nodes can be read again, with symbols of their own.
  void end_body(Around around);

 private:
  Ref<SymVar> symbol(std::string_view name);
  Expr value_of(std::string_view name, const Span& span);
  bool is_unknown(const Scalar& s) const;
  bool is_assumed(const SympyNode& condition);
  bool depends_on_data(const Scalar& s) const;
  void require(const SympyNode& node, const Span& span);
  void assume(const Guard& checked);

  ModelBuilder& builder_;
  io::JsonValue ranges_;
  Substitution meanings_;                            // what symbols of the program stand for
  std::unordered_map<Ref<SymVar>, Number> numbers_;  // that were read
  std::unordered_map<Expr, Expr> made_;              // by operand
  size_t first_own_size_ = 0;                        // of data, in the innermost body
};

/// Returns a new symbol for a size that data decides.
Ref<SymVar> new_size(ModelBuilder& builder, const std::string& name);

/// Lets `size` be the value of a tensor of one integer, as a run finds it, which refuses what is negative; it is
/// checked where `size` has a value.
void read_size(ModelBuilder& builder, const Expr& number, const Scalar& size, const Span& span);

}  // namespace sunmao::torch
