#include "passes/algebra/byte_values.h"

#include <algorithm>

#include "ir/equal.h"
#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

/// True for a scale or zero point that all elements of a row of `values` share.
bool is_of_rows(const Expr& parameter, const Expr& values) {
  const std::vector<Scalar>*own = tensor_dims(parameter), *all = tensor_dims(values);
  if (!own || !all || own->empty() || own->size() != all->size() ||
      tensor_size(parameter, tensor_rank(parameter) - 1) != 1)
    return false;
  return std::equal(own->begin(), own->end() - 1, all->begin(),
                    [](const Scalar& a, const Scalar& b) { return structural_equal(a, b); });
}

bool is_number_or_of_rows(const Expr& parameter, const Expr& values) {
  return is_single(parameter) || is_of_rows(parameter, values);
}

bool is_constant_pad(const Call& pad) {
  const auto* mode = pad.attrs.find<std::string>("pad_mode");
  return !mode || *mode == "constant";
}

std::pair<int64_t, int64_t> limits_of(DType byte) {
  return byte == kUnsigned ? std::pair<int64_t, int64_t>{0, 255} : std::pair<int64_t, int64_t>{-128, 127};
}

}  // namespace

void ByteValues::forget() {
  StepRewriter::forget();
  other_kind_.clear();
  parts_.clear();
  read_.clear();
}

std::optional<Quantised> ByteValues::read_quantised(const Expr& x) {
  const Expr value = definition(x);
  if (!value) return std::nullopt;
  const Ref<Var> var = find_ref<Var>(x);
  if (const auto done = read_.find(var); done != read_.end()) return done->second;
  std::optional<Quantised> out = read_value(value);
  return read_[var] = std::move(out);
}

std::optional<Quantised> ByteValues::read_value(const Expr& value) {
  if (const auto* field = find<TupleGetItem>(value)) return part_of(*field);
  const auto* call = find<Call>(value);
  if (!call || !op_of(*call)) return std::nullopt;
  if (op_of(*call)->name() == "concat") return joined(*call);
  if (op_of(*call)->name() == "nn.pad") return padded(*call);
  if (op_of(*call)->name() == "dequantize") {
    const Quantised out = quantised_operands(*call);
    const bool are_usual = element_dtype(out.scale) == kReal && element_dtype(value) == kReal;
    const bool are_bytes = is_byte(element_dtype(out.values)) && tensor_rank(out.values) != kUnknownRank;
    if (!are_usual || !are_bytes || out.block > 0 || !is_byte_point(out.zero, element_dtype(out.values)))
      return std::nullopt;
    return out;
  }
  if (std::optional<Quantised> out = read_arithmetic(*call)) return out;
  std::optional<Quantised> out = call->args.empty() ? std::nullopt : read_quantised(call->args[0]);
  return out ? moved(*call, *out) : std::nullopt;
}

/// Returns what casts of integers that keep each number are of.
Expr ByteValues::without_casts(const Expr& e) const {
  const Call* cast = call_of(e, "astype");
  if (!cast) return e;
  const DType from = element_dtype(cast->args[0]), to = element_dtype(e);
  const bool is_wide = to == kReal || to == DType::float_(64) || (to.is_int() && to.bits > 8);
  constexpr int kExact = 16;  // bits of integers that float32 holds
  const bool keeps = to.is_float() ? from.bits <= kExact : to.bits > from.bits || (from.is_int() && to.bits == 32);
  return is_wide && keeps && from.is_integral() && !from.is_bool() ? without_casts(cast->args[0]) : e;
}

/// True for zero points that are bytes, though they may be of another dtype: of the dtype of the values, known, or
/// limited where they are computed.
bool ByteValues::is_byte_point(const Expr& zero, DType values) const {
  const auto [least, most] = limits_of(values);
  if (!element_dtype(zero).is_integral()) return false;
  if (const std::optional<int64_t> known = known_integer(zero)) return *known >= least && *known <= most;
  if (element_dtype(zero) == values) return true;
  bool is_above = false, is_below = false;
  for (Expr e = zero; const Expr value = definition(e);) {
    const auto* call = find<Call>(value);
    if (!call || !op_of(*call)) return false;
    const std::string& op = op_of(*call)->name();
    if (op == "zeros_like") return least <= 0 && most >= 0;
    if (op == "maximum" || op == "minimum") {
      const std::optional<UniformValue> bound = uniform_of(call->args[1]);
      if (!bound) return false;
      const double number = bound->dtype.is_float() ? bound->real : static_cast<double>(bound->integer);
      const bool is_within = number >= static_cast<double>(least) && number <= static_cast<double>(most);
      (op == "maximum" ? is_above : is_below) |= is_within;
      if (is_above && is_below) return true;
    } else if (op != "astype" && op != "round" && !moves_elements(*call)) {
      return false;
    }
    e = call->args[0];
  }
  return false;
}

bool ByteValues::is_quantised_to_bytes(const Expr& value) const {
  const Call* quantize = value ? find_call(value, "quantize") : nullptr;
  return quantize && is_byte(element_dtype(value)) && is_byte_point(quantize->args[2], element_dtype(value));
}

/// Reads (values - zero) * scale, where scale and zero point are of rows; so tokens are dequantised.
std::optional<Quantised> ByteValues::read_arithmetic(const Call& call) {
  const bool is_narrowed = op_of(call)->name() == "astype" && element_dtype(Expr(&call)) == kReal;
  const Call* product = is_narrowed                         ? call_of(call.args[0], "multiply")
                        : op_of(call)->name() == "multiply" ? &call
                                                            : nullptr;
  const DType real = product ? element_dtype(Expr(product)) : DType::void_();
  if (real != kReal && real != DType::float_(64)) return std::nullopt;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Expr above = without_casts(product->args[1 - i]);
    const Call* difference = call_of(above, "subtract");
    if (difference && element_dtype(above).bits <= 8) continue;  // which wraps around
    const Expr values = difference ? without_casts(difference->args[0]) : above;
    Expr zero = difference ? without_casts(difference->args[1]) : integer_constant(kSum, 0);
    const Expr& scale = product->args[i];
    if (!is_byte(element_dtype(values)) || !is_number_or_of_rows(scale, values) || !is_number_or_of_rows(zero, values))
      continue;
    if (!is_byte_point(zero, element_dtype(values))) continue;
    if (call_of(zero, "zeros_like")) zero = integer_constant(kSum, 0);
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
  const auto is_apart = [&](const Expr& parameter) { return !is_single(parameter) && is_of_rows(parameter, x.values); };
  if (is_apart(x.scale) || is_apart(x.zero)) {
    const auto* to = find<TensorType>(move.type);
    const auto* from = find<TensorType>(x.values->type);
    if (op_of(move)->name() != "reshape" || !to || !to->dims() || to->dims()->empty() || !from->dims()) return {};
    if (!structural_equal(to->dims()->back(), from->dims()->back())) return {};
    std::vector<Scalar> rows = *to->dims();
    rows.back() = int_imm(1);
    for (Expr* parameter : {&x.scale, &x.zero})
      if (is_apart(*parameter)) *parameter = on(*parameter, {ShapeExpr::make(rows)});
  } else {
    const std::optional<int> axis = axis_behind(move, x);
    if (!axis) return std::nullopt;
    x.axis = *axis;
  }
  x.values = on(x.values, others);
  return x;
}

/// What is put around a tensor is a zero point where it stands for 0, or made of elements.
std::optional<Quantised> ByteValues::padded(const Call& pad) {
  std::optional<Quantised> out = read_quantised(pad.args[0]);
  if (!out || !is_single(out->scale) || !is_single(out->zero)) return std::nullopt;
  AttrMap attrs = pad.attrs.values();
  if (is_constant_pad(pad)) {
    const std::optional<int64_t> zero = known_integer(out->zero);
    const auto* value = pad.attrs.find<double>("pad_value");
    if (!zero || (value && *value != 0)) return std::nullopt;
    attrs["pad_value"] = static_cast<double>(*zero);
  }
  out->values = step("nn.pad", {out->values}, std::move(attrs));
  return out;
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
  if (is_quantised_to_bytes(value)) {
    out = step("quantize", {call->args[0], call->args[1], zero_as(call->args[2], own, kind, kind)},
               call->attrs.with("out_dtype", kind).values());
  } else if (call && op_of(*call) && op_of(*call)->name() == "nn.pad") {
    AttrMap attrs = call->attrs.values();
    const auto* around = call->attrs.find<double>("pad_value");
    if (is_constant_pad(*call)) attrs["pad_value"] = (around ? *around : 0) + static_cast<double>(shift_to(kind));
    out = step("nn.pad", {of_kind(call->args[0], kind)}, std::move(attrs));
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
