#include "codegen/vm/places.h"

#include <algorithm>
#include <map>
#include <set>

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

/// What a function uses, seen from a step that changes one of its operands, or that calls who may.
class Uses {
 public:
  explicit Uses(const FlatFunction& f) : f_(f) {}

  bool is_used(int root, size_t step, size_t operand = kNoOperand) const {
    bool found = false;
    for_each_with(step, operand, [&](const FlatTensor& t) { found |= t.root == root; });
    return found;
  }
  /// True for a root that a function got which ran before: what that delivered may be in its memory.
  bool was_passed(int root, size_t step) const {
    bool found = false;
    for (size_t i = 0; i < step; ++i)
      if (f_.steps[i].is_call()) for_each_use(f_.steps[i], [&](const FlatTensor& t) { found |= t.root == root; });
    return found;
  }
  /// Returns the roots in use that may be in the memory of another one.
  std::vector<int> used_with(size_t step, size_t operand = kNoOperand) const {
    std::vector<int> out;
    for_each_with(step, operand, [&](const FlatTensor& t) {
      const RootKind kind = f_.roots[static_cast<size_t>(t.root)].kind;
      const bool is_shared = kind == RootKind::Param || (kind == RootKind::Delivered && is_there(t.root, step)) ||
                             (kind == RootKind::Intermediate && was_passed(t.root, step));
      if (is_shared && std::ranges::find(out, t.root) == out.end()) out.push_back(t.root);
    });
    return out;
  }

 private:
  // Calls `use` with the other inputs of the step, and with all that is used behind it.
  template <class Use>
  void for_each_with(size_t step, size_t operand, const Use& use) const {
    const std::vector<FlatTensor>& inputs = f_.steps[step].inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != operand) use(inputs[i]);
    for (size_t i = step + 1; i < f_.steps.size(); ++i) for_each_use(f_.steps[i], use);
    for (const FlatTensor& t : f_.results) use(t);
  }
  // True for a root that a step before delivered.
  bool is_there(int root, size_t step) const {
    for (size_t i = 0; i < step; ++i)
      if (std::ranges::find(f_.steps[i].outputs, root, &FlatTensor::root) != f_.steps[i].outputs.end()) return true;
    return false;
  }

  const FlatFunction& f_;
};

class PlaceFinder {
 public:
  PlaceFinder(FlatFunction& f, bool is_inner) : f_(f), uses_(f), is_inner_(is_inner) {}

  void run() {
    for (size_t i = 0; i < f_.steps.size(); ++i)
      if (f_.steps[i].kernel)
        for (size_t r = 0; r < f_.steps[i].outputs.size(); ++r)
          if (f_.steps[i].kernel->is_in_place(r)) place(i, r);
  }

 private:
  Root& root(const FlatTensor& t) { return f_.roots[static_cast<size_t>(t.root)]; }

  void place(size_t step, size_t result) {
    const auto operand = static_cast<size_t>(f_.steps[step].kernel->places[result]);
    const FlatTensor from = f_.steps[step].inputs[operand], to = f_.steps[step].outputs[result];
    Root &source = root(from), &updated = root(to);
    const bool is_free =
        !from.begin && SizeRelations::shows_all(source, from.tensor()) && !uses_.is_used(from.root, step, operand);
    if (is_free && source.kind == RootKind::Intermediate && !uses_.was_passed(from.root, step)) {
      updated.is_elsewhere = true;
      rename(to.root, from.root);
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

  void rename(int from, int to) {
    const auto change = [&](FlatTensor& t) { t.root = t.root == from ? to : t.root; };
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
  const Uses uses_;
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
