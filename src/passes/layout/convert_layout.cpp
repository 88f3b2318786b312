#include "passes/layout/convert_layout.h"

#include <algorithm>

#include "ir/equal.h"
#include "ops/custom_ops.h"
#include "ops/ops.h"
#include "passes/layout/stored_values.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "support/diagnostic.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

std::string without_prefix(const std::string& name) {
  const std::string prefix = "relax.";
  return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

// Replaces each key by the registered name of the op; fails (E0514) on an unknown op.
DesiredLayouts by_record(const DesiredLayouts& desired) {
  DesiredLayouts out;
  for (const auto& [given, layouts] : desired) {
    const std::string name = without_prefix(given);
    if (!builtin_ops().find(name) && !find_custom_op(name)) {
      std::vector<std::string> known;
      for (const Ref<Op>& op : builtin_ops().all())
        if (op->info.layout) known.push_back(op->name());
      fail("E0514", {}, fmt::format("convert-layout: there is no op `{}`", given), did_you_mean(name, known));
    }
    out[name] = layouts;
  }
  return out;
}

std::vector<std::string> texts_of(const std::string& op, const AttrValue& value) {
  if (const std::string* one = value.find<std::string>()) return {*one};
  std::vector<std::string> out;
  const AttrList* list = value.find<AttrList>();
  for (size_t i = 0; list && i < list->size(); ++i)
    if (const std::string* text = (*list)[i].find<std::string>()) out.push_back(*text);
  if (!list || out.size() != list->size())
    fail("E0514", {}, fmt::format("convert-layout: the layouts of `{}` are a list of texts", op),
         "such as [\"NHWC\", \"OHWI\"]");
  return out;
}

bool has_unknown_rank(const Type& type) {
  if (const auto* tuple = find<TupleType>(type)) return std::ranges::any_of(tuple->fields, has_unknown_rank);
  const auto* tensor = find<TensorType>(type);
  return !type || (tensor && tensor->rank == kUnknownRank);
}

// Returns the type of a value when it is stored in `layout`. Null when the ranks differ, when a blocked dimension is
// not provably a multiple of the block size, or when the dimensions are unknown and the layout has blocks or the type
// has a shape variable.
Type stored_type(const Type& type, const ValueLayout& layout) {
  if (layout.is_original()) return type;
  if (const auto* tuple = find<TupleType>(type)) {
    std::vector<Type> fields;
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      fields.push_back(stored_type(tuple->fields[i], layout.fields[i]));
      if (!fields.back()) return nullptr;
    }
    return TupleType::make(std::move(fields));
  }
  const auto* tensor = find<TensorType>(type);
  if (tensor->rank != layout.tensor->original_rank()) return nullptr;
  if (!tensor->dims()) return tensor->shape || layout.tensor->is_blocked() ? nullptr : type;
  Analyzer analyzer;
  if (!layout.tensor->divides(*tensor->dims(), analyzer)) return nullptr;
  return TensorType::make(layout.tensor->sizes(*tensor->dims(), analyzer), tensor->dtype, tensor->vdevice);
}

class ConvertLayout final : public StoredValues {
 public:
  ConvertLayout(const Function& f, const LayoutChoice& choice, const LayoutControl& control = {})
      : StoredValues(f), choice_(choice), control_(control) {}

 private:
  using StoredValues::visit;

  void visit(const Binding& b) override {
    if (!in_dataflow()) return StoredValues::visit(b);
    if (b.is_match_cast()) return visit_cast(b);
    if (find<Tuple>(b.value) || find<TupleGetItem>(b.value) || find<Var>(b.value))
      return bind_stored(b, current(b.value), layout_of(b.value));
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    if (!op) return StoredValues::visit(b);
    const bool stays = control_.stays && control_.stays(b.var);
    const std::vector<std::string> desired = stays ? std::vector<std::string>() : desired_for(*call, *op);
    if (auto plan = stays ? std::nullopt : plan_of(*call, *op, desired)) {
      if (control_.on_plan) control_.on_plan(b, *plan);
      return bind_stored(b, planned(*call, *plan), plan->result);
    }
    std::vector<Expr> args;
    for (const Expr& a : call->args) args.push_back(stored(a, ValueLayout::original(a->type)));
    // A call whose arguments stay the same keeps its type, which may have been declared instead of inferred.
    if (args == call->args) return desired.empty() ? bind(b, b.value) : bind_as_inferred(b);
    bind(b, Call::make(call->callee, std::move(args), call->attrs, call->type_args, call->span));
  }

  std::vector<std::string> desired_for(const Call& call, const Op& op) const {
    const DesiredLayouts all = choice_(Ref<Call>(&call));
    auto wanted = all.find(op.name());
    return wanted == all.end() ? std::vector<std::string>() : wanted->second;
  }

  // Returns the layouts to use for a call; nullopt when all of them are the original layouts.
  std::optional<LayoutPlan> plan_of(const Call& call, const Op& op, const std::vector<std::string>& desired) const {
    std::vector<ValueLayout> now;
    for (const Expr& a : call.args) now.push_back(layout_of(a));
    auto is_known = [](const Expr& a) { return a->type && !has_unknown_rank(a->type); };
    const bool has_reason = !desired.empty() || !std::ranges::all_of(now, &ValueLayout::is_original);
    if (!has_reason || !std::ranges::all_of(call.args, is_known)) return std::nullopt;
    Analyzer analyzer;
    std::optional<LayoutPlan> plan;
    if (op.info.layout) plan = op.info.layout({call, now, desired, analyzer});
    if (!desired.empty() && (!op.info.layout || (plan && !plan->follows_desired)))
      fail("E0514", call.span, fmt::format("convert-layout: `{}` takes no layout of its own", op.name()),
           "it follows the ops around it: ask for the layouts of convolutions and pools");
    return plan;
  }

  Expr planned(const Call& call, const LayoutPlan& plan) {
    std::vector<Expr> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const bool is_told = i < plan.args.size() && plan.args[i] != ValueLayout();
      args.push_back(stored(call.args[i], is_told ? plan.args[i] : ValueLayout::original(call.args[i]->type)));
    }
    for (const auto& [i, arg] : plan.new_args) args[i] = arg;
    AttrMap attrs = call.attrs.values();
    bool is_same = args == call.args;
    for (const auto& [name, value] : plan.attrs) {
      is_same = is_same && attrs[name].same_plain(value);
      attrs[name] = value;
    }
    if (is_same) return Expr(&call);
    return Call::make(call.callee, std::move(args), Attrs(std::move(attrs)), call.type_args, call.span);
  }

  // Binds a variable of the value's type, which may say more than the declared one.
  void bind_as_inferred(const Binding& b) {
    if (!b.var->is_dataflow || structural_equal(b.var->type, b.value->type)) return bind(b, b.value);
    Ref<Var> var = b.var->with_type(b.value->type);
    replace(b.var, var);
    bind(Binding{var, b.value, nullptr, b.span}, b.value);
  }

  // Converts the type of a match_cast to the layout in which the value is stored.
  void visit_cast(const Binding& b) {
    const ValueLayout layout = layout_of(b.value);
    Type type = stored_type(b.cast_type, layout);
    if (layout.is_original() || !type || !b.var->is_dataflow) return StoredValues::visit(b);
    Ref<Var> var = b.var->with_type(type);
    Expr value = current(b.value);
    replace(b.var, var);
    note(b.var, layout);
    bind(Binding{var, value, type, b.span}, value);
  }

  const LayoutChoice& choice_;
  const LayoutControl control_;
};

}  // namespace

Module convert_layout(const Module& m, const LayoutChoice& choice) {
  const LayoutChoice checked = [&](const Ref<Call>& call) { return by_record(choice(call)); };
  return map_functions(m, [&](const Ref<Function>& f) { return ConvertLayout(*f, checked).rewrite(f); });
}

Module convert_layout(const Module& m, const DesiredLayouts& desired) {
  const DesiredLayouts records = by_record(desired);
  const LayoutChoice choice = [&](const Ref<Call>&) { return records; };
  return map_functions(m, [&](const Ref<Function>& f) { return ConvertLayout(*f, choice).rewrite(f); });
}

Ref<Function> convert_layout(const Ref<Function>& f, const DesiredLayouts& desired, const LayoutControl& control) {
  const DesiredLayouts records = by_record(desired);
  const LayoutChoice choice = [&](const Ref<Call>&) { return records; };
  return ConvertLayout(*f, choice, control).rewrite(f);
}

Module convert_layout(const Module& m, const PassContext& ctx) {
  const PassArguments args("convert-layout", ctx);
  DesiredLayouts desired;
  for (const auto& [name, value] : args.map("desired_layouts")) desired[name] = texts_of(name, value);
  return convert_layout(m, desired);
}

}  // namespace sunmao
