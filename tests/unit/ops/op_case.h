// Helpers for tests of ops: calls by name, types, and values computed by the evaluator.
#pragma once
#include <gtest/gtest.h>

#include <cstring>

#include "eval/evaluator.h"
#include "ir/builder.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao {

using F = std::vector<float>;
using I = std::vector<int64_t>;

/// Returns a map with the single attribute `name`, a list of integers.
inline AttrMap list(const char* name, std::vector<int64_t> values) { return {{name, AttrValue::ints(values)}}; }

inline Ref<Call> call_op(const std::string& op, std::vector<Expr> args, AttrMap attrs = {}) {
  return Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)));
}

/// Returns a tensor type with constant dimensions.
inline Type tensor_type(std::vector<int64_t> dims, DType dtype = DType::float_(32)) {
  std::vector<Scalar> scalars;
  for (int64_t d : dims) scalars.push_back(int_imm(d));
  return TensorType::make(std::move(scalars), dtype);
}
inline Type unknown_type(int rank = kUnknownRank, DType dtype = DType::float_(32)) {
  return TensorType::make_unknown(dtype, rank);
}
inline Expr variable(Type type, const std::string& name = "v") { return Var::make(name, std::move(type)); }
inline Expr tensor(std::vector<int64_t> dims, DType dtype = DType::float_(32)) {
  return variable(tensor_type(std::move(dims), dtype));
}
inline Expr number(int64_t value) { return PrimValue::make(int_imm(value)); }
inline Expr number(int value) { return number(int64_t{value}); }
inline Expr number(double value) { return PrimValue::make(FloatImm::make(DType::float_(32), value)); }
inline Expr shape(std::vector<Scalar> dims) { return ShapeExpr::make(std::move(dims)); }
inline Expr shape_of_ints(const std::vector<int64_t>& dims) {
  std::vector<Scalar> out;
  for (int64_t d : dims) out.push_back(int_imm(d));
  return ShapeExpr::make(std::move(out));
}
inline Expr numbers(const std::vector<int64_t>& values) {
  std::vector<Expr> out;
  for (int64_t v : values) out.push_back(number(v));
  return Tuple::make(std::move(out));
}

/// Returns the inferred type in script form.
inline std::string inferred(const std::string& op, std::vector<Expr> args, AttrMap attrs = {}) {
  return describe(call_op(op, std::move(args), std::move(attrs))->type);
}

/// Returns the error code of inference; empty when it succeeds.
inline std::string failure(const std::string& op, std::vector<Expr> args, AttrMap attrs = {}) {
  try {
    call_op(op, std::move(args), std::move(attrs));
  } catch (const UserError& e) {
    return e.diagnostics()[0].code;
  }
  return "";
}

inline Expr floats(std::vector<int64_t> dims, const std::vector<float>& values) {
  return Constant::make(Array::from_floats(std::move(dims), values));
}
template <class T>
Expr integers(DType dtype, std::vector<int64_t> dims, const std::vector<T>& values) {
  ArrayBuilder b(dtype, std::move(dims));
  std::memcpy(b.data(), values.data(), values.size() * sizeof(T));
  return Constant::make(std::move(b).finish());
}
inline Expr ints(std::vector<int64_t> dims, const std::vector<int64_t>& values) {
  return integers(DType::int_(64), std::move(dims), values);
}
inline Expr bools(std::vector<int64_t> dims, const std::vector<uint8_t>& values) {
  return integers(DType::bool_(), std::move(dims), values);
}

/// Returns the value of a call, computed by its lowering in the evaluator.
inline Value evaluated(const std::string& op, const std::vector<Expr>& args, AttrMap attrs = {}) {
  BlockBuilder b;
  Expr result = b.emit_output(call_op(op, args, std::move(attrs)));
  Module m = Module().with_function("f", b.finish_function({}, result));
  return Evaluator(m).call("f", {});
}
template <class T>
std::vector<T> elements(const Array& a) {
  auto span = a.as<T>();
  return {span.begin(), span.end()};
}
inline std::vector<float> run(const std::string& op, const std::vector<Expr>& args, AttrMap attrs = {}) {
  return elements<float>(*evaluated(op, args, std::move(attrs)).array());
}
inline std::vector<int64_t> run_ints(const std::string& op, const std::vector<Expr>& args, AttrMap attrs = {}) {
  return elements<int64_t>(*evaluated(op, args, std::move(attrs)).array());
}
inline std::vector<float> field(const Value& tuple, size_t i) { return elements<float>(*(*tuple.tuple())[i].array()); }

inline AttrMap axis(int64_t value) { return {{"axis", value}}; }

}  // namespace sunmao
