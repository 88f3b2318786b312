#include "codegen/vm/places.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "codegen/vm/size_relations.h"

namespace sunmao {
namespace {

constexpr size_t kNoOperand = SIZE_MAX;

template <class Use>
void for_each_use(const FlatStep& step, const Use& use) {
  for (const FlatTensor& t : step.inputs) use(t);
  if (step.condition) use(*step.condition);
  for (const FlatCallee& c : step.callees)
    for (const FlatArgument& a : c.args)
      if (a.tensor) use(*a.tensor);
}

/// What a function uses, seen from a step that changes one of its operands, or that calls who may. Roots that are in
/// another one are that root.
class Uses {
 public:
  explicit Uses(const FlatFunction& f) : f_(f), lives_(f.roots.size()), home_(f.roots.size()) {
    for (size_t i = 0; i < home_.size(); ++i) home_[i] = static_cast<int>(i);
    for (size_t i = 0; i < f.steps.size(); ++i) {
      const FlatStep& step = f.steps[i];
      for_each_use(step, [&](const FlatTensor& t) {
        Life& life = life_of(t.root);
        life.last_use = i + 1;
        if (step.is_call()) life.first_pass = std::min(life.first_pass, i);
      });
      for (const FlatTensor& t : step.outputs) life_of(t.root).made = std::min(life_of(t.root).made, i);
    }
    for (const FlatTensor& t : f.results) life_of(t.root).last_use = f.steps.size() + 1;
  }

  int home(int root) const { return home_[static_cast<size_t>(root)]; }
  /// From now on `root`, which a later step makes, is in `other`.
  void put_into(int root, int other) {
    const Life from = life_of(root);
    Life& to = life_of(other);
    to.last_use = std::max(to.last_use, from.last_use);
    to.first_pass = std::min(to.first_pass, from.first_pass);
    home_[static_cast<size_t>(root)] = home(other);
  }

  /// True for a root that another input of the step is in, or that is used behind it.
  bool is_used(int root, size_t step, size_t operand = kNoOperand) const {
    const std::vector<FlatTensor>& inputs = f_.steps[step].inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != operand && home(inputs[i].root) == home(root)) return true;
    return life_of(root).last_use > step + 1;
  }
  /// True for a root that a function got which ran before: what that delivered may be in its memory.
  bool was_passed(int root, size_t step) const { return life_of(root).first_pass < step; }
  /// Returns the roots in use that may be in the memory of another one.
  std::vector<int> used_with(size_t step, size_t operand = kNoOperand) const {
    std::vector<int> out;
    std::unordered_set<int> known;
    const auto add = [&](const FlatTensor& t) {
      const int root = home(t.root);
      const RootKind kind = f_.roots[static_cast<size_t>(root)].kind;
      const bool is_shared = kind == RootKind::Param || (kind == RootKind::Delivered && life_of(root).made < step) ||
                             (kind == RootKind::Intermediate && was_passed(root, step));
      if (is_shared && known.insert(root).second) out.push_back(root);
    };
    const std::vector<FlatTensor>& inputs = f_.steps[step].inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != operand) add(inputs[i]);
    for (size_t i = step + 1; i < f_.steps.size(); ++i) for_each_use(f_.steps[i], add);
    for (const FlatTensor& t : f_.results) add(t);
    return out;
  }

 private:
  /// When a root is used, in steps.
  struct Life {
    size_t last_use = 0;  // the number of steps up to the last one that uses it, one more for a result; 0: none
    size_t first_pass = SIZE_MAX;  // the first step that gives it to a function
    size_t made = SIZE_MAX;        // the first step that it is an output of
  };
  const Life& life_of(int root) const { return lives_[static_cast<size_t>(home(root))]; }
  Life& life_of(int root) { return lives_[static_cast<size_t>(home(root))]; }

  const FlatFunction& f_;
  std::vector<Life> lives_;
  std::vector<int> home_;
};

class PlaceFinder {
 public:
  PlaceFinder(FlatFunction& f, bool is_inner) : f_(f), uses_(f), is_inner_(is_inner) {}

  void run() {
    for (size_t i = 0; i < f_.steps.size(); ++i)
      if (f_.steps[i].kernel)
        for (size_t r = 0; r < f_.steps[i].outputs.size(); ++r)
          if (f_.steps[i].kernel->is_in_place(r)) place(i, r);
    rename();
  }

 private:
  Root& root(const FlatTensor& t) { return f_.roots[static_cast<size_t>(t.root)]; }

  void place(size_t step, size_t result) {
    const auto operand = static_cast<size_t>(f_.steps[step].kernel->places[result]);
    FlatTensor from = f_.steps[step].inputs[operand];
    from.root = uses_.home(from.root);
    const FlatTensor& to = f_.steps[step].outputs[result];
    Root &source = root(from), &updated = root(to);
    const bool is_free =
        !from.begin && SizeRelations::shows_all(source, from.tensor()) && !uses_.is_used(from.root, step, operand);
    if (is_free && source.kind == RootKind::Intermediate && !uses_.was_passed(from.root, step)) {
      updated.is_elsewhere = true;
      uses_.put_into(to.root, from.root);
      return;
    }
    updated.source = from.root;
    updated.source_begin = from.begin;
    // What callers of the model pass is theirs, other than states that sessions keep.
    const bool is_kept =
        source.kind == RootKind::Param && (is_inner_ || f_.params[static_cast<size_t>(source.index)].is_state());
    updated.may_take_source =
        is_free && (source.kind == RootKind::Delivered || source.kind == RootKind::Intermediate || is_kept);
    if (updated.may_take_source) updated.others = uses_.used_with(step, operand);
  }

  // Names roots by those that they are in.
  void rename() {
    const auto change = [&](FlatTensor& t) { t.root = uses_.home(t.root); };
    for (FlatStep& step : f_.steps) {
      std::ranges::for_each(step.inputs, change);
      std::ranges::for_each(step.outputs, change);
      if (step.condition) change(*step.condition);
      for (auto& [tensor, sizes] : step.stated) change(tensor);
      for (FlatCallee& c : step.callees)
        for (FlatArgument& a : c.args)
          if (a.tensor) change(*a.tensor);
    }
    std::ranges::for_each(f_.results, change);
  }

  FlatFunction& f_;
  Uses uses_;
  const bool is_inner_;
};

/// Whether functions change what they get.
class Takers {
 public:
  explicit Takers(const FlatFunctions& functions) : functions_(functions) {}

  bool takes(const FlatCallee& callee, int root) {
    for (size_t i = 0; i < callee.args.size(); ++i) {
      const FlatArgument& a = callee.args[i];
      if (a.tensor && !a.holds_sizes && a.tensor->root == root && takes(callee.function, static_cast<int>(i)))
        return true;
    }
    return false;
  }

 private:
  bool takes(const std::string& function, int param) {
    if (!seen_.emplace(function, param).second) return false;
    const FlatFunction& f = functions_(function);
    for (size_t i = 0; i < f.roots.size(); ++i) {
      if (f.roots[i].kind == RootKind::Param && f.roots[i].index == param && passes_on(f, static_cast<int>(i)))
        return true;
      const int source = f.roots[i].may_take_source ? f.roots[i].source : -1;
      const Root* of = source < 0 ? nullptr : &f.roots[static_cast<size_t>(source)];
      if (of && of->kind == RootKind::Param && of->index == param) return true;
    }
    return false;
  }
  bool passes_on(const FlatFunction& f, int root) {
    return std::ranges::any_of(f.steps, [&](const FlatStep& step) {
      return !step.is_host && std::ranges::any_of(step.callees, [&](const FlatCallee& c) { return takes(c, root); });
    });
  }

  const FlatFunctions& functions_;
  std::set<std::pair<std::string, int>> seen_;
};

}  // namespace

void find_places(FlatFunction& f, bool is_inner) { PlaceFinder(f, is_inner).run(); }

void claim_results(FlatFunction& f) {
  for (size_t i = 0; i < f.results.size(); ++i) {
    Root& root = f.roots[static_cast<size_t>(f.results[i].root)];
    const FlatTensor& seen = f.results[i];
    if (root.kind == RootKind::Intermediate && root.result < 0 && !seen.begin &&
        SizeRelations::shows_all(root, seen.tensor()))
      root.result = static_cast<int>(i);
  }
}

void find_gifts(FlatFunction& f, const FlatFunctions& functions) {
  const Uses uses(f);
  for (size_t i = 0; i < f.steps.size(); ++i) {
    FlatStep& step = f.steps[i];
    if (!step.is_call() || step.is_host || (f.ends_with_call && i + 2 >= f.steps.size())) continue;
    std::map<int, size_t> times;  // the most that a callee gets a root
    for (const FlatCallee& c : step.callees) {
      std::map<int, size_t> of_callee;
      for (const FlatArgument& a : c.args)
        if (a.tensor) times[a.tensor->root] = std::max(times[a.tensor->root], ++of_callee[a.tensor->root]);
    }
    for (const auto& [root, count] : times) {
      const RootKind kind = f.roots[static_cast<size_t>(root)].kind;
      const bool is_memory = kind != RootKind::Constant && kind != RootKind::Sizes;
      if (!is_memory || count > 1 || uses.is_used(root, i)) continue;
      if (std::ranges::any_of(step.callees, [&](const FlatCallee& c) { return Takers(functions).takes(c, root); }))
        step.gifts.push_back({root, uses.used_with(i)});
    }
  }
}

}  // namespace sunmao
