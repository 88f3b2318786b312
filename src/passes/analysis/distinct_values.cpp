#include "passes/analysis/distinct_values.h"

#include <algorithm>

namespace sunmao {
namespace {

// Finds calls of ops that are random or allocate, of unknown functions, and of functions of the host that give an
// object, which later calls may change in place; collects the functions of the module that an expression refers to.
class Calls final : public Visitor {
 public:
  explicit Calls(const std::unordered_set<Ref<Var>>& plain) : plain_(plain) {}
  bool makes_distinct = false;
  std::unordered_set<std::string> globals;
  using Visitor::visit;

 private:
  void visit(const Call& call) override {
    const Op* op = op_of(call);
    if (op && (op->info.is_random || op->info.allocates)) makes_distinct = true;
    const bool calls_argument = op && op->info.calls_argument && !call.args.empty();
    const Expr& callee = calls_argument ? call.args[0] : call.callee;
    makes_distinct |= is_unknown(callee) || (find<ExternFunc>(callee) && find<AnyType>(call.type));
    Visitor::visit(call);
  }
  // Records local functions. Calling one counts as ordinary, since its body is visited as well and contains the calls
  // that matter.
  void visit(const Binding& b) override {
    if (find<Function>(b.value)) local_.insert(b.var);
    Visitor::visit(b);
  }
  void visit_leaf(const Expr& e) override {
    if (const auto* global = find<GlobalVar>(e)) globals.insert(global->name);
  }

  bool is_unknown(const Expr& callee) const {
    if (find<Op>(callee) || find<GlobalVar>(callee) || find<ExternFunc>(callee)) return false;
    const Ref<Var> var = find_ref<Var>(callee);
    return !var || !(local_.contains(var) || plain_.contains(var));
  }

  const std::unordered_set<Ref<Var>>& plain_;
  std::unordered_set<Ref<Var>> local_;
};

}  // namespace

DistinctValues::DistinctValues(const Module& module) {
  std::unordered_map<std::string, std::vector<std::string>> referrers;
  std::vector<std::string> work;
  for (const FunctionEntry& entry : module.functions()) {
    const auto* f = find<Function>(Expr(entry.func));
    if (!f) continue;
    const std::unordered_set<Ref<Var>> none;
    Calls calls(none);
    calls.visit(Expr(f));
    if (calls.makes_distinct) work.push_back(entry.var->name);
    for (const std::string& name : calls.globals) referrers[name].push_back(entry.var->name);
  }
  while (!work.empty()) {
    const std::string name = std::move(work.back());
    work.pop_back();
    if (!functions_.insert(name).second) continue;
    const std::vector<std::string>& more = referrers[name];
    work.insert(work.end(), more.begin(), more.end());
  }
}

bool DistinctValues::are_made_by(const Expr& e, const std::unordered_set<Ref<Var>>& plain) const {
  Calls calls(plain);
  calls.visit(e);
  return calls.makes_distinct ||
         std::ranges::any_of(calls.globals, [&](const std::string& name) { return functions_.contains(name); });
}

}  // namespace sunmao
