#include "passes/schedule/row/attention_operands.h"

#include <numeric>

#include "loop/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/words.h"
#include "passes/schedule/map/schedule_elementwise.h"

namespace sunmao {
namespace {

constexpr int64_t kElementsAtOnce = 16;

// True when memory holds the same element of several keys side by side.
bool has_keys_side_by_side(const Attention& a) {
  bool holds = true, reads = false;
  for_each_load(a.key_element, [&](const BufferLoad& l) {
    if (l.indices.empty()) return;  // a factor
    const bool moves = uses(l.indices.back(), *a.key.var), turns = uses(l.indices.back(), *a.width.var);
    holds = holds && !turns;
    reads = reads || moves;
  });
  return holds && reads;
}

std::vector<int64_t> key_sizes(const Attention& a, const AttentionBlocks& b) {
  if (has_keys_side_by_side(a)) return {b.keys / b.rows, b.steps, b.rows};
  return {b.keys, b.steps};
}

bool can_be_viewed(const Scalar& s) {
  const auto* l = find<BufferLoad>(s);
  return l && l->dtype.lanes == 1 && !l->predicate && l->buffer->is_dense() && l->buffer->data &&
         !l->buffer->elem_offset;
}

DType element_type(const Attention& a, const AttentionBlocks& b) {
  return b.has_words ? DType::uint(32) : a.product->dtype;
}

}  // namespace

AttentionOperands::AttentionOperands(const Attention& a, const AttentionBlocks& b, const Target& target,
                                     BufferViews& views)
    : rows(as_index(a.row.extent)), keys(as_index(a.key.extent)),
      queries(local_buffer("queries", element_type(a, b), {b.panels, b.steps, b.panel})),
      key_block(local_buffer("key_block", element_type(a, b), key_sizes(a, b))),
      value_block(
          local_buffer("value_block", element_type(a, b), {b.has_words ? b.keys / kHalvesOfWord : b.keys, b.wide})),
      a_(a), b_(b), target_(target), views_(views) {}

Scalar AttentionOperands::half(const Scalar& x) const {
  if (can_be_viewed(x)) return half_of(*find<BufferLoad>(x), views_);
  return Cast::make(DType::uint(32), ScalarCall::make("reinterpret", DType::uint(16), {x}));
}

Scalar AttentionOperands::element_of(const Scalar& operand, const Scalar& number) const {
  if (!b_.has_words) return substitute(operand, {{a_.width.var, as_type_of(a_.width.var, number)}});
  const Bundle pair{kHalvesOfWord, SymVar::make("half", a_.width.var->dtype)};
  const Scalar first = as_type_of(a_.width.var, product(number, int_imm(kHalvesOfWord)));
  const auto element = [&](const Scalar& rest) {
    return substitute(find<Cast>(operand)->value, {{a_.width.var, rest}});
  };
  if (can_be_viewed(find<Cast>(operand)->value)) return as_word(pair, element(first + pair.rest), views_);
  return word_of_halves(half(element(first)), half(element(first + IntImm::make(first->dtype, 1))));
}

Stmt AttentionOperands::copy_queries(const Scalar& first_row, const Scalar& panels) const {
  const int64_t* all = find_int(rows);
  return serial_loop("p", panels, [&](const Scalar& p) {
    const Scalar first = sum(first_row, product(p, int_imm(b_.panel)));
    // A panel of few queries uses one vector of them.
    const Scalar count = all ? int_imm(*all <= b_.lanes ? b_.lanes : b_.panel)
                             : Select::make(compare(BinaryOp::Le, rows - first, int_imm(b_.lanes)), int_imm(b_.lanes),
                                            int_imm(b_.panel));
    return serial_loop("q", count, [&](const Scalar& q) {
      const Scalar row = at_most(sum(first, q), rows, b_.panels * b_.panel);
      return serial_loop("d", int_imm(b_.steps), [&](const Scalar& d) {
        return BufferStore::make(queries, at(element_of(a_.query, d), row, nullptr), {p, d, q});
      });
    });
  });
}

/// A copy of `count` rows of memory, where element(row, column) has `columns` columns.
Stmt AttentionOperands::copy(const Ref<Buffer>& to, const Scalar& count, const Attention::Loop& columns,
                             const std::function<Scalar(const Scalar& row)>& element) const {
  const Ref<SymVar> row = SymVar::make("k");
  const StoreNest nest{.loops = {row, columns.var},
                       .extents = {count, columns.extent},
                       .kinds = {IterKind::Spatial, IterKind::Spatial},
                       .predicate = {},
                       .buffer = to,
                       .indices = {row, as_index(columns.var)},
                       .value = element(row),
                       .init = {},
                       .name = to->name};
  return serial_elementwise(nest, target_);
}

Stmt AttentionOperands::copy_keys(const Keys& block) const {
  if (key_block->shape.size() == 3) return copy_key_tiles(block);
  const Scalar count = product(ceil_div(block.count, b_.rows), int_imm(b_.rows));
  const Attention::Loop steps{SymVar::make("d"), int_imm(b_.steps)};
  return copy(key_block, count, steps, [&](const Scalar& k) {
    return at(element_of(a_.key_element, steps.var), nullptr, at_most(sum(block.first, k), keys, b_.rows));
  });
}

/// A tile holds its keys side by side, as memory does. Few elements at a time: those of a key may lie pages apart.
Stmt AttentionOperands::copy_key_tiles(const Keys& block) const {
  const int64_t step = std::gcd(b_.steps, kElementsAtOnce);
  return serial_loop("group", int_imm(b_.steps / step), [&](const Scalar& group) {
    return serial_loop("t", ceil_div(block.count, b_.rows), [&](const Scalar& t) {
      return serial_loop("d", int_imm(step), [&](const Scalar& d) {
        return copy_key_lane(block, t, sum(product(group, int_imm(step)), d));
      });
    });
  });
}

Stmt AttentionOperands::copy_key_lane(const Keys& block, const Scalar& t, const Scalar& d) const {
  const Scalar tile = product(t, int_imm(b_.rows)), first = sum(block.first, tile);
  const Scalar element = element_of(a_.key_element, d);
  const auto store = [&](const Scalar& r, const Scalar& key) {
    return BufferStore::make(key_block, at(element, nullptr, key), {t, d, r});
  };
  const Stmt whole = vector_loop("r", b_.rows, [&](const Scalar& r) { return store(r, sum(first, r)); });
  if (has_full_tiles()) return whole;
  const Stmt part = serial_loop("r", int_imm(b_.rows),
                                [&](const Scalar& r) { return store(r, min(sum(first, r), keys - int_imm(1))); });
  return IfThenElse::make(compare(BinaryOp::Le, sum(tile, int_imm(b_.rows)), block.count), whole, part);
}

/// Behind the last key stands 0: a weight of 0 and a value that is infinite would add NaN.
Scalar AttentionOperands::pair_of_values(const Keys& block, const Scalar& pair) const {
  const auto of_key = [&](const Scalar& key) {
    return half(at(find<Cast>(a_.value)->value, nullptr, sum(block.first, key)));
  };
  const Scalar low = product(pair, int_imm(kHalvesOfWord)), high = sum(low, int_imm(1));
  const int64_t* count = find_int(block.count);
  if (count && *count % kHalvesOfWord == 0) return word_of_halves(of_key(low), of_key(high));
  const DType word = DType::uint(32);
  const Scalar there = ScalarCall::make(
      "if_then_else", word, {compare(BinaryOp::Lt, high, block.count), of_key(high), IntImm::make(word, 0)});
  return word_of_halves(of_key(low), there);
}

Stmt AttentionOperands::copy_values(const Keys& block) const {
  if (b_.has_words)
    return copy(value_block, ceil_div(block.count, kHalvesOfWord), a_.column,
                [&](const Scalar& pair) { return pair_of_values(block, pair); });
  return copy(value_block, block.count, a_.column,
              [&](const Scalar& k) { return at(a_.value, nullptr, sum(block.first, k)); });
}

Scalar AttentionOperands::key_of(const Scalar& tile, const Scalar& r, const Scalar& d) const {
  if (key_block->shape.size() == 3) return load(key_block, {tile, d, r});
  return load(key_block, {sum(product(tile, int_imm(b_.rows)), r), d});
}

Scalar AttentionOperands::at(const Scalar& element, const Scalar& row, const Scalar& key) const {
  Substitution map;
  if (row) map[a_.row.var] = as_type_of(a_.row.var, row);
  if (key) map[a_.key.var] = as_type_of(a_.key.var, key);
  return substitute(element, map);
}

Scalar AttentionOperands::at_most(const Scalar& index, const Scalar& count, int64_t step) {
  const int64_t* n = find_int(count);
  return n && *n % step == 0 ? index : min(index, count - int_imm(1));
}

bool AttentionOperands::has_full_tiles() const {
  const int64_t* count = find_int(keys);
  return count && *count % b_.rows == 0;
}

Ref<Buffer> local_buffer(const std::string& name, DType dtype, const std::vector<int64_t>& sizes) {
  std::vector<Scalar> shape;
  for (int64_t n : sizes) shape.push_back(int_imm(n));
  return Buffer::make(name, dtype, std::move(shape), {.scope = "local"});
}

}  // namespace sunmao
