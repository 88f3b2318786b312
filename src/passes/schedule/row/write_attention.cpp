#include "passes/schedule/row/write_attention.h"

#include <algorithm>
#include <limits>

#include "loop/builder.h"
#include "loop/calls.h"
#include "loop/walk.h"
#include "passes/loop/chunked_loop.h"
#include "passes/loop/loop_writing.h"
#include "passes/schedule/contraction/words.h"
#include "passes/schedule/map/schedule_elementwise.h"
#include "passes/schedule/row/attention_operands.h"

namespace sunmao {
namespace {

constexpr int64_t kWorthTasks = 1 << 18;  // multiply-adds
constexpr int64_t kStepsAtOnce = 4;

int64_t known(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n ? *n : 0;
}

class AttentionWriter {
 public:
  AttentionWriter(const Attention& a, const AttentionBlocks& b, const Target& target, BufferViews& views)
      : a_(a), b_(b), target_(target), operands_(a, b, target, views), dtype_(a.product->dtype), rows_(operands_.rows),
        keys_(operands_.keys), sums_(local("sums", {b.panels * b.panel, b.wide})),
        top_(local("top", {b.panels * b.panel})), total_(local("total", {b.panels * b.panel})),
        scores_(local("scores", {b.keys, b.panel})),
        words_(local_buffer("words", DType::uint(32), {b.keys / kHalvesOfWord, b.panel})),
        factor_(local("factor", {b.panel})) {
    for_each_load(a.score, [&](const BufferLoad& l) {
      const auto moves = [&](const Scalar& i) { return uses(i, *a.row.var); };
      if (l.buffer == a.product || std::ranges::none_of(l.indices, moves)) return;
      const Scalar whole = load(l.buffer, l.indices);
      if (std::ranges::none_of(parts_, [&](const Part& p) { return structural_equal(p.element, whole); }))
        parts_.push_back({whole, Buffer::make(l.buffer->name + "_part", l.dtype, {int_imm(b.rows), int_imm(b.panel)},
                                              {.scope = "local"})});
    });
  }

  Stmt run() const {
    Scalar tasks = b_.groups, work = product(product(rows_, keys_), int_imm(b_.width + b_.columns));
    std::vector<Ref<SymVar>> heads;
    std::vector<Scalar> extents;
    for (const auto& [var, extent] : a_.outer) {
      heads.push_back(var);
      extents.push_back(extent);
      tasks = product(tasks, as_index(extent));
      work = product(work, as_index(extent));
    }
    return parallel_loop("task", tasks, compare(BinaryOp::Ge, work, int_imm(kWorthTasks)), [&](const Scalar& task) {
      const Scalar group = compare(BinaryOp::FloorMod, task, b_.groups);
      Substitution at;
      split_number(compare(BinaryOp::FloorDiv, task, b_.groups), heads, extents, at);
      return substitute(of_group(product(group, int_imm(b_.panels * b_.panel))), at);
    });
  }

 private:
  /// An element of another tensor that scores use, and its copy for a tile.
  struct Part {
    Scalar element;
    Ref<Buffer> copy;
  };
  /// A panel of queries.
  struct Panel {
    Scalar number, first, rows;  // of the task; its first query there and among all; how many are left of it
    int64_t vectors;
  };
  Ref<Buffer> local(const char* name, const std::vector<int64_t>& sizes) const {
    return local_buffer(name, dtype_, sizes);
  }
  Scalar number(double value) const { return constant(dtype_, value); }
  Scalar lowest() const { return number(-std::numeric_limits<double>::infinity()); }
  Scalar is_lowest(const Scalar& s) const { return Binary::make(BinaryOp::Eq, s, lowest()); }

  /// Emits a statement for the lanes of some vectors, which are written out.
  Stmt for_lanes(int64_t vectors, const LoopBody& body) const {
    return unrolled_loop("v", vectors, [&](const Scalar& v) {
      return vector_loop("lane", b_.lanes,
                         [&](const Scalar& j) { return body(sum(product(v, int_imm(b_.lanes)), j)); });
    });
  }
  Stmt for_tile(int64_t vectors, const std::function<Stmt(const Scalar& r, const Scalar& lane)>& body) const {
    return unrolled_loop("r", b_.rows, [&](const Scalar& r) {
      return for_lanes(vectors, [&](const Scalar& lane) { return body(r, lane); });
    });
  }
  /// Emits a loop of which a few steps are written out, where they divide it.
  static Stmt for_steps(const char* name, const Scalar& count, const LoopBody& body) {
    const int64_t* n = find_int(count);
    if (!n || *n % kStepsAtOnce != 0) return serial_loop(name, count, body);
    return serial_loop(name, int_imm(*n / kStepsAtOnce), [&](const Scalar& group) {
      return unrolled_loop(name, kStepsAtOnce,
                           [&](const Scalar& step) { return body(sum(product(group, int_imm(kStepsAtOnce)), step)); });
    });
  }

  Stmt of_group(const Scalar& first_row) const {
    const Scalar rows = find_int(rows_) && known(rows_) % (b_.panels * b_.panel) == 0
                            ? int_imm(b_.panels * b_.panel)
                            : min(int_imm(b_.panels * b_.panel), rows_ - first_row);
    const Scalar panels = ceil_div(rows, b_.panel);
    std::vector<Stmt> steps{operands_.copy_queries(first_row, panels)};
    if (!b_.is_single) steps.push_back(begin());
    steps.push_back(serial_loop("block", ceil_div(keys_, b_.keys), [&](const Scalar& block) {
      const Scalar first = product(block, int_imm(b_.keys));
      const AttentionOperands::Keys keys{first, known(keys_) > 0 && known(keys_) % b_.keys == 0 ? int_imm(b_.keys)
                                                : b_.is_single                                  ? keys_
                                                               : min(int_imm(b_.keys), keys_ - first)};
      Stmt of_panels = serial_loop("panel", panels, [&](const Scalar& p) {
        const Scalar in_task = product(p, int_imm(b_.panel)), row = sum(first_row, in_task);
        const auto body = [&](int64_t vectors) {
          return of_panel({.number = p, .first = row, .rows = rows - in_task, .vectors = vectors}, keys);
        };
        return if_seen(row, b_.panel, keys, for_panel(row, body));
      });
      return if_seen(first_row, b_.panels * b_.panel, keys,
                     Seq::make({operands_.copy_keys(keys), operands_.copy_values(keys), of_panels}));
    }));
    steps.push_back(finish(first_row, rows));
    Stmt body = Seq::make(std::move(steps));
    for (const Ref<Buffer>& b :
         {operands_.queries, sums_, top_, total_, operands_.key_block, operands_.value_block, scores_, factor_})
      body = AllocBuffer::make(b, body);
    if (b_.has_words) body = AllocBuffer::make(words_, body);
    return body;
  }

  /// Emits the body for two vectors of queries, or for one where the last panel has no more.
  Stmt for_panel(const Scalar& row, const std::function<Stmt(int64_t vectors)>& body) const {
    if (!find_int(rows_))
      return IfThenElse::make(compare(BinaryOp::Le, rows_ - row, int_imm(b_.lanes)), body(1), body(2));
    const int64_t rest = known(rows_) % b_.panel, whole = known(rows_) - rest;
    if (rest == 0 || rest > b_.lanes) return body(2);
    if (whole == 0) return body(1);
    return IfThenElse::make(compare(BinaryOp::Lt, row, int_imm(whole)), body(2), body(1));
  }

  /// Leaves out a block of keys of which no query sees one.
  Stmt if_seen(const Scalar& row, int64_t rows, const AttentionOperands::Keys& keys, const Stmt& body) const {
    const Scalar seen = b_.is_single ? Scalar()
                                     : may_see(a_, {row, sum(row, int_imm(rows - 1))},
                                               {keys.first, sum(keys.first, int_imm(b_.keys - 1))});
    return seen ? IfThenElse::make(seen, body) : body;
  }

  Stmt begin() const {
    const Scalar queries = int_imm(b_.panels * b_.panel), zero = number(0);
    return serial_loop("q", queries, [&](const Scalar& q) {
      return Seq::make({BufferStore::make(top_, lowest(), {q}), BufferStore::make(total_, zero, {q}),
                        serial_loop("u", int_imm(b_.wide / b_.lanes), [&](const Scalar& u) {
                          return vector_loop("lane", b_.lanes, [&](const Scalar& j) {
                            return BufferStore::make(sums_, zero, {q, sum(product(u, int_imm(b_.lanes)), j)});
                          });
                        })});
    });
  }

  Stmt of_panel(const Panel& panel, const AttentionOperands::Keys& keys) const {
    const Ref<Buffer> greatest = local("greatest", {b_.panel});
    const Scalar tiles = ceil_div(keys.count, b_.rows);
    Stmt body = Seq::make(
        {for_lanes(panel.vectors, [&](const Scalar& lane) { return BufferStore::make(greatest, lowest(), {lane}); }),
         serial_loop("tile", tiles, [&](const Scalar& t) { return scores(panel, keys, t, greatest); }),
         weights(panel, product(tiles, int_imm(b_.rows)), greatest), weighted(panel, keys)});
    return AllocBuffer::make(greatest, body);
  }

  /// The scores of a tile of keys, and the greatest ones.
  Stmt scores(const Panel& panel, const AttentionOperands::Keys& keys, const Scalar& number,
              const Ref<Buffer>& greatest) const {
    const Scalar tile = product(number, int_imm(b_.rows));
    const Ref<Buffer> products = local("products", {b_.rows, b_.panel});
    std::vector<Stmt> steps;
    for (const Part& part : parts_) steps.push_back(copy_part(part, panel, keys, tile));
    steps.push_back(for_tile(panel.vectors, [&](const Scalar& r, const Scalar& lane) {
      return BufferStore::make(products, this->number(0), {r, lane});
    }));
    steps.push_back(for_steps("d", int_imm(b_.steps), [&](const Scalar& d) {
      return for_tile(panel.vectors, [&](const Scalar& r, const Scalar& lane) {
        const Scalar query = load(operands_.queries, {panel.number, d, lane});
        const Scalar key = operands_.key_of(number, r, d);
        return BufferStore::make(products, with_step(load(products, {r, lane}), key, query), {r, lane});
      });
    }));
    steps.push_back(unrolled_loop("r", b_.rows, [&](const Scalar& r) {
      const Scalar place = sum(tile, r), key = sum(keys.first, place);
      const auto store = [&](bool is_there) {
        return for_lanes(panel.vectors, [&](const Scalar& lane) {
          const Scalar score = is_there ? score_of(panel, key, r, lane, load(products, {r, lane})) : lowest();
          return BufferStore::make(scores_, score, {place, lane});
        });
      };
      const Stmt there = Seq::make({store(true), for_lanes(panel.vectors, [&](const Scalar& lane) {
                                      const Scalar score = load(scores_, {place, lane});
                                      return BufferStore::make(greatest, max(load(greatest, {lane}), score), {lane});
                                    })});
      return operands_.has_full_tiles()
                 ? there
                 : IfThenElse::make(compare(BinaryOp::Lt, place, keys.count), there, store(false));
    }));
    Stmt body = AllocBuffer::make(products, Seq::make(std::move(steps)));
    for (const Part& part : parts_) body = AllocBuffer::make(part.copy, body);
    return body;
  }

  Stmt copy_part(const Part& part, const Panel& panel, const AttentionOperands::Keys& keys, const Scalar& tile) const {
    const Scalar tile_keys = operands_.has_full_tiles() ? int_imm(b_.rows) : min(int_imm(b_.rows), keys.count - tile);
    return serial_loop("q", int_imm(panel.vectors * b_.lanes), [&](const Scalar& q) {
      const Scalar row = AttentionOperands::at_most(sum(panel.first, q), rows_, b_.panel);
      return serial_loop("r", tile_keys, [&](const Scalar& r) {
        return BufferStore::make(part.copy, operands_.at(part.element, row, sum(keys.first, sum(tile, r))), {r, q});
      });
    });
  }

  Scalar score_of(const Panel& panel, const Scalar& key, const Scalar& r, const Scalar& lane,
                  const Scalar& product) const {
    const Scalar copied = map_loads(a_.score, [&](const BufferLoad& l) -> Scalar {
      if (l.buffer == a_.product) return product;
      const Scalar whole = load(l.buffer, l.indices);
      const auto part = std::ranges::find_if(parts_, [&](const Part& p) { return structural_equal(p.element, whole); });
      return part == parts_.end() ? Scalar() : load(part->copy, {r, lane});
    });
    return operands_.at(copied, sum(panel.first, lane), key);
  }

  /// The exponentials of the scores relative to the greatest one, and their sums.
  Stmt weights(const Panel& panel, const Scalar& count, const Ref<Buffer>& greatest) const {
    const Ref<Buffer> shift = local("shift", {b_.panel}), added = local("added", {b_.panel});
    const auto place = [&](const Scalar& lane) { return sum(product(panel.number, int_imm(b_.panel)), lane); };
    std::vector<Stmt> steps;
    const auto each = [&](const LoopBody& body) { steps.push_back(for_lanes(panel.vectors, body)); };
    if (!b_.is_single) {
      each([&](const Scalar& lane) {
        return BufferStore::make(greatest, max(load(top_, {place(lane)}), load(greatest, {lane})), {lane});
      });
      each([&](const Scalar& lane) {
        const Scalar before = load(top_, {place(lane)}), change = intrinsic("exp", before - load(greatest, {lane}));
        return BufferStore::make(factor_, Select::make(is_lowest(before), number(0), change), {lane});
      });
      each([&](const Scalar& lane) { return BufferStore::make(top_, load(greatest, {lane}), {place(lane)}); });
    }
    each([&](const Scalar& lane) {
      const Scalar top = load(greatest, {lane});
      return BufferStore::make(shift, Select::make(is_lowest(top), number(0), top), {lane});
    });
    each([&](const Scalar& lane) { return BufferStore::make(added, number(0), {lane}); });
    steps.push_back(serial_loop("k", count, [&](const Scalar& k) {
      return Seq::make({for_lanes(panel.vectors,
                                  [&](const Scalar& lane) {
                                    const Scalar off = load(scores_, {k, lane}) - load(shift, {lane});
                                    return BufferStore::make(scores_, intrinsic("exp", off), {k, lane});
                                  }),
                        for_lanes(panel.vectors, [&](const Scalar& lane) {
                          return BufferStore::make(added, load(added, {lane}) + load(scores_, {k, lane}), {lane});
                        })});
    }));
    if (a_.rounds_weights)
      steps.push_back(serial_loop("k", b_.has_words ? floor_div(count, int_imm(kHalvesOfWord)) : count,
                                  [&](const Scalar& k) { return rounded_weights(panel, k); }));
    each([&](const Scalar& lane) {
      const Scalar all = load(added, {lane}), before = load(total_, {place(lane)});
      return BufferStore::make(total_, b_.is_single ? all : before * load(factor_, {lane}) + all, {place(lane)});
    });
    return AllocBuffer::make(shift, AllocBuffer::make(added, Seq::make(std::move(steps))));
  }

  /// Rounds the weights of a key to bfloat16; as words, those of two keys.
  Stmt rounded_weights(const Panel& panel, const Scalar& k) const {
    const DType bfloat{TypeCode::BFloat, 16};
    return for_lanes(panel.vectors, [&](const Scalar& lane) {
      const auto rounded = [&](const Scalar& key) { return Cast::make(bfloat, load(scores_, {key, lane})); };
      if (!b_.has_words) return BufferStore::make(scores_, Cast::make(dtype_, rounded(k)), {k, lane});
      const auto half = [&](int64_t number) {
        const Scalar bits = ScalarCall::make("reinterpret", DType::uint(16),
                                             {rounded(sum(product(k, int_imm(kHalvesOfWord)), int_imm(number)))});
        return Cast::make(words_->dtype, bits);
      };
      return BufferStore::make(words_, word_of_halves(half(0), half(1)), {k, lane});
    });
  }

  /// Returns a sum and what a step adds to it.
  Scalar with_step(const Scalar& sum, const Scalar& left, const Scalar& right) const {
    return b_.has_words ? pair_dots({.a = left, .b = right, .sum = sum}) : sum + left * right;
  }

  /// Adds the weighted values of the block to the sums.
  Stmt weighted(const Panel& panel, const AttentionOperands::Keys& keys) const {
    const Scalar tiles = ceil_div(min(int_imm(panel.vectors * b_.lanes), panel.rows), b_.rows);
    const Scalar first = product(panel.number, int_imm(b_.panel));
    return serial_loop("tile", tiles, [&](const Scalar& t) {
      const Scalar tile = product(t, int_imm(b_.rows));
      const auto of_columns = [&](const Scalar& column, int64_t vectors) {
        const Ref<Buffer> parts = local("parts", {b_.rows, vectors * b_.lanes});
        const auto element = [&](const Scalar& r, const Scalar& lane) {
          return std::vector<Scalar>{sum(first, sum(tile, r)), sum(column, lane)};
        };
        Stmt begin = for_tile(vectors, [&](const Scalar& r, const Scalar& lane) {
          const Scalar before = load(sums_, element(r, lane)) * load(factor_, {sum(tile, r)});
          return BufferStore::make(parts, b_.is_single ? number(0) : before, {r, lane});
        });
        const Scalar count = b_.has_words ? ceil_div(keys.count, kHalvesOfWord) : keys.count;
        Stmt add = for_steps("k", count, [&](const Scalar& k) {
          return for_tile(vectors, [&](const Scalar& r, const Scalar& lane) {
            const Scalar weight = load(b_.has_words ? words_ : scores_, {k, sum(tile, r)});
            const Scalar value = load(operands_.value_block, {k, sum(column, lane)});
            return BufferStore::make(parts, with_step(load(parts, {r, lane}), weight, value), {r, lane});
          });
        });
        Stmt end = for_tile(vectors, [&](const Scalar& r, const Scalar& lane) {
          return BufferStore::make(sums_, load(parts, {r, lane}), element(r, lane));
        });
        return AllocBuffer::make(parts, Seq::make({begin, add, end}));
      };
      const int64_t pairs = b_.wide / b_.panel, done = pairs * b_.panel;
      std::vector<Stmt> all;
      if (pairs > 0)
        all.push_back(serial_loop("pair", int_imm(pairs),
                                  [&](const Scalar& p) { return of_columns(product(p, int_imm(b_.panel)), 2); }));
      if (done < b_.wide) all.push_back(of_columns(int_imm(done), 1));
      return Seq::make(std::move(all));
    });
  }

  Stmt finish(const Scalar& first_row, const Scalar& rows) const {
    const Ref<SymVar> q = SymVar::make("q");
    const auto here = [&](const Scalar& s) {
      const Scalar read = map_loads(s, [&](const BufferLoad& l) {
        return l.buffer == a_.weighted ? load(sums_, {q, as_index(a_.column.var)})
               : l.buffer == a_.norm   ? load(total_, {q})
                                       : Scalar();
      });
      return operands_.at(read, sum(first_row, q), nullptr);
    };
    StoreNest nest = a_.result;
    nest.loops = {q, a_.column.var};
    nest.extents = {rows, a_.column.extent};
    nest.kinds = {IterKind::Spatial, IterKind::Spatial};
    nest.value = here(nest.value);
    for (Scalar& i : nest.indices) i = here(i);
    return serial_elementwise(nest, target_);
  }

  const Attention& a_;
  const AttentionBlocks& b_;
  const Target& target_;
  const AttentionOperands operands_;
  const DType dtype_;
  const Scalar rows_, keys_;
  // Of a task: sums of weighted values, greatest scores and sums of weights.
  const Ref<Buffer> sums_, top_, total_;
  // Of a block of keys: the scores of a panel, its weights as words, and what the sums before are scaled by.
  const Ref<Buffer> scores_, words_, factor_;
  std::vector<Part> parts_;
};

}  // namespace

Stmt write_attention(const Attention& a, const AttentionBlocks& blocks, const Target& target) {
  BufferViews views;
  return views.declare(AttentionWriter(a, blocks, target, views).run());
}

}  // namespace sunmao
