// PyTorch's rules for the dtype of an op on several tensors and Python numbers.
#pragma once
#include <initializer_list>
#include <span>

#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// An operand of arithmetic: a tensor or a Python number.
struct Operand {
  Expr tensor;          // null for a number that is known
  PythonNumber number;  // if `tensor` is null
  bool is_number;
};

/// Returns an argument; a symbolic number as a tensor of rank 0.
Operand operand(const NodeContext& n, std::string_view name);
Operand operand_of(const Expr& tensor);

/// Returns the dtype that holds values of both; fails for pairs that PyTorch does not promote.
DType promote(DType a, DType b);

/// Returns the dtype in which PyTorch computes: tensors of rank 0 and numbers count only where they are of a higher
/// category (bool, integer, float) than the others.
DType result_dtype(std::span<const Operand> operands);

/// Returns `dtype` if it is a float, else PyTorch's default float32.
DType float_or_default(DType dtype);

Expr tensor_of(const NodeContext& n, const Operand& operand, DType dtype);
/// Returns the number as `dtype` holds it.
double held(DType dtype, double value);

/// Returns the arguments in the dtype of their result.
std::vector<Expr> promoted(const NodeContext& n, std::initializer_list<std::string_view> names);
/// Like `promoted`, but integers and bools become float32.
std::vector<Expr> promoted_to_float(const NodeContext& n, std::initializer_list<std::string_view> names);
/// Returns the argument, as float32 unless it is a float.
Expr float_tensor(const NodeContext& n, std::string_view name);

/// Returns `x` as float32 if it is a float of 16 bits: what PyTorch computes in one op is rounded once.
Expr widened(const NodeContext& n, const Expr& x);

/// Like `promoted`, but where a number on the right is none of the 16 bits of the result, both sides are float32:
/// PyTorch keeps such a number in float32 in products and quotients. The caller rounds to `result`.
struct Sides {
  std::vector<Expr> values;
  DType result;
};
Sides promoted_beside_number(const NodeContext& n, bool to_float);

/// Converts a node as if its floats of 16 bits were float32, and rounds each result once to the dtype that the exporter
/// recorded: what PyTorch calls opmath.
Results converted_in_opmath(const NodeContext& n, Convert convert);
template <Convert convert>
Results in_opmath(const NodeContext& n) {
  return converted_in_opmath(n, convert);
}

}  // namespace sunmao::torch
