#include "ops/algebra/rule.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ops/ops.h"
#include "support/half.h"
#include "support/small_float.h"

namespace sunmao {
namespace {

constexpr int kLongestChainOfNames = 16;
// Constants of more elements are not scanned, which bounds the cost when many calls use the same constant.
constexpr int64_t kMostElements = 4096;

template <class T>
T first_as(const Array& a) {
  T value;
  std::memcpy(&value, a.data(), sizeof(T));
  return value;
}

std::optional<UniformValue> read_first(const Array& a) {
  const DType t = a.dtype();
  auto integer = [&](int64_t v) { return UniformValue{t, v, 0}; };
  auto real = [&](double v) { return UniformValue{t, 0, v}; };
  if (t.is_vector()) return std::nullopt;
  if (t == DType::float_(32)) return real(static_cast<double>(first_as<float>(a)));
  if (t == DType::float_(64)) return real(first_as<double>(a));
  if (t == DType::float_(16)) return real(static_cast<double>(from_float16(first_as<uint16_t>(a))));
  if (t.code == TypeCode::BFloat) return real(static_cast<double>(from_bfloat16(first_as<uint16_t>(a))));
  if (is_small_float(t)) return real(static_cast<double>(from_small_float(t, abi::load_bits(a.data(), t.bits, 0))));
  if (t.is_bool()) return integer(first_as<uint8_t>(a) != 0);
  if (t.is_packed() && t.is_integral()) {
    const auto code = static_cast<int64_t>(abi::load_bits(a.data(), t.bits, 0));
    const int64_t codes = int64_t{1} << t.bits;
    return integer(t.is_int() && 2 * code >= codes ? code - codes : code);
  }
  if (t == DType::int_(8)) return integer(first_as<int8_t>(a));
  if (t == DType::int_(16)) return integer(first_as<int16_t>(a));
  if (t == DType::int_(32)) return integer(first_as<int32_t>(a));
  if (t == DType::uint(8)) return integer(first_as<uint8_t>(a));
  if (t == DType::uint(16)) return integer(first_as<uint16_t>(a));
  if (t == DType::uint(32)) return integer(first_as<uint32_t>(a));
  if (t == DType::int_(64) || t == DType::uint(64)) return integer(first_as<int64_t>(a));
  return std::nullopt;
}

}  // namespace

std::optional<UniformValue> uniform_of(const Array& a) {
  if (a.count() == 0 || a.count() > kMostElements) return std::nullopt;
  if (a.dtype().is_packed()) {
    const auto code_at = [&](int64_t i) { return abi::load_bits(a.data(), a.dtype().bits, static_cast<uint64_t>(i)); };
    for (int64_t i = 1; i < a.count(); ++i)
      if (code_at(i) != code_at(0)) return std::nullopt;
    return read_first(a);
  }
  const auto size = static_cast<size_t>(a.dtype().bytes());
  for (int64_t i = 1; i < a.count(); ++i)
    if (std::memcmp(a.data(), a.data() + static_cast<size_t>(i) * size, size) != 0) return std::nullopt;
  return read_first(a);
}

std::optional<UniformValue> uniform_of(const Expr& e) {
  const auto* constant = find<Constant>(e);
  return constant ? uniform_of(constant->data) : std::nullopt;
}

bool is_known_zero(const Expr& e) {
  const std::optional<UniformValue> value = uniform_of(e);
  return value && value->dtype.is_integral() && value->integer == 0;
}

Expr integer_constant(DType dtype, int64_t value) {
  static_assert(std::endian::native == std::endian::little);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return Constant::make(Array::copy(dtype, {}, bytes.first(static_cast<size_t>(dtype.bytes()))));
}

const std::vector<AlgebraicRule>& algebraic_rules() {
  static const RuleTable table = [] {
    RuleTable rules;
    add_arithmetic_rules(rules);
    add_logic_rules(rules);
    add_order_rules(rules);
    add_cast_rules(rules);
    add_shape_rules(rules);
    add_selection_rules(rules);
    add_join_rules(rules);
    add_window_rules(rules);
    return rules;
  }();
  return table;
}

const TensorType* tensor_type(const Expr& e) { return find<TensorType>(e->type); }
const std::vector<Scalar>* tensor_dims(const Expr& e) {
  const TensorType* t = tensor_type(e);
  return t ? t->dims() : nullptr;
}
std::optional<int64_t> axis_of(const Call& call, const TensorType* type) {
  const auto* axis = call.attrs.find<int64_t>("axis");
  if (!type || type->rank == kUnknownRank) return std::nullopt;
  if (!axis) return 0;
  return *axis < 0 ? *axis + type->rank : *axis;
}

DType element_dtype(const Expr& e) {
  if (const TensorType* t = tensor_type(e)) return t->dtype;
  const auto* prim = find<PrimType>(e->type);
  return prim ? prim->dtype : DType::void_();
}
bool is_float(const Expr& e) { return element_dtype(e).is_float(); }
bool is_integer(const Expr& e) { return element_dtype(e).is_int() || element_dtype(e).is_uint(); }

Expr RuleInput::definition(Expr e) const {
  for (int i = 0; i < kLongestChainOfNames; ++i) {
    if (const auto* item = find<TupleGetItem>(e)) {
      Expr tuple = definition_(item->tuple);
      const auto* at_hand = find<Tuple>(find<Tuple>(item->tuple) ? item->tuple : tuple);
      if (!at_hand) return e;
      e = at_hand->fields[static_cast<size_t>(item->index)];
    } else if (find<Var>(e)) {
      Expr value = definition_(e);
      if (!value) return e;
      e = value;
    } else {
      return e;
    }
  }
  return e;
}

const Call* RuleInput::call_of(const Expr& e, std::string_view op) const { return find_call(definition(e), op); }

const Call* RuleInput::call_of_any(const Expr& e, std::span<const std::string_view> ops) const {
  const auto* found = find<Call>(definition(e));
  const Op* op = found ? op_of(*found) : nullptr;
  return op && std::ranges::find(ops, op->name()) != ops.end() ? found : nullptr;
}

std::optional<std::vector<Expr>> RuleInput::fields_of(const Expr& tuple) const {
  if (const auto* at_hand = find<Tuple>(definition(tuple))) return at_hand->fields;
  return std::nullopt;
}

std::optional<UniformValue> RuleInput::uniform(const Expr& e) const {
  const Expr value = definition(e);
  if (find<Constant>(value)) return uniform_of(value);
  if (const auto* prim = find<PrimValue>(value)) {
    if (const int64_t* n = find_int(prim->value)) return UniformValue{prim->value->dtype, *n, 0};
    if (const auto* f = find<FloatImm>(prim->value)) return UniformValue{f->dtype, 0, f->value};
    return std::nullopt;
  }
  static constexpr std::string_view kZeros[]{"zeros", "zeros_like"}, kOnes[]{"ones", "ones_like"};
  const DType dtype = element_dtype(value);
  if (dtype.is_void()) return std::nullopt;
  if (call_of_any(value, kZeros)) return UniformValue{dtype, 0, 0.0};
  if (call_of_any(value, kOnes)) return UniformValue{dtype, 1, 1.0};
  return std::nullopt;
}

bool RuleInput::is_all(const Expr& e, double value) const {
  const std::optional<UniformValue> u = uniform(e);
  if (!u) return false;
  if (!u->dtype.is_float()) return static_cast<double>(u->integer) == value;
  return u->real == value && std::signbit(u->real) == std::signbit(value);
}

bool RuleInput::same(const Expr& a, const Expr& b) const {
  auto named = [&](Expr e) {
    for (int i = 0; i < kLongestChainOfNames && find<Var>(e); ++i) {
      Expr value = definition_(e);
      if (!value || !find<Var>(value)) return e;
      e = value;
    }
    return e;
  };
  return named(a) == named(b);
}

bool RuleInput::has_result_shape(const Expr& e) const {
  const TensorType* t = tensor_type(e);
  if (!t) return false;
  const auto *dims = t->dims(), *result = tensor_dims(Expr(&call));
  if (dims && result) return same_dims(*dims, *result);
  return std::ranges::all_of(call.args, [&](const Expr& a) {
    const TensorType* other = tensor_type(a);
    return a == e || find<PrimType>(a->type) || (other && other->rank == 0);
  });
}

bool RuleInput::same_dims(const std::vector<Scalar>& a, const std::vector<Scalar>& b) const {
  return std::ranges::equal(a, b, [&](const Scalar& x, const Scalar& y) { return analyzer.can_prove_equal(x, y); });
}

Expr RuleInput::make(const char* op, std::vector<Expr> args, AttrMap attrs) const {
  return Call::make(builtin_ops().get(op), std::move(args), Attrs(std::move(attrs)), {}, call.span);
}

// In a reshape target 0 means "copy this dimension of the input" unless the input has no elements, so such a target is
// not expressible.
Expr RuleInput::reshaped(const Expr& x, const std::vector<Scalar>& dims) const {
  auto is_zero = [](const Scalar& d) { return find_int(d) && *find_int(d) == 0; };
  const auto* from = tensor_dims(x);
  if (!from || (std::ranges::any_of(dims, is_zero) && std::ranges::none_of(*from, is_zero))) return nullptr;
  return make("reshape", {x, ShapeExpr::make(dims)});
}

Expr RuleInput::filled(const char* op) const {
  const TensorType* t = find<TensorType>(call.type);
  if (!t || !t->dims() || t->dtype.is_void()) return nullptr;
  return make(op, {ShapeExpr::make(*t->dims())}, {{"dtype", t->dtype}});
}

}  // namespace sunmao
