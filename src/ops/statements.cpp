#include "ops/statements.h"

namespace sunmao {

Scalar stands_before(const Scalar& a, const Scalar& b, bool descending) {
  Scalar smaller = descending ? less(b, a) : less(a, b);
  if (!a->dtype.is_float()) return smaller;
  Scalar a_is_nan = Binary::make(BinaryOp::Ne, a, a), b_is_nan = Binary::make(BinaryOp::Ne, b, b);
  Scalar by_nan = descending ? both(a_is_nan, Not::make(b_is_nan)) : both(b_is_nan, Not::make(a_is_nan));
  return Binary::make(BinaryOp::Or, smaller, by_nan);
}

PlacesInOrder::PlacesInOrder(Scalar count)
    : count_(as_index(count)), order_(Buffer::make("order", DType::int_(32), {int_imm(2), count_})),
      left_("left", DType::int_(64)), right_("right", DType::int_(64)), width_("width", DType::int_(64)) {}

Stmt PlacesInOrder::take(const Cell& from, const Scalar& to) const {
  return in_order(
      {store(order_, {int_imm(1), to}, load(order_, {int_imm(0), from.get()})), from.set(from.get() + int_imm(1))});
}

Stmt PlacesInOrder::sort(const std::function<Scalar(const Scalar& a, const Scalar& b)>& before) const {
  return merge_runs([&](const Scalar& middle, const Scalar& high, const Scalar& to) {
    Scalar right_first = before(place(right_.get()), place(left_.get()));
    Scalar keeps = or_else(at_least(right_.get(), high), Not::make(right_first));
    return when(and_then(less(left_.get(), middle), keeps), take(left_, to), take(right_, to));
  });
}

Stmt PlacesInOrder::sort(const std::function<Stmt(const Scalar& a, const Scalar& b)>& compare,
                         const Scalar& is_before) const {
  return merge_runs([&](const Scalar& middle, const Scalar& high, const Scalar& to) {
    const Scalar has_left = less(left_.get(), middle), has_right = less(right_.get(), high);
    Stmt smaller = in_order(
        {compare(place(right_.get()), place(left_.get())), when(is_before, take(right_, to), take(left_, to))});
    return when(both(has_left, has_right), smaller, when(has_left, take(left_, to), take(right_, to)));
  });
}

Stmt PlacesInOrder::select(int64_t few, const std::function<Scalar(const Scalar& a, const Scalar& b)>& before) const {
  const Scalar zero = int_imm(0), one = int_imm(1), last = int_imm(few - 1), to = left_.get();
  return repeat("t", count_, [&](const Scalar& t) {
    const auto put = [&](const Scalar& at, const Scalar& what) { return store(order_, {zero, at}, what); };
    Stmt shift = While::make(and_then(less(zero, to), before(t, place(to - one))),
                             in_order({put(to, place(to - one)), left_.set(to - one)}));
    return when(or_else(at_most(t, last), before(t, place(last))),
                in_order({left_.set(min(t, last)), shift, put(to, t)}));
  });
}

// Bottom-up merge sort: sorted runs of `width` places are merged in pairs until one run is left. `step` puts the first
// of the places that are left of a pair at `to`.
Stmt PlacesInOrder::merge_runs(
    const std::function<Stmt(const Scalar& middle, const Scalar& high, const Scalar& to)>& step) const {
  const Scalar zero = int_imm(0), one = int_imm(1), two = int_imm(2), width = width_.get();
  auto merge = [&](const Scalar& low, const Scalar& middle, const Scalar& high) {
    return in_order({left_.set(low), right_.set(middle),
                     repeat("t", high - low, [&](const Scalar& t) { return step(middle, high, low + t); })});
  };
  Scalar pairs = floor_div(count_ + two * width - one, two * width);
  Stmt round =
      in_order({repeat("pair", pairs,
                       [&](const Scalar& pair) {
                         return let("low", pair * two * width, [&](const Scalar& low) {
                           return let("middle", min(low + width, count_), [&](const Scalar& middle) {
                             return let("high", min(low + two * width, count_),
                                        [&](const Scalar& high) { return merge(low, middle, high); });
                           });
                         });
                       }),
                repeat("t", count_, [&](const Scalar& t) { return store(order_, {zero, t}, load(order_, {one, t})); }),
                width_.set(width * two)});
  return in_order({repeat("t", count_, [&](const Scalar& t) { return store(order_, {zero, t}, t); }), width_.set(one),
                   While::make(less(width, count_), round)});
}

}  // namespace sunmao
