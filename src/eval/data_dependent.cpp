// Evaluates unique, nonzero and dynamic_strided_slice, whose result shapes depend on the data.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "eval/element.h"
#include "eval/instructions.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// Three-way comparison of two elements. NaN is the largest value; NaNs at different positions are ordered by position.
int compare_elements(const Array& x, int64_t a, int64_t b) {
  const Number l = load_element(x, a), r = load_element(x, b);
  if (x.dtype().is_float()) {
    if (std::isnan(l.f) || std::isnan(r.f))
      return std::isnan(l.f) == std::isnan(r.f) ? (a > b) - (a < b) : std::isnan(l.f) ? 1 : -1;
    return (l.f > r.f) - (l.f < r.f);
  }
  if (x.dtype().is_uint()) {
    auto u = static_cast<uint64_t>(l.i), v = static_cast<uint64_t>(r.i);
    return (u > v) - (u < v);
  }
  return (l.i > r.i) - (l.i < r.i);
}

// The `count` slices of x along an axis; if the axis is null, every element is a slice. Element k of slice s is at s *
// step + offsets[k].
struct Slices {
  explicit Slices(const Array& x, const int64_t* axis) : array(x) {
    const std::vector<int64_t>& shape = x.shape();
    if (!axis) {
      count = x.count();
      offsets = {0};
      return;
    }
    const size_t at = static_cast<size_t>(*axis < 0 ? *axis + x.rank() : *axis);
    count = shape[at];
    step = std::accumulate(shape.begin() + static_cast<std::ptrdiff_t>(at) + 1, shape.end(), int64_t{1},
                           std::multiplies());
    const int64_t outer =
        std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(at), int64_t{1}, std::multiplies());
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < step; ++i) offsets.push_back(o * count * step + i);
  }
  int compare_slices(int64_t a, int64_t b) const {
    for (int64_t offset : offsets)
      if (int c = compare_elements(array, a * step + offset, b * step + offset)) return c;
    return 0;
  }
  const Array& array;
  int64_t count = 0, step = 1;
  std::vector<int64_t> offsets;
};

struct Groups {
  std::vector<int64_t> first, inverse, counts;
};

// Groups equal slices; groups are ordered by value if `sorted`, else by first occurrence.
Groups groups_of(const Slices& slices, bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(slices.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return slices.compare_slices(a, b) < 0; });
  Groups by_value{{}, std::vector<int64_t>(order.size()), {}};
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || slices.compare_slices(order[i - 1], order[i]) != 0) {
      by_value.first.push_back(order[i]);
      by_value.counts.push_back(0);
    }
    ++by_value.counts.back();
    by_value.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(by_value.first.size()) - 1;
  }
  if (sorted) return by_value;
  std::vector<int64_t> by_place(by_value.first.size()), new_place(by_place.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  auto at = [](const std::vector<int64_t>& list, int64_t i) { return list[static_cast<size_t>(i)]; };
  std::ranges::sort(by_place, {}, [&](int64_t g) { return at(by_value.first, g); });
  Groups out;
  for (int64_t g : by_place) {
    new_place[static_cast<size_t>(g)] = static_cast<int64_t>(out.first.size());
    out.first.push_back(at(by_value.first, g));
    out.counts.push_back(at(by_value.counts, g));
  }
  for (int64_t g : by_value.inverse) out.inverse.push_back(at(new_place, g));
  return out;
}

Array vector_of(const std::vector<int64_t>& values) {
  return Array::from_ints({static_cast<int64_t>(values.size())}, values);
}

bool flag(const Call& call, const char* name) {
  const bool* value = call.attrs.find<bool>(name);
  return value && *value;
}

struct Window {
  int64_t begin, stride, length;
};

// Clips a slice along an axis of `size` elements: negative bounds count from the end; bounds out of range are clamped.
Window window_of(int64_t begin, int64_t end, int64_t stride, int64_t size) {
  const int64_t low = stride < 0 ? -1 : 0, high = stride < 0 ? size - 1 : size;
  auto inside = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, low, std::max(low, high)); };
  const int64_t from = inside(begin), to = inside(end);
  const int64_t distance = std::max<int64_t>(stride < 0 ? from - to : to - from, 0), most = size + 1;
  const int64_t kept = std::clamp(stride, -most, most), step = std::abs(kept);
  return {from, kept, (distance + step - 1) / step};
}

}  // namespace

Value run_unique(const Call& call, const ValueTuple& args) {
  const Array& x = *args[0].array();
  const auto* axis = call.attrs.find<int64_t>("axis");
  const Slices slices(x, axis);
  const Groups groups = groups_of(slices, flag(call, "sorted"));
  const int64_t found = static_cast<int64_t>(groups.first.size());
  std::vector<int64_t> shape{found};
  if (axis) {
    shape = x.shape();
    shape[static_cast<size_t>(*axis < 0 ? *axis + x.rank() : *axis)] = found;
  }
  ArrayBuilder values(x.dtype(), shape);
  for (int64_t g = 0; g < found; ++g) {
    for (int64_t offset : slices.offsets) {
      const int64_t outer = offset / std::max<int64_t>(slices.count * slices.step, 1), inner = offset % slices.step;
      const int64_t to = (outer * found + g) * slices.step + inner;
      const int64_t from = groups.first[static_cast<size_t>(g)] * slices.step + offset;
      copy_element(x.dtype(), values.data(), to, x.data(), from);
    }
  }
  ValueTuple fields{std::move(values).finish()};
  if (flag(call, "return_index")) fields.emplace_back(vector_of(groups.first));
  if (flag(call, "return_inverse")) fields.emplace_back(vector_of(groups.inverse));
  if (flag(call, "return_counts")) fields.emplace_back(vector_of(groups.counts));
  return fields.size() == 1 ? fields[0] : Value(fields);
}

Value run_nonzero(const Call&, const ValueTuple& args) {
  const Array& x = *args[0].array();
  std::vector<int64_t> places;
  for (int64_t i = 0; i < x.count(); ++i) {
    const Number n = load_element(x, i);
    if (x.dtype().is_float() ? n.f != 0 : n.i != 0) places.push_back(i);
  }
  const int64_t count = static_cast<int64_t>(places.size());
  ArrayBuilder out(DType::int_(64), {x.rank(), count});
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = places[static_cast<size_t>(i)];
    for (int64_t axis = x.rank(); axis-- > 0;) {
      const int64_t size = x.shape()[static_cast<size_t>(axis)];
      out.as<int64_t>()[static_cast<size_t>(axis * count + i)] = rest % size;
      rest /= size;
    }
  }
  return std::move(out).finish();
}

Value run_dynamic_slice(const Call& call, const ValueTuple& args) {
  const Array& x = *args[0].array();
  const size_t rank = x.shape().size();
  std::vector<Window> windows;
  std::vector<int64_t> shape;
  for (size_t i = 1; i < 4; ++i)
    if (args[i].array()->count() != x.rank())
      fail("E0506", call.span,
           fmt::format("expected {} values, one for each axis, got {}", rank, args[i].array()->count()));
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = args[3].array()->as<int64_t>()[i];
    if (stride == 0) fail("E0919", call.span, "the stride of dynamic_strided_slice cannot be 0");
    windows.push_back(
        window_of(args[1].array()->as<int64_t>()[i], args[2].array()->as<int64_t>()[i], stride, x.shape()[i]));
    shape.push_back(windows.back().length);
  }
  ArrayBuilder out(x.dtype(), shape);
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies());
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = 0, step = 1;
    for (size_t axis = rank; axis-- > 0;) {
      const Window& w = windows[axis];
      from += (w.begin + rest % w.length * w.stride) * step;
      rest /= w.length;
      step *= x.shape()[axis];
    }
    copy_element(x.dtype(), out.data(), i, x.data(), from);
  }
  return std::move(out).finish();
}

}  // namespace sunmao
