// What makes the tables of converters short: converters of a single call, and rows of ops that exist in several forms.
#pragma once
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/promotion.h"

namespace sunmao::torch {

/// The name of an op as a template argument.
template <size_t N>
struct OpName {
  char text[N];
  consteval OpName(const char (&name)[N]) { std::copy_n(name, N, text); }
};

/// Converts to a call of `op` on `self`, and on `self` as a float.
template <OpName op>
Results unary(const NodeContext& n) {
  return n.call(op.text, {n.tensor("self")});
}
template <OpName op>
Results float_unary(const NodeContext& n) {
  return n.call(op.text, {float_tensor(n, "self")});
}
/// Converts to a call of `op` on `self` and `other`, in the dtype that both have in common.
template <OpName op>
Results binary(const NodeContext& n) {
  return n.call(op.text, promoted(n, {"self", "other"}));
}
template <OpName op>
Results float_binary(const NodeContext& n) {
  return n.call(op.text, promoted_to_float(n, {"self", "other"}));
}
/// The same, but for the number on the right.
template <OpName op, bool to_float = false>
Results binary_beside_number(const NodeContext& n) {
  Sides sides = promoted_beside_number(n, to_float);
  return converted(n.builder, n.call(op.text, std::move(sides.values)), sides.result, n.span);
}

/// Returns `value` as a write to `self` leaves it: in the dtype and the shape of `self`.
Expr as_self(const NodeContext& n, const Expr& value);

/// Returns `value` in the shape that the exporter recorded, where inference does not find it by itself: PyTorch takes
/// sizes that only a run knows as 2 or more. A recorded size such as n - 2 is 0 where it would be less.
Expr as_recorded(const NodeContext& n, const Expr& value);

template <Convert convert>
Results into_self(const NodeContext& n) {
  Results results = convert(n);
  results.values[0] = as_self(n, results.values[0]);
  return results;
}

/// Adds the rows of an op and of its form that writes the result into `self`.
template <Convert convert>
void add_pair(std::vector<Converter>& rows, const char* target, const char* in_place, const char* becomes,
              const char* restriction = "") {
  rows.push_back({target, convert, becomes, restriction});
  rows.push_back({in_place, into_self<convert>, becomes, restriction, Alias::InPlace});
}

}  // namespace sunmao::torch
