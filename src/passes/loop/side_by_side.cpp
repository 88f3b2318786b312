#include "passes/loop/side_by_side.h"

#include <algorithm>

#include "ops/params.h"
#include "passes/loop/store_nest.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

using Buffers = std::vector<Ref<Buffer>>;

/// A kernel in its caller's symbols.
struct Parts {
  Buffers operands, outputs;
  std::vector<StoreNest> nests;  // all that it does; empty: something else
};

Parts parts_of(const KernelCall& call) {
  const Ref<PrimFunc> func = instantiate(call);
  Parts out;
  out.operands = func->buffers();
  out.outputs.assign(out.operands.begin() + std::ssize(call.inputs), out.operands.end());
  out.operands.resize(call.inputs.size());
  const std::optional<RootBody> root = read_root(*func);
  if (!root || !root->temps.empty() || root->stmts.size() != out.outputs.size()) return out;
  for (const Stmt& s : root->stmts) {
    std::optional<StoreNest> nest = read_store_nest(s);
    const bool is_plain = nest && nest->is_spatial() && !nest->predicate && !nest->init && covers_buffer(*nest) &&
                          nest->buffer->is_dense() && nest->buffer->dtype.stored_bits() % 8 == 0;
    const auto is_it = [&](const StoreNest& other) { return other.buffer == nest->buffer; };
    const bool is_output = nest && std::ranges::find(out.outputs, nest->buffer) != out.outputs.end();
    if (!is_plain || !is_output || std::ranges::any_of(out.nests, is_it)) return {};
    out.nests.push_back(std::move(*nest));
  }
  return out;
}

/// Compares places of elements, counted in row-major order, in the loops of a nest.
class Places {
 public:
  explicit Places(const StoreNest& nest) : nest_(nest) {
    for (size_t i = 0; i < nest.loops.size(); ++i) {
      analyzer_.assume(nest.loops[i], {0, std::max<int64_t>(analyzer_.range(nest.extents[i]).hi, 1) - 1});
      if (analyzer_.can_prove_equal(nest.extents[i], int_imm(1))) single_[nest.loops[i]] = int_imm(0);
    }
  }

  Scalar stored() { return number(*nest_.buffer, nest_.indices); }
  Scalar number(const Buffer& buffer, const std::vector<Scalar>& indices) {
    Scalar out = int_imm(0);
    for (size_t d = 0; d < indices.size(); ++d) out = out * buffer.shape[d] + indices[d];
    return analyzer_.simplify(substitute(out, single_));
  }
  /// Returns `a - b` when it is the same in all iterations; else null.
  Scalar distance(const Scalar& a, const Scalar& b) {
    const Scalar out = analyzer_.simplify(a - b);
    bool is_fixed = true;
    // A call may be a check of an index, which has to be made.
    visit_all(out, [&](const Scalar& s) { is_fixed &= !find<BufferLoad>(s) && !find<ScalarCall>(s); });
    for (const Ref<SymVar>& s : free_symbols(out)) is_fixed &= std::ranges::find(nest_.loops, s) == nest_.loops.end();
    return is_fixed ? out : nullptr;
  }
  bool are_equal(const Scalar& a, const Scalar& b) { return analyzer_.can_prove_equal(a, b); }

 private:
  const StoreNest& nest_;
  Analyzer analyzer_;
  Substitution single_;  // loops of one step
};

/// Returns the operand that a value loads from; as many as there are when it is another value.
size_t loaded_operand(const Scalar& value, const StoreNest& nest, const Buffers& operands) {
  const auto* load = find<BufferLoad>(value);
  const bool is_plain =
      load && !load->predicate && load->buffer->dtype == nest.buffer->dtype && load->buffer->is_dense();
  const auto found = is_plain ? std::ranges::find(operands, load->buffer) : operands.end();
  return static_cast<size_t>(found - operands.begin());
}

/// Returns the number of elements that the axis with this loop strides over; null when it is no index of the store.
Scalar stride_of(const Scalar& loop, const StoreNest& nest) {
  const auto axis = std::ranges::find(nest.indices, loop);
  if (axis == nest.indices.end()) return nullptr;
  Scalar out = int_imm(1);
  for (size_t d = static_cast<size_t>(axis - nest.indices.begin()) + 1; d < nest.indices.size(); ++d)
    out = out * nest.buffer->shape[d];
  return out;
}

}  // namespace

std::vector<OperandView> copied_views(const KernelCall& call) {
  const Parts parts = parts_of(call);
  std::vector<OperandView> views(parts.nests.size());
  for (const StoreNest& nest : parts.nests) {
    const size_t operand = loaded_operand(nest.value, nest, parts.operands);
    if (operand == parts.operands.size()) return {};
    Places places(nest);
    const Scalar from = places.number(*parts.operands[operand], find<BufferLoad>(nest.value)->indices);
    const Scalar begin = places.distance(from, places.stored());
    if (!begin) return {};
    const size_t output = static_cast<size_t>(std::ranges::find(parts.outputs, nest.buffer) - parts.outputs.begin());
    views[output] = {operand, Analyzer().simplify(begin * int_imm(nest.buffer->dtype.stored_bits() / 8))};
  }
  return views;
}

// The value is `if_then_else(i < end, operand[...], otherwise)`, where `otherwise` is of the same form or the last one.
std::vector<Scalar> joined_places(const KernelCall& call) {
  const Parts parts = parts_of(call);
  if (parts.nests.size() != 1 || parts.operands.size() < 2) return {};
  const StoreNest& nest = parts.nests[0];
  Places places(nest);
  const Scalar stored = places.stored();
  std::vector<Scalar> begins(parts.operands.size());
  Scalar end = int_imm(0);  // of the operands so far, in elements
  Scalar value = nest.value;
  for (size_t i = 0; i < parts.operands.size(); ++i) {
    const auto* choice = find<ScalarCall>(value);
    const bool is_last = i + 1 == parts.operands.size();
    if (is_last != !choice || (choice && choice->name != "if_then_else")) return {};
    const Scalar& part = choice ? choice->args[1] : value;
    const size_t operand = loaded_operand(part, nest, parts.operands);
    if (operand == parts.operands.size() || begins[operand]) return {};
    const Buffer& buffer = *parts.operands[operand];
    const Scalar begin = places.distance(stored, places.number(buffer, find<BufferLoad>(part)->indices));
    if (!begin || !places.are_equal(begin, end)) return {};
    begins[operand] = begin;
    end = end + product(buffer.shape);
    if (!choice) break;
    const auto* is_below = find<Binary>(choice->args[0]);
    const Scalar stride = is_below && is_below->op == BinaryOp::Lt ? stride_of(is_below->a, nest) : nullptr;
    if (!stride || !places.are_equal(is_below->b * stride, end)) return {};
    value = Scalar(choice->args[2]);
  }
  if (!places.are_equal(end, product(nest.buffer->shape))) return {};
  for (Scalar& begin : begins) begin = Analyzer().simplify(begin * int_imm(nest.buffer->dtype.stored_bits() / 8));
  return begins;
}

}  // namespace sunmao
