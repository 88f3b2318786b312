// Algebraic rules for concat, split and stack.
#include <algorithm>

#include "ops/algebra/rule.h"

namespace sunmao {
namespace {

Expr concat_of_one(const RuleInput& in) {
  const auto parts = in.fields_of(in.arg(0));
  return parts && parts->size() == 1 ? parts->front() : nullptr;
}

Expr concat_of_empty(const RuleInput& in) {
  const auto parts = in.fields_of(in.arg(0));
  const auto axis = axis_of(in.call, find<TensorType>(in.call.type));
  if (!parts || !axis) return nullptr;
  std::vector<Expr> filled;
  for (const Expr& part : *parts) {
    const auto* dims = tensor_dims(part);
    const int64_t* size = dims ? find_int((*dims)[static_cast<size_t>(*axis)]) : nullptr;
    if (!size || *size != 0) filled.push_back(part);
  }
  if (filled.size() == parts->size() || filled.empty()) return nullptr;
  if (filled.size() == 1) return filled.front();
  return in.on({Tuple::make(std::move(filled), in.arg(0)->span)});
}

// Returns the split whose outputs are exactly these parts, all of them and in order; null when there is none.
const Call* split_into(const RuleInput& in, const Expr& parts) {
  if (const Call* whole = in.call_of(parts, "split")) return whole;
  const auto fields = in.fields_of(parts);
  if (!fields || fields->empty()) return nullptr;
  const Call* split = nullptr;
  for (size_t i = 0; i < fields->size(); ++i) {
    const auto* item = find<TupleGetItem>(in.definition((*fields)[i]));
    const Call* from = item && item->index == static_cast<int>(i) ? in.call_of(item->tuple, "split") : nullptr;
    if (!from || (split && from != split)) return nullptr;
    split = from;
  }
  const auto* tuple = find<TupleType>(split->type);
  return tuple && tuple->fields.size() == fields->size() ? split : nullptr;
}
Expr concat_of_split(const RuleInput& in) {
  const Call* split = split_into(in, in.arg(0));
  const auto *from = split ? tensor_dims(split->args[0]) : nullptr, *to = tensor_dims(Expr(&in.call));
  if (!from || !to || !in.same_dims(*from, *to)) return nullptr;
  const TensorType* x = tensor_type(split->args[0]);
  return axis_of(in.call, x) == axis_of(*split, x) ? split->args[0] : nullptr;
}

Expr split_into_one(const RuleInput& in) {
  const auto* tuple = find<TupleType>(in.call.type);
  if (tuple && tuple->fields.size() != 1) return nullptr;
  return tuple ? Tuple::make({in.arg(0)}, in.call.span) : in.arg(0);
}

Expr stack_of_one(const RuleInput& in) {
  const auto parts = in.fields_of(in.arg(0));
  const auto* axis = in.call.attrs.find<int64_t>("axis");
  if (!parts || parts->size() != 1 || !axis) return nullptr;
  return in.make("expand_dims", {parts->front()}, {{"axis", AttrValue::ints({*axis})}});
}

}  // namespace

void add_join_rules(RuleTable& rules) {
  rules.insert(rules.end(),
               {{"concat-of-one", "one tensor joined is that tensor", {"concat"}, concat_of_one},
                {"concat-of-empty", "tensors without elements add nothing", {"concat"}, concat_of_empty},
                {"concat-of-split", "the parts of a tensor joined are the tensor", {"concat"}, concat_of_split},
                {"split-into-one", "a tensor cut into one part is that part", {"split"}, split_into_one},
                {"stack-of-one", "stack([x]) = expand_dims(x)", {"stack"}, stack_of_one}});
}

}  // namespace sunmao
