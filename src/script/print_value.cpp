// Printer for attribute values, global infos and constants.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "ir/expr.h"
#include "ir/op.h"
#include "script/printer.h"
#include "script/spelling.h"
#include "support/half.h"
#include "support/match.h"
#include "support/small_float.h"

namespace sunmao::script {
namespace {

std::string python_float(double value) {
  std::string text = spell_float(value);
  return std::isfinite(value) ? text : fmt::format("float({})", quote(text));
}

// True for the NaN whose bits the parser produces for `float("nan")`.
template <class T>
bool is_plain_nan(T value) {
  if (!std::isnan(value)) return false;
  const T nan = std::numeric_limits<T>::quiet_NaN();
  return std::memcmp(&value, &nan, sizeof value) == 0;
}

template <class T>
T element(const Array& data, size_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof value);
  return value;
}

uint8_t code_at(const Array& data, size_t i) { return abi::load_bits(data.data(), data.dtype().bits, i); }

// Decodes an element of a float type of at most 16 bits.
float small_float(const Array& data, size_t i) {
  if (is_small_float(data.dtype())) return from_small_float(data.dtype(), code_at(data, i));
  uint16_t bits = element<uint16_t>(data, i);
  return data.dtype().code == TypeCode::BFloat ? from_bfloat16(bits) : from_float16(bits);
}

bool is_half(DType t) { return t == DType::float_(16) || (t.code == TypeCode::BFloat && t.bits == 16); }
bool is_small(DType t) { return is_half(t) || is_small_float(t); }

// Decodes an element of an integer type of at most 8 bits.
int small_integer(const Array& data, size_t i) {
  const DType t = data.dtype();
  const int range = 1 << t.bits, value = code_at(data, i);
  return t.is_int() && value >= range / 2 ? value - range : value;
}

std::string element_text(const Array& data, size_t i) {
  DType t = data.dtype();
  if (t == DType::float_(32) || is_small(t)) {
    float value = is_small(t) ? small_float(data, i) : element<float>(data, i);
    return std::isfinite(value) ? spell_float(value) : python_float(static_cast<double>(value));
  }
  if (t == DType::float_(64)) return python_float(element<double>(data, i));
  if (t.is_bool()) return element<uint8_t>(data, i) ? "True" : "False";
  bool is_unsigned = t.is_uint();
  switch (t.bytes()) {
    case 1: return fmt::format("{}", small_integer(data, i));
    case 2:
      return is_unsigned ? fmt::format("{}", element<uint16_t>(data, i)) : fmt::format("{}", element<int16_t>(data, i));
    case 4:
      return is_unsigned ? fmt::format("{}", element<uint32_t>(data, i)) : fmt::format("{}", element<int32_t>(data, i));
    default:
      return is_unsigned ? fmt::format("{}", element<uint64_t>(data, i)) : fmt::format("{}", element<int64_t>(data, i));
  }
}

// True when the printed element parses to the same bits.
bool is_exact(const Array& data, size_t i) {
  DType t = data.dtype();
  if (t == DType::float_(64)) return !std::isnan(element<double>(data, i)) || is_plain_nan(element<double>(data, i));
  if (t == DType::float_(32)) return !std::isnan(element<float>(data, i)) || is_plain_nan(element<float>(data, i));
  if (is_half(t))
    return !std::isnan(small_float(data, i)) ||
           element<uint16_t>(data, i) == (t.code == TypeCode::BFloat ? 0x7fc0 : 0x7e00);
  if (t.is_bool()) return element<uint8_t>(data, i) <= 1;
  if (is_small_float(t)) {
    const float value = small_float(data, i);
    return to_small_float(t, std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value) == code_at(data, i);
  }
  return true;
}

std::string nested(const Array& data, size_t axis, size_t& at) {
  if (axis == data.shape().size()) return element_text(data, at++);
  std::vector<std::string> parts;
  for (int64_t i = 0; i < data.shape()[axis]; ++i) parts.push_back(nested(data, axis + 1, at));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace

bool Printer::is_inline(const Array& data) const {
  DType t = data.dtype();
  bool known = t.lanes == 1 && (t.is_integral() || t.is_float());
  if (!known || data.rank() > 16 || data.count() > state_.options.max_inline_elements) return false;
  if (data.count() == 0 && data.rank() != 1) return false;  // nested lists cannot express the dimensions after a zero
  for (size_t i = 0; i < static_cast<size_t>(data.count()); ++i)
    if (!is_exact(data, i)) return false;
  return true;
}

std::string Printer::constant(const Array& data) {
  state_.uses_relax = true;
  if (is_inline(data)) {
    size_t at = 0;
    return fmt::format("R.const({}, {})", nested(data, 0, at), quote(data.dtype().str()));
  }
  auto known = state_.constant_at.find(data.data());
  size_t index = state_.constants.size();
  if (known != state_.constant_at.end() && state_.constants[known->second].shape() == data.shape() &&
      state_.constants[known->second].dtype() == data.dtype()) {
    index = known->second;
  } else {
    state_.constants.push_back(data);
    state_.constant_at.emplace(data.data(), index);
  }
  return fmt::format("metadata[\"relax.expr.Constant\"][{}]", index);
}

std::string Printer::global_info(const Ref<GlobalInfo>& info) {
  const auto* d = find<VDevice>(info);
  if (!d) return "I.dummy_global_info()";
  return fmt::format("I.vdevice({}, {}, {})", quote(d->target), d->id, quote(d->memory_scope));
}

// An attribute that is an integer literal of the default type is printed with its type, since a plain integer denotes a
// number attribute.
std::string Printer::scalar_value(const Scalar& s) {
  if (const auto* i = find<IntImm>(s); i && i->dtype == default_int_)
    return fmt::format("T.{}({})", i->dtype.str(), i->value);
  return scalar(s);
}

std::string Printer::index_map(const IndexMap& m) {
  DType dtype = m.inputs.empty() ? DType::int_(64) : m.inputs[0]->dtype;
  NameScope scope(names_);
  std::vector<std::string> inputs, outputs;
  for (const Ref<SymVar>& v : m.inputs) inputs.push_back(names_.define(v.get(), v->name));
  for (const Scalar& s : m.outputs) {
    const auto* i = find<IntImm>(s);
    outputs.push_back(i && i->dtype == dtype ? fmt::format("{}", i->value) : scalar(s));
  }
  std::string lambda = fmt::format("lambda {}: {}", fmt::join(inputs, ", "), tuple(outputs));
  if (inputs.empty()) lambda = "lambda: " + tuple(outputs);
  return dtype == DType::int_(64) ? lambda : fmt::format("T.index_map({}, index_dtype={})", lambda, quote(dtype.str()));
}

// Prints a map that `T.comm_reducer` makes as that call; absent for other maps.
std::optional<std::string> Printer::reducer(const AttrMap& m) {
  auto combiner = m.find("combiner"), identity = m.find("identity");
  if (m.size() != 2 || combiner == m.end() || identity == m.end()) return std::nullopt;
  const auto* function = combiner->second.find<Ref<IndexMap>>();
  const AttrList* neutral = identity->second.find<AttrList>();
  if (!function || !neutral) return std::nullopt;
  std::vector<std::string> inputs, outputs, values;
  for (const AttrValue& v : *neutral) {
    const Scalar* s = v.find<Scalar>();
    if (!s || !*s) return std::nullopt;
    values.push_back(scalar(*s));
  }
  NameScope scope(names_);
  for (const Ref<SymVar>& v : (*function)->inputs) inputs.push_back(names_.define(v.get(), v->name));
  for (const Scalar& s : (*function)->outputs) outputs.push_back(scalar(s));
  return fmt::format("T.comm_reducer(lambda {}: {}, [{}])", fmt::join(inputs, ", "),
                     outputs.size() == 1 ? outputs[0] : tuple(outputs), fmt::join(values, ", "));
}

std::string Printer::map(const AttrMap& m, const std::string* without) {
  std::vector<std::string> parts;
  for (const auto& [key, v] : m) {
    if (without && key == *without) continue;
    const AttrMap* options = key == "target" ? v.find<AttrMap>() : nullptr;
    bool is_target = options && options->contains("kind");
    parts.push_back(quote(key) + ": " + (is_target ? "T.target(" + value(v) + ")" : value(v)));
  }
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

std::string Printer::value(const AttrValue& v) {
  return std::visit(
      overloaded{[](std::monostate) { return std::string("None"); },
                 [](bool b) { return std::string(b ? "True" : "False"); },
                 [](int64_t i) { return fmt::format("{}", i); }, [](double d) { return python_float(d); },
                 [](const std::string& s) { return quote(s); },
                 [](DType t) { return fmt::format("T.dtype({})", quote(t.str())); },
                 [&](const Scalar& s) { return s ? scalar_value(s) : std::string("None"); },
                 [&](const Expr& e) { return e ? expr_value(e) : std::string("None"); },
                 [&](const Type& t) { return type(t); }, [&](const Ref<GlobalInfo>& info) { return global_info(info); },
                 [&](const Ref<IndexMap>& m) { return index_map(*m); },
                 [&](const std::shared_ptr<const AttrList>& list) {
                   std::vector<std::string> parts;
                   for (const AttrValue& item : *list) parts.push_back(value(item));
                   return fmt::format("[{}]", fmt::join(parts, ", "));
                 },
                 [&](const std::shared_ptr<const AttrMap>& m) { return reducer(*m).value_or(map(*m)); }},
      v.variant());
}

std::string Printer::named_value(const std::string& name, const AttrValue& v) {
  bool is_dtype = name.ends_with("dtype"), is_device = name.ends_with("vdevice");
  if (const DType* t = v.find<DType>(); t && is_dtype) return quote(t->is_void() ? "void" : t->str());
  bool is_format = name == "format";  // distinguishes the text from an operand
  if (const std::string* s = v.find<std::string>(); s && ((is_dtype && DType::parse(*s)) || is_device || is_format))
    return fmt::format("R.str({})", quote(*s));
  if (const auto* info = v.find<Ref<GlobalInfo>>(); info && is_device && find<VDevice>(*info))
    return device(find_ref<VDevice>(*info));
  return value(v);
}

// A scalar attribute is wrapped in `R.prim_value`, which distinguishes it from a number.
std::string Printer::expr_value(const Expr& e) {
  const auto* prim = find<PrimValue>(e);
  return prim ? fmt::format("R.prim_value({})", scalar(prim->value)) : expr(e);
}

// Prints `R.ExternFunc("f", …)`, without the type where it says only that the function is callable.
std::string Printer::extern_function(const ExternFunc& f, const std::string& global_name) {
  std::vector<std::string> parts{quote(f.name)};
  if (!is_plain_extern_type(f.type)) parts.push_back(type(f.type));
  if (!f.attrs.empty()) parts.push_back("attrs=" + map(f.attrs.values()));
  if (!global_name.empty()) parts.push_back(global_name);
  return fmt::format("R.ExternFunc({})", fmt::join(parts, ", "));
}

std::string Printer::extern_definition(const ExternFunc& f, const std::string& name) {
  return state_.function_name(name) + " = " + extern_function(f, global_name_argument(state_, name));
}

bool is_plain_extern_type(const Type& type) {
  const auto& t = *find<CallableType>(type);
  return !t.params && !t.is_pure && find<AnyType>(t.result);
}

// Prints leaf expressions, tuples and their fields; RelaxPrinter overrides it, also for calls, branches and functions.
std::string Printer::expr(const Expr& e) {
  switch (e->kind) {
    case ExprKind::Var: {
      if (const std::string* name = names_.find(e.get())) return *name;
      const auto& var = *find<Var>(e);
      std::string annotation = declares_free() ? type(var.type) : "";
      const std::string& name = names_.define_outermost(e.get(), var.name.empty() ? "v" : var.name);
      if (declares_free()) declarations_.push_back(fmt::format("{}: {}", name, annotation));
      return name;
    }
    case ExprKind::GlobalVar: return state_.function_name(find<GlobalVar>(e)->name);
    case ExprKind::Constant: return constant(find<Constant>(e)->data);
    case ExprKind::ShapeExpr: return fmt::format("R.shape([{}])", scalars(find<ShapeExpr>(e)->values));
    case ExprKind::PrimValue: return scalar(find<PrimValue>(e)->value);
    case ExprKind::StringLiteral: return fmt::format("R.str({})", quote(find<StringLiteral>(e)->value));
    case ExprKind::DTypeLiteral: return fmt::format("R.dtype({})", quote(find<DTypeLiteral>(e)->value.str()));
    case ExprKind::ExternFunc: return extern_function(*find<ExternFunc>(e));
    case ExprKind::Op: return "R." + find<Op>(e)->name();
    case ExprKind::Tuple: {
      std::vector<std::string> parts;
      for (const Expr& f : find<Tuple>(e)->fields) parts.push_back(expr(f));
      return parts.empty() ? "R.tuple()" : tuple(parts);
    }
    case ExprKind::TupleGetItem:
      return fmt::format("{}[{}]", expr(find<TupleGetItem>(e)->tuple), find<TupleGetItem>(e)->index);
    default: return "None";
  }
}

}  // namespace sunmao::script
