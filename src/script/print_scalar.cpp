// Printer for scalars. Precedence follows Python's.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "script/intrinsics.h"
#include "script/printer.h"
#include "script/spelling.h"
#include "sym/fold.h"
#include "sym/lanes.h"

namespace sunmao::script {
namespace {

constexpr int kNot = 3, kComparisonLevel = 4, kNegative = 7;

bool is_literal(const Scalar& s) { return find<IntImm>(s) || find<FloatImm>(s); }

std::string integer(const IntImm& i) {
  bool is_wide = i.dtype.is_uint() && i.dtype.bits == 64;
  return is_wide ? fmt::format("{}", static_cast<uint64_t>(i.value)) : fmt::format("{}", i.value);
}

std::string lanes_text(DType type) {
  return type.is_scalable ? fmt::format("T.vscale() * {}", type.lanes) : fmt::format("{}", type.lanes);
}

}  // namespace

std::string Printer::scalar(const Scalar& s) { return scalar_text(s).text; }

std::string Printer::operand(const Scalar& s, int precedence) {
  Text t = scalar_text(s);
  return t.precedence < precedence ? "(" + t.text + ")" : t.text;
}

std::string Printer::operand_beside(const Scalar& s, const Scalar& other, int precedence) {
  const auto* i = find<IntImm>(s);
  bool plain = i && !is_literal(other) && s->dtype == other->dtype && (s->dtype.is_int() || s->dtype.is_uint());
  return plain ? integer(*i) : operand(s, precedence);
}

std::string Printer::symbol(const SymVar& var) {
  if (const std::string* known = names_.find(&var)) return *known;
  const std::string& name = names_.define_outermost(&var, var.name.empty() ? "v" : var.name);
  std::string type = scalar_type(var);
  declarations_.push_back(fmt::format("{} = {}{}", name, type, type.ends_with(')') ? "" : "()"));
  return name;
}

// Returns the type of a variable, such as `T.int32` or `T.handle("float32", "global")`.
std::string Printer::scalar_type(const SymVar& var) const {
  const Pointee& to = var.pointee;
  if (var.dtype.code != TypeCode::Handle || to == Pointee{}) return "T." + var.dtype.str();
  if (to.element.is_void()) return fmt::format("T.handle(storage_scope={})", quote(to.scope));
  return fmt::format("T.handle({}, {})", quote(to.element.str()), quote(to.scope));
}

std::string Printer::buffer(const Ref<Buffer>& b) {
  if (const std::string* known = names_.find(b.get())) return *known;
  if (!declares_free() && !declares_buffers_) return names_.define_outermost(b.get(), b->name);
  std::string args = buffer_args(*b);
  const std::string& name = names_.define_outermost(b.get(), b->name);
  declarations_.push_back(fmt::format("{} = T.Buffer({})", name, args));
  return name;
}

std::string Printer::alone(const std::function<std::string()>& print) {
  is_lone_ = true;
  std::string text = print(), before;
  if (state_.options.declare_free)
    for (const std::string& line : declarations_) before += line + "\n";
  return before + text;
}

std::string Printer::scalars(const std::vector<Scalar>& values) {
  std::vector<std::string> parts;
  for (const Scalar& s : values) parts.push_back(scalar(s));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string Printer::tuple(const std::vector<std::string>& parts) {
  return fmt::format("({}{})", fmt::join(parts, ", "), parts.size() == 1 ? "," : "");
}

Printer::Text Printer::int_text(const IntImm& i) {
  if (i.dtype.is_bool())
    return {i.value == 0   ? "T.bool(False)"
            : i.value == 1 ? "T.bool(True)"
                           : fmt::format("T.IntImm(\"bool\", {})", i.value),
            kAtom};
  if (i.dtype == default_int_) return {integer(i), i.value < 0 ? kNegative : kAtom};
  if (i.dtype.code == TypeCode::Handle) return {fmt::format("T.IntImm(\"handle\", {})", i.value), kAtom};
  return {fmt::format("T.{}({})", i.dtype.str(), integer(i)), kAtom};
}

Printer::Text Printer::float_text(const FloatImm& f) {
  std::string number = spell_float(f.value);
  bool special = std::isnan(f.value) || std::isinf(f.value);
  return {fmt::format("T.{}({})", f.dtype.str(), special ? quote(number) : number), kAtom};
}

Printer::Text Printer::binary_text(const Binary& b) {
  const char* sign = symbol_of(b.op);
  bool integer_division = b.op == BinaryOp::Div && b.a->dtype.is_integral();
  // Printed as a function: an operator without a symbol, `/` on integers, and an operator between two literals, which
  // the parser would fold.
  bool functional = !sign || integer_division || (is_literal(b.a) && is_literal(b.b));
  // Operands are printed left to right, since names are declared in the order of their first use.
  if (functional) {
    std::string left = operand_beside(b.a, b.b, 0), right = operand_beside(b.b, b.a, 0);
    return {fmt::format("T.{}({}, {})", function_of(b.op), left, right), kAtom};
  }
  const int precedence = precedence_of(b.op);
  std::string left = operand_beside(b.a, b.b, precedence == kComparisonLevel ? precedence + 1 : precedence);
  std::string right = operand_beside(b.b, b.a, precedence + 1);
  return {fmt::format("{} {} {}", left, sign, right), precedence};
}

std::string Printer::argument(const Scalar& s, bool explicit_type) {
  if (const auto* text = find<StringImm>(s)) return quote(text->value);
  const auto* i = find<IntImm>(s);
  if (explicit_type && i && i->dtype == default_int_) return fmt::format("T.{}({})", i->dtype.str(), integer(*i));
  return scalar(s);
}

// Prints the calls with special syntax, `Module.f(…)` and `T.Shuffle([…], […])`; absent for other calls.
std::optional<std::string> Printer::special_call(const ScalarCall& c) {
  auto arguments = [&] {
    std::vector<std::string> parts;
    for (size_t i = 1; i < c.args.size(); ++i) parts.push_back(argument(c.args[i], false));
    return parts;
  };
  if (c.name == "call_function" && !c.args.empty() && find<StringImm>(c.args[0])) {
    const std::vector<std::string> parts = arguments();
    const std::string name = state_.function_name(find<StringImm>(c.args[0])->value);
    return fmt::format("{}{}({})", state_.module ? "Module." : "", name, fmt::join(parts, ", "));
  }
  const int64_t* count = c.name == "Shuffle" && !c.args.empty() ? find_int(c.args[0]) : nullptr;
  if (!count || *count < 1 || *count >= static_cast<int64_t>(c.args.size())) return std::nullopt;
  const std::vector<std::string> parts = arguments();
  auto middle = parts.begin() + *count;
  return fmt::format("T.Shuffle([{}], [{}])", fmt::join(parts.begin(), middle, ", "),
                     fmt::join(middle, parts.end(), ", "));
}

Printer::Text Printer::call_text(const ScalarCall& c) {
  if (std::optional<std::string> text = special_call(c)) return {*text, kAtom};
  std::vector<std::string> parts;
  bool dtype_first = takes_dtype_first(c.name);
  if (dtype_first) parts.push_back(quote(c.dtype.is_void() ? "void" : c.dtype.str()));
  for (const Scalar& a : c.args) parts.push_back(argument(a, adapts_numbers(c.name)));
  if (!dtype_first && c.dtype != default_dtype(c.name, c.args))
    parts.push_back(fmt::format("dtype={}", quote(c.dtype.str())));
  return {fmt::format("T.{}({})", c.name, fmt::join(parts, ", ")), kAtom};
}

std::string Printer::load_text(const BufferLoad& load) {
  std::string name = buffer(load.buffer);
  if (load.predicate)
    return fmt::format("{}.vload([{}], predicate={})", name, scalars(load.indices), scalar(load.predicate));
  return fmt::format("{}[{}]", name, load.indices.empty() ? "()" : indices(load.indices));
}

// Prints indices; a ramp with constant base and stride is printed as a slice where the slice parses to the same ramp.
std::string Printer::indices(const std::vector<Scalar>& values) {
  std::vector<std::string> parts;
  for (const Scalar& s : values) {
    const auto* ramp = find<Ramp>(s);
    const int64_t* base = ramp ? find_int(ramp->base) : nullptr;
    const int64_t* stride = ramp ? find_int(ramp->stride) : nullptr;
    bool is_slice = base && stride && *base >= 0 && *base < (int64_t{1} << 40) && *stride > 0 &&
                    *stride < (int64_t{1} << 20) && ramp->base->dtype == ramp->stride->dtype &&
                    literal_fits(*base + *stride * s->dtype.lanes, ramp->base->dtype);
    if (!is_slice || (s->dtype.is_scalable && (*base != 0 || *stride != 1))) {
      parts.push_back(scalar(s));
      continue;
    }
    Scalar stop = s->dtype.is_scalable ? length_of(s->dtype.all_lanes())
                                       : IntImm::make(ramp->base->dtype, *base + *stride * s->dtype.lanes);
    parts.push_back(
        fmt::format("{}:{}{}", scalar(ramp->base), scalar(stop), *stride == 1 ? "" : fmt::format(":{}", *stride)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

Printer::Text Printer::scalar_text(const Scalar& s) {
  switch (s->kind) {
    case ScalarKind::IntImm: return int_text(*find<IntImm>(s));
    case ScalarKind::FloatImm: return float_text(*find<FloatImm>(s));
    case ScalarKind::StringImm: return {fmt::format("T.StringImm({})", quote(find<StringImm>(s)->value)), kAtom};
    case ScalarKind::SymVar: return {symbol(*find<SymVar>(s)), kAtom};
    case ScalarKind::Binary: return binary_text(*find<Binary>(s));
    case ScalarKind::Not: return {"not " + operand(find<Not>(s)->a, kNot), kNot};
    case ScalarKind::Cast:
      return {fmt::format("T.Cast({}, {})", quote(s->dtype.str()), scalar(find<Cast>(s)->value)), kAtom};
    case ScalarKind::Select: {
      const auto& n = *find<Select>(s);
      return {fmt::format("T.Select({}, {}, {})", scalar(n.condition), scalar(n.then_value), scalar(n.else_value)),
              kAtom};
    }
    case ScalarKind::Ramp: {
      const auto& n = *find<Ramp>(s);
      return {fmt::format("T.Ramp({}, {}, {})", scalar(n.base), scalar(n.stride), lanes_text(s->dtype)), kAtom};
    }
    case ScalarKind::Broadcast:
      return {fmt::format("T.Broadcast({}, {})", scalar(find<Broadcast>(s)->value), lanes_text(s->dtype)), kAtom};
    case ScalarKind::Let: {
      const auto& n = *find<Let>(s);
      std::string bound = scalar(n.value);
      NameScope scope(names_);
      std::string name = declares_free() ? symbol(*n.var) : names_.define(n.var.get(), n.var->name);
      return {fmt::format("T.Let({}, where={{{}: {}}})", scalar(n.body), name, bound), kAtom};
    }
    case ScalarKind::ScalarCall: return call_text(*find<ScalarCall>(s));
    case ScalarKind::Extern: {
      const auto* load = find<BufferLoad>(s);
      if (!load) return {find<ExternScalar>(s)->head_kind(), kAtom};
      return {load_text(*load), kAtom};
    }
  }
  return {};
}

}  // namespace sunmao::script
