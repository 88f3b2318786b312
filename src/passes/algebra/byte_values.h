// ByteValues: a rewriter that reads dequantised tensors as bytes with scales, and keeps bytes as the kind that is asked
// for.
#pragma once
#include <unordered_map>

#include "passes/algebra/quantised.h"
#include "passes/algebra/step_rewriter.h"

namespace sunmao {

inline const DType kUnsigned = DType::uint(8), kSigned = DType::int_(8), kSum = DType::int_(32),
                   kReal = DType::float_(32);

inline bool is_byte(DType t) { return t == kUnsigned || t == kSigned; }

class ByteValues : public StepRewriter {
 public:
  using StepRewriter::StepRewriter;

 protected:
  void forget() override;

  /// Returns what a tensor of floats stands for, where a `dequantize` or the arithmetic of one defines it, maybe behind
  /// ops that only move elements; these move the values then.
  std::optional<Quantised> read_quantised(const Expr& x);

  /// True for zero points that are bytes of a kind, whatever their dtype.
  bool is_byte_point(const Expr& zero, DType kind) const;
  bool is_quantised_to_bytes(const Expr& value) const;

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

 private:
  std::optional<Quantised> read_value(const Expr& value);
  std::optional<Quantised> read_arithmetic(const Call& call);
  std::optional<Quantised> moved(const Call& move, Quantised x);
  std::optional<Quantised> padded(const Call& pad);
  std::optional<Quantised> joined(const Call& concat);
  std::optional<Quantised> part_of(const TupleGetItem& field);
  Expr without_casts(const Expr& e) const;

  std::unordered_map<Ref<Var>, Expr> other_kind_;
  std::unordered_map<Ref<Var>, std::optional<Quantised>> read_;
  std::unordered_map<Ref<Var>, Expr> parts_;  // of bytes, by tuples of parts of numbers
};

}  // namespace sunmao
