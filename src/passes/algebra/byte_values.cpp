#include "passes/algebra/byte_values.h"

#include <algorithm>

#include "ir/equal.h"
#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

bool is_byte(const Expr& e) { return element_dtype(e) == kUnsigned || element_dtype(e) == kSigned; }

/// True for a scale or zero point that all elements of a row of `values` share.
bool is_of_rows(const Expr& parameter, const Expr& values) {
  const int rank = tensor_rank(values);
  return rank > 0 && tensor_rank(parameter) == rank && tensor_size(parameter, rank - 1) == 1;
}

}  // namespace

void ByteValues::forget() {
  StepRewriter::forget();
  other_kind_.clear();
  parts_.clear();
}

std::optional<Quantised> ByteValues::read_quantised(const Expr& x) {
  const Expr value = definition(x);
  if (const auto* field = value ? find<TupleGetItem>(value) : nullptr) return part_of(*field);
  const auto* call = value ? find<Call>(value) : nullptr;
  if (!call || !op_of(*call)) return std::nullopt;
  if (op_of(*call)->name() == "concat") return joined(*call);
  if (op_of(*call)->name() == "dequantize") {
    const Quantised out = quantised_operands(*call);
    const bool are_usual = element_dtype(out.scale) == kReal && element_dtype(out.zero).is_integral();
    return is_byte(out.values) && are_usual && tensor_rank(out.values) != kUnknownRank ? std::optional(out)
                                                                                       : std::nullopt;
  }
  if (std::optional<Quantised> out = read_arithmetic(*call)) return out;
  std::optional<Quantised> out = call->args.empty() ? std::nullopt : read_quantised(call->args[0]);
  return out ? moved(*call, *out) : std::nullopt;
}

/// Returns what casts that keep every byte are of.
Expr ByteValues::without_casts(const Expr& e) const {
  const Call* cast = call_of(e, "astype");
  const DType to = element_dtype(e);
  const bool is_wide = to.bits > 8 && (to.is_int() || to == kReal || to == DType::float_(64));
  return cast && is_wide && element_dtype(cast->args[0]).is_integral() ? without_casts(cast->args[0]) : e;
}

/// Reads (values - zero) * scale, where scale and zero point are of rows; so tokens are dequantised.
std::optional<Quantised> ByteValues::read_arithmetic(const Call& call) {
  const bool is_narrowed = op_of(call)->name() == "astype" && element_dtype(Expr(&call)) == kReal;
  const Call* product = is_narrowed                         ? call_of(call.args[0], "multiply")
                        : op_of(call)->name() == "multiply" ? &call
                                                            : nullptr;
  if (!product || !element_dtype(product->args[0]).is_float()) return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Expr above = without_casts(product->args[1 - i]);
    const Call* difference = call_of(above, "subtract");
    const Expr values = difference ? without_casts(difference->args[0]) : above;
    Expr zero = difference ? without_casts(difference->args[1]) : integer_constant(kSum, 0);
    Expr scale = product->args[i];
    if (call_of(zero, "zeros_like")) zero = integer_constant(kSum, 0);
    if (!is_byte(values) || !is_of_rows(scale, values)) continue;
    if (!element_dtype(zero).is_integral() || !(known_integer(zero) || is_of_rows(zero, values))) continue;
    return Quantised{.values = values, .scale = as(scale, kReal), .zero = zero};
  }
  return std::nullopt;
}

/// Returns what a call that only moves elements makes of quantised ones; nullopt where their scales would part.
std::optional<Quantised> ByteValues::moved(const Call& move, Quantised x) {
  const auto on = [&](const Expr& first, std::vector<Expr> others) {
    others.insert(others.begin(), first);
    return step(op_of(move)->name().c_str(), std::move(others), move.attrs.values());
  };
  const std::vector<Expr> others(move.args.begin() + 1, move.args.end());
  if (is_of_rows(x.scale, x.values) && !is_single(x.scale)) {
    const auto* to = find<TensorType>(move.type);
    const auto* from = find<TensorType>(x.values->type);
    if (op_of(move)->name() != "reshape" || !to || !to->dims() || to->dims()->empty() || !from->dims()) return {};
    if (!structural_equal(to->dims()->back(), from->dims()->back())) return {};
    std::vector<Scalar> rows = *to->dims();
    rows.back() = int_imm(1);
    x.scale = on(x.scale, {ShapeExpr::make(rows)});
    if (!known_integer(x.zero)) x.zero = on(x.zero, {ShapeExpr::make(rows)});
  } else {
    const std::optional<int> axis = axis_behind(move, x);
    if (!axis) return std::nullopt;
    x.axis = *axis;
  }
  x.values = on(x.values, others);
  return x;
}

/// Tensors with one scale that are joined are joined bytes.
std::optional<Quantised> ByteValues::joined(const Call& concat) {
  const Expr given = definition(concat.args[0]);
  const auto* tensors = find<Tuple>(given ? given : concat.args[0]);
  if (!tensors) return std::nullopt;
  std::optional<Quantised> out;
  std::vector<Expr> fields;
  for (const Expr& tensor : tensors->fields) {
    const std::optional<Quantised> x = read_quantised(tensor);
    if (!x || !is_single(x->scale) || !known_integer(x->zero)) return std::nullopt;
    if (!out) out = x;
    const bool is_alike = element_dtype(x->values) == element_dtype(out->values) &&
                          known_integer(x->zero) == known_integer(out->zero) && structural_equal(x->scale, out->scale);
    if (!is_alike) return std::nullopt;
    fields.push_back(x->values);
  }
  if (out) out->values = step("concat", {Tuple::make(std::move(fields))}, concat.attrs.values());
  return out;
}

/// So are parts of a tensor parts of bytes.
std::optional<Quantised> ByteValues::part_of(const TupleGetItem& field) {
  const Call* split = call_of(field.tuple, "split");
  std::optional<Quantised> out = split ? read_quantised(split->args[0]) : std::nullopt;
  if (!out || !is_single(out->scale) || !is_single(out->zero)) return std::nullopt;
  Expr& parts = parts_[find_ref<Var>(field.tuple)];
  if (!parts) parts = step("split", {out->values}, split->attrs.values());
  out->values = bound(TupleGetItem::make(parts, field.index));
  return out;
}

Expr ByteValues::of_kind(const Expr& bytes, DType kind) {
  const DType own = element_dtype(bytes);
  if (own == kind) return bytes;
  if (const auto done = other_kind_.find(find_ref<Var>(bytes)); done != other_kind_.end()) return done->second;
  const Expr value = definition(bytes);
  const auto* call = value ? find<Call>(value) : nullptr;
  Expr out;
  if (call && find_call(value, "quantize")) {
    out = step("quantize", {call->args[0], call->args[1], zero_as(call->args[2], own, kind, kind)},
               call->attrs.with("out_dtype", kind).values());
  } else if (call && passes_elements_on(*call)) {
    std::vector<Expr> args = call->args;
    args[0] = of_kind(args[0], kind);
    out = step(op_of(*call)->name().c_str(), std::move(args), call->attrs.values());
  } else {
    out = shifted(bytes, kind);
  }
  if (find<Var>(bytes)) note_other_kind(bytes, out);
  return out;
}

Expr ByteValues::shifted(const Expr& bytes, DType kind) {
  if (element_dtype(bytes) == kind) return bytes;
  const DType wide = DType::int_(16);
  return as(step("add", {as(bytes, wide), integer_constant(wide, shift_to(kind))}), kind);
}

Expr ByteValues::zero_as(const Expr& zero, DType values, DType kind, DType dtype) {
  const int64_t by = values == kind ? 0 : shift_to(kind);
  if (const std::optional<int64_t> known = known_integer(zero)) return integer_constant(dtype, *known + by);
  if (by == 0) return as(zero, dtype);
  const Expr moved = step("add", {as(zero, kSum), integer_constant(kSum, by)});
  return as(moved, dtype);
}

Expr ByteValues::single_as_number(const Expr& e) {
  if (tensor_rank(e) == 0 || !is_single(e)) return e;
  return step("reshape", {e, ShapeExpr::make({})});
}

}  // namespace sunmao
