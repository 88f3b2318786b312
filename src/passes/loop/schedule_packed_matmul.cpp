#include "passes/loop/schedule_packed_matmul.h"

#include <algorithm>

#include <functional>

#include "loop/builder.h"
#include "passes/loop/loop_writing.h"
#include "passes/loop/matmul_tile_writer.h"
#include "passes/loop/packed_matmul.h"

namespace sunmao {
namespace {

// Multiply-adds below which waking a thread costs more than it saves: about 5 microseconds of one core.
constexpr int64_t kWorthThreads = 1 << 18;

class MatmulScheduler {
 public:
  MatmulScheduler(const PackedMatmul& matmul, const Target& target)
      : mm_(matmul), blocks_(choose_blocks(matmul, target)), writer_(mm_, blocks_.lanes) {}

  /// Emits variants of the kernel for different numbers of rows, which are selected at run time; a single variant if
  /// the number of rows is known.
  Stmt run() const {
    const int64_t* rows = find_int(mm_.m);
    Stmt out;
    for (int64_t height : {int64_t{1}, int64_t{2}, int64_t{4}, int64_t{8}, int64_t{blocks_.mr}}) {
      if (height > blocks_.mr || (height == 8 && blocks_.mr == 8)) continue;
      if (rows && *rows < std::max<int64_t>(height, 1)) break;
      Stmt variant = height < blocks_.mr ? few_rows(height) : many_rows();
      // The smallest variant needs at least one row; a matrix without rows needs no computation.
      const Scalar has_rows = compare(BinaryOp::Ge, mm_.m, int_imm(height));
      out = rows ? variant : IfThenElse::make(has_rows, variant, out);
    }
    return out ? out : Evaluate::make(int_imm(0));
  }

 private:
  Scalar worth_threads() const {
    return compare(BinaryOp::Ge, product(product(mm_.m, mm_.n), mm_.k), int_imm(kWorthThreads));
  }

  // Emits body(panel) for each weight panel of a task; a task processes a group of consecutive panels.
  Stmt for_panels(const Scalar& group, int64_t group_size, const LoopBody& body) const {
    const Scalar first = product(group, int_imm(group_size));
    const int64_t* panels = find_int(mm_.panels);
    const bool is_even = panels && *panels % group_size == 0;
    const Scalar count = is_even ? int_imm(group_size) : min(int_imm(group_size), mm_.panels - first);
    return serial_loop("panel", count, [&](const Scalar& p) { return body(sum(first, p)); });
  }

  // Returns the first row of a tile. When `height` does not divide the number of rows, the last tile starts earlier, so
  // that it is full and overlaps the tile before; the overlapping rows are computed twice, with equal results.
  Scalar overlapping_row(const Scalar& tile, int64_t height) const {
    const int64_t* rows = find_int(mm_.m);
    const Scalar row = product(tile, int_imm(height));
    return rows && *rows % height == 0 ? row : min(row, mm_.m - int_imm(height));
  }

  Stmt few_rows(int64_t height) const {
    // With few rows, each weight is used only `height` times, so a task processes at most two panels.
    const int64_t group = std::min<int64_t>(2, blocks_.panel_group);
    return parallel_loop("group", ceil_div(mm_.panels, group), worth_threads(), [&](const Scalar& g) {
      return for_panels(g, group, [&](const Scalar& panel) {
        return serial_loop("tile", ceil_div(mm_.m, height),
                           [&](const Scalar& t) { return writer_.whole({height, overlapping_row(t, height), panel}); });
      });
    });
  }

  // Emits the parallel loops over tasks; a task is one block of rows and one group of panels.
  Stmt for_blocks(const std::function<Stmt(const Scalar& block, const Scalar& group)>& body) const {
    const Scalar groups = ceil_div(mm_.panels, blocks_.panel_group);
    const Scalar row_blocks = ceil_div(mm_.m, blocks_.tiles * blocks_.mr);
    return parallel_loop("task", product(row_blocks, groups), worth_threads(), [&](const Scalar& task) {
      return body(compare(BinaryOp::FloorDiv, task, groups), compare(BinaryOp::FloorMod, task, groups));
    });
  }

  Stmt many_rows() const {
    return for_blocks([&](const Scalar& block, const Scalar& group) {
      return blocks_.k_block > 0 ? block_in_parts(block, group) : whole_block(block, group);
    });
  }

  // Returns the number of tiles in a row block that contain rows of the matrix; the last block may have fewer.
  Scalar tiles_in(const Scalar& block) const {
    return min(int_imm(blocks_.tiles), ceil_div(mm_.m, blocks_.mr) - product(block, int_imm(blocks_.tiles)));
  }

  Stmt whole_block(const Scalar& block, const Scalar& group) const {
    return for_panels(group, blocks_.panel_group, [&](const Scalar& panel) {
      return serial_loop("tile", tiles_in(block), [&](const Scalar& t) {
        const Scalar tile = sum(product(block, int_imm(blocks_.tiles)), t);
        return writer_.whole({blocks_.mr, overlapping_row(tile, blocks_.mr), panel});
      });
    });
  }

  // Between parts of k, the output holds the partial sums, so tiles must not overlap: an overlapping row would be added
  // twice.
  Stmt block_in_parts(const Scalar& block, const Scalar& group) const {
    const int64_t rows = blocks_.tiles * blocks_.mr, steps = blocks_.k_block, depth = *find_int(mm_.k);
    const int64_t parts = (depth + steps - 1) / steps;
    // The rows of the copy are padded by one vector, so that consecutive rows start in different cache sets.
    const Ref<Buffer> copy =
        Buffer::make("x_block", mm_.x->dtype, {int_imm(rows), int_imm(steps + blocks_.lanes)}, {.scope = "local"});
    const Scalar first_row = product(block, int_imm(rows));
    return AllocBuffer::make(
        copy, serial_loop("part", int_imm(parts), [&](const Scalar& p) {
          const Scalar first_step = product(p, int_imm(steps));
          const Scalar count = depth % steps == 0 ? int_imm(steps) : min(int_imm(steps), int_imm(depth) - first_step);
          const TilePart part{.copy = copy,
                              .copy_row = {},
                              .first_step = first_step,
                              .steps = count,
                              .is_first = compare(BinaryOp::Eq, p, int_imm(0)),
                              .is_last = compare(BinaryOp::Eq, p, int_imm(parts - 1))};
          return Seq::make({copy_rows(copy, first_row, tiles_in(block), part),
                            for_panels(group, blocks_.panel_group, [&](const Scalar& panel) {
                              return serial_loop("tile", tiles_in(block), [&](const Scalar& t) {
                                TilePart here = part;
                                here.copy_row = product(t, int_imm(blocks_.mr));
                                return writer_.part({blocks_.mr, sum(first_row, here.copy_row), panel}, here);
                              });
                            })});
        }));
  }

  // Copies a block of rows of x. Rows beyond the end of the matrix repeat its last row; their results are never stored.
  Stmt copy_rows(const Ref<Buffer>& copy, const Scalar& first_row, const Scalar& tiles, const TilePart& part) const {
    return serial_loop("row", product(tiles, int_imm(blocks_.mr)), [&](const Scalar& r) {
      const Scalar from = min(sum(first_row, r), mm_.m - int_imm(1));
      return serial_loop("v", ceil_div(part.steps, blocks_.lanes), [&](const Scalar& v) {
        return vector_loop("j", blocks_.lanes, [&](const Scalar& j) {
          const Scalar step = sum(product(v, int_imm(blocks_.lanes)), j);
          Stmt move = BufferStore::make(copy, load(mm_.x, {from, sum(part.first_step, step)}), {r, step});
          const int64_t* steps = find_int(part.steps);
          if (steps && *steps % blocks_.lanes == 0) return move;
          return IfThenElse::make(compare(BinaryOp::Lt, step, part.steps), move);
        });
      });
    });
  }

  const PackedMatmul& mm_;
  const MatmulBlocks blocks_;
  const MatmulTileWriter writer_;
};

bool is_read_elsewhere(const RootBody& root, size_t first, const Ref<Buffer>& buffer) {
  for (size_t i = 0; i < root.stmts.size(); ++i)
    if (i != first && i != first + 1 && count_loads(root.stmts[i], *buffer) > 0) return true;
  return false;
}

}  // namespace

Ref<PrimFunc> schedule_packed_matmul(const Ref<PrimFunc>& func, const Target& target) {
  std::optional<RootBody> root = read_root(*func);
  if (!root) return func;
  bool changed = false;
  for (size_t i = 0; i < root->stmts.size(); ++i) {
    std::optional<PackedMatmul> matmul = read_packed_matmul(root->stmts[i], i > 0 ? root->stmts[i - 1] : Stmt());
    if (!matmul) continue;
    changed = true;
    if (i + 1 < root->stmts.size() && !is_parameter(*func, matmul->c) && !is_read_elsewhere(*root, i, matmul->c)) {
      if (std::optional<PackedMatmul> fused = with_epilogue(*matmul, root->stmts[i + 1])) {
        matmul = std::move(fused);
        root->stmts.erase(root->stmts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    root->stmts[i] = MatmulScheduler(*matmul, target).run();
    if (matmul->takes_before) root->stmts.erase(root->stmts.begin() + static_cast<std::ptrdiff_t>(--i));
  }
  return changed ? with_root(func, *root) : func;
}

}  // namespace sunmao
