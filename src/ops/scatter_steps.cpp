#include "ops/scatter_steps.h"

#include "ops/statements.h"

namespace sunmao {
namespace {

// Combines an element with an update: "add", "mul", "min", "max", "mean" (summed here, divided by take_mean), or
// replacement.
Scalar combined(const std::string& reduction, const Scalar& old, const Scalar& update) {
  if (reduction == "add" || reduction == "mean") return old + update;
  if (reduction == "mul") return old * update;
  if (reduction == "min") return min(old, update);
  if (reduction == "max") return max(old, update);
  return update;
}

// Emits the loops of one update on a block of neighbouring lines.
class ScatterSteps {
 public:
  ScatterSteps(const Scatter& s, const Ref<Buffer>& out, const Ref<Buffer>& count) : s_(s), out_(out), count_(count) {}

  static constexpr int64_t kLines = 64;  // of a block: whole cache lines of every row that updates come in

  std::vector<Scalar> blocks() const {
    std::vector<Scalar> out = s_.lines;
    if (!out.empty()) out.back() = floor_div(out.back() + int_imm(kLines - 1), int_imm(kLines));
    return out;
  }

  Stmt steps(const Indices& block) const { return updates(block, {}); }

 private:
  Stmt updates(const Indices& block, const Indices& r) const {
    if (r.size() < s_.updates.size())
      return repeat("r", s_.updates[r.size()],
                    [&](const Scalar& i) { return updates(block, with_index_behind(r, i)); });
    if (s_.targets_know_line)
      return on_lines(
          block, [&](const Indices& at) { return placed(at, r, [&](const Indices& t) { return put(at, r, t); }); });
    return placed(block, r,
                  [&](const Indices& t) { return on_lines(block, [&](const Indices& at) { return put(at, r, t); }); });
  }

  static Indices with_index_behind(Indices at, Scalar index) {
    at.push_back(std::move(index));
    return at;
  }

  Stmt on_lines(const Indices& block, const std::function<Stmt(const Indices&)>& body) const {
    if (block.empty()) return body(block);
    const Scalar first = block.back() * int_imm(kLines);
    return repeat("line", min(int_imm(kLines), s_.lines.back() - first), [&](const Scalar& i) {
      Indices at = block;
      at.back() = first + i;
      return body(at);
    });
  }

  // Emits `body` for the place that the indices of update `r` name, each of which is checked.
  Stmt placed(const Indices& at, const Indices& r, const std::function<Stmt(const Indices&)>& body) const {
    const auto given = s_.targets(at, r);
    const auto rest = [&](const auto& self, const Indices& known) -> Stmt {
      if (known.size() == given.size()) return body(known);
      const auto& [axis, index] = given[known.size()];
      return let("target", checked_index_of(s_.call, as_index(index), s_.data->shape[axis], s_.from_end),
                 [&](const Scalar& target) { return self(self, with_index_behind(known, target)); });
    };
    return rest(rest, {});
  }

  Stmt put(const Indices& at, const Indices& r, const Indices& targets) const {
    const Indices to = s_.element(at, targets);
    Stmt out = store(out_, to, combined(s_.reduction, load(out_, to), s_.value(at, r)));
    return count_ ? in_order({out, store(count_, to, load(count_, to) + int_imm(1))}) : out;
  }

  const Scatter& s_;
  const Ref<Buffer>& out_;
  const Ref<Buffer>& count_;  // of updates and the first value; null when it is not wanted
};

// Divides the sum of an element and its updates by their number; integers round down.
void take_mean(KernelBuilder& k, const Ref<Buffer>& sum, const Ref<Buffer>& count, const Ref<Buffer>& y) {
  k.compute(y, "T_mean", [&](const Indices& at) {
    if (y->dtype.is_float()) return divide(load(sum, at), cast_to(y->dtype, load(count, at)));
    return cast_to(y->dtype, floor_div(cast_to(kInt64, load(sum, at)), load(count, at)));
  });
}

}  // namespace

Ref<BaseFunc> scattered(KernelBuilder& k, const Scatter& s) {
  const bool is_mean = s.reduction == "mean";
  const Ref<Buffer> out = is_mean ? k.alloc("sum", s.y->dtype, s.y->shape) : s.y;
  const Ref<Buffer> count = is_mean ? k.alloc("count", kInt64, s.y->shape) : Ref<Buffer>();
  k.compute(out, "T_copy", [&](const Indices& at) { return load(s.data, at); });
  if (count) k.compute(count, "T_one", [&](const Indices&) { return int_imm(1); });
  const ScatterSteps steps(s, out, count);
  std::vector<Ref<Buffer>> reads = s.reads, writes{out};
  reads.push_back(out);
  if (count) {
    reads.push_back(count);
    writes.push_back(count);
  }
  k.steps({.name = "T_scatter",
           .spatial = steps.blocks(),
           .reads = std::move(reads),
           .writes = std::move(writes),
           .locals = {},
           .body = [&](const Indices& block) { return steps.steps(block); }});
  if (is_mean) take_mean(k, out, count, s.y);
  return std::move(k).finish();
}

}  // namespace sunmao
