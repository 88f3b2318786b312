#include "eval/scalar_program.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "ir/type.h"
#include "loop/calls.h"
#include "support/diagnostic.h"
#include "sym/fold.h"

namespace sunmao {
namespace {

// Applies an arithmetic operation to two doubles. The minimum and the maximum are NaN if either operand is.
double float_binary(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return a / b;
    case BinaryOp::FloorDiv: return std::floor(a / b);
    case BinaryOp::TruncMod: return std::fmod(a, b);
    case BinaryOp::FloorMod: return a - std::floor(a / b) * b;
    case BinaryOp::Min: return std::isnan(a) || a < b ? a : b;
    case BinaryOp::Max: return std::isnan(a) || a > b ? a : b;
    default: return 0;
  }
}

bool float_compare(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::Eq: return a == b;
    case BinaryOp::Ne: return a != b;
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    default: return false;
  }
}

// Applies an operation of int64: it wraps around on overflow; division by zero and its remainder yield 0.
int64_t int_binary(BinaryOp op, int64_t a, int64_t b) {
  uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  if (op == BinaryOp::Add) return static_cast<int64_t>(x + y);
  if (op == BinaryOp::Sub) return static_cast<int64_t>(x - y);
  if (op == BinaryOp::Mul) return static_cast<int64_t>(x * y);
  if (std::optional<int64_t> value = evaluate(op, a, b)) return *value;
  if (b == 0) return 0;
  return op == BinaryOp::Div || op == BinaryOp::FloorDiv ? a : 0;  // INT64_MIN by -1 wraps around
}

// Operations of uint64 that differ from those of int64; nullopt for the others, and for division by zero.
std::optional<uint64_t> uint_binary(BinaryOp op, uint64_t a, uint64_t b) {
  switch (op) {
    case BinaryOp::Min: return std::min(a, b);
    case BinaryOp::Max: return std::max(a, b);
    case BinaryOp::Lt: return a < b;
    case BinaryOp::Le: return a <= b;
    case BinaryOp::Gt: return a > b;
    case BinaryOp::Ge: return a >= b;
    case BinaryOp::Div:
    case BinaryOp::FloorDiv: return b == 0 ? std::nullopt : std::optional(a / b);
    case BinaryOp::TruncMod:
    case BinaryOp::FloorMod: return b == 0 ? std::nullopt : std::optional(a % b);
    default: return std::nullopt;
  }
}

using FloatFn = double (*)(double);
const std::unordered_map<std::string, FloatFn>& float_functions() {
  static const std::unordered_map<std::string, FloatFn> table{
      {"exp", std::exp},
      {"log", std::log},
      {"sqrt", std::sqrt},
      {"tanh", std::tanh},
      {"erf", std::erf},
      {"acos", std::acos},
      {"acosh", std::acosh},
      {"asin", std::asin},
      {"asinh", std::asinh},
      {"atan", std::atan},
      {"atanh", std::atanh},
      {"cosh", std::cosh},
      {"sinh", std::sinh},
      {"exp10", [](double x) { return std::pow(10.0, x); }},
      {"log10", std::log10},
      {"log1p", std::log1p},
      {"nearbyint", std::nearbyint},
      {"sin", std::sin},
      {"cos", std::cos},
      {"tan", std::tan},
      {"floor", std::floor},
      {"ceil", std::ceil},
      {"trunc", std::trunc},
      {"round", std::nearbyint},
      {"fabs", std::fabs},
      {"exp2", std::exp2},
      {"log2", std::log2},
      {"rsqrt", [](double x) { return 1.0 / std::sqrt(x); }},
      {"sigmoid", [](double x) { return 1.0 / (1.0 + std::exp(-x)); }}};
  return table;
}

using FloatPairFn = double (*)(double, double);
const std::unordered_map<std::string, FloatPairFn>& float_pair_functions() {
  static const std::unordered_map<std::string, FloatPairFn> table{
      {"pow", std::pow},     {"power", std::pow},         {"atan2", std::atan2},        {"fmod", std::fmod},
      {"hypot", std::hypot}, {"copysign", std::copysign}, {"nextafter", std::nextafter}};
  return table;
}

using FloatTest = bool (*)(double);
const std::unordered_map<std::string, FloatTest>& float_tests() {
  static const std::unordered_map<std::string, FloatTest> table{
      {"isnan", [](double x) { return std::isnan(x); }},
      {"isinf", [](double x) { return std::isinf(x); }},
      {"isfinite", [](double x) { return std::isfinite(x); }}};
  return table;
}

// Integer power: it wraps around; a negative exponent gives 0, unless the base is 1 or -1.
int64_t int_power(DType t, int64_t base, int64_t power) {
  if (!t.is_uint() && power < 0) return base == 1 ? 1 : base == -1 ? (power % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (uint64_t exponent = static_cast<uint64_t>(power); exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return static_cast<int64_t>(result);
}

int64_t width_of(DType t) { return t.is_bool() ? 1 : t.bits; }

using IntPairFn = int64_t (*)(DType, int64_t, int64_t);
const std::unordered_map<std::string, IntPairFn>& int_pair_functions() {
  static const std::unordered_map<std::string, IntPairFn> table{
      {"bitwise_and", [](DType, int64_t a, int64_t b) { return a & b; }},
      {"bitwise_or", [](DType, int64_t a, int64_t b) { return a | b; }},
      {"bitwise_xor", [](DType, int64_t a, int64_t b) { return a ^ b; }},
      {"shift_left",
       [](DType t, int64_t a, int64_t b) {
         return b < 0 || b >= width_of(t) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
       }},
      {"shift_right",
       [](DType t, int64_t a, int64_t b) {
         if (!t.is_int()) return b < 0 || b >= width_of(t) ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) >> b);
         return a >> (b < 0 || b >= t.bits ? t.bits - 1 : b);
       }},
      {"pow", int_power},
      {"power", int_power}};
  return table;
}

template <class Table>
auto find_in(const Table& table, const std::string& name) -> decltype(table.begin()->second) {
  auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

}  // namespace

size_t ScalarCompiler::slot(const SymVar& var) { return symbols_.try_emplace(&var, symbols_.size()).first->second; }
size_t ScalarCompiler::slot(const Buffer& buffer) {
  return buffers_.try_emplace(&buffer, buffers_.size()).first->second;
}

// Operands are moved into the closure, since copying would copy the whole subtree at every level.
NumberFn ScalarCompiler::compile_binary(const Binary& n) {
  NumberFn x = compile(n.a), y = compile(n.b);
  BinaryOp op = n.op;
  DType operands = n.a->dtype, result = n.dtype;
  if (op == BinaryOp::And)
    return [a = std::move(x), b = std::move(y)](Frame& f) { return int_number(a(f).i != 0 && b(f).i != 0); };
  if (op == BinaryOp::Or)
    return [a = std::move(x), b = std::move(y)](Frame& f) { return int_number(a(f).i != 0 || b(f).i != 0); };
  if (operands.is_float()) {
    if (is_comparison(op))
      return
          [=, a = std::move(x), b = std::move(y)](Frame& f) { return int_number(float_compare(op, a(f).f, b(f).f)); };
    return [=, a = std::move(x), b = std::move(y)](Frame& f) {
      return round_to(result, float_number(float_binary(op, a(f).f, b(f).f)));
    };
  }
  if (operands == DType::int_(64) && op == BinaryOp::Add)
    return [a = std::move(x), b = std::move(y)](Frame& f) {
      return int_number(int_binary(BinaryOp::Add, a(f).i, b(f).i));
    };
  if (operands == DType::int_(64) && op == BinaryOp::Mul)
    return [a = std::move(x), b = std::move(y)](Frame& f) {
      return int_number(int_binary(BinaryOp::Mul, a(f).i, b(f).i));
    };
  if (operands == DType::uint(64))
    return [=, a = std::move(x), b = std::move(y)](Frame& f) {
      const int64_t l = a(f).i, r = b(f).i;
      const std::optional<uint64_t> value = uint_binary(op, static_cast<uint64_t>(l), static_cast<uint64_t>(r));
      return int_number(value ? static_cast<int64_t>(*value) : int_binary(op, l, r));
    };
  return [=, a = std::move(x), b = std::move(y)](Frame& f) {
    return round_to(result, int_number(int_binary(op, a(f).i, b(f).i)));
  };
}

NumberFn ScalarCompiler::compile_index_check(const ScalarCall& n) {
  const IndexCheck check = index_check(n);
  return [place = compile(check.place), size = compile(check.size), given = compile(check.given),
          what = check.what](Frame& f) {
    const Number at = place(f);
    const int64_t room = size(f).i;
    if (at.i < 0 || at.i >= room)
      fail("E0919", {}, fmt::format("{}: {} is out of range for a size of {}", what, given(f).i, room),
           "the numbers of a tensor that are used as indices or lengths must fit what they index");
    return at;
  };
}

NumberFn ScalarCompiler::compile_call(const ScalarCall& n) {
  if (is_index_check(n)) return compile_index_check(n);
  std::vector<NumberFn> args;
  for (const Scalar& a : n.args) args.push_back(compile(a));
  DType dtype = n.dtype;
  if (args.size() == 1)
    if (NumberFn known = compile_call_of_one(n, args[0])) return known;
  if ((n.name == "if_then_else" || n.name == "select") && args.size() == 3)
    return [all = std::move(args)](Frame& f) { return all[0](f).i != 0 ? all[1](f) : all[2](f); };
  if (n.name == "fma" && args.size() == 3)
    return [=, all = std::move(args)](Frame& f) {
      return round_to(dtype, float_number(std::fma(all[0](f).f, all[1](f).f, all[2](f).f)));
    };
  if (args.size() == 2) {
    FloatPairFn on_floats = find_in(float_pair_functions(), n.name);
    if (on_floats && dtype.is_float())
      return [=, all = std::move(args)](Frame& f) {
        return round_to(dtype, float_number(on_floats(all[0](f).f, all[1](f).f)));
      };
    IntPairFn on_ints = find_in(int_pair_functions(), n.name);
    if (on_ints && !dtype.is_float())
      return [=, all = std::move(args)](Frame& f) {
        return round_to(dtype, int_number(on_ints(dtype, all[0](f).i, all[1](f).i)));
      };
  }
  fail("E0507", n.span, fmt::format("the evaluator knows no intrinsic `{}` on {} operands", n.name, n.args.size()));
}

// Returns null when there is no unary function of this name for the dtype.
NumberFn ScalarCompiler::compile_call_of_one(const ScalarCall& n, NumberFn& operand) {
  DType dtype = n.dtype;
  if (FloatFn fn = find_in(float_functions(), n.name); fn && dtype.is_float())
    return [=, x = std::move(operand)](Frame& f) { return round_to(dtype, float_number(fn(x(f).f))); };
  if (n.name == "abs" && dtype.is_float())
    return [x = std::move(operand)](Frame& f) { return float_number(std::fabs(x(f).f)); };
  if (n.name == "abs")
    return [=, x = std::move(operand)](Frame& f) {
      int64_t v = x(f).i;
      return round_to(dtype, int_number(v < 0 ? int_binary(BinaryOp::Sub, 0, v) : v));
    };
  if (FloatTest fn = find_in(float_tests(), n.name))
    return [=, x = std::move(operand)](Frame& f) { return int_number(fn(x(f).f)); };
  if (n.name == "bitwise_not")
    return [=, x = std::move(operand)](Frame& f) { return round_to(dtype, int_number(~x(f).i)); };
  return n.name == "likely" ? std::move(operand) : nullptr;
}

NumberFn ScalarCompiler::compile(const Scalar& s) {
  if (s->dtype.lanes != 1)
    fail("E0507", s->span, "the evaluator runs loops before vectorisation; this one holds vectors");
  if (const auto* n = find<IntImm>(s)) return [v = round_to(n->dtype, int_number(n->value))](Frame&) { return v; };
  if (const auto* n = find<FloatImm>(s)) return [v = round_to(n->dtype, float_number(n->value))](Frame&) { return v; };
  if (const auto* n = find<SymVar>(s)) return [i = slot(*n)](Frame& f) { return f.symbols[i]; };
  if (const auto* n = find<Binary>(s)) return compile_binary(*n);
  if (const auto* n = find<Not>(s)) return [a = compile(n->a)](Frame& f) { return int_number(a(f).i == 0); };
  if (const auto* n = find<Cast>(s))
    return [a = compile(n->value), from = n->value->dtype, to = n->dtype](Frame& f) { return convert(from, to, a(f)); };
  if (const auto* n = find<Select>(s))
    return [c = compile(n->condition), a = compile(n->then_value), b = compile(n->else_value)](Frame& f) {
      return c(f).i != 0 ? a(f) : b(f);
    };
  if (const auto* n = find<Let>(s)) {
    return [i = slot(*n->var), v = compile(n->value), body = compile(n->body)](Frame& f) {
      f.symbols[i] = v(f);
      return body(f);
    };
  }
  if (const auto* n = find<BufferLoad>(s))
    return [at = place(n->buffer, n->indices), dtype = n->buffer->dtype](Frame& f) {
      const ElementPlace e = at(f);
      return load_element(dtype, e.memory, e.index);
    };
  if (const auto* n = find<ScalarCall>(s)) return compile_call(*n);
  fail("E0507", s->span, fmt::format("the evaluator cannot compute `{}`", describe(s)));
}

std::function<ElementPlace(Frame&)> ScalarCompiler::place(const Ref<Buffer>& buffer,
                                                          const std::vector<Scalar>& indices) {
  std::vector<NumberFn> fns;
  for (const Scalar& i : indices) fns.push_back(compile(i));
  return [i = slot(*buffer), places = std::move(fns), name = buffer->name](Frame& f) {
    const BoundBuffer& b = f.buffers[i];
    int64_t index = b.offset;
    for (size_t d = 0; d < places.size(); ++d) {
      int64_t at = places[d](f).i;
      if (at < 0 || at >= b.shape[d])
        fail("E0506", {},
             fmt::format("index {} is out of bounds of `{}` at dimension {} of size {}", at, name, d, b.shape[d]));
      index += at * b.strides[d];
    }
    return ElementPlace{b.memory, index};
  };
}

}  // namespace sunmao
