#include "passes/validation/caller.h"

#include <algorithm>
#include <set>

#include "eval/element.h"
#include "eval/evaluator.h"
#include "passes/weights/parameter_stages.h"
#include "passes/weights/weight_dependence.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// A host function for the evaluator: returns the item whose index it is called with.
class Getter final : public HostFunction {
 public:
  explicit Getter(ValueTuple items) : items_(std::move(items)) {}
  Value call(ValueTuple args, size_t) const override {
    return items_.at(static_cast<size_t>(std::get<int64_t>(args.at(0).v)));
  }

 private:
  const ValueTuple items_;
};

// A host function for the evaluator: stores its second argument under the index that is its first.
class Setter final : public HostFunction {
 public:
  explicit Setter(std::map<int64_t, Value>& items) : items_(items) {}
  Value call(ValueTuple args, size_t) const override {
    items_[std::get<int64_t>(args.at(0).v)] = args.at(1);
    return ValueTuple{};
  }

 private:
  std::map<int64_t, Value>& items_;
};

ValueTuple in_order(const std::map<int64_t, Value>& items) {
  ValueTuple out;
  for (const auto& [place, item] : items) {
    if (place != std::ssize(out)) fail("E0505", {}, fmt::format("item {} is never handed over", out.size()));
    out.push_back(item);
  }
  return out;
}

std::vector<std::string> stages_of(const Function& f, const Module& module) {
  std::vector<std::string> names = names_in(f, kParamTransformAttr);
  std::erase_if(names, [&](const std::string& name) { return !module.find_as<Function>(name); });
  return names;
}

const TupleType* taken_by(const Function& transform) {
  return transform.params.size() == 1 ? find<TupleType>(transform.params[0]->type) : nullptr;
}

// Returns a float array converted to the float dtype of the parameter; other values are unchanged.
Value as_parameter(const Value& value, const Type& type) {
  const auto* tensor = find<TensorType>(type);
  const Array* a = value.array();
  if (!tensor || !a || !a->dtype().is_float() || !tensor->dtype.is_float() || a->dtype() == tensor->dtype) return value;
  ArrayBuilder out(tensor->dtype, a->shape());
  for (int64_t i = 0; i < a->count(); ++i)
    store_element(tensor->dtype, out.data(), i, round_to(tensor->dtype, load_element(*a, i)));
  return std::move(out).finish();
}

// Returns a deep copy of the tuples, since a program may reset fields of a tuple argument.
ValueTuple with_own_tuples(ValueTuple values) {
  for (Value& v : values)
    if (const ValueTuple* fields = v.tuple()) v = with_own_tuples(*fields);
  return values;
}

// Returns the weights in the form that the weight transform takes: when its parameter is a tuple in a tuple (bundled
// weights), the weights are wrapped in a further tuple.
Value as_taken(ValueTuple weights, const Function& transform) {
  Value out = std::move(weights);
  const auto* tuple = transform.params.empty() ? nullptr : find<TupleType>(transform.params[0]->type);
  const auto* inner = tuple && tuple->fields.size() == 1 ? find<TupleType>(tuple->fields[0]) : nullptr;
  if (inner && !(out.tuple()->size() == 1 && (*out.tuple())[0].tuple())) out = ValueTuple{std::move(out)};
  return out;
}

std::string text_or(const AttrMap& arguments, const char* name, const char* otherwise) {
  auto found = arguments.find(name);
  if (found == arguments.end()) return otherwise;
  const std::string* text = found->second.find<std::string>();
  return text ? *text : "";
}

bool is_called(const PassCall& call, std::string_view pass) { return call.pass->name == pass; }

}  // namespace

Ref<Function> find_by_symbol(const std::string& symbol, const Module& module, std::string* name) {
  auto has_symbol = [&](const BaseFunc& f) {
    const std::string* own = f.attr<std::string>("global_symbol");
    return own && *own == symbol;
  };
  for (const FunctionEntry& e : module.functions()) {
    const Ref<Function> f = find_ref<Function>(Expr(e.func));
    if (!f || !has_symbol(*f)) continue;
    if (name) *name = e.var->name;
    return f;
  }
  return nullptr;
}

std::vector<std::string> asked_functions(const Module& module) {
  std::set<std::string> stages;
  std::vector<std::string> out;
  for (const FunctionEntry& e : module.functions())
    if (const auto* f = find<Function>(Expr(e.func)))
      for (const std::string& name : stages_of(*f, module)) stages.insert(name);
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    const std::string* symbol = f ? f->attr<std::string>("global_symbol") : nullptr;
    if (symbol && !stages.contains(e.var->name) && !is_param_transform(*f)) out.push_back(*symbol);
  }
  return out;
}

Caller::Caller(std::string symbol, const Module& module) : symbol_(std::move(symbol)) {
  const Ref<Function> f = find_by_symbol(symbol_, module);
  if (f && !stages_of(*f, module).empty()) steps_.push_back({Step::Prepare});
}

Caller::Signature Caller::signature_of(const std::string& symbol, const Module& module) {
  const Ref<Function> f = find_by_symbol(symbol, module);
  SUNMAO_CHECK(f, "no function has the symbol {}", symbol);
  Signature out;
  out.inputs = num_input(*f, symbol).value_or(f->params.size());
  const std::vector<std::string> stages = stages_of(*f, module);
  for (size_t i = 0; i < (stages.empty() ? f->params.size() : out.inputs); ++i) {
    out.names.push_back(f->params[i]->name);
    out.types.push_back(f->params[i]->type);
  }
  if (stages.empty()) return out;
  const Function& first = *module.find_as<Function>(stages[0]);
  const TupleType* tuple = taken_by(first);
  if (!tuple) fail("E0532", first.span, fmt::format("`{}` takes no tuple of weights", stages[0]));
  const std::vector<std::string> names = names_in(first, kWeightNamesAttr);
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    out.names.push_back(i < names.size() ? names[i] : fmt::format("{}.{}", stages[0], i));
    out.types.push_back(tuple->fields[i]);
  }
  return out;
}

bool Caller::has(Step step) const { return std::ranges::find(steps_, step, &Taken::step) != steps_.end(); }

void Caller::follow(const PassCall& call, const Module& before, const Module& after) {
  const Ref<Function> old = find_by_symbol(symbol_, before), now = find_by_symbol(symbol_, after);
  converts_ |= call.pass->effect == Effect::Changes;
  if (!old || !now) return;
  const bool is_changed = old != now;
  const bool is_prepared = has(Step::Prepare) || has(Step::OneByOne);
  if (is_called(call, "lift-transform-params")) {
    if (!is_prepared && !stages_of(*now, after).empty()) steps_.push_back({Step::Prepare});
  } else if (is_called(call, "lazy-transform-params")) {
    for (Taken& taken : steps_)
      if (taken.step == Step::Prepare)
        taken = {Step::OneByOne,
                 {},
                 text_or(call.arguments, "fget_item", "get_item"),
                 text_or(call.arguments, "fset_item", "set_item")};
    if (is_changed && !is_prepared)
      steps_.push_back({Step::Itself,
                        {},
                        text_or(call.arguments, "fget_item", "get_item"),
                        text_or(call.arguments, "fset_item", "set_item")});
  } else if (is_called(call, "bundle-model-params")) {
    if (is_changed) steps_.push_back({Step::Bundle});
  } else if (is_called(call, "lazy-get-input")) {
    if (is_changed) steps_.push_back({old->attrs.has("num_input") ? Step::Get : Step::GetAll});
  } else if (is_called(call, "lazy-set-output")) {
    if (!is_changed) return;
    if (!has(Step::Set)) gives_tuple_ = find<TupleType>(old->result_type) != nullptr;
    steps_.push_back({Step::Set});
  } else if (is_called(call, "bind-params")) {
    Taken drop{Step::Drop};
    for (const auto& [place, value] : bound_by(call, before)) drop.dropped.push_back(place);
    if (!drop.dropped.empty()) steps_.push_back(std::move(drop));
  }
}

// Runs the pass on a module whose function returns its parameters; parameters that the pass has bound to constants are
// then constants in the result.
GivenArguments Caller::bound_by(const PassCall& call, const Module& before) const {
  std::string name;
  const Ref<Function> f = find_by_symbol(symbol_, before, &name);
  if (!f || !is_called(call, "bind-params") || text_or(call.arguments, "func_name", "") != name) return {};
  const Expr all = Tuple::make({f->params.begin(), f->params.end()});
  const Ref<Function> probe = Function::make(f->params, SeqExpr::make({}, all), nullptr, true, f->attrs, f->span);
  const Module bound =
      call.pass->run(Module().with_function(name, probe), with_arguments({}, *call.pass, call.arguments));
  const auto* given = find<Tuple>(bound.find_as<Function>(name)->body->body);
  GivenArguments out;
  for (size_t i = 0; given && i < given->fields.size(); ++i) {
    if (const auto* constant = find<Constant>(given->fields[i])) out.emplace(i, constant->data);
    const auto* prim = find<PrimValue>(given->fields[i]);
    if (const int64_t* n = prim ? find_int(prim->value) : nullptr) out.emplace(i, *n);
  }
  return out;
}

ValueTuple Caller::prepared(const Module& module, ValueTuple weights, const Taken& how) const {
  const Ref<Function> f = find_by_symbol(symbol_, module);
  for (const std::string& name : stages_of(*f, module)) {
    if (how.step == Step::Prepare) {
      const Function& stage = *module.find_as<Function>(name);
      const Value given =
          Evaluator(module, {.is_cancelled = is_cancelled}).call(name, {as_taken(std::move(weights), stage)});
      if (!given.tuple()) fail("E0532", {}, fmt::format("`{}` gives no tuple of weights", name));
      weights = *given.tuple();
      continue;
    }
    weights = one_by_one(module, name, std::move(weights), how);
  }
  return weights;
}

ValueTuple Caller::one_by_one(const Module& module, const std::string& name, ValueTuple weights,
                              const Taken& how) const {
  std::map<int64_t, Value> handed_over;
  const auto getter = std::make_shared<Getter>(std::move(weights));
  const auto setter = std::make_shared<Setter>(handed_over);
  auto host = [&](const std::string& asked) -> std::shared_ptr<const HostFunction> {
    if (asked == how.getter) return getter;
    if (asked == how.setter) return setter;
    return nullptr;
  };
  const Value given =
      Evaluator(module, {.host_functions = host, .is_cancelled = is_cancelled}).call(name, ValueTuple{});
  return how.setter.empty() && given.tuple() ? *given.tuple() : in_order(handed_over);
}

Value Caller::results(const Module& module, const CallerValues& values, const GivenArguments& given) const {
  std::string name;
  const Ref<Function> f = find_by_symbol(symbol_, module, &name);
  if (!f) fail("E0515", {}, fmt::format("the module has no function `{}`", symbol_));
  ValueTuple inputs = with_own_tuples(values.inputs), weights = with_own_tuples(values.weights);
  std::map<int64_t, Value> handed_over;
  auto joined = [&] {
    ValueTuple all = inputs;
    all.insert(all.end(), weights.begin(), weights.end());
    return all;
  };
  for (const Taken& taken : steps_) switch (taken.step) {
      case Step::Prepare:
      case Step::OneByOne: weights = prepared(module, std::move(weights), taken); break;
      case Step::Itself: {
        ValueTuple items = joined();
        if (items.size() == 1 && items[0].tuple()) items = *items[0].tuple();
        return one_by_one(module, name, std::move(items), taken);
      }
      case Step::Bundle: weights = {Value(weights)}; break;
      case Step::Get:
      case Step::GetAll: {
        ValueTuple items = std::exchange(taken.step == Step::Get ? weights : inputs, {});
        inputs.emplace_back(std::shared_ptr<const HostFunction>(std::make_shared<Getter>(std::move(items))));
        break;
      }
      case Step::Set:
        inputs.emplace_back(std::shared_ptr<const HostFunction>(std::make_shared<Setter>(handed_over)));
        break;
      case Step::Drop: {
        ValueTuple all = joined(), left;
        for (size_t i = 0; i < all.size(); ++i)
          if (std::ranges::find(taken.dropped, i) == taken.dropped.end()) left.push_back(all[i]);
        inputs = std::move(left);
        weights.clear();
        break;
      }
    }
  ValueTuple arguments = joined();
  for (const auto& [place, value] : given)
    if (place < arguments.size()) arguments[place] = value;
  for (size_t i = 0; converts_ && i < std::min(arguments.size(), f->params.size()); ++i)
    arguments[i] = as_parameter(arguments[i], f->params[i]->type);
  Value result = Evaluator(module, {.is_cancelled = is_cancelled}).call(name, std::move(arguments));
  if (!has(Step::Set)) return result;
  ValueTuple parts = in_order(handed_over);
  return gives_tuple_ || parts.size() != 1 ? Value(std::move(parts)) : parts[0];
}

}  // namespace sunmao
