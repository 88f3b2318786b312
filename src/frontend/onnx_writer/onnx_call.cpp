#include "frontend/onnx_writer/onnx_call.h"

#include <fmt/format.h>

#include "eval/element.h"

namespace sunmao::onnx_writer {
namespace {

bool is_allowed(DType t, Dtypes allowed) {
  const bool is_wide_float = t.is_float() && t.bits >= 16, is_integer = t.is_int() || t.is_uint();
  const bool is_whole = is_integer && t.bits >= 8;
  switch (allowed) {
    case Dtypes::Floats: return is_wide_float;
    case Dtypes::Words: return is_wide_float || (is_integer && t.bits >= 32);
    case Dtypes::Signed: return is_wide_float || (t.is_int() && t.bits >= 8);
    case Dtypes::Numbers: return is_wide_float || is_whole;
    case Dtypes::Integers: return is_whole;
    case Dtypes::Unsigned: return t.is_uint() && t.bits >= 8;
    case Dtypes::Truths: return t.is_bool();
    case Dtypes::All: return is_wide_float || is_whole || t.is_bool();
  }
  return false;
}

const char* node_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Add: return "Add";
    case BinaryOp::Sub: return "Sub";
    case BinaryOp::Mul: return "Mul";
    case BinaryOp::Min: return "Min";
    case BinaryOp::Max: return "Max";
    default: return nullptr;
  }
}

}  // namespace

void ValueNames::note_sizes(const TensorType& type, const std::string& name) {
  const std::vector<Scalar>* dims = type.dims();
  for (size_t i = 0; dims && i < dims->size(); ++i)
    if (const Ref<SymVar> symbol = find_ref<SymVar>((*dims)[i]))
      sizes_.try_emplace(symbol, Size{.tensor = name, .axis = static_cast<int64_t>(i), .value = {}});
}

/// Returns a vector of one element.
std::string ValueNames::element(const Scalar& value, OnnxGraph& graph) {
  if (const int64_t* number = find_int(value))
    return graph.initializer(Array::from_ints({1}, std::vector{*number}), "size");
  if (const Ref<SymVar> symbol = find_ref<SymVar>(value)) {
    const auto found = sizes_.find(symbol);
    if (found == sizes_.end()) throw NoCounterpart{fmt::format("no input has the size `{}`", symbol->name)};
    Size& size = found->second;
    if (size.value.empty())
      size.value =
          graph.add("Shape", {size.tensor}, {{"start", size.axis}, {"end", size.axis + 1}}, {symbol->name}).front();
    return size.value;
  }
  const auto* binary = find<Binary>(value);
  const char* op = binary ? node_of(binary->op) : nullptr;
  if (!op) throw NoCounterpart{fmt::format("the size `{}` is no sum or product of sizes of inputs", describe(value))};
  const std::string a = element(binary->a, graph), b = element(binary->b, graph);
  return graph.add(op, {a, b}, {}, {"size"}).front();
}

std::string ValueNames::vector(const std::vector<Scalar>& values, OnnxGraph& graph) {
  Values parts;
  std::vector<int64_t> numbers;  // that stand side by side
  const auto end_numbers = [&] {
    if (numbers.empty() && !values.empty()) return;
    parts.push_back(graph.initializer(Array::from_ints({static_cast<int64_t>(numbers.size())}, numbers), "sizes"));
    numbers.clear();
  };
  for (const Scalar& value : values) {
    if (const int64_t* number = find_int(value)) {
      numbers.push_back(*number);
      continue;
    }
    end_numbers();
    parts.push_back(element(value, graph));
  }
  end_numbers();
  if (parts.size() == 1) return parts[0];
  return graph.add("Concat", std::move(parts), {{"axis", 0}}, {"sizes"}).front();
}

std::string OnnxCall::value_of(const Expr& e) {
  if (find<Var>(e)) {
    if (!find<TensorType>(e->type)) refuse(fmt::format("takes a {} that a variable holds", describe(e->type)));
    return names_.of(e).front();
  }
  if (const auto* constant = find<Constant>(e)) return graph_.initializer(constant->data, "constant");
  const auto* prim = find<PrimValue>(e);
  if (!prim) refuse("takes what is no tensor");
  const DType dtype = prim->value->dtype;
  if (const int64_t* number = find_int(prim->value)) {
    if (dtype.bits == 64) return graph_.initializer(Array::from_ints({}, std::vector{*number}), "constant");
    return this->number(dtype, static_cast<double>(*number));
  }
  if (const auto* real = find<FloatImm>(prim->value)) return this->number(dtype, real->value);
  const std::string vector = names_.vector({prim->value}, graph_);
  return cast(add("Reshape", {vector, ints({})}), DType::int_(64), dtype);
}

Values OnnxCall::inputs() {
  Values out;
  for (size_t i = 0; i < arg_count(); ++i) out.push_back(input(i));
  return out;
}

Values OnnxCall::fields(size_t i) {
  const Expr& arg = call.args[i];
  if (find<TensorType>(arg->type)) return {input(i)};
  const auto* tuple = find<Tuple>(arg);
  if (!tuple) return names_.of(arg);
  Values out;
  for (const Expr& field : tuple->fields) out.push_back(value_of(field));
  return out;
}

std::string OnnxCall::shape_input(size_t i) {
  const Expr& arg = call.args[i];
  if (find<Var>(arg)) return names_.of(arg).front();
  if (const auto* shape = find<ShapeExpr>(arg)) return vector(shape->values);
  const auto* tuple = find<Tuple>(arg);
  if (!tuple) refuse("takes sizes that are no shape");
  std::vector<Scalar> values;
  for (const Expr& field : tuple->fields) {
    const auto* prim = find<PrimValue>(field);
    if (!prim) refuse("takes sizes that are no numbers");
    values.push_back(prim->value);
  }
  return vector(values);
}

int64_t OnnxCall::rank(size_t i) const {
  const int rank = in.tensor(i).rank;
  require(rank != kUnknownRank, "takes a tensor of unknown rank");
  return rank;
}

const std::vector<Scalar>& OnnxCall::dims(size_t i) const {
  const std::vector<Scalar>* dims = in.tensor(i).dims();
  require(dims, "takes a tensor of unknown shape");
  return *dims;
}

const std::vector<Scalar>& OnnxCall::result_dims() const {
  const std::vector<Scalar>* dims = result_type().dims();
  require(dims, "gives a tensor of unknown shape");
  return *dims;
}

int64_t OnnxCall::axis(const char* attribute, int64_t rank) const {
  return in.normalize_axis(in.int_attr(attribute), static_cast<int>(rank));
}

const TensorType& OnnxCall::tensor_type(const Type& type) const {
  const auto* tensor = find<TensorType>(type);
  require(tensor && !tensor->is_unknown_dtype(), "gives what is no tensor of known dtype");
  return *tensor;
}

const TensorType& OnnxCall::result_type(size_t field) const {
  const auto* tuple = find<TupleType>(call.type);
  return tuple ? tensor_type(tuple->fields[field]) : result_type();
}

size_t OnnxCall::result_count() const {
  const auto* tuple = find<TupleType>(call.type);
  return tuple ? tuple->fields.size() : 1;
}

void OnnxCall::require_dtype(DType dtype, Dtypes allowed) const {
  if (!is_allowed(dtype, allowed)) refuse(fmt::format("on {} has no counterpart in ONNX", dtype.str()));
}

void OnnxCall::require(size_t i, Dtypes allowed) const { require_dtype(dtype(i), allowed); }

void OnnxCall::require(bool holds, const std::string& reason) const {
  if (!holds) refuse(reason);
}

void OnnxCall::refuse(const std::string& reason) const { throw NoCounterpart{fmt::format("`{}` {}", row.op, reason)}; }

double OnnxCall::real_attr(const char* attribute) const {
  const double value = in.float_attr(attribute);
  require(dtype() != DType::float_(64) || static_cast<double>(static_cast<float>(value)) == value,
          fmt::format("on float64 has `{}`, which ONNX keeps in 32 bits", attribute));
  return value;
}

std::string OnnxCall::add(const char* op, Values inputs, NodeAttributes attributes) {
  return graph_.add(op, std::move(inputs), std::move(attributes), {name_}).front();
}

Values OnnxCall::add(const char* op, Values inputs, NodeAttributes attributes, size_t outputs) {
  return graph_.add(op, std::move(inputs), std::move(attributes), Values(outputs, name_));
}

std::string OnnxCall::cast(const std::string& value, DType from, DType to) {
  if (from == to) return value;
  require_dtype(from, Dtypes::All);
  require_dtype(to, Dtypes::All);
  return add("Cast", {value}, {{"to", *element_of(to)}});
}

std::string OnnxCall::reshaped(const std::string& value, const std::vector<Scalar>& dims) {
  return add("Reshape", {value, vector(dims)}, {{"allowzero", 1}});
}

std::string OnnxCall::transposed(const std::string& value, const std::vector<int64_t>& axes) {
  return add("Transpose", {value}, {{"perm", AttrValue::ints(axes)}});
}

std::string OnnxCall::ints(const std::vector<int64_t>& values) {
  return graph_.initializer(Array::from_ints({static_cast<int64_t>(values.size())}, values), "ints");
}

std::string OnnxCall::number(DType dtype, double value) {
  require_dtype(dtype, Dtypes::All);
  const Number number = dtype.is_float() ? float_number(value) : int_number(static_cast<int64_t>(value));
  ArrayBuilder builder(dtype, {});
  store_element(dtype, builder.data(), 0, round_to(dtype, number));
  return graph_.initializer(std::move(builder).finish(), "constant");
}

std::string OnnxCall::along(const std::string& vector, int64_t axis, int64_t rank) {
  if (axis == rank - 1) return vector;
  std::vector<int64_t> behind;
  for (int64_t i = 1; i < rank - axis; ++i) behind.push_back(i);
  return add("Unsqueeze", {vector, ints(behind)});
}

Values as_one_node(OnnxCall& c) { return {c.add(c.row.becomes, c.inputs())}; }

}  // namespace sunmao::onnx_writer
