#include "codegen/vm/joins.h"

#include <algorithm>

#include "codegen/vm/size_relations.h"
#include "ir/dims.h"
#include "passes/loop/side_by_side.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

class Joiner {
 public:
  explicit Joiner(FlatFunction& f) : f_(f) {}

  void run() {
    count_uses();
    for (size_t i = 0; i < f_.steps.size(); ++i) {
      const std::optional<KernelCall>& kernel = f_.steps[i].kernel;
      const std::vector<Scalar> places =
          kernel && kernel->places.empty() ? joined_places(*kernel) : std::vector<Scalar>();
      if (!places.empty()) i += join(i, places);
    }
  }

 private:
  // A root that only kernels write and read, besides results, and none of them in place.
  struct Use {
    bool is_made = false, is_fixed = false;
    int joins = 0;
  };

  void count_uses() {
    uses_.resize(f_.roots.size());
    const auto fix = [&](const FlatTensor& t) { use(t).is_fixed = true; };
    // Elements of another type may not be aligned elsewhere.
    const auto fix_seen_otherwise = [&](const FlatTensor& t) {
      if (t.tensor().dtype != f_.roots[static_cast<size_t>(t.root)].type->dtype) fix(t);
    };
    std::ranges::for_each(f_.results, fix_seen_otherwise);
    for (const FlatStep& step : f_.steps) {
      for (const FlatTensor& t : step.outputs) {
        use(t).is_made = true;
        if (!step.kernel || !step.kernel->places.empty()) fix(t);
      }
      if (!step.kernel || !step.kernel->places.empty()) std::ranges::for_each(step.inputs, fix);
      std::ranges::for_each(step.inputs, fix_seen_otherwise);
      if (step.condition) fix(*step.condition);
      for (const FlatCallee& c : step.callees)
        for (const FlatArgument& a : c.args)
          if (a.tensor) fix(*a.tensor);
    }
  }
  Use& use(const FlatTensor& t) { return uses_[static_cast<size_t>(t.root)]; }

  // True when a tensor can be made elsewhere: it is all of a root, and `inputs` has it once.
  bool can_move(const FlatTensor& t, const std::vector<FlatTensor>& inputs) {
    const Root& root = f_.roots[static_cast<size_t>(t.root)];
    return root.kind == RootKind::Intermediate && use(t).is_made && !use(t).is_fixed && !t.begin &&
           SizeRelations::shows_all(root, t.tensor()) && std::ranges::count(inputs, t.root, &FlatTensor::root) == 1;
  }

  // Returns by how many steps more there are.
  size_t join(size_t at, const std::vector<Scalar>& places) {
    const FlatStep step = f_.steps[at];
    const FlatTensor joined = step.outputs[0];
    std::vector<bool> moves;
    for (const FlatTensor& t : step.inputs) moves.push_back(can_move(t, step.inputs));
    if (!is_worth_it(step.inputs, moves)) return 0;
    std::vector<FlatStep> copies;
    for (size_t i = 0; i < places.size(); ++i) {
      const FlatTensor part = {joined.root, step.inputs[i].type, places[i]};
      if (moves[i])
        move(step.inputs[i].root, part);
      else
        copies.push_back({.kernel = {}, .inputs = {step.inputs[i]}, .outputs = {part}, .span = step.span});
    }
    f_.steps.erase(f_.steps.begin() + static_cast<std::ptrdiff_t>(at));
    f_.steps.insert(f_.steps.begin() + static_cast<std::ptrdiff_t>(at), copies.begin(), copies.end());
    return copies.size() - 1;
  }

  // A copy takes one thread, a kernel several: at least half of the bytes have to stay where they are made.
  static bool is_worth_it(const std::vector<FlatTensor>& inputs, const std::vector<bool>& moves) {
    Analyzer analyzer;
    Scalar made = int_imm(0), copied = int_imm(0);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Scalar bytes = byte_size(*inputs[i].tensor().dims(), inputs[i].tensor().dtype);
      (moves[i] ? made : copied) = (moves[i] ? made : copied) + bytes;
    }
    return analyzer.can_prove(Binary::make(BinaryOp::Ge, made, copied));
  }

  // Whatever is in the root lies in `part` of another one now.
  void move(int root, const FlatTensor& part) {
    const auto change = [&](FlatTensor& t) {
      if (t.root == root) t = {part.root, t.type, t.begin ? Analyzer().simplify(part.begin + t.begin) : part.begin};
    };
    for (FlatStep& step : f_.steps) {
      std::ranges::for_each(step.inputs, change);
      std::ranges::for_each(step.outputs, change);
    }
    std::ranges::for_each(f_.results, change);
    f_.roots[static_cast<size_t>(root)].is_elsewhere = true;
  }

  FlatFunction& f_;
  std::vector<Use> uses_;  // by root
};

}  // namespace

void join_in_place(FlatFunction& f) { Joiner(f).run(); }

}  // namespace sunmao
