#include "ops/pool_window.h"

namespace sunmao {

namespace {

// Returns the number of windows along axis `i`. A window that would begin beyond the tensor is dropped, even in ceil
// mode.
Scalar window_count(const Pool& p, size_t i, const Scalar& size) {
  const int64_t stride = p.strides[i], before = p.padding[i], behind = p.padding[i + p.size.size()],
                span = p.dilation[i] * (p.size[i] - 1) + 1;
  const int64_t more = before + behind - span + (p.rounds_up ? stride - 1 : 0);
  Scalar count = floor_div(size + int_imm(more), int_imm(stride)) + int_imm(1);
  if (!p.rounds_up || span >= stride + behind) return count;
  return min(count, floor_div(size + int_imm(before - 1), int_imm(stride)) + int_imm(1));
}

}  // namespace

std::vector<Scalar> window_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes) {
  for (size_t i = 0; i < p.size.size(); ++i) sizes[i + 2] = in.analyzer().simplify(window_count(p, i, sizes[i + 2]));
  return sizes;
}

std::vector<Scalar> pooled_sizes(const InferInput& in, const Pool& p, std::vector<Scalar> sizes) {
  sizes = window_sizes(in, p, std::move(sizes));
  need_sizes(in, sizes);
  return sizes;
}

Tap tap_of(const Pool& p, const Indices& at, const Indices& r, const std::vector<Scalar>& sizes) {
  Tap tap{{at[0], at[1]}, nullptr};
  for (size_t i = 0; i < p.size.size(); ++i) {
    Scalar place = at[i + 2] * int_imm(p.strides[i]) + r[i] * int_imm(p.dilation[i]);
    int64_t before = p.padding[i], behind = p.padding[i + p.size.size()];
    if (before > 0) place = place - int_imm(before);
    if (before > 0 || behind > 0 || p.rounds_up) {
      Scalar here = both(at_least(place, int_imm(0)), less(place, sizes[i + 2]));
      tap.inside = tap.inside ? both(tap.inside, here) : here;
    }
    tap.from.push_back(place);
  }
  return tap;
}

std::vector<Scalar> taps_of(const Pool& p) {
  std::vector<Scalar> out;
  for (int64_t s : p.size) out.push_back(int_imm(s));
  return out;
}

Scalar counted(const Pool& p, const Indices& at, const std::vector<Scalar>& sizes, bool with_padding) {
  Scalar count = int_imm(1);
  for (size_t i = 0; i < p.size.size(); ++i) {
    int64_t before = p.padding[i], behind = p.padding[i + p.size.size()];
    if (!p.rounds_up && (with_padding || (before == 0 && behind == 0))) {  // no window ends further outside
      count = count * int_imm(p.size[i]);
      continue;
    }
    Scalar start = at[i + 2] * int_imm(p.strides[i]) - int_imm(before);
    Scalar end = with_padding ? sizes[i + 2] + int_imm(behind) : sizes[i + 2];
    Scalar step = int_imm(p.dilation[i]);
    // Counts the taps t with start + t * step < `end`, minus those at negative positions unless padding counts.
    Scalar upper = min(int_imm(p.size[i]), floor_div(end - start + step - int_imm(1), step));
    Scalar lower = with_padding ? int_imm(0) : max(floor_div(step - int_imm(1) - start, step), int_imm(0));
    count = count * max(upper - lower, int_imm(0));
  }
  return max(count, int_imm(1));
}

}  // namespace sunmao
