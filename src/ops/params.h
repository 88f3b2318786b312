// Shorthands for the parameters of records, and for what inference and lowering ask again and again.
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
inline OpParam float_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::Float, std::move(name), std::move(doc), std::move(value));
}
inline OpParam string_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::String, std::move(name), std::move(doc), std::move(value));
}
inline OpParam dtype_param(std::string name, std::string doc, Default value = {}) {
  return attr_param(AttrKind::DType, std::move(name), std::move(doc), std::move(value));
}
/// An expression that may be left out.
inline OpParam optional_param(std::string name, std::string doc, ParamKind kind = ParamKind::Tensor) {
  return {std::move(name), std::move(doc), kind, AttrValue(), AttrKind::Any};
}
/// A scalar that is an expression: a PrimValue or a variable of a scalar type.
inline OpParam scalar_param(std::string name, std::string doc, Default value = {}) {
  return {std::move(name), std::move(doc), ParamKind::Value, std::move(value), AttrKind::Any};
}

/// What inference saw of a call, for its lowering.
inline InferInput input_of(const Call& call) {
  return InferInput(*op_of(call), call.args, call.attrs, call.type_args, call.span);
}

/// The dimensions that the type itself writes out; a shape held by a variable has none, though `dims` may know them.
/// Results are derived from these, checks look at `dims`.
const std::vector<Scalar>* written(const TensorType& x);
/// The tensor type of the shape that argument `i` is: the variable itself where it is one.
Type shaped_by(const InferInput& in, size_t i, DType dtype, Ref<VDevice> vdevice);
/// The type of x with another dtype; everything else stays, a shape held by a variable too.
Type with_dtype(const TensorType& x, DType dtype);
/// A tensor of x's dtype and device whose dimensions are known, or of which the rank alone is.
Type tensor_like(const TensorType& x, std::optional<std::vector<Scalar>> dims, int rank);
/// Whether a dimension is known to be 1. A size that only a run knows is none that repeats.
bool is_one(const Scalar& dim);
/// The product of dimensions; 1 of none.
Scalar product(std::span<const Scalar> dims);
/// Inference of ops whose result has the type of the first argument: any argument, a tensor, a float tensor.
Type infer_as_first(const InferInput& in);
Type infer_as_tensor(const InferInput& in);
Type infer_as_float_tensor(const InferInput& in);
/// Inference of ops that are called for their effect alone: the empty tuple.
Type infer_nothing(const InferInput& in);
/// Decomposition of ops that are the identity at run time.
Expr first_argument(const Call& call);
/// E0309 unless the two sizes, which `what` names, can be equal.
void need_equal_sizes(const InferInput& in, const char* what, const Scalar& a, const Scalar& b);
/// E0306 unless the dtype is a float or unknown.
void need_float(const InferInput& in, const TensorType& x);
/// E0306 with `wanted` unless `holds`.
void need_dtype(const InferInput& in, bool holds, const std::string& name, const char* wanted, DType got);
/// E0201 unless argument `i` is a scalar.
void need_scalar(const InferInput& in, size_t i);
/// E0306 unless `t`, the dtype of what is called `name`, is an integer or unknown.
void need_integers(const InferInput& in, const std::string& name, DType t);
/// E0307 unless the rank is `rank` or unknown.
void need_rank(const InferInput& in, size_t i, int rank);
/// E0304 when the tensors `i` and `j` have different dtypes.
void need_one_dtype(const InferInput& in, size_t i, size_t j);
/// One dimension for each of `wanted`, else E0307, and E0309 when one cannot be the wanted one (null: any). Nothing
/// where the argument is left out.
void need_dims(const InferInput& in, size_t i, const std::vector<Scalar>& wanted);
/// The axes counted from the front; E0203 when one is out of range or occurs twice.
std::vector<int> distinct_axes(const InferInput& in, const std::vector<int64_t>& axes, int rank);
/// E0203 unless the attribute is one of the words.
std::string word_attr(const InferInput& in, const std::string& name, std::initializer_list<const char*> words);
/// Argument `i` as a scalar where its value is written in the call or its type; null when only a run knows it.
Scalar scalar_value(const Expr& arg);
/// The values of a tuple of scalars or of a shape; not set when one is unknown.
std::optional<std::vector<Scalar>> scalar_values(const Expr& arg);
/// A number where the expression is one, else the expression as it is written.
Scalar number_or(const InferInput& in, const Scalar& s);
/// One device of several tensors where they say so; E0305 when they differ.
Ref<VDevice> shared_vdevice(const InferInput& in, std::initializer_list<const TensorType*> tensors);
Ref<VDevice> shared_vdevice(const InferInput& in, const std::vector<const TensorType*>& tensors);

}  // namespace sunmao
