#include "passes/schedule/row/schedule_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/vector_axis.h"
#include "passes/schedule/map/schedule_elementwise.h"
#include "passes/schedule/plan_writer.h"
#include "passes/schedule/row/attention.h"
#include "passes/schedule/row/attention_blocks.h"
#include "passes/schedule/row/bounded_exps.h"
#include "passes/schedule/row/quotients.h"
#include "passes/schedule/row/rows.h"
#include "passes/schedule/row/rows_in_registers.h"
#include "passes/schedule/row/schedule_reduction.h"
#include "passes/schedule/row/write_attention.h"

namespace sunmao {
namespace {

/// Returns the hint, on the way of the last reduction of a group, that the same elements of a row ahead will be read,
/// where the first statement passes over them: later ones find a row in the cache, and compute more.
std::function<Stmt(const Scalar& at)> next_row(const RowGroup& group, const StoreNest& last, int64_t ahead) {
  constexpr int64_t kLong = 256;  // elements: what is shorter, processors fetch of themselves
  const StoreNest& first = group.nests[0];
  const int64_t* size = find_int(last.extents.back());
  if (first.is_spatial() || first.loops.size() != 1 || last.loops.size() != 1 || (size && *size < kLong) ||
      !structural_equal(first.extents[0], last.extents[0]))
    return {};
  const Ref<SymVar>&row = group.rows.back(), &loop = first.loops[0];
  const Scalar last_row = compare(BinaryOp::Sub, as_index(group.extents.back()), int_imm(1)),
               next = min(sum(as_index(row), int_imm(ahead)), last_row);
  std::vector<Stmt> hints;
  for_each_load(first.value, [&](const BufferLoad& l) {
    const bool is_along = !l.indices.empty() && l.indices.back().get() == loop.get();
    const bool moves = std::ranges::any_of(l.indices, [&](const Scalar& i) { return uses(i, *row); });
    if (!is_along || !moves || l.dtype.bits < 8) return;  // a part of a byte has no address
    std::vector<Scalar> there;
    for (const Scalar& i : l.indices) there.push_back(substitute(i, {{row, as_type_of(row, next)}}));
    hints.push_back(prefetch(l.buffer, there));
  });
  if (hints.empty()) return {};
  return [all = Seq::make(std::move(hints)), loop](const Scalar& at) {
    return substitute(all, {{loop, as_type_of(loop, at)}});
  };
}

/// Returns the statements of a row, which pass over it one after the other; nothing when one of them has no vector
/// form: then none is taken, though a shorter group might have one.
std::vector<Stmt> row_in_passes(const RowGroup& group, const Target& target, int64_t at_once) {
  size_t last = group.nests.size();
  while (last-- > 0 && group.nests[last].is_spatial()) {
  }
  const auto reduction = [&](size_t i, const StoreNest* made) {
    return serial_reduction(group.nests[i], target,
                            {made, i == last && i > 0 ? next_row(group, group.nests[i], at_once) : nullptr});
  };
  const auto elementwise = [&](const StoreNest& nest) { return serial_elementwise(nest, target); };
  std::vector<Stmt> steps;
  for (size_t i = 0; i < group.nests.size(); ++i) {
    const StoreNest& nest = group.nests[i];
    const bool may_be_kept = nest.is_spatial() && i + 1 < group.nests.size() && !group.nests[i + 1].is_spatial();
    if (Stmt both = may_be_kept ? reduction(i + 1, &nest) : nullptr) {
      steps.push_back(std::move(both));
      ++i;
      continue;
    }
    steps.push_back(nest.is_spatial() ? with_reciprocals({nest}, elementwise) : reduction(i, nullptr));
    if (!steps.back()) return {};
  }
  return steps;
}

/// Returns the group with buffers of its own.
RowGroup with_own_buffers(RowGroup group) {
  BufferMap own;
  for (Ref<Buffer>& b : group.local) b = own[b] = Buffer::make(b->name, b->dtype, b->shape, {.scope = b->scope});
  for (StoreNest& nest : group.nests) {
    if (const auto to = own.find(nest.buffer); to != own.end()) nest.buffer = to->second;
    nest.value = substitute(nest.value, {}, own);
  }
  return group;
}

/// Returns 2 where two rows at a time pay: one computes while the other waits for its maximum or sum. Two must fit the
/// nearest cache, and all of them the farthest: from memory they arrive more slowly in two streams.
int64_t rows_at_once(const RowGroup& group, const Machine& machine) {
  const Scalar count = count_of_rows(group);
  const int64_t *rows = find_int(count), *size = find_int(group.row_size);
  if (!rows || !size || *rows % 2 != 0) return 1;
  const double row_bytes = static_cast<double>(*size) * static_cast<double>(group.nests.front().buffer->dtype.bytes());
  const bool fit = 2 * row_bytes <= static_cast<double>(machine.l1_bytes) &&
                   static_cast<double>(*rows) * row_bytes <= static_cast<double>(machine.l3_bytes);
  return fit ? 2 : 1;
}

/// Returns the statements of a group in one loop over its rows, which pass over `at_once` rows together; null when they
/// have no vector form.
Stmt passes_over_rows(const RowGroup& group, const Target& target, int64_t at_once) {
  const Ref<SymVar> number = SymVar::make("row");
  std::vector<std::vector<Stmt>> steps;
  std::vector<Ref<Buffer>> local;
  for (int64_t r = 0; r < at_once; ++r) {
    const RowGroup own = with_own_buffers(group);
    const Substitution place = place_of_row(group, sum(product(number, int_imm(at_once)), int_imm(r)));
    steps.push_back(row_in_passes(own, target, at_once));
    for (Stmt& s : steps.back()) s = substitute(s, place);
    local.insert(local.end(), own.local.begin(), own.local.end());
  }
  if (steps[0].empty()) return nullptr;
  std::vector<Stmt> all;
  for (size_t i = 0; i < steps[0].size(); ++i)
    for (const std::vector<Stmt>& row : steps) all.push_back(row[i]);
  Stmt body = Seq::make(std::move(all));
  for (const Ref<Buffer>& b : local) body = AllocBuffer::make(b, body);
  return chunked_loop(number, compare(BinaryOp::FloorDiv, count_of_rows(group), int_imm(at_once)),
                      product(group.row_size, int_imm(at_once)), body);
}

Stmt in_one_loop(const RowGroup& group, const Target& target) {
  if (Stmt registers = rows_in_registers(group, target)) return registers;
  return passes_over_rows(group, target, rows_at_once(group, target.machine));
}

/// Rows in registers, and passes over one row or two; first what `in_one_loop` takes.
std::vector<PlanWriter> plans_of_rows(const RowGroup& group, size_t count, const Target& target) {
  std::vector<PlanWriter> out;
  const auto add = [&](const char* way, int64_t at_once, auto write) {
    add_plan(out, {fmt::format("{} {}", way, at_once), [write, count] {
                     Stmt loops = write();
                     return loops ? std::optional(WrittenGroup{std::move(loops), count}) : std::nullopt;
                   }});
  };
  const auto in_registers = [&](int64_t n) {
    add("rows in registers", n, [&group, &target, n] { return rows_in_registers(group, target, n); });
  };
  const auto in_passes = [&](int64_t n) {
    add("rows in passes", n, [&group, &target, n] { return passes_over_rows(group, target, n); });
  };
  const int64_t fitting = rows_that_fit_registers(group, target);
  const Scalar count_all = count_of_rows(group);
  const int64_t* rows = find_int(count_all);
  if (fitting > 0)
    for (const int64_t n : {fitting, int64_t{1}, int64_t{2}}) in_registers(n);
  if (row_in_passes(group, target, 1).empty()) return out;
  in_passes(rows_at_once(group, target.machine));
  in_passes(1);
  if (rows && *rows % 2 == 0) in_passes(2);
  return out;
}

/// Blocks of fewer and of more keys, and tasks of fewer and of more queries.
std::vector<PlanWriter> plans_of_attention(const Attention& a, const Target& target) {
  std::vector<PlanWriter> out;
  const AttentionBlocks first = choose_blocks(a, target);
  const auto add = [&](const BlocksWish& wish) {
    AttentionBlocks blocks = choose_blocks(a, target, wish);
    add_plan(out, {fmt::format("keys {} queries {}", blocks.keys, blocks.panels * blocks.panel),
                   [&a, &target, blocks] { return WrittenGroup{write_attention(a, blocks, target), a.count}; }});
  };
  add({});
  for (const int64_t keys : {first.keys / 2, first.keys * 2, first.keys / 4})
    if (keys > 0) add({.keys = keys});
  for (const int64_t panels : {first.panels / 2, first.panels * 2, int64_t{1}})
    if (panels > 0) add({.panels = panels});
  return out;
}

std::optional<StatementGroup> recognise_attention_group(const PrimFunc& func, const RootBody& root, size_t first) {
  std::optional<Attention> a = read_attention(func, root, first);
  if (!a || !suits_blocks(*a)) return std::nullopt;
  const size_t count = a->count;
  return StatementGroup{first, count, *std::move(a)};
}

std::optional<WrittenGroup> write_attention_group(const GroupInKernel& at, const Target& target,
                                                  const std::string& plan) {
  const auto& a = std::get<Attention>(at.group.form);
  if (!plan.empty()) return write_plan(plans_of_attention(a, target), plan);
  return WrittenGroup{write_attention(a, choose_blocks(a, target), target), at.group.count};
}

std::vector<std::string> attention_plans(const GroupInKernel& at, const Target& target) {
  return texts_of(plans_of_attention(std::get<Attention>(at.group.form), target));
}

std::optional<StatementGroup> recognise_rows(const PrimFunc& func, const RootBody& root, size_t first) {
  std::optional<RowGroup> rows = read_rows(func, root, first);
  if (!rows) return std::nullopt;
  const size_t count = rows->count;
  const bool is_certain = std::ranges::all_of(rows->nests, [](const StoreNest& nest) {
    const std::optional<Reduction> r = nest.is_spatial() ? std::nullopt : read_reduction(nest);
    return nest.is_spatial() || (r && vector_loop_of(*r, kFewestLanes));
  });
  return StatementGroup{first, count, *std::move(rows), is_certain};
}

std::optional<WrittenGroup> write_rows(const GroupInKernel& at, const Target& target, const std::string& plan) {
  const RowGroup rows = with_bounded_exps(std::get<RowGroup>(at.group.form), target);
  if (!plan.empty()) return write_plan(plans_of_rows(rows, at.group.count, target), plan);
  Stmt loops = in_one_loop(rows, target);
  return loops ? std::optional(WrittenGroup{std::move(loops), at.group.count}) : std::nullopt;
}

std::vector<std::string> row_plans(const GroupInKernel& at, const Target& target) {
  const RowGroup rows = with_bounded_exps(std::get<RowGroup>(at.group.form), target);
  return texts_of(plans_of_rows(rows, at.group.count, target));
}

}  // namespace

const Family kAttentionFamily{true, recognise_attention_group, write_attention_group, attention_plans};
const Family kRowFamily{true, recognise_rows, write_rows, row_plans};

}  // namespace sunmao
