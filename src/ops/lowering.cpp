#include "ops/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "ir/element_types.h"
#include "ops/wide_steps.h"

namespace sunmao {

namespace {

bool knows_scalars(const Expr& arg) {
  if (const auto* tuple = find<Tuple>(arg)) return std::ranges::all_of(tuple->fields, knows_scalars);
  return !find<PrimType>(arg->type) || scalar_value(arg);
}

Ref<BaseFunc> lowered(const Call& call, LowerFn OpInfo::* lower) {
  const Op* op = op_of(call);
  if (!op || !(op->info.*lower) || !std::ranges::all_of(call.args, knows_scalars)) return nullptr;
  check_element_types(call.type, op->name(), call.span);
  for (const Expr& arg : call.args) {
    const auto* var = find<Var>(arg);
    check_element_types(arg->type, var ? var->name : op->name(), call.span);
  }
  Ref<BaseFunc> kernel = (op->info.*lower)(call);
  const Ref<PrimFunc> loops = find_ref<PrimFunc>(Expr(kernel));
  return loops ? Ref<BaseFunc>(with_wide_steps(loops)) : kernel;
}

}  // namespace

Ref<BaseFunc> kernel_of(const Call& call) { return lowered(call, &OpInfo::lower); }

Ref<BaseFunc> prepared_kernel_of(const Call& call) { return lowered(call, &OpInfo::lower_prepared); }

Scalar lowest_of(DType dtype) {
  if (dtype.is_float()) return FloatImm::make(dtype, -std::numeric_limits<double>::infinity());
  if (!dtype.is_int()) return IntImm::make(dtype, 0);
  return IntImm::make(dtype,
                      dtype.bits == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t{1} << (dtype.bits - 1)));
}

Scalar highest_of(DType dtype) {
  if (dtype.is_float()) return FloatImm::make(dtype, std::numeric_limits<double>::infinity());
  if (dtype.is_bool()) return IntImm::make(dtype, 1);
  if (dtype.bits == 64) return IntImm::make(dtype, dtype.is_int() ? std::numeric_limits<int64_t>::max() : -1);
  return IntImm::make(dtype, (int64_t{1} << (dtype.is_int() ? dtype.bits - 1 : dtype.bits)) - 1);
}

// Kahan's method: the rounding error of exp(x) is cancelled by the logarithm of the rounded value.
Scalar exp_less_one(const Scalar& x) {
  const DType wide = accumulator(x->dtype);
  auto equal_to = [](const Scalar& a, double value) { return Binary::make(BinaryOp::Eq, a, number_like(a, value)); };
  Scalar given = x->dtype == wide ? x : Cast::make(wide, x), power = intrinsic("exp", given);
  Scalar less_one = power - number_like(power, 1);
  Scalar mended = Binary::make(BinaryOp::Div, less_one * given, intrinsic("log", power));
  Scalar is_whole = Binary::make(BinaryOp::Or, equal_to(less_one, -1), equal_to(power, HUGE_VAL));
  Scalar value = Select::make(equal_to(power, 1), given, Select::make(is_whole, less_one, mended));
  return x->dtype == wide ? value : Cast::make(x->dtype, value);
}

Scalar log_add_exp(const Scalar& a, const Scalar& b) {
  const Scalar distance = constant(a->dtype, 0) - intrinsic("abs", a - b);
  const Scalar apart = max(a, b) + intrinsic("log1p", intrinsic("exp", distance));
  return choose(equals(a, b), a + number_like(a, std::numbers::ln2), apart);
}

std::vector<Ref<Buffer>> inputs_of(KernelBuilder& k, const Expr& tuple) {
  if (find<TensorType>(tuple->type)) return {k.input("A", tuple->type)};
  std::vector<Ref<Buffer>> out;
  for (const Type& t : find<TupleType>(tuple->type)->fields)
    out.push_back(k.input("A" + std::to_string(out.size()), t));
  return out;
}

Indices with_index(Indices at, size_t axis, Scalar index) {
  at[axis] = std::move(index);
  return at;
}
Indices insert_index(Indices at, size_t axis, Scalar index) {
  at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), std::move(index));
  return at;
}
Indices without_index(Indices at, size_t axis) {
  at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
  return at;
}

Indices split_index(Scalar place, const std::vector<Scalar>& shape) {
  Indices out(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = i == 0 ? place : floor_mod(place, shape[i]);
    if (i > 0) place = floor_div(place, shape[i]);
  }
  return out;
}

Scalar from_end(const Scalar& index, const Scalar& size) {
  return Select::make(less(index, IntImm::make(index->dtype, 0)), index + size, index);
}

namespace {

/// True for an unsigned number that has too few bits to leave [0, size), such as a byte for 256.
bool fits(const Scalar& index, const Scalar& size) {
  const auto* widened = find<Cast>(index);
  const DType from = widened ? widened->value->dtype : index->dtype;
  const int64_t* room = find_int(size);
  return from.is_uint() && from.bits < 32 && room && *room >= int64_t{1} << from.bits;
}

Scalar checked_place(const Call& call, Scalar place, const Scalar& size, const Scalar& given) {
  const int64_t *known = find_int(place), *room = find_int(size);
  if (known && room && *known >= 0 && *known < *room) return place;
  return checked_index({std::move(place), size, given, op_of(call)->name()});
}

}  // namespace

Scalar checked(const Call& call, const Scalar& index, const Scalar& size) {
  if (fits(index, size)) return index;
  return checked_place(call, index, size, index);
}

Scalar checked_from_end(const Call& call, const Scalar& index, const Scalar& size) {
  if (fits(index, size)) return index;
  return checked_place(call, from_end(index, size), size, index);
}

Ref<BaseFunc> lower_row_major(const Call& call, const std::string& name) {
  KernelBuilder k(name);
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_reshape", call.type);
  k.compute(y, "T_reshape", [&](const Indices& at) {
    Scalar flat = int_imm(0);
    for (size_t i = 0; i < at.size(); ++i) flat = flat * y->shape[i] + at[i];
    Indices from(x->shape.size());
    for (size_t i = from.size(); i-- > 0;) {
      from[i] = i == 0 ? flat : floor_mod(flat, x->shape[i]);
      flat = floor_div(flat, x->shape[i]);
    }
    return load(x, from);
  });
  return std::move(k).finish();
}

}  // namespace sunmao
