// Helpers for op records: shorthands for parameters, and checks and queries shared by inference and lowering.
#pragma once
#include "ir/op.h"

namespace sunmao {

using Default = std::optional<AttrValue>;

inline OpParam attr_param(AttrKind kind, std::string name, std::string doc, Default value) {
  return {std::move(name), std::move(doc), ParamKind::Attr, std::move(value), kind};
}
inline OpParam int_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::Int, std::move(name), std::move(doc), std::move(value));
}
inline OpParam ints_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::Ints, std::move(name), std::move(doc), std::move(value));
}
inline OpParam bool_param(std::string name, std::string doc, bool value) {
  return attr_param(AttrKind::Bool, std::move(name), std::move(doc), AttrValue(value));
}
/// The parameter `from_end` of ops that take indices. PyTorch refuses negative ones in some of its ops.
inline OpParam from_end_param() {
  return bool_param("from_end", "whether an index below 0 counts from the end; else it is out of range", true);
}
inline OpParam float_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::Float, std::move(name), std::move(doc), std::move(value));
}
inline OpParam string_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::String, std::move(name), std::move(doc), std::move(value));
}
inline OpParam dtype_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::DType, std::move(name), std::move(doc), std::move(value));
}
/// Makes the parameter for an optional argument.
inline OpParam optional_param(std::string name, std::string doc, ParamKind kind = ParamKind::Tensor) {
  return {std::move(name), std::move(doc), kind, AttrValue(), AttrKind::Any};
}
/// Makes the parameter for a scalar argument: a PrimValue or a variable of a scalar type.
inline OpParam scalar_param(std::string name, std::string doc, Default value = {}) {
  return {std::move(name), std::move(doc), ParamKind::Value, std::move(value), AttrKind::Any};
}

/// Returns the inference input of a call, for use in its lowering.
inline InferInput input_of(const Call& call) {
  return InferInput(*op_of(call), call.args, call.attrs, call.type_args, call.span);
}

/// Returns the dimensions that the type itself contains; null for a shape held by a variable, though `dims` may know
/// its values. Result types are derived from these dimensions, checks use `dims`.
const std::vector<Scalar>* written(const TensorType& x);
/// Returns the tensor type whose shape is argument `i`: the shape variable itself where the argument is one.
Type shaped_by(const InferInput& in, size_t i, DType dtype, Ref<VDevice> vdevice);
/// Returns the type of `x` with another dtype, including a shape held by a variable.
Type with_dtype(const TensorType& x, DType dtype);
/// Returns a tensor type with the dtype and device of `x`, and with the given dimensions if known, else of the given
/// rank.
Type tensor_like(const TensorType& x, std::optional<std::vector<Scalar>> dims, int rank);
/// True when a dimension is known to be 1. A size that is known at run time only never broadcasts.
bool is_one(const Scalar& dim);
/// Returns the product of dimensions; 1 for none.
Scalar product(std::span<const Scalar> dims);
/// Inference of ops whose result has the type of the first argument: any argument, a tensor, a float tensor.
Type infer_as_first(const InferInput& in);
Type infer_as_tensor(const InferInput& in);
Type infer_as_float_tensor(const InferInput& in);
/// Inference of ops that are called for their effect alone: the empty tuple.
Type infer_nothing(const InferInput& in);
/// Decomposition of ops that are the identity at run time.
Expr first_argument(const Call& call);
/// Fails (E0309) unless the two sizes, which `what` names, can be equal.
void need_equal_sizes(const InferInput& in, const char* what, const Scalar& a, const Scalar& b);
/// Fails (E0306) unless the dtype is a float or unknown.
void need_float(const InferInput& in, const TensorType& x);
/// Fails (E0306), with `wanted` in the message, unless `holds`.
void need_dtype(const InferInput& in, bool holds, const std::string& name, const char* wanted, DType got);
/// Fails (E0201) unless argument `i` is a scalar.
void need_scalar(const InferInput& in, size_t i);
/// Fails (E0306) unless `t`, the dtype of the argument `name`, is an integer or unknown.
void need_integers(const InferInput& in, const std::string& name, DType t);
/// Fails (E0307) unless the rank of argument `i` is `rank` or unknown.
void need_rank(const InferInput& in, size_t i, int rank);
/// Fails (E0304) when tensor arguments `i` and `j` have different dtypes.
void need_one_dtype(const InferInput& in, size_t i, size_t j);
/// Checks that argument `i` has one dimension for each of `wanted` (E0307), and that each can equal the wanted one
/// (E0309; null accepts any). An omitted argument passes.
void need_dims(const InferInput& in, size_t i, const std::vector<Scalar>& wanted);
/// Returns the axes as non-negative numbers; E0203 when one is out of range or occurs twice.
std::vector<int> distinct_axes(const InferInput& in, const std::vector<int64_t>& axes, int rank);
/// Returns a string attribute; E0203 unless it is one of `words`.
std::string word_attr(const InferInput& in, const std::string& name, std::initializer_list<const char*> words);
/// Returns the value of scalar argument `arg` if the call or its type contains it; null when it is known at run time
/// only.
Scalar scalar_value(const Expr& arg);
/// Returns the values of a tuple of scalars or of a shape; absent when one is unknown.
std::optional<std::vector<Scalar>> scalar_values(const Expr& arg);
/// Returns the constant that the expression simplifies to, else the expression unchanged.
Scalar number_or(const InferInput& in, const Scalar& s);
/// Returns the device of several tensors where they specify one; E0305 when they differ.
Ref<VDevice> shared_vdevice(const InferInput& in, std::initializer_list<const TensorType*> tensors);
Ref<VDevice> shared_vdevice(const InferInput& in, const std::vector<const TensorType*>& tensors);

}  // namespace sunmao
