#include "passes/weights/weight_dependence.h"

#include <algorithm>
#include <map>
#include <utility>

#include "passes/analysis/open_sizes.h"
#include "passes/analysis/variables.h"
#include "support/diagnostic.h"

namespace sunmao {

std::optional<size_t> num_input(const Function& f, const std::string& name) {
  const AttrValue* attr = f.attrs.find("num_input");
  if (!attr) return std::nullopt;
  const Scalar* scalar = attr->find<Scalar>();
  const int64_t* value = scalar ? find_int(*scalar) : attr->find<int64_t>();
  if (!value || *value < 0 || *value > static_cast<int64_t>(f.params.size()))
    fail("E0502", f.span,
         fmt::format("`{}`: num_input must be a number from 0 to {}, got {}", name, f.params.size(),
                     value ? std::to_string(*value) : "something that is no integer"),
         "it says how many leading parameters are run-time inputs; the rest are weights");
  return static_cast<size_t>(*value);
}

namespace {

// Finds the reason why a value must be computed when the function runs; empty when there is none.
class Obstacle final : public Visitor {
 public:
  explicit Obstacle(const Module& module) : module_(module) {}
  std::string of(const Expr& e) {
    found_.clear();
    Visitor::visit(e);
    return found_;
  }

 private:
  using Visitor::visit;
  void say(std::string reason) {
    if (found_.empty()) found_ = std::move(reason);
  }

  void visit(const Call& call) override {
    if (const Op* op = op_of(call))
      look_at_op(*op);
    else
      look_at_callee(call.callee);
    Visitor::visit(call);
  }

  void look_at_op(const Op& op) {
    const std::string& name = op.name();
    if (name == "builtin.stop_lift_params") return say("R.builtin.stop_lift_params stops it");
    if (op.info.is_in_place) return say("it writes into what it is given");
    if (!op.info.is_pure) return say(fmt::format("{} has an effect", name));
    if (op.info.is_random) return say(fmt::format("{} draws random numbers", name));
    if (op.info.allocates) return say(fmt::format("each call of {} returns an object of its own", name));
  }

  void look_at_callee(const Expr& callee) {
    const auto* global = find<GlobalVar>(callee);
    if (global) look_into(*global);
    const auto* signature = find<CallableType>(global ? signature_of(module_, *global) : callee->type);
    if (signature && signature->is_pure) return;
    say(global ? fmt::format("`{}`, which it calls, may have an effect", global->name)
               : "what it calls may have an effect");
  }

  // An obstacle in a function applies to its callers.
  void look_into(const GlobalVar& global) {
    const Ref<Function> f = module_.find_as<Function>(global.name);
    if (!f) return;
    auto [known, is_new] = in_functions_.try_emplace(global.name);
    if (is_new)
      known->second = examine(global.name, *f);
    else
      met_cycle_ |= std::ranges::find(open_, global.name) != open_.end();
    if (!known->second.empty()) say(fmt::format("in `{}`, which it calls, {}", global.name, known->second));
  }

  // Returns the obstacle in a function; empty when there is none. Functions of a call cycle that are still under
  // examination are assumed to have none, which holds if the outermost of them turns out to have none.
  std::string examine(const std::string& name, const Function& f) {
    const std::string outer = std::exchange(found_, {});
    open_.push_back(name);
    Visitor::visit(*f.body);
    open_.pop_back();
    std::string obstacle = std::exchange(found_, outer);
    if (obstacle.empty()) assumed_free_.push_back(name);
    if (!open_.empty()) return obstacle;
    if (met_cycle_ && !obstacle.empty())
      for (const std::string& free : assumed_free_) in_functions_.erase(free);
    assumed_free_.clear();
    met_cycle_ = false;
    return obstacle;
  }

  void visit_leaf(const Expr& e) override {
    if (find<ExternFunc>(e)) say("an external function is no data");
  }

  const Module& module_;
  std::string found_;
  std::map<std::string, std::string> in_functions_;  // obstacle per function; empty while the function is examined
  std::vector<std::string> open_;                    // functions under examination, outermost first
  std::vector<std::string> assumed_free_;            // functions without obstacles since the outermost one was opened
  bool met_cycle_ = false;                           // a function under examination was called since then
};

// Returns the values whose sizes a cast names in the sequence that binds them, in branches, too.
std::unordered_set<Ref<Var>> values_of_open_sizes(const Function& f) {
  class Search final : public Visitor {
   public:
    std::unordered_set<Ref<Var>> found;
    using Visitor::visit;

   private:
    void visit(const SeqExpr& seq) override {
      std::unordered_set<Ref<Var>> outer = std::exchange(here_, {});
      Visitor::visit(seq);
      here_ = std::move(outer);
    }
    void visit(const Binding& b) override {
      if (says_open_sizes(b) && here_.contains(find_ref<Var>(b.value))) found.insert(find_ref<Var>(b.value));
      Visitor::visit(b);
      here_.insert(b.var);
    }
    std::unordered_set<Ref<Var>> here_;  // bound in the sequence that is visited
  };
  Search search;
  search.visit(Expr(&f));
  return std::move(search.found);
}

class Sorter {
 public:
  Sorter(const Function& f, const std::vector<Ref<Var>>& weights, const Module& module) : obstacle_(module) {
    for (const Ref<Var>& w : weights) {
      found_.weight_only.insert(w);
      define(w->type);
    }
    cast_ = values_of_open_sizes(f);
    for (const Ref<BindingBlock>& block : f.body->blocks)
      for (const Binding& b : block->bindings) sort(b);
  }
  WeightDependence take() { return std::move(found_); }

 private:
  void define(const Type& type) {
    for (const Ref<SymVar>& s : defined_symbols(type)) found_.symbols.insert(s);
  }

  void sort(const Binding& b) {
    const std::vector<Ref<Var>> uses = free_vars(b.value);
    bool of_weights = false;
    const Var* stuck = nullptr;
    for (const Ref<Var>& v : uses) {
      auto kept = kept_.find(v);
      if (kept == kept_.end() && !found_.weight_only.contains(v) && !found_.constant.contains(v))
        return sort_branches(b.value);
      if (kept != kept_.end() && !stuck) stuck = v.get();
      of_weights |= kept == kept_.end() ? found_.weight_only.contains(v) : kept->second;
    }
    std::string reason = stuck ? fmt::format("`{}`, which it reads, stays", stuck->name) : held_by(b, of_weights);
    if (!reason.empty()) {
      kept_.emplace(b.var, of_weights);
      if (of_weights) found_.kept.push_back({b, std::move(reason)});
      return sort_branches(b.value);
    }
    (of_weights ? found_.weight_only : found_.constant).insert(b.var);
    found_.bindings.push_back(b);
    if (b.is_match_cast()) define(b.cast_type);
  }

  // Branches of a value that is not lifted may contain liftable work, which is then done regardless of the condition.
  void sort_branches(const Expr& value) {
    const auto* choice = find<If>(value);
    if (!choice) return;
    const bool outer = std::exchange(is_in_branch_, true);
    for (const Ref<SeqExpr>& branch : {choice->then_branch, choice->else_branch})
      for (const Ref<BindingBlock>& block : branch->blocks)
        for (const Binding& b : block->bindings) sort(b);
    is_in_branch_ = outer;
  }

  std::string held_by(const Binding& b, bool of_weights) {
    if (b.is_match_cast() && is_in_branch_) return "the cast is to hold where its branch is taken";
    if (find<Function>(b.value) && of_weights) return "a local function is no data; lambda-lift takes it apart";
    std::string reason = obstacle_.of(b.value);
    if (!reason.empty()) return reason;
    if (cast_.contains(b.var) && (find<Call>(b.value) || find<If>(b.value))) return "data decides its sizes";
    const Ref<SymVar> foreign = foreign_symbol(b);
    return foreign ? fmt::format("the weights do not say what `{}` is", foreign->name) : "";
  }

  // Returns a symbol that the value or its type uses and that weights do not define.
  Ref<SymVar> foreign_symbol(const Binding& b) const {
    std::vector<Ref<SymVar>> own;
    if (b.is_match_cast()) own = defined_symbols(b.cast_type);
    auto is_foreign = [&](const Ref<SymVar>& s) {
      return !found_.symbols.contains(s) && std::ranges::find(own, s) == own.end();
    };
    for (const Ref<SymVar>& s : free_symbols(b.var->type))
      if (is_foreign(s)) return s;
    own.clear();  // a cast does not say what its value uses
    for (const Ref<SymVar>& s : free_symbolic_vars(b.value))
      if (is_foreign(s)) return s;
    return nullptr;
  }

  WeightDependence found_;
  // Variables that depend on no run-time input but are not lifted; the value is true if they depend on weights.
  std::unordered_map<Ref<Var>, bool> kept_;
  std::unordered_set<Ref<Var>> cast_;  // values whose sizes a cast names
  Obstacle obstacle_;
  bool is_in_branch_ = false;
};

}  // namespace

WeightDependence find_weight_dependence(const Function& f, const std::vector<Ref<Var>>& weights, const Module& module) {
  return Sorter(f, weights, module).take();
}

WeightDependence find_weight_dependence(const Function& f, size_t inputs, const Module& module) {
  const auto first = f.params.begin() + static_cast<std::ptrdiff_t>(inputs);
  return find_weight_dependence(f, std::vector<Ref<Var>>(first, f.params.end()), module);
}

}  // namespace sunmao
