#include "frontend/onnx/stacks.h"

#include <algorithm>

#include "frontend/onnx/compose.h"
#include "ir/walk.h"
#include "sym/walk.h"

namespace sunmao::onnx {
namespace {

/// Throws when an iteration decides a size of what it gives: the stack of no row would have no type.
void check_row(const TensorType& row, const std::vector<Ref<BindingBlock>>& body) {
  std::unordered_set<Ref<SymVar>> own;
  for (const Ref<BindingBlock>& block : body)
    for (const Binding& b : block->bindings)
      if (b.is_match_cast())
        for (const Ref<SymVar>& s : defined_symbols(b.cast_type)) own.insert(s);
  for (const Scalar& d : *row.dims())
    for (const Ref<SymVar>& s : free_symbols(d))
      if (own.contains(s)) throw UnsupportedUse{"that stacks results whose sizes data decides in each iteration"};
}

/// Returns the types of the rows of the first step, which is read for this alone.
std::vector<Type> types_of_rows(const NodeContext& n, const std::vector<Expr>& start, const ReadStep& step) {
  ModelBuilder::Moment before = n.builder.now();
  ModelBuilder::Body body(n.builder);
  std::vector<Expr> carried;
  for (const Expr& e : start) carried.push_back(Var::make(n.builder.fresh_name("carried"), e->type, n.span));
  const std::vector<Expr> given = step(carried);
  std::vector<Type> types;
  for (size_t i = start.size(); i < given.size(); ++i) {
    sizes_of(given[i]);
    check_row(*find<TensorType>(given[i]->type), body.blocks());
    types.push_back(given[i]->type);
  }
  body.close();
  n.builder.forget_since(std::move(before));
  return types;
}

Expr stack_of(const NodeContext& n, const Scalar& rows, const Type& row) {
  const auto* tensor = find<TensorType>(row);
  std::vector<Scalar> dims = *tensor->dims();
  dims.insert(dims.begin(), rows);
  return n.call("full", {ShapeExpr::make(std::move(dims), n.span), n.constant(tensor->dtype, 0)});
}

/// Lets a run check that the row has the sizes of those before.
Expr like_others(const NodeContext& n, const Expr& row, const Expr& stack) {
  const std::vector<Scalar>& others = sizes_of(stack);
  const std::vector<Scalar> wanted(others.begin() + 1, others.end()), own = sizes_of(row);
  if (own.size() != wanted.size()) throw UnsupportedUse{"that stacks results of different ranks"};
  bool is_same = true;
  for (size_t d = 0; d < own.size(); ++d) {
    if (n.builder.can_prove(Binary::make(BinaryOp::Eq, own[d], wanted[d]))) continue;
    if (find_int(own[d]) && find_int(wanted[d])) throw UnsupportedUse{"that stacks results of different sizes"};
    is_same = false;
  }
  return is_same ? row : n.builder.checked(n.builder.bind(row, "row"), TensorType::make(wanted, dtype_of(row)));
}

Expr pushed(const NodeContext& n, const Expr& stack, const Expr& row, const Stack& form) {
  std::vector<Expr> parts{stack, with_axes(n.builder, like_others(n, row, stack), {0}, n.span)};
  if (form.is_backward) std::ranges::reverse(parts);
  return joined(n, std::move(parts), 0);
}

/// Returns a stack of known length with the row of step `count` in its place. update-in-place writes it there.
Expr placed(const NodeContext& n, const Expr& stack, const Expr& row, const Expr& count, const Stack& form) {
  const Expr length = tensor_of(n.builder, {sizes_of(stack)[0]}, false, n.span);
  const Expr place = form.is_backward ? binary(n, "subtract", binary(n, "subtract", length, 1), count) : count;
  return n.call("scatter_nd", {stack, with_axes(n.builder, place, {0}, n.span), like_others(n, row, stack)});
}

/// Moves the first axis to its place.
Expr in_place(const NodeContext& n, const Expr& stack, const Stack& form) {
  const int64_t rank = rank_of(stack), place = axis_of(n, form.axis, rank);
  std::vector<int64_t> order = axes_between(1, rank);
  order.insert(order.begin() + place, 0);
  return permuted(n.builder, stack, order, n.span);
}

}  // namespace

std::vector<Expr> stacking_loop(const NodeContext& n, std::vector<Expr> start, const ReadStep& goes_on,
                                const ReadStep& step, const std::vector<Stack>& stacks, const Scalar& length,
                                const std::string& name) {
  const auto own = static_cast<std::ptrdiff_t>(start.size());
  const bool is_counted = length && !stacks.empty();  // a stack of known length is there from the start
  SizesAtEnd sizes(start.size());
  if (!stacks.empty()) {
    const Scalar rows = length ? length : Scalar(n.builder.new_size(name + "_length"));
    for (const Type& row : types_of_rows(n, start, step)) {
      start.push_back(stack_of(n, length ? length : int_imm(0), row));
      sizes.push_back(sizes_of(start.back()));
      sizes.back()[0] = rows;
    }
  }
  if (is_counted) {
    start.push_back(integer_constant(DType::int_(64), 0, n.span));
    sizes.emplace_back();
  }
  const auto without_stacks = [own](const std::vector<Expr>& all) {
    return std::vector(all.begin(), all.begin() + own);
  };
  const auto goes_on_with = [&](const std::vector<Expr>& carried) { return goes_on(without_stacks(carried)); };
  const auto step_with = [&](const std::vector<Expr>& carried) {
    const std::vector<Expr> given = step(without_stacks(carried));
    std::vector<Expr> next = without_stacks(given);
    for (size_t i = next.size(); i < given.size(); ++i) {
      const Stack& form = stacks[i - static_cast<size_t>(own)];
      next.push_back(is_counted ? placed(n, carried[i], given[i], carried.back(), form)
                                : pushed(n, carried[i], given[i], form));
    }
    if (is_counted) next.push_back(binary(n, "add", carried.back(), 1));
    return next;
  };
  std::vector<Expr> end = loop(n.builder, start, goes_on_with, step_with, name, n.span, sizes);
  if (is_counted) end.pop_back();
  for (size_t i = 0; i < stacks.size(); ++i) {
    Expr& stack = end[static_cast<size_t>(own) + i];
    stack = in_place(n, stack, stacks[i]);
  }
  return end;
}

}  // namespace sunmao::onnx
