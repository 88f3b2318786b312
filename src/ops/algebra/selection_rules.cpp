// Algebraic rules for slice, take, tile, repeat, pad and flip calls that are the identity, and for two flips that
// cancel out.
#include <algorithm>

#include "ops/algebra/rule.h"
#include "ops/params.h"

namespace sunmao {
namespace {

// With stride 1 and output lengths equal to the input lengths every slice must begin at 0.
Expr slice_of_everything(const RuleInput& in) {
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call));
  if (!from || !to || !in.same_dims(*from, *to)) return nullptr;
  const std::vector<Expr>& args = in.call.args;
  if (args.size() > 4 && !(find<Tuple>(args[4]) && find<Tuple>(args[4])->fields.empty())) {
    const auto strides = scalar_values(args[4]);
    auto is_one = [&](const Scalar& s) { return find_int(s) && *find_int(s) == 1; };
    if (!strides || !std::ranges::all_of(*strides, is_one)) return nullptr;
  }
  return in.call.attrs.find<bool>("assume_inbound") && *in.call.attrs.find<bool>("assume_inbound") ? nullptr
                                                                                                   : in.arg(0);
}

// True for the indices 0, 1, 2, …: an int32 or int64 constant of rank 1 with at most 4096 elements, or an integer
// `arange` with start 0 and step 1.
bool is_counting(const RuleInput& in, const Expr& indices) {
  const Expr value = in.definition(indices);
  if (const Call* range = find_call(value, "arange"))
    return in.is_all(range->args[0], 0) && in.is_all(range->args[2], 1) && is_integer(value);
  const auto* constant = find<Constant>(value);
  if (!constant || constant->data.rank() != 1 || constant->data.count() > 4096) return false;
  const Array& a = constant->data;
  const bool is_long = a.dtype() == DType::int_(64);
  if (!is_long && a.dtype() != DType::int_(32)) return false;
  for (int64_t i = 0; i < a.count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if ((is_long ? a.as<int64_t>()[at] : int64_t{a.as<int32_t>()[at]}) != i) return false;
  }
  return true;
}

Expr take_of_everything(const RuleInput& in) {
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call)), *indices = tensor_dims(in.arg(1));
  const bool is_whole = from && to && indices && indices->size() == 1 && in.same_dims(*from, *to);
  return is_whole && is_counting(in, in.arg(1)) ? in.arg(0) : nullptr;
}

bool are_all(const RuleInput& in, const char* attr, int64_t value) {
  const AttrValue* given = in.call.attrs.find(attr);
  const auto values = given ? given->as_ints() : std::nullopt;
  return values && std::ranges::all_of(*values, [&](int64_t v) { return v == value; });
}

Expr pad_by_nothing(const RuleInput& in) { return are_all(in, "pad_width", 0) ? in.arg(0) : nullptr; }

Expr tile_once(const RuleInput& in) {
  const auto *from = tensor_dims(in.arg(0)), *to = tensor_dims(Expr(&in.call));
  return from && to && from->size() == to->size() && are_all(in, "repeats", 1) ? in.arg(0) : nullptr;
}
Expr repeat_once(const RuleInput& in) {
  const auto *times = in.call.attrs.find<int64_t>("repeats"), *axis = in.call.attrs.find<int64_t>("axis");
  const TensorType* x = tensor_type(in.arg(0));
  const bool keeps_rank = axis || (x && x->rank == 1);
  return times && *times == 1 && keeps_rank ? in.arg(0) : nullptr;
}

std::optional<int64_t> flipped_axis(const Call& flip) { return axis_of(flip, tensor_type(flip.args[0])); }
Expr flip_of_flip(const RuleInput& in) {
  const Call* inner = in.call_of(in.arg(0), "flip");
  return inner && flipped_axis(in.call) && flipped_axis(in.call) == flipped_axis(*inner) ? inner->args[0] : nullptr;
}
Expr flip_of_one(const RuleInput& in) {
  const auto* dims = tensor_dims(in.arg(0));
  const auto axis = flipped_axis(in.call);
  return dims && axis && in.is_one((*dims)[static_cast<size_t>(*axis)]) ? in.arg(0) : nullptr;
}

}  // namespace

void add_selection_rules(RuleTable& rules) {
  rules.insert(rules.end(), {{"slice-of-everything",
                              "a slice by steps of 1 as long as the tensor is the tensor",
                              {"strided_slice"},
                              slice_of_everything},
                             {"take-of-everything", "take(x, [0, 1, 2 …]) = x", {"take"}, take_of_everything},
                             {"pad-by-nothing", "padding of width 0 is none", {"nn.pad"}, pad_by_nothing},
                             {"tile-once", "what is laid out once is as it was", {"tile"}, tile_once},
                             {"repeat-once", "what is repeated once is as it was", {"repeat"}, repeat_once},
                             {"flip-of-flip", "turned round twice is as it was", {"flip"}, flip_of_flip},
                             {"flip-of-one", "one element turned round is as it was", {"flip"}, flip_of_one}});
}

}  // namespace sunmao
