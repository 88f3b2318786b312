#include "compiler/reduction/reduction_search.h"

#include "compiler/reduction/flat_function.h"
#include "compiler/reduction/resize.h"
#include "ir/equal.h"
#include "support/diagnostic.h"

namespace sunmao::reduction {
namespace {

/// The functions of a module that an expression names.
class Named final : public Visitor {
 public:
  using Visitor::visit;
  std::vector<std::string> names;

 private:
  void visit_leaf(const Expr& e) override {
    if (const auto* var = find<GlobalVar>(e)) names.push_back(var->name);
  }
};

std::vector<std::string> functions_named_by(const FunctionEntry& entry) {
  Named named;
  if (find<Function>(Expr(entry.func))) named.visit(Expr(entry.func));
  return std::move(named.names);
}

std::unordered_set<std::string> uncalled(const Module& module) {
  std::unordered_set<std::string> out;
  for (const FunctionEntry& e : module.functions()) out.insert(e.var->name);
  for (const FunctionEntry& e : module.functions())
    for (const std::string& name : functions_named_by(e))
      if (name != e.var->name) out.erase(name);
  return out;
}

Weights weights_for(const Module& module, const Weights& weights) {
  Weights out;
  for (const FunctionEntry& e : module.functions()) {
    const auto* f = find<Function>(Expr(e.func));
    if (!f) continue;
    for (const Ref<Var>& p : flatten(find_ref<Function>(Expr(e.func))).weights)
      if (auto it = weights.find(p->name); it != weights.end())
        out.insert_or_assign(p->name, resized_to(it->second, p->type));
  }
  return out;
}

}  // namespace

ReductionSearch::ReductionSearch(Model model, const ReduceOptions& options)
    : best_(std::move(model)), options_(options), stage_(find_stage(best_.module).value_or(Stage::Raw)),
      roots_(uncalled(best_.module)) {
  if (stage_ > Stage::Imported) stage_ = Stage::Imported;
  verify_or_fail(best_.module, Stage::Raw);
  tried_.insert(structural_hash(best_.module));
}

Module ReductionSearch::without_unreachable(const Module& module) const {
  std::unordered_set<std::string> reached;
  std::vector<std::string> open(roots_.begin(), roots_.end());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const Ref<BaseFunc> f = module.find(name);
    if (!f || !reached.insert(name).second) continue;
    for (std::string& called : functions_named_by({module.find_var(name), f})) open.push_back(std::move(called));
  }
  return module.without_functions([&](const FunctionEntry& e) { return !reached.contains(e.var->name); });
}

bool ReductionSearch::attempt(const std::function<Model()>& make) {
  if (options_.is_cancelled && options_.is_cancelled()) throw Stopped{};
  Model candidate;
  try {
    candidate = make();
    if (!verify(candidate.module, stage_, 1).empty()) return false;
  } catch (const UserError&) {
    return false;
  } catch (const InternalError&) {
    return false;  // a size or an attribute that inference is not made for
  } catch (const NoCandidate&) {
    return false;
  }
  if (!tried_.insert(structural_hash(candidate.module)).second) return false;
  ++tries_;
  const bool fails = options_.fails(candidate);
  if (fails) {
    best_ = std::move(candidate);
    ++accepted_;
  }
  tell();
  return fails;
}

bool ReductionSearch::attempt_module(const std::function<Module()>& make) {
  return attempt([&] {
    Model out{.module = without_unreachable(make()), .weights = {}, .states = {}};
    out.weights = weights_for(out.module, best_.weights);
    return out;
  });
}

bool ReductionSearch::attempt_function(const std::string& name, const std::function<Ref<BaseFunc>()>& make) {
  return attempt_module([&] { return best_.module.with_function(name, make()); });
}

bool ReductionSearch::attempt_root(const std::string& root, const std::function<Module()>& make) {
  std::unordered_set<std::string> before = std::exchange(roots_, {root});
  const bool fails = attempt_module(make);
  if (!fails) roots_ = std::move(before);
  return fails;
}

void ReductionSearch::begin_step(std::string name) {
  step_ = std::move(name);
  tell();
}

void ReductionSearch::tell() const {
  if (options_.on_progress) options_.on_progress({.step = step_, .ops = count_calls(best_.module), .tries = tries_});
}

std::vector<std::string> graph_functions(const ReductionSearch& search) {
  std::vector<std::string> out, called;
  for (const FunctionEntry& e : search.best().module.functions())
    if (find<Function>(Expr(e.func))) (search.roots().contains(e.var->name) ? out : called).push_back(e.var->name);
  out.insert(out.end(), called.begin(), called.end());
  return out;
}

}  // namespace sunmao::reduction
