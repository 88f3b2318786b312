#include "passes/schedule/row/attention_operands.h"

#include <numeric>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
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
  if (has_keys_side_by_side(a)) return {b.keys / b.rows, b.width, b.rows};
  return {b.keys, b.width};
}

}  // namespace

AttentionOperands::AttentionOperands(const Attention& a, const AttentionBlocks& b, const Target& target)
    : rows(as_index(a.row.extent)), keys(as_index(a.key.extent)),
      queries(local_buffer("queries", a.product->dtype, {b.panels, b.width, b.panel})),
      key_block(local_buffer("key_block", a.product->dtype, key_sizes(a, b))),
      value_block(local_buffer("value_block", a.product->dtype, {b.keys, b.wide})), a_(a), b_(b), target_(target) {}

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
      return serial_loop("d", int_imm(b_.width), [&](const Scalar& d) {
        const Scalar element = substitute(a_.query, {{a_.width.var, as_type_of(a_.width.var, d)}});
        return BufferStore::make(queries, at(element, row, nullptr), {p, d, q});
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
  return copy(key_block, count, a_.width, [&](const Scalar& k) {
    return at(a_.key_element, nullptr, at_most(sum(block.first, k), keys, b_.rows));
  });
}

/// A tile holds its keys side by side, as memory does. Few elements at a time: those of a key may lie pages apart.
Stmt AttentionOperands::copy_key_tiles(const Keys& block) const {
  const int64_t step = std::gcd(b_.width, kElementsAtOnce);
  return serial_loop("group", int_imm(b_.width / step), [&](const Scalar& group) {
    return serial_loop("t", ceil_div(block.count, b_.rows), [&](const Scalar& t) {
      return serial_loop("d", int_imm(step), [&](const Scalar& d) {
        return copy_key_lane(block, t, sum(product(group, int_imm(step)), d));
      });
    });
  });
}

Stmt AttentionOperands::copy_key_lane(const Keys& block, const Scalar& t, const Scalar& d) const {
  const Scalar tile = product(t, int_imm(b_.rows)), first = sum(block.first, tile);
  const Scalar element = substitute(a_.key_element, {{a_.width.var, as_type_of(a_.width.var, d)}});
  const auto store = [&](const Scalar& r, const Scalar& key) {
    return BufferStore::make(key_block, at(element, nullptr, key), {t, d, r});
  };
  const Stmt whole = vector_loop("r", b_.rows, [&](const Scalar& r) { return store(r, sum(first, r)); });
  if (has_full_tiles()) return whole;
  const Stmt part = serial_loop("r", int_imm(b_.rows),
                                [&](const Scalar& r) { return store(r, min(sum(first, r), keys - int_imm(1))); });
  return IfThenElse::make(compare(BinaryOp::Le, sum(tile, int_imm(b_.rows)), block.count), whole, part);
}

Stmt AttentionOperands::copy_values(const Keys& block) const {
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
