#include "passes/upstream/value_aliases.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/op.h"

namespace sunmao {
namespace {

// Ops whose result may share the memory of their first argument.
bool may_share_first(const Op& op) {
  constexpr std::array<std::string_view, 11> kNames{"expand_dims",
                                                    "squeeze",
                                                    "reshape",
                                                    "permute_dims",
                                                    "flatten",
                                                    "nn.batch_flatten",
                                                    "memory.view",
                                                    "to_vdevice",
                                                    "memory.ensure_zero_offset",
                                                    "hint_on_device",
                                                    "builtin.stop_lift_params"};
  return std::ranges::find(kNames, op.name()) != kNames.end();
}

// Returns what the op amounts to where that is an argument, or a tuple with one; null otherwise.
Expr passed_on(const Op& op, const Call& call) {
  if (!op.info.decompose) return nullptr;
  const Expr simpler = op.info.decompose(call);
  auto is_argument = [&](const Expr& e) { return std::ranges::find(call.args, e) != call.args.end(); };
  const auto* tuple = find<Tuple>(simpler);
  return is_argument(simpler) || (tuple && std::ranges::any_of(tuple->fields, is_argument)) ? simpler : nullptr;
}

}  // namespace

ValueAliases::ValueAliases(const BindingBlock& block, const std::vector<Ref<Var>>& inputs) {
  for (const Ref<Var>& input : inputs) set(input, fresh(input->type));
  for (const Binding& b : block.bindings) set(b.var, memory_of(b.value));
}

const MemorySet* ValueAliases::find(const Ref<Var>& var) const {
  auto it = index_.find(var);
  return it == index_.end() ? nullptr : &all_[it->second].second;
}

void ValueAliases::set(const Ref<Var>& var, MemorySet memory) {
  auto [it, is_new] = index_.try_emplace(var, all_.size());
  if (is_new)
    all_.emplace_back(var, std::move(memory));
  else
    all_[it->second].second = std::move(memory);
}

bool ValueAliases::is_constant(const MemorySet& memory) const {
  return std::ranges::any_of(memory, [&](int64_t i) { return constants_.contains(i); });
}

MemorySet ValueAliases::with_fields(const MemorySet& memory) const {
  MemorySet all;
  std::vector<int64_t> pending(memory.begin(), memory.end());
  while (!pending.empty()) {
    const int64_t next = pending.back();
    pending.pop_back();
    auto tuple = all.insert(next).second ? tuples_.find(next) : tuples_.end();
    if (tuple == tuples_.end()) continue;
    for (const MemorySet& field : tuple->second) pending.insert(pending.end(), field.begin(), field.end());
  }
  return all;
}

// Each field of a fresh tuple has memory of its own.
MemorySet ValueAliases::fresh(const Type& type) {
  const int64_t number = count_++;
  if (const auto* tuple = sunmao::find<TupleType>(type)) {
    std::vector<MemorySet> fields;
    for (const Type& field : tuple->fields) fields.push_back(fresh(field));
    tuples_[number] = std::move(fields);
  }
  return {number};
}

MemorySet ValueAliases::new_tuple(std::vector<MemorySet> fields) {
  const int64_t number = count_++;
  tuples_[number] = std::move(fields);
  return {number};
}

MemorySet ValueAliases::memory_of(const Expr& value) {
  if (Ref<Var> var = find_ref<Var>(value)) {
    const MemorySet* known = find(var);
    return known ? *known : MemorySet{kUnknownMemory};
  }
  if (const auto* tuple = sunmao::find<Tuple>(value)) {
    const int64_t number = count_++;
    std::vector<MemorySet> fields;
    for (const Expr& field : tuple->fields) fields.push_back(memory_of(field));
    tuples_[number] = std::move(fields);
    return {number};
  }
  if (const auto* item = sunmao::find<TupleGetItem>(value)) return memory_of_field(*item);
  if (const auto* call = sunmao::find<Call>(value)) return memory_of_call(*call);
  const int64_t number = count_++;
  if (sunmao::find<Constant>(value)) constants_.insert(number);
  return {number};
}

MemorySet ValueAliases::memory_of_field(const TupleGetItem& item) {
  MemorySet memory;
  for (int64_t tuple : memory_of(item.tuple)) {
    if (tuple == kUnknownMemory) return {kUnknownMemory};
    auto fields = tuples_.find(tuple);
    const auto i = static_cast<size_t>(item.index);
    if (fields != tuples_.end() && i < fields->second.size())
      memory.insert(fields->second[i].begin(), fields->second[i].end());
  }
  return memory;
}

MemorySet ValueAliases::memory_of_call(const Call& call) {
  const auto* op = sunmao::find<Op>(call.callee);
  if (!op) return any_of_arguments(call, 0);
  if (const AttrValue* places = call.attrs.find("inplace_indices"))
    if (std::optional<std::vector<int64_t>> known = places->as_ints()) return in_place_of(call, *known);
  if (op->info.calls_argument && !op->calls_loops() && op->name() != "call_dps_packed")
    return any_of_arguments(call, sunmao::find<Var>(call.args[0]) ? 0 : 1);
  if (may_share_first(*op) && !call.args.empty()) return memory_of(call.args[0]);
  const Expr same = passed_on(*op, call);
  return same ? memory_of(same) : fresh(call.type);
}

MemorySet ValueAliases::in_place_of(const Call& call, const std::vector<int64_t>& places) {
  const auto* given = call.args.size() > 1 ? sunmao::find<Tuple>(call.args[1]) : nullptr;
  const auto* types = sunmao::find<TupleType>(call.type);
  if (!given) return any_of_arguments(call, 1);
  std::vector<MemorySet> results;
  for (size_t i = 0; i < places.size(); ++i) {
    const bool is_new = places[i] < 0 || std::cmp_greater_equal(places[i], given->fields.size());
    results.push_back(is_new ? fresh(types ? types->fields[i] : call.type)
                             : memory_of(given->fields[static_cast<size_t>(places[i])]));
  }
  return types ? new_tuple(std::move(results)) : results[0];
}

// What a function returns may be new, or each of its arguments, or a field of one; the same holds of the fields of a
// tuple that it returns.
MemorySet ValueAliases::any_of_arguments(const Call& call, size_t first) {
  const MemorySet result = fresh(call.type);
  MemorySet memory = result;
  if (sunmao::find<Var>(call.callee)) memory.merge(memory_of(call.callee));
  for (size_t i = first; i < call.args.size(); ++i) {
    const auto* list = sunmao::find<Tuple>(call.args[i]);
    for (const Expr& arg : list ? list->fields : std::vector{call.args[i]}) memory.merge(memory_of(arg));
  }
  memory = with_fields(memory);
  add_to_fields(*result.begin(), memory);
  return memory;
}

void ValueAliases::add_to_fields(int64_t tuple, const MemorySet& memory) {
  auto it = tuples_.find(tuple);
  if (it == tuples_.end()) return;
  for (MemorySet& field : it->second) {
    for (int64_t member : MemorySet(field)) add_to_fields(member, memory);
    field.insert(memory.begin(), memory.end());
  }
}

}  // namespace sunmao
