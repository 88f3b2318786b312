// ByteValues: a rewriter that reads dequantised tensors as bytes with scales, and keeps bytes as the kind that is asked
// for.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "passes/algebra/quantised.h"
#include "passes/algebra/scaled_weights.h"
#include "passes/analysis/forwarding_rewriter.h"

namespace sunmao {

inline constexpr int64_t kSignShift = 128;  // between int8 and uint8
inline const DType kUnsigned = DType::uint(8), kSigned = DType::int_(8), kSum = DType::int_(32),
                   kReal = DType::float_(32);

class ByteValues : public ForwardingRewriter {
 public:
  explicit ByteValues(const Function& f);

 protected:
  using ForwardingRewriter::visit;
  void visit(const Binding& b) override;
  /// What is noted of a block ends with it: variables of a dataflow block are not visible behind it.
  Ref<BindingBlock> visit_block(const Ref<BindingBlock>& block) override;
  virtual void forget();

  /// Binds a call, and returns its variable.
  Expr step(const char* op, std::vector<Expr> args, AttrMap attrs = {});
  Expr as(const Expr& e, DType dtype) { return step("astype", {e}, {{"dtype", dtype}}); }
  EmitFn emit_step();

  /// True for what depends on constants and weights alone.
  bool is_known(const Expr& e) const { return find<Var>(e) ? known_.contains(find_ref<Var>(e)) : is_leaf(e); }
  /// Returns what a variable of the block stands for; null for others.
  Expr definition(const Expr& e) const { return in_block_.contains(find_ref<Var>(e)) ? value_of(e) : nullptr; }
  const Call* call_of(const Expr& e, std::string_view op) const;

  /// Returns what a tensor of floats stands for, where a `dequantize` or the arithmetic of one defines it, maybe behind
  /// ops that only move elements; these move the values then.
  std::optional<Quantised> read_quantised(const Expr& x);

  /// Returns bytes as the other kind, 128 higher or lower: by the same ops on that kind where a `quantize` made them.
  Expr of_kind(const Expr& bytes, DType kind);
  /// The same by arithmetic.
  Expr shifted(const Expr& bytes, DType kind);
  /// Notes what `bytes` are as the other kind.
  void note_other_kind(const Expr& bytes, const Expr& other) { other_kind_[find_ref<Var>(bytes)] = other; }
  bool has_other_kind(const Expr& bytes) const { return other_kind_.contains(find_ref<Var>(bytes)); }
  /// The zero points of values that become bytes of a kind, in a dtype; one number where they are all the same.
  Expr zero_as(const Expr& zero, DType values, DType kind, DType dtype);
  /// How much higher bytes are as this kind than as the other one.
  static int64_t shift_to(DType kind) { return kind == kUnsigned ? kSignShift : -kSignShift; }
  /// A vector of one element is a number.
  Expr single_as_number(const Expr& e);

  std::string binding_;  // that is being visited
  Span span_;            // of its call

 private:
  std::optional<Quantised> read_arithmetic(const Call& call);
  std::optional<Quantised> moved(const Call& move, Quantised x);
  std::optional<Quantised> joined(const Call& concat);
  std::optional<Quantised> part_of(const TupleGetItem& field);
  Expr without_casts(const Expr& e) const;

  std::unordered_set<Ref<Var>> known_, in_block_;
  std::unordered_map<Ref<Var>, Expr> other_kind_;
  std::unordered_map<Ref<Var>, Expr> parts_;  // of bytes, by tuples of parts of numbers
};

}  // namespace sunmao
