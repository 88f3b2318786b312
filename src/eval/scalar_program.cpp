#include "eval/scalar_program.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "ir/type.h"
#include "loop/calls.h"
#include "loop/intrinsics/table.h"
#include "support/diagnostic.h"
#include "support/half.h"
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

// Applies `op` to the numbers that two closures give. Operands are moved into the closure, since copying would copy the
// whole subtree at every level.
template <class Op>
NumberFn of_floats(DType result, NumberFn x, NumberFn y, Op op) {
  if (result == DType::float_(32))
    return [=, a = std::move(x), b = std::move(y)](Frame& f) {
      return float_number(double{static_cast<float>(op(a(f).f, b(f).f))});
    };
  if (result == DType::float_(64))
    return [=, a = std::move(x), b = std::move(y)](Frame& f) { return float_number(op(a(f).f, b(f).f)); };
  return
      [=, a = std::move(x), b = std::move(y)](Frame& f) { return round_to(result, float_number(op(a(f).f, b(f).f))); };
}

template <class Op>
NumberFn of_integers(NumberFn x, NumberFn y, Op op) {
  return [=, a = std::move(x), b = std::move(y)](Frame& f) { return int_number(op(a(f).i, b(f).i)); };
}

NumberFn load(PlaceFn place, DType dtype) {
  if (dtype == DType::float_(32))
    return [at = std::move(place)](Frame& f) {
      const ElementPlace e = at(f);
      float value;
      std::memcpy(&value, e.memory + e.index * int64_t{sizeof value}, sizeof value);
      return float_number(double{value});
    };
  return [at = std::move(place), dtype](Frame& f) {
    const ElementPlace e = at(f);
    return load_element(dtype, e.memory, e.index);
  };
}

NumberFn float_arithmetic(BinaryOp op, DType result, NumberFn a, NumberFn b) {
  switch (op) {
    case BinaryOp::Add: return of_floats(result, std::move(a), std::move(b), std::plus<double>());
    case BinaryOp::Sub: return of_floats(result, std::move(a), std::move(b), std::minus<double>());
    case BinaryOp::Mul: return of_floats(result, std::move(a), std::move(b), std::multiplies<double>());
    default:
      return of_floats(result, std::move(a), std::move(b), [op](double x, double y) { return float_binary(op, x, y); });
  }
}

// The operation is a constant of the closure, so that what `int_binary` decides by it is decided once.
template <BinaryOp op>
NumberFn of_int64(NumberFn a, NumberFn b) {
  return of_integers(std::move(a), std::move(b), [](int64_t x, int64_t y) { return int_binary(op, x, y); });
}

NumberFn int64_operation(BinaryOp op, NumberFn a, NumberFn b) {
  switch (op) {
    case BinaryOp::Add: return of_int64<BinaryOp::Add>(std::move(a), std::move(b));
    case BinaryOp::Sub: return of_int64<BinaryOp::Sub>(std::move(a), std::move(b));
    case BinaryOp::Mul: return of_int64<BinaryOp::Mul>(std::move(a), std::move(b));
    case BinaryOp::Eq: return of_integers(std::move(a), std::move(b), std::equal_to<int64_t>());
    case BinaryOp::Ne: return of_integers(std::move(a), std::move(b), std::not_equal_to<int64_t>());
    case BinaryOp::Lt: return of_integers(std::move(a), std::move(b), std::less<int64_t>());
    case BinaryOp::Le: return of_integers(std::move(a), std::move(b), std::less_equal<int64_t>());
    case BinaryOp::Gt: return of_integers(std::move(a), std::move(b), std::greater<int64_t>());
    case BinaryOp::Ge: return of_integers(std::move(a), std::move(b), std::greater_equal<int64_t>());
    case BinaryOp::FloorDiv:
      return of_integers(std::move(a), std::move(b), [](int64_t x, int64_t y) {
        if (y <= 0) return int_binary(BinaryOp::FloorDiv, x, y);
        return x / y - (x % y < 0);
      });
    case BinaryOp::FloorMod:
      return of_integers(std::move(a), std::move(b), [](int64_t x, int64_t y) {
        if (y <= 0) return int_binary(BinaryOp::FloorMod, x, y);
        const int64_t rest = x % y;
        return rest < 0 ? rest + y : rest;
      });
    default:
      return of_integers(std::move(a), std::move(b), [op](int64_t x, int64_t y) { return int_binary(op, x, y); });
  }
}

/// Returns a lane, by its number, of elements that are loaded side by side and perhaps cast; null for other vectors.
Scalar adjacent(const Scalar& vector, int lane) {
  if (const auto* cast = find<Cast>(vector)) {
    const Scalar value = adjacent(cast->value, lane);
    return value ? Cast::make(cast->dtype.with_lanes(1), value) : Scalar();
  }
  const auto* load = find<BufferLoad>(vector);
  const auto* ramp = load && !load->predicate ? find<Ramp>(load->indices.back()) : nullptr;
  if (!ramp) return nullptr;
  std::vector<Scalar> at = load->indices;
  at.back() = ramp->base + ramp->stride * IntImm::make(ramp->stride->dtype, lane);
  return BufferLoad::make(load->buffer, std::move(at));
}

}  // namespace

Number apply(BinaryOp op, DType dtype, Number a, Number b) {
  if (dtype.is_float()) return round_to(dtype, float_number(float_binary(op, a.f, b.f)));
  return round_to(dtype, int_number(int_binary(op, a.i, b.i)));
}

size_t ScalarCompiler::slot(const SymVar& var) { return symbols_.try_emplace(&var, symbols_.size()).first->second; }
size_t ScalarCompiler::slot(const Buffer& buffer) {
  return buffers_.try_emplace(&buffer, buffers_.size()).first->second;
}

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
    return float_arithmetic(op, result, std::move(x), std::move(y));
  }
  if (operands == DType::int_(64)) return int64_operation(op, std::move(x), std::move(y));
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
    if (static_cast<uint64_t>(at.i) < static_cast<uint64_t>(room)) return at;
    if (room < 0)
      fail("E0919", {}, fmt::format("{} cannot be {}", what, given(f).i), "look at the tensor that was passed");
    fail("E0919", {}, fmt::format("{}: {} is out of range for a size of {}", what, given(f).i, room),
         "the numbers of a tensor that are used as indices or lengths must fit what they index");
  };
}

NumberFn ScalarCompiler::compile_integer_dot(const ScalarCall& n) {
  if (n.dtype.lanes != 1) return {};
  const auto sum_of = [&](const Scalar& a, const Scalar& b, Scalar sum, int count) -> NumberFn {
    for (int i = 0; i < count; ++i) {
      const Scalar x = adjacent(a, i), y = adjacent(b, i);
      if (!x || !y) return {};
      sum = sum + Cast::make(n.dtype, x) * Cast::make(n.dtype, y);
    }
    return compile(sum);
  };
  if (const std::optional<ByteDots> dots = find_byte_dots(n)) return sum_of(dots->a, dots->b, dots->sum, kBytesOfDot);
  if (const std::optional<ShortDots> dots = find_short_dots(n))
    return sum_of(dots->a, dots->b, dots->sum, kShortsOfDot);
  return {};
}

NumberFn ScalarCompiler::compile_pair_dot(const ScalarCall& n) {
  const std::optional<PairDots> parts = find_pair_dots(n);
  if (!parts || n.dtype.lanes != 1) return {};
  return [a = compile(parts->a), b = compile(parts->b), sum = compile(parts->sum)](Frame& f) {
    const auto x = static_cast<uint32_t>(a(f).i), y = static_cast<uint32_t>(b(f).i);
    const auto half = [](uint32_t word, int from) {
      return double{from_bfloat16(static_cast<uint16_t>(word >> from))};
    };
    const auto high = static_cast<float>(sum(f).f + half(x, 16) * half(y, 16));
    return float_number(static_cast<float>(double{high} + half(x, 0) * half(y, 0)));
  };
}

NumberFn ScalarCompiler::compile_call(const ScalarCall& n) {
  if (is_index_check(n)) return compile_index_check(n);
  if (NumberFn dot = compile_integer_dot(n)) return dot;
  if (NumberFn dot = compile_pair_dot(n)) return dot;
  std::vector<NumberFn> args;
  for (const Scalar& a : n.args) args.push_back(compile(a));
  if ((n.name == "if_then_else" || n.name == "select") && args.size() == 3)
    return [all = std::move(args)](Frame& f) { return all[0](f).i != 0 ? all[1](f) : all[2](f); };
  if (n.name == "reinterpret" && args.size() == 1 && n.args[0]->dtype.bits == n.dtype.bits && n.dtype.bits >= 8)
    return [x = std::move(args[0]), from = n.args[0]->dtype, to = n.dtype](Frame& f) {
      std::array<std::byte, 8> bytes{};
      store_element(from, bytes.data(), 0, x(f));
      return load_element(to, bytes.data(), 0);
    };
  if (const Intrinsic* known = find_intrinsic(n))
    if (NumberFn fn = compile_intrinsic(*known, n, args)) return fn;
  fail("E0507", n.span, fmt::format("the evaluator knows no intrinsic `{}` on {} operands", n.name, n.args.size()));
}

// Returns null when the intrinsic has no function of such operands.
NumberFn ScalarCompiler::compile_intrinsic(const Intrinsic& known, const ScalarCall& n, std::vector<NumberFn>& args) {
  const DType dtype = n.dtype;
  const bool is_test = known.result != Intrinsic::Result::OfOperands;
  if (n.args[0]->dtype.is_float()) {
    if (!known.of_floats) return {};
    return [=, fn = known.of_floats, all = std::move(args)](Frame& f) {
      std::array<double, 3> x{};
      for (size_t i = 0; i < all.size(); ++i) x[i] = all[i](f).f;
      const double value = fn(x.data());
      return is_test ? int_number(value != 0) : round_to(dtype, float_number(value));
    };
  }
  if (!known.of_integers) return {};
  return [=, fn = known.of_integers, all = std::move(args)](Frame& f) {
    std::array<int64_t, 3> x{};
    for (size_t i = 0; i < all.size(); ++i) x[i] = all[i](f).i;
    return round_to(dtype, int_number(fn(dtype, x.data())));
  };
}

NumberFn ScalarCompiler::compile(const Scalar& s) {
  if (s->dtype.lanes != 1)
    fail("E0507", s->span, "the evaluator runs loops before vectorisation; this one holds vectors");
  if (const auto* n = find<IntImm>(s)) return NumberFn::constant(round_to(n->dtype, int_number(n->value)));
  if (const auto* n = find<FloatImm>(s)) return NumberFn::constant(round_to(n->dtype, float_number(n->value)));
  if (const auto* n = find<SymVar>(s)) return NumberFn::symbol(slot(*n));
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
  if (const auto* n = find<BufferLoad>(s)) return load(place(n->buffer, n->indices), n->buffer->dtype);
  if (const auto* n = find<ScalarCall>(s)) return compile_call(*n);
  fail("E0507", s->span, fmt::format("the evaluator cannot compute `{}`", describe(s)));
}

PlaceFn ScalarCompiler::place(const Ref<Buffer>& buffer, const std::vector<Scalar>& indices) {
  std::vector<NumberFn> fns;
  for (const Scalar& i : indices) fns.push_back(compile(i));
  return {slot(*buffer), std::move(fns), buffer->name};
}

void PlaceFn::fail_bounds(int64_t at, size_t dim, int64_t size) const {
  fail("E0506", {}, fmt::format("index {} is out of bounds of `{}` at dimension {} of size {}", at, name_, dim, size));
}

}  // namespace sunmao
