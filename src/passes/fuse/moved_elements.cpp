#include "passes/fuse/moved_elements.h"

#include <algorithm>

#include "ir/type.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/store_nest.h"
#include "passes/schedule/contraction/contraction.h"
#include "sym/analyzer.h"

namespace sunmao {
namespace {

bool is_single(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n && *n == 1;
}

bool has_one_element(const Buffer& buffer) { return std::ranges::all_of(buffer.shape, is_single); }

/// Maps indices of a shape to those of another one with as many elements. Groups of dimensions with equal products are
/// mapped each by itself.
class Regrouping {
 public:
  Regrouping(const std::vector<Scalar>& from, const std::vector<Scalar>& to) : from_(from), to_(to) {}

  /// Returns the indices in `from` of the element at `at` of `to`; empty where there is no plain form.
  Indices run(const Indices& at) {
    Indices out;
    size_t i = 0, j = 0;
    while (i < from_.size() || j < to_.size()) {
      const size_t first_i = i, first_j = j;
      if (!next_group(i, j)) return {};
      std::vector<Scalar> wide;
      Indices inner;
      for (size_t d = first_j; d < j; ++d) {
        if (is_single(to_[d])) continue;
        inner.push_back(at[d]);
        wide.push_back(to_[d]);
      }
      if (!add_group(std::span(from_).subspan(first_i, i - first_i), wide, inner, out)) return {};
    }
    return out;
  }

 private:
  /// Ends the group of dimensions that begins at `i` and `j`: their products are equal there.
  bool next_group(size_t& i, size_t& j) {
    Scalar a = int_imm(1), b = int_imm(1);
    if (i < from_.size()) a = from_[i++];
    if (j < to_.size()) b = to_[j++];
    while (!analyzer_.can_prove_equal(a, b)) {
      const int64_t *x = find_int(a), *y = find_int(b);
      const bool is_left = x && (!y || *x < *y);
      if (is_left && i < from_.size())
        a = analyzer_.simplify(a * from_[i++]);
      else if (!is_left && y && j < to_.size())
        b = analyzer_.simplify(b * to_[j++]);
      else
        return false;
    }
    return true;
  }

  /// Appends the indices of the dimensions `shape`, which hold the elements of the dimensions `wide` in one order.
  static bool add_group(std::span<const Scalar> shape, const std::vector<Scalar>& wide, const Indices& inner,
                        Indices& out) {
    const auto is_wide = [](const Scalar& d) { return !is_single(d); };
    if (std::ranges::count_if(shape, is_wide) > 1 && wide.size() > 1) return false;
    const Scalar zero = IntImm::make(DType::int_(64), 0);
    Scalar place = inner.empty() ? zero : inner[0];
    for (size_t d = 1; d < inner.size(); ++d) place = place * wide[d] + inner[d];
    Indices split(shape.size(), zero);
    for (size_t d = shape.size(); d-- > 0;) {
      if (is_single(shape[d])) continue;
      const bool is_first = std::ranges::none_of(shape.first(d), is_wide);
      split[d] = is_first ? place : floor_mod(place, shape[d]);
      if (!is_first) place = floor_div(place, shape[d]);
    }
    out.insert(out.end(), split.begin(), split.end());
    return true;
  }

  const std::vector<Scalar>&from_, &to_;
  Analyzer analyzer_;
};

}  // namespace

bool moves_elements(const Block& block, bool keeps_rows) {
  const Scalar& value = find<BufferStore>(block.body)->value;
  int loads = 0;
  bool is_plain = true;
  for_each_load(value, [&](const BufferLoad& l) { loads += has_one_element(*l.buffer) ? 0 : 1; });
  visit_all(value, [&](const Scalar& s) { is_plain = is_plain && !find<ScalarCall>(s); });
  const size_t rank = block.iters.size();
  if (loads != 1 || !is_plain || rank < 2) return false;
  const auto is_side_by_side = [&](const Ref<SymVar>& loop) {
    return uses(value, *loop) && is_contiguous(value, loop);
  };
  return is_side_by_side(block.iters[rank - 1].var) || (!keeps_rows && is_side_by_side(block.iters[rank - 2].var));
}

bool permutes(const Block& block, const Ref<Buffer>& buffer) {
  const auto* load = find<BufferLoad>(find<BufferStore>(block.body)->value);
  if (!load || load->buffer != buffer || block.iters.empty() || load->indices.empty()) return false;
  if (load->indices.back() != Scalar(block.iters.back().var)) return false;
  std::vector<Scalar> read;
  for (size_t d = 0; d < load->indices.size(); ++d) {
    if (is_single(buffer->shape[d])) continue;
    const auto is_it = [&](const IterVar& i) { return Scalar(i.var) == load->indices[d]; };
    if (std::ranges::none_of(block.iters, is_it) || std::ranges::find(read, load->indices[d]) != read.end())
      return false;
    read.push_back(load->indices[d]);
  }
  const auto moves = [](const IterVar& i) { return !is_single(i.domain.extent); };
  return std::ranges::count_if(block.iters, moves) == std::ssize(read);
}

Ref<PrimFunc> view_kernel(const Type& from, const Type& to) {
  KernelBuilder k("view");
  const Ref<Buffer> x = k.input("A", from), y = k.output("T_view", to);
  bool is_plain = true;
  k.compute(y, "T_view", [&](const Indices& at) {
    Indices indices = Regrouping(x->shape, y->shape).run(at);
    is_plain = !indices.empty() || x->shape.empty();
    if (!is_plain) indices.assign(x->shape.size(), int_imm(0));
    return load(x, std::move(indices));
  });
  return is_plain ? std::move(k).finish() : nullptr;
}

}  // namespace sunmao
