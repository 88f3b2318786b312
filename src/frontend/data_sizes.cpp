// Sizes that data decides: symbols that a cast behind a value defines, or that are read from a tensor of integers.
#include <utility>

#include "frontend/findings.h"
#include "frontend/model_builder.h"
#include "frontend/shapes.h"

namespace sunmao {
namespace {

/// Returns the number of elements of a vector or a number.
int64_t length_of(const Expr& vector) {
  const std::vector<Scalar>* dims = dims_of(vector);
  if (dims && dims->empty()) return 1;
  const int64_t* length = dims && dims->size() == 1 ? find_int((*dims)[0]) : nullptr;
  if (!length) throw UnsupportedUse{"with a number of sizes that data decides"};
  if (*length > static_cast<int64_t>(kMaxRank)) throw UnsupportedUse{fmt::format("with {} sizes", *length)};
  return *length;
}

}  // namespace

void ModelBuilder::hint_sizes(std::string value, std::vector<std::string> stated) {
  size_names_ = {.value = std::move(value), .stated = std::move(stated)};
}

Ref<SymVar> ModelBuilder::new_size(const std::string& name) {
  Ref<SymVar> symbol = SymVar::make(names_.fresh(identifier(name)));
  analyzer_.assume(symbol, {0, Interval::kMax});
  return symbol;
}

Scalar ModelBuilder::size_of_data(size_t axis) {
  std::vector<std::string>& stated = size_names_.stated;
  std::string name = fmt::format("{}_dim{}", size_names_.value, axis);
  if (axis < stated.size() && !stated[axis].empty() && !symbols_.contains(stated[axis]))
    name = std::exchange(stated[axis], {});
  return new_size(name);
}

Expr ModelBuilder::sized(const Expr& value, std::vector<Scalar> dims) {
  if (auto it = bound_.find(value); it != bound_.end() && it->second && dims_of(it->second)) return it->second;
  if (dims_of(value)) return value;
  if (rank_of(value) == kUnknownRank) throw UnsupportedUse{"of a tensor of unknown rank"};
  const Expr flat = with_leaf_operands(value);
  return bound_[value] = emit_sized(flat, "lv", true, std::move(dims));
}

Expr ModelBuilder::sized(const Expr& value) { return sized(value, {}); }

Type ModelBuilder::sized_type(const Expr& value, std::vector<Scalar> dims) {
  dims.resize(static_cast<size_t>(rank_of(value)));
  for (size_t i = 0; i < dims.size(); ++i)
    if (!dims[i]) dims[i] = size_of_data(i);
  return TensorType::make(std::move(dims), dtype_of(value));
}

Expr ModelBuilder::emit_sized(const Expr& value, const std::string& name, bool is_dataflow, std::vector<Scalar> dims) {
  const Expr whole = is_leaf(value) ? value : emit(value, "lv", true, {.names_sizes = false});
  return emit(whole, name, is_dataflow, {.cast = sized_type(value, std::move(dims)), .defines_sizes = true});
}

std::vector<Expr> ModelBuilder::sized_results(const Expr& call, const std::string& name,
                                              const std::vector<std::vector<Scalar>>& sizes) {
  const auto stated = [&](size_t i) { return i < sizes.size() ? sizes[i] : std::vector<Scalar>(); };
  const auto* tuple = find<TupleType>(call->type);
  if (!tuple) return {has_open_sizes(call) ? sized(call, stated(0)) : call};
  Expr whole = bind(call, name);
  const auto field = [&](size_t i) { return TupleGetItem::make(whole, static_cast<int>(i), call->span); };
  std::vector<Type> types;
  for (size_t i = 0; i < tuple->fields.size(); ++i)
    types.push_back(has_open_sizes(field(i)) ? sized_type(field(i), stated(i)) : tuple->fields[i]);
  if (types != tuple->fields)
    bound_[call] = whole = emit(whole, name, true, {.cast = TupleType::make(std::move(types)), .defines_sizes = true});
  std::vector<Expr> out;
  for (size_t i = 0; i < tuple->fields.size(); ++i) out.push_back(field(i));
  return out;
}

std::vector<Scalar> ModelBuilder::known_elements(const Expr& vector) {
  const Expr e = leaf(vector);
  if (const std::optional<SymbolicTensor> known = elements(e)) return known->elements;
  std::vector<Scalar> out;
  const std::vector<Expr> parts = known_.parts(e);
  if (parts.empty()) out.resize(static_cast<size_t>(length_of(e)));
  for (const Expr& part : parts)
    for (Scalar& s : known_elements(part)) out.push_back(std::move(s));
  return out;
}

std::vector<Scalar> ModelBuilder::sizes_in(const Expr& vector) {
  std::vector<Scalar> out;
  append_sizes(vector, out);
  return out;
}

void ModelBuilder::append_sizes(const Expr& vector, std::vector<Scalar>& out) {
  const Expr e = leaf(vector);
  if (const std::optional<SymbolicTensor> known = elements(e)) {
    out.insert(out.end(), known->elements.begin(), known->elements.end());
    return;
  }
  const std::vector<Expr> parts = known_.parts(e);
  for (const Expr& part : parts) append_sizes(part, out);
  if (parts.empty()) read_sizes(e, out);
}

void ModelBuilder::read_sizes(const Expr& vector, std::vector<Scalar>& out) {
  const Expr origin = known_.origin(vector);
  const int64_t length = length_of(origin);
  const Expr numbers =
      converted(*this, reshaped(*this, origin, {int_imm(length)}, vector->span), DType::int_(64), vector->span);
  std::vector<Scalar> sizes;
  for (int64_t i = 0; i < length; ++i) sizes.push_back(size_of_data(out.size() + static_cast<size_t>(i)));
  const Expr shape = leaf(call("tensor_to_shape", {numbers}, {}, vector->span));
  emit(shape, "sizes", true, {.cast = ShapeType::make(sizes), .defines_sizes = true});
  known_.note_elements(find_ref<Var>(origin), sizes);
  out.insert(out.end(), sizes.begin(), sizes.end());
}

}  // namespace sunmao
