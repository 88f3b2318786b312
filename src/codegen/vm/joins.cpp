#include "codegen/vm/joins.h"

#include <algorithm>
#include <unordered_map>

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
    std::vector<FlatStep> steps;
    for (FlatStep& step : f_.steps) {
      const std::vector<Scalar> places =
          step.kernel && step.kernel->places.empty() ? joined_places(*step.kernel) : std::vector<Scalar>();
      if (places.empty() || !join(step, places, steps)) steps.push_back(std::move(step));
    }
    f_.steps = std::move(steps);
    if (parts_.empty()) return;
    const auto put_in_place = [&](FlatTensor& t) { t = in_place(t); };
    for (FlatStep& step : f_.steps) {
      std::ranges::for_each(step.inputs, put_in_place);
      std::ranges::for_each(step.outputs, put_in_place);
    }
    std::ranges::for_each(f_.results, put_in_place);
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

  // True when a tensor that a step has as input once can be computed in another root: it covers its own root.
  bool can_move(const FlatTensor& t) {
    const Root& root = f_.roots[static_cast<size_t>(t.root)];
    return root.kind == RootKind::Intermediate && use(t).is_made && !use(t).is_fixed && !t.begin &&
           SizeRelations::shows_all(root, t.tensor());
  }

  // Appends copies of the inputs that are not made in place, instead of the step; false when it stays.
  bool join(const FlatStep& step, const std::vector<Scalar>& places, std::vector<FlatStep>& steps) {
    std::vector<FlatTensor> inputs;
    std::unordered_map<int, int> times;
    for (const FlatTensor& t : step.inputs) ++times[inputs.emplace_back(in_place(t)).root];
    std::vector<bool> moves;
    for (const FlatTensor& t : inputs) moves.push_back(times[t.root] == 1 && can_move(t));
    if (!is_worth_it(inputs, moves)) return false;
    for (size_t i = 0; i < places.size(); ++i) {
      const FlatTensor part = {step.outputs[0].root, inputs[i].type, places[i]};
      if (moves[i])
        move(inputs[i].root, part);
      else
        steps.push_back({.kernel = {}, .inputs = {inputs[i]}, .outputs = {part}, .span = step.span});
    }
    return true;
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

  // Redirects all uses of the root to `part` of another one.
  void move(int root, const FlatTensor& part) {
    parts_.emplace(root, part);
    f_.roots[static_cast<size_t>(root)].is_elsewhere = true;
  }

  // Returns where a tensor lies, which may be in a part of a part.
  FlatTensor in_place(FlatTensor t) const {
    for (auto part = parts_.find(t.root); part != parts_.end(); part = parts_.find(t.root)) {
      const Scalar& begin = part->second.begin;
      t = {part->second.root, t.type, t.begin ? Analyzer().simplify(begin + t.begin) : begin};
    }
    return t;
  }

  FlatFunction& f_;
  std::vector<Use> uses_;                      // by root
  std::unordered_map<int, FlatTensor> parts_;  // where the contents of a root lie
};

}  // namespace

void join_in_place(FlatFunction& f) { Joiner(f).run(); }

}  // namespace sunmao
