// ValueReader: types (R.Tensor …), attribute values, index maps, devices and the data of constants.
#pragma once
#include "ir/expr.h"
#include "script/scalar_reader.h"

namespace sunmao::script {

class ValueReader : public ScalarReader {
 public:
  using ScalarReader::ScalarReader;

  Type type(const PyExpr& e);
  /// Whether `e` is spelled as a type is, without reading it.
  bool is_type(const PyExpr& e) const;
  /// `R.Prim(dtype="int64")`: a scalar of which the dtype is known and nothing else, whatever stands around it.
  bool says_dtype_alone(const PyExpr& annotation) const;
  AttrValue value(const PyExpr& e);
  /// `value`, as parameter `name` takes it: dtypes and devices may be written as text.
  AttrValue named_value(const std::string& name, const PyExpr& e);
  /// The dict of `R.func_attr({...})` and its like.
  AttrMap map(const PyExpr& e);
  Ref<GlobalInfo> global_info(const PyExpr& e);
  /// `R.const(value, dtype)`.
  Array constant_data(const PyExpr& call);
  /// `R.const(…)`, and what stands in the table of constants; null for anything else.
  Expr constant(const PyExpr& e);

 protected:
  /// Dimensions of a shape; quoted ones may define symbols.
  std::vector<Scalar> dims(const PyExpr& sequence);
  Scalar dim(const PyExpr& e);
  /// A list of dimensions that the host has; nullopt when it has none by that name.
  std::optional<std::vector<Scalar>> host_dims(const PyExpr& e);
  Scalar variable(const Ref<Var>& var, const PyExpr& e) override;
  /// An expression of the graph level as a value; null where `e` is none.
  virtual Expr expr_value(const PyExpr&) { return nullptr; }

 private:
  Type type_of_variable(const PyExpr& e);
  Type host_type(const PyExpr& e);
  Type tensor(const PyExpr& call);
  Type shape(const PyExpr& call);
  Type prim(const PyExpr& call);
  Type tuple(const PyExpr& call);
  Type callable(const PyExpr& call);
  std::vector<const PyExpr*> bind(const PyExpr& call, const std::string& name,
                                  std::initializer_list<const char*> params);
  /// `None`, or a name that the host has as None.
  bool is_none(const PyExpr& e);
  Ref<VDevice> device(const PyExpr& e);
  AttrValue target(const PyExpr& call);
  Ref<GlobalInfo> host_device(const PyExpr& call, const std::string& name);
  AttrMap target_map(const PyExpr& e);
  AttrValue reducer(const PyExpr& call);
  AttrValue dialect_value(const PyExpr& e, char dialect, const std::string& name);
  Ref<IndexMap> index_map(const PyExpr& lambda, DType dtype);
};

}  // namespace sunmao::script
