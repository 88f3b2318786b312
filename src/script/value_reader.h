// ValueReader: reads types (R.Tensor …), attribute values, index maps, devices and the data of constants.
#pragma once
#include "ir/expr.h"
#include "script/scalar_reader.h"

namespace sunmao::script {

class ValueReader : public ScalarReader {
 public:
  using ScalarReader::ScalarReader;

  Type type(const PyExpr& e);
  /// True when `e` is spelled like a type; does not read it.
  bool is_type(const PyExpr& e) const;
  /// True for `R.Prim(dtype="int64")`: a scalar type with a dtype and no value, whatever the context.
  bool says_dtype_alone(const PyExpr& annotation) const;
  AttrValue value(const PyExpr& e);
  /// Reads the value of the parameter `name`. Where the name marks a dtype or a device (`…dtype`, `…vdevice`), quoted
  /// text is read as one; `R.str("…")` is a string under any name. A function of the host may be an `index_map`.
  AttrValue named_value(const std::string& name, const PyExpr& e);
  /// Reads a dict, such as that of `R.func_attr({...})`, from the script or the host.
  AttrMap map(const PyExpr& e);
  Ref<GlobalInfo> global_info(const PyExpr& e);
  /// Reads the data of `R.const(value, dtype)`.
  Array constant_data(const PyExpr& call);
  /// Reads `R.const(…)` or an entry of the constant table; null for anything else.
  Expr constant(const PyExpr& e);

 protected:
  /// Reads the dimensions of a shape; quoted ones may define symbols.
  std::vector<Scalar> dims(const PyExpr& sequence);
  Scalar dim(const PyExpr& e);
  /// Returns a list of dimensions that the host provides; absent when there is none.
  std::optional<std::vector<Scalar>> host_dims(const PyExpr& e);
  Scalar variable(const Ref<Var>& var, const PyExpr& e) override;
  /// Reads a graph-level expression as a value; null when `e` is none.
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
  /// True for `None`, and for a name that the host binds to None.
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
