// The pass `lift-transform-params`. The transform takes a tuple of the raw weights, the parameters from `num_input` on,
// and returns a tuple: a shape of the symbols that the function needs and prepared weights do not define, if there are
// any; the raw weights that the function still uses, in order; then the lifted values in binding order. These become
// the function's parameters, under their own names.
#include <algorithm>
#include <set>

#include "passes/analysis/named_functions.h"
#include "passes/analysis/variables.h"
#include "passes/analysis/written_shapes.h"
#include "passes/pass_arguments.h"
#include "passes/passes.h"
#include "passes/weights/lift_origins.h"
#include "passes/weights/lift_remainder.h"
#include "passes/weights/lift_transform.h"
#include "passes/weights/lift_tuples.h"
#include "passes/weights/parameter_stages.h"
#include "support/diagnostic.h"
#include "support/place.h"
#include "support/spelling.h"

namespace sunmao {
namespace {

struct LiftTarget {
  Ref<GlobalVar> var;
  Ref<Function> function;
  size_t inputs;
  std::vector<std::string> stages;  // transforms before this run
};

std::vector<std::string> names_of(const std::vector<Ref<Var>>& vars) {
  std::vector<std::string> names;
  for (const Ref<Var>& v : vars) names.push_back(v->name);
  return names;
}

AttrList as_list(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::string quoted(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "`" : ", `") + name + "`";
  return out;
}

class Lifter {
 public:
  Lifter(const Module& module, const PassContext& ctx)
      : ctx_(ctx), arguments_("lift-transform-params", ctx), out_(module) {}

  Module run() {
    PassContext plain = ctx_;
    plain.arguments = {{"as_written", true}};
    out_ = normalize(out_, plain);
    if (out_.functions().empty()) return out_;
    callers_ = first_callers(out_);
    const AttrValue& shared = arguments_.get("shared_transform");
    const bool* all = shared.find<bool>();
    if (all && !*all) {
      lift_each();
    } else {
      std::vector<LiftTarget> targets =
          all || shared.is_none() ? entry_points() : named(arguments_.strings("shared_transform"));
      std::ranges::sort(targets, {}, [](const LiftTarget& t) { return t.var->name; });
      lift_together(std::move(targets));
    }
    return out_;
  }

 private:
  Ref<Function> graph_function(const FunctionEntry& e) const { return find_ref<Function>(Expr(e.func)); }

  LiftTarget target(const Ref<GlobalVar>& var, const Ref<Function>& f, size_t inputs) const {
    return {var, with_tuples_apart(with_written_shapes(f, 0), inputs, out_), inputs, param_transforms(var->name, out_)};
  }

  std::vector<LiftTarget> entry_points() const {
    std::vector<LiftTarget> found;
    bool any_function = false, any = false;
    for (const FunctionEntry& e : out_.functions()) {
      const Ref<Function> f = graph_function(e);
      any_function |= static_cast<bool>(f);
      const std::optional<size_t> inputs = f ? num_input(*f, e.var->name) : std::nullopt;
      any |= inputs.has_value();
      if (inputs && !is_param_transform(*f)) found.push_back(target(e.var, f, *inputs));
    }
    if (any_function && !any)
      fail("E0501", {}, "no function says how many of its parameters are run-time inputs",
           "add R.func_attr({\"num_input\": n}) to the entry point: the parameters behind the first n are weights");
    // A function that has the name and signature of another function's transform is not itself lifted.
    std::erase_if(found, [&](const LiftTarget& t) {
      return std::ranges::any_of(found, [&](const LiftTarget& other) {
        const bool is_named_so = t.var->name == default_name(other) || t.var->name == kSharedName;
        return t.var != other.var && is_named_so && has_transform_signature(*t.function, *other.function, other.inputs);
      });
    });
    return found;
  }

  std::vector<LiftTarget> named(const std::vector<std::string>& names) const {
    require_functions(out_, "lift-transform-params", names);
    std::vector<LiftTarget> found;
    for (const std::string& name : names) {
      const Ref<Function> f = out_.find_as<Function>(name);
      const std::optional<size_t> inputs = f ? num_input(*f, name) : std::nullopt;
      if (!inputs)
        fail("E0501", out_.find(name)->span,
             fmt::format("`{}` does not say how many of its parameters are run-time inputs", name),
             f ? "add R.func_attr({\"num_input\": n}): the parameters behind the first n are weights"
               : "it is no graph-level function: name the entry points that have weights");
      if (std::ranges::none_of(found, [&](const LiftTarget& t) { return t.var->name == name; }))
        found.push_back(target(out_.find_var(name), f, *inputs));
    }
    if (found.empty())
      fail("E0501", {}, "shared_transform names no function", "True shares one transform among all entry points");
    return found;
  }

  // Default names of transforms.

  static constexpr const char* kSharedName = "transform_params";
  static std::string default_name(const LiftTarget& t) { return t.var->name + "_transform_params"; }

  void lift_each() {
    const std::vector<LiftTarget> targets = entry_points();
    const std::string name = arguments_.string("name");
    if (!name.empty() && targets.size() > 1) {
      std::vector<std::string> names;
      for (const LiftTarget& t : targets) names.push_back(t.var->name);
      fail("E0503", {},
           fmt::format("name=\"{}\" names one transform, and {} functions have weights: {}", name, names.size(),
                       quoted(names)),
           "shared_transform=True, or a list with one of them, makes one transform");
    }
    std::set<std::string> grown;
    for (const LiftTarget& t : targets) {
      if (!name.empty() || t.stages.empty())
        lift({t}, name.empty() ? default_name(t) : name, Sharing::Each);
      else if (grown.insert(t.stages.back()).second)
        lift(with_last_stage(targets, t.stages.back()), t.stages.back(), Sharing::Each);
    }
  }

  // Returns the functions whose last transform is `stage`; new work of any of them is added to that transform.
  std::vector<LiftTarget> with_last_stage(const std::vector<LiftTarget>& targets, const std::string& stage) const {
    std::vector<LiftTarget> group;
    for (const LiftTarget& t : targets)
      if (!t.stages.empty() && t.stages.back() == stage) group.push_back(t);
    std::ranges::sort(group, {}, [](const LiftTarget& t) { return t.var->name; });
    return group;
  }

  void lift_together(std::vector<LiftTarget> targets) {
    if (targets.empty()) return;
    const std::string given = arguments_.string("name");
    const std::string name = given.empty() ? kSharedName : given;
    std::vector<std::string> group;
    for (const LiftTarget& t : targets) group.push_back(t.var->name);
    auto is_lifted_so = [&](const LiftTarget& t) {
      return !t.stages.empty() && t.stages.back() == name && names_in(*out_.find(name), kTransformOfAttr) == group;
    };
    const bool is_fresh = std::ranges::all_of(targets, [](const LiftTarget& t) { return t.stages.empty(); });
    const bool grows = !is_fresh && std::ranges::all_of(targets, is_lifted_so);
    if (!is_fresh && !grows) undo(targets);
    lift(std::move(targets), name, sharing_when(grows));
  }

  Sharing sharing_when(bool grows) const {
    if (arguments_.bool_("variants")) return Sharing::Each;
    return grows ? Sharing::Common : Sharing::CommonOrEach;
  }

  // Undoes separate transforms of the functions, so that their weights can be prepared by a common one.
  void undo(std::vector<LiftTarget>& targets) {
    const Module before = out_;
    for (LiftTarget& t : targets) {
      for (; !t.stages.empty(); t.stages.pop_back()) {
        const std::string& name = t.stages.back();
        check_transform_not_called(name);
        const Ref<Function> transform = before.find_as<Function>(name);
        const WorkSource source{t.var, t.function, t.inputs, {}};
        t.function = undo_transform(source, transform, names_in(*transform, kWeightNamesAttr));
        drop_user(name, t.var->name);
      }
      out_ = out_.with_function(t.var, t.function);
    }
  }

  // Removes `user` from the functions that a transform serves, and the transform itself when none is left.
  void drop_user(const std::string& transform, const std::string& user) {
    const Ref<Function> f = out_.find_as<Function>(transform);
    if (!f) return;
    std::vector<std::string> users = names_in(*f, kTransformOfAttr);
    std::erase(users, user);
    out_ = users.empty() ? out_.without_function(transform)
                         : out_.with_function(transform, f->with_attr(kTransformOfAttr, name_or_names(users)));
  }

  void lift(std::vector<LiftTarget> targets, const std::string& name, Sharing sharing) {
    std::vector<WorkSource> sources;
    for (const LiftTarget& t : targets)
      sources.push_back({t.var, t.function, t.inputs, find_weight_dependence(*t.function, t.inputs, out_)});
    const WeightWork work = find_weight_work(sources, sharing);
    const PreparedWeights prepared = find_prepared_weights(sources, work);
    if (ctx_.on_explain) explain(sources, work, name);
    const bool nothing_new = is_all_prepared(work, prepared);
    const bool is_asked_for = !arguments_.string("name").empty();
    if (nothing_new && std::ranges::all_of(targets, [&](const LiftTarget& t) {
          return !t.stages.empty() && (!is_asked_for || std::ranges::find(t.stages, name) != t.stages.end());
        }))
      return;
    const Ref<Function> old = existing_transform(targets, name);
    for (const LiftTarget& t : targets) check_not_called(t);
    if (old) check_transform_not_called(name);
    write(targets, sources, work, prepared, old, name);
  }

  void write(const std::vector<LiftTarget>& targets, const std::vector<WorkSource>& sources, const WeightWork& work,
             const PreparedWeights& prepared, const Ref<Function>& old, const std::string& name) {
    std::vector<std::string> raw = old ? names_in(*old, kWeightNamesAttr) : names_of(work.weights);
    const auto* old_tuple = old ? find<TupleType>(old->params[0]->type) : nullptr;
    if (raw.empty() && old_tuple && old_tuple->fields.size() == work.weights.size()) raw = names_of(work.weights);
    Ref<Function> transform = build_transform(work, prepared, old, raw, consumes());
    std::vector<FunctionEntry> entries;
    std::vector<std::string> group, given;
    for (size_t i = 0; i < targets.size(); ++i) {
      const LiftTarget& t = targets[i];
      group.push_back(t.var->name);
      Ref<Function> rest = build_remainder(sources[i], work, i, prepared);
      std::vector<std::string> stages = t.stages;
      if (std::ranges::find(stages, name) == stages.end()) stages.push_back(name);
      rest = rest->with_attr(kParamTransformAttr, name_or_names(stages));
      if (i == 0) given = names_of({rest->params.begin() + static_cast<std::ptrdiff_t>(t.inputs), rest->params.end()});
      entries.push_back({t.var, rest});
    }
    AttrMap attrs = old ? old->attrs.values() : AttrMap{};
    attrs.insert_or_assign("num_input", 0);
    attrs.insert_or_assign("global_symbol", name);
    attrs.insert_or_assign(kTransformOfAttr, name_or_names(group));
    attrs.insert_or_assign(kPreparedFromAttr, find_weight_origins(*transform, given, raw));
    if (!raw.empty() || !old) attrs.insert_or_assign(kWeightNamesAttr, as_list(raw));
    const Ref<GlobalVar> known = out_.find_var(name);
    entries.push_back({known ? known : GlobalVar::make(name), transform->with_attrs(Attrs(std::move(attrs)))});
    out_ = out_.with_functions(std::move(entries));
  }

  bool consumes() const {
    auto option = ctx_.config.find("relax.lift_transform_params.consume_params");
    if (option == ctx_.config.end()) return false;
    const bool* value = option->second.find<bool>();
    const int64_t* number = option->second.find<int64_t>();
    return value ? *value : number && *number != 0;
  }

  // Returns the function `name` if it is the transform to extend, judged by its attribute or else by its signature;
  // null when the module has no function of that name. Fails with E0503 when that function is not a transform of the
  // targets, with E0529 when it is not their last transform.
  Ref<Function> existing_transform(const std::vector<LiftTarget>& targets, const std::string& name) const {
    const Ref<BaseFunc> found = out_.find(name);
    if (!found) return nullptr;
    std::vector<std::string> group;
    for (const LiftTarget& t : targets) group.push_back(t.var->name);
    const Ref<Function> old = find_ref<Function>(Expr(found));
    const std::vector<std::string>& stages = targets[0].stages;
    if (std::ranges::find(stages, name) != stages.end() && stages.back() != name)
      fail("E0529", found->span,
           fmt::format("`{}` prepares the weights of `{}` in front of `{}`: new work cannot go there", name, group[0],
                       stages.back()),
           fmt::format("leave out name=, or use name=\"{}\" or a new one", stages.back()));
    if (old && names_in(*old, kTransformOfAttr) == group) {
      for (const LiftTarget& t : targets) check_transform(name, *old, *t.function, t.inputs);
      return old;
    }
    const bool is_free = old && !is_param_transform(*old);
    const bool fits = is_free && std::ranges::all_of(targets, [&](const LiftTarget& t) {
                        return has_transform_signature(*old, *t.function, t.inputs);
                      });
    if (!fits) fail_taken(found, old, group, name);
    if (ctx_.on_notice)
      ctx_.on_notice(fmt::format(
          "`{}` is taken for the parameter transform of {}: its name and its signature say so, no attribute does", name,
          quoted(group)));
    return old;
  }

  [[noreturn]] void fail_taken(const Ref<BaseFunc>& found, const Ref<Function>& old,
                               const std::vector<std::string>& group, const std::string& name) const {
    const std::vector<std::string> users = old ? names_in(*old, kTransformOfAttr) : std::vector<std::string>();
    std::string free_name = name + "_1";
    for (int i = 2; out_.find(free_name); ++i) free_name = fmt::format("{}_{}", name, i);
    if (!users.empty())
      fail("E0503", found->span,
           fmt::format("`{}` prepares the weights of {}, not those of {}", name, quoted(users), quoted(group)),
           fmt::format("lift all of them together: shared_transform=[…], or choose another name: name=\"{}\"",
                       free_name));
    fail("E0503", found->span,
         fmt::format("`{}` is there already, and it is not the parameter transform of {}", name, quoted(group)),
         fmt::format("choose another name: name=\"{}\"; or, if it does prepare these weights, link it with "
                     "R.func_attr({{\"{}\": \"{}\"}})",
                     free_name, kTransformOfAttr, group[0]));
  }

  // The function's parameters change, so the module must not call it with raw weights.
  void check_not_called(const LiftTarget& t) const {
    if (const auto caller = callers_.find(t.var->name); caller != callers_.end())
      fail("E0504", t.function->span,
           fmt::format("`{}` has num_input, but `{}` calls it with raw weights", t.var->name, caller->second),
           "only entry points have num_input; drop the attribute, or inline the function first");
  }

  // The result of the transform changes, or it is removed, so the module must not call it.
  void check_transform_not_called(const std::string& name) const {
    if (const auto caller = callers_.find(name); caller != callers_.end())
      fail("E0504", out_.find(name)->span,
           fmt::format("`{}` calls the parameter transform `{}`, which becomes another one", caller->second, name),
           "transforms are called from outside; inline the call, or lift before it is made");
  }

  void explain(const std::vector<WorkSource>& sources, const WeightWork& work, const std::string& name) const {
    for (size_t i = 0; i < sources.size(); ++i) {
      const WorkSource& source = sources[i];
      std::vector<const Binding*> moved, own;
      for (const Binding& b : source.dependence.bindings) {
        const WeightWork::Step* step = work.step_of(work.names[i].vars.at(b.var));
        if (step && !step->is_constant) (step->is_lifted ? moved : own).push_back(&b);
      }
      const size_t stay = own.size() + source.dependence.kept.size();
      ctx_.on_explain(fmt::format("{}: of {} bindings that read weights and no input, {} move to {}{}",
                                  source.var->name, moved.size() + stay, moved.size(), name,
                                  stay == 0 ? "" : fmt::format(", {} stay:", stay)));
      for (const WeightDependence::Kept& kept : source.dependence.kept) tell(kept.binding, kept.reason);
      for (const Binding* b : own) tell(*b, "not every function that shares the transform does this");
    }
  }

  void tell(const Binding& b, const std::string& reason) const {
    const std::string place = place_of(b.span);
    const auto* call = find<Call>(b.value);
    const Op* op = call ? op_of(*call) : nullptr;
    ctx_.on_explain(fmt::format("  {}{}{}: {}", b.var->name, op ? fmt::format(" ({})", op->name()) : "",
                                place.empty() ? "" : " at " + place, reason));
  }

  PassContext ctx_;
  const PassArguments arguments_;
  Module out_;
  std::unordered_map<std::string, std::string> callers_;  // of the input module
};

}  // namespace

Module lift_transform_params(const Module& m, const PassContext& ctx) {
  const Module out = Lifter(m, ctx).run();
  // A prepared tuple of which only some fields are read is known as such by what is left of the function.
  const bool has_more = !out.same_as(m) && std::ranges::any_of(out.functions(), [](const FunctionEntry& e) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    return f && has_unread_tuples(f);
  });
  return has_more ? Lifter(out, ctx).run() : out;
}

}  // namespace sunmao
