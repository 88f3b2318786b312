#include "codegen/vm/places.h"

#include <algorithm>

#include "codegen/vm/size_relations.h"

namespace sunmao {
namespace {

class PlaceFinder {
 public:
  PlaceFinder(FlatFunction& f, bool is_inner) : f_(f), is_inner_(is_inner) {}

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
    const bool is_free = SizeRelations::shows_all(source, from.tensor()) && !is_used(from.root, step, operand);
    if (is_free && source.kind == RootKind::Intermediate && !was_passed(from.root, step)) {
      updated.is_elsewhere = true;
      rename(to.root, from.root);
      return;
    }
    updated.source = from.root;
    // What callers of the model pass is theirs.
    updated.may_take_source = is_free && (source.kind == RootKind::Delivered || source.kind == RootKind::Intermediate ||
                                          (source.kind == RootKind::Param && is_inner_));
    if (updated.may_take_source) updated.others = used_with(step, operand);
  }

  template <class Use>
  static void for_each_use(const FlatStep& step, const Use& use) {
    for (const FlatTensor& t : step.inputs) use(t);
    if (step.condition) use(*step.condition);
    for (const FlatCallee& c : step.callees)
      for (const FlatArgument& a : c.args)
        if (a.tensor) use(*a.tensor);
  }
  // Calls `use` with what is read when `step` writes to its input `operand`: other inputs, and all that follows.
  template <class Use>
  void for_each_use_with(size_t step, size_t operand, const Use& use) const {
    const std::vector<FlatTensor>& inputs = f_.steps[step].inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (i != operand) use(inputs[i]);
    for (size_t i = step + 1; i < f_.steps.size(); ++i) for_each_use(f_.steps[i], use);
    for (const FlatTensor& t : f_.results) use(t);
  }
  bool is_used(int root, size_t step, size_t operand) const {
    bool found = false;
    for_each_use_with(step, operand, [&](const FlatTensor& t) { found |= t.root == root; });
    return found;
  }
  // True for a root that a function got which ran before: what that delivered may be in its memory.
  bool was_passed(int root, size_t step) const {
    bool found = false;
    for (size_t i = 0; i < step; ++i)
      if (!f_.steps[i].kernel)
        for_each_use(f_.steps[i], [&](const FlatTensor& t) { found |= t.root == root; });
    return found;
  }
  // Returns the roots in use that may be in the memory of another one.
  std::vector<int> used_with(size_t step, size_t operand) const {
    std::vector<int> out;
    for_each_use_with(step, operand, [&](const FlatTensor& t) {
      const Root& r = f_.roots[static_cast<size_t>(t.root)];
      const bool has_own_memory = r.kind == RootKind::Constant || r.kind == RootKind::Sizes;
      if (!has_own_memory && is_there(t.root, step) && std::ranges::find(out, t.root) == out.end())
        out.push_back(t.root);
    });
    return out;
  }
  // True for a root that has memory before `step`.
  bool is_there(int root, size_t step) const {
    if (f_.roots[static_cast<size_t>(root)].kind == RootKind::Param) return true;
    for (size_t i = 0; i < step; ++i)
      if (std::ranges::find(f_.steps[i].outputs, root, &FlatTensor::root) != f_.steps[i].outputs.end()) return true;
    return false;
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
  const bool is_inner_;
};

}  // namespace

void find_places(FlatFunction& f, bool is_inner) { PlaceFinder(f, is_inner).run(); }

}  // namespace sunmao
