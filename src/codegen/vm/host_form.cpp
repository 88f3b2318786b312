#include "codegen/vm/host_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "io/json_writer.h"
#include "ir/op.h"

namespace sunmao {
namespace {

// Appends the forms of some values, as `append` does for one; false when there is none of one.
template <class Item, class Append>
bool append_list(const std::vector<Item>& items, const Append& append, std::string& out) {
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out += ", ";
    if (!append(items[i], out)) return false;
  }
  return true;
}

// The same in parentheses.
template <class Item, class Append>
bool append_tuple(const std::vector<Item>& fields, const Append& append, std::string& out) {
  out += '(';
  if (!append_list(fields, append, out)) return false;
  out += ')';
  return true;
}

// Whether the function may change the tensors of a value.
enum class Access : uint8_t { Reads, Changes };

// Appends the form of a value of this type; false when there is none.
bool append_type(const Type& type, Access access, std::string& out) {
  if (const auto* tuple = find<TupleType>(type))
    return append_tuple(
        tuple->fields, [access](const Type& t, std::string& to) { return append_type(t, access, to); }, out);
  if (const auto* tensor = find<TensorType>(type)) {
    if (tensor->rank == kUnknownRank || tensor->dtype.is_void()) return false;
    if (tensor->dtype == DType::handle()) {
      out += "object";
      return true;
    }
    out += fmt::format("{}{}[{}]", access == Access::Changes ? "inout " : "", tensor->dtype.str(), tensor->rank);
    return true;
  }
  if (const auto* shape = find<ShapeType>(type)) {
    if (shape->rank == kUnknownRank) return false;
    out += fmt::format("shape[{}]", shape->rank);
    return true;
  }
  const auto* number = find<PrimType>(type);
  if (!number || !number->dtype.is_integral()) return false;
  out += "int";
  return true;
}

bool append_argument(const Expr& e, Access access, std::string& out) {
  if (const auto* tuple = find<Tuple>(e))
    return append_tuple(
        tuple->fields, [access](const Expr& f, std::string& to) { return append_argument(f, access, to); }, out);
  if (const auto* text = find<StringLiteral>(e)) {
    out += io::JsonWriter().value(text->value).take();
    return true;
  }
  if (const auto* type = find<DTypeLiteral>(e)) {
    out += io::JsonWriter().value(type->value.str()).take();
    return true;
  }
  const auto* number = find<PrimValue>(e);
  if (const int64_t* i = number ? find_int(number->value) : nullptr) {
    out += fmt::format("{}", *i);
    return true;
  }
  if (const auto* f = number ? find<FloatImm>(number->value) : nullptr) {
    const std::string digits = fmt::format("{}", f->value);
    out += digits + (digits.find_first_of(".en") == std::string::npos ? ".0" : "");
    return true;
  }
  return append_type(e->type, access, out);
}

}  // namespace

bool HostCall::may_change(size_t arg) const {
  return std::ranges::find(changed, static_cast<int64_t>(arg)) != changed.end();
}

std::optional<HostCall> find_host_call(const Call& call) {
  if (const auto* f = find<ExternFunc>(call.callee)) return HostCall{f->name, call.args};
  const Op* op = op_of(call);
  if (!op ||
      (op->name() != "call_pure_packed" && op->name() != "call_dps_packed" && op->name() != "call_inplace_packed"))
    return std::nullopt;
  const auto* f = find<ExternFunc>(call.args.at(0));
  if (!f) return std::nullopt;
  if (const AttrValue* places = call.attrs.find("inplace_indices"))
    return HostCall{f->name, {call.args.begin() + 1, call.args.end()}, false, *places->as_ints()};
  const bool makes_results = op->name() == "call_dps_packed";
  const auto* tuple = find<Tuple>(call.args.at(1));
  if (!tuple && find<TupleType>(call.args[1]->type)) return std::nullopt;
  return HostCall{f->name, tuple ? tuple->fields : std::vector{call.args[1]}, makes_results};
}

std::optional<std::string> host_form(const HostCall& call, const Type& result) {
  if (call.name.empty() || call.name.find('(') != std::string::npos) return std::nullopt;
  std::string out = call.name + "(";
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (i > 0) out += ", ";
    if (!append_argument(call.args[i], call.may_change(i) ? Access::Changes : Access::Reads, out)) return std::nullopt;
  }
  for (const Type& made : call.makes_results ? leaves_of(result) : std::vector<Type>()) {
    out += out.back() == '(' ? "out " : ", out ";
    if (!append_type(made, Access::Reads, out)) return std::nullopt;
  }
  out += ") -> ";
  if (find<AnyType>(result)) return out + "none";
  return append_type(result, Access::Reads, out) ? std::optional(out) : std::nullopt;
}

bool is_literal(const Expr& argument) {
  if (find<StringLiteral>(argument) || find<DTypeLiteral>(argument)) return true;
  const auto* number = find<PrimValue>(argument);
  return number && (find_int(number->value) || find<FloatImm>(number->value));
}

std::vector<Type> leaves_of(const Type& type) {
  const auto* tuple = find<TupleType>(type);
  if (!tuple) return {type};
  std::vector<Type> out;
  for (const Type& field : tuple->fields)
    for (const Type& leaf : leaves_of(field)) out.push_back(leaf);
  return out;
}

}  // namespace sunmao
