// Lowering of non-maximum suppression: boxes that overlap a better one are removed.
#include "ops/box_overlap.h"
#include "ops/statements.h"
#include "ops/vision_lowering.h"

namespace sunmao {
namespace {

// The state of one batch: `slots` holds box indices or -1, `scores` their current scores.
struct Suppression {
  Suppression(const InferInput& input, Ref<Buffer> boxes, Scalar batch_index)
      : in(input), data(std::move(boxes)), batch(std::move(batch_index)), count(data->shape[1]), order(count),
        slots(Buffer::make("slots", kInt32, {count})), scores(Buffer::make("scores", data->dtype, {count})),
        considered("considered", kInt64), kept("kept", kInt64), best("best", kInt64), held("held", kInt64),
        held_score("held_score", data->dtype) {}

  std::vector<Ref<Buffer>> locals() const {
    std::vector<Ref<Buffer>> out = order.locals();
    for (const Ref<Buffer>& b :
         {slots, scores, considered.buffer(), kept.buffer(), best.buffer(), held.buffer(), held_score.buffer()})
      out.push_back(b);
    return out;
  }
  Scalar number(const Scalar& box, int64_t i) const { return load(data, {batch, box, int_imm(i)}); }
  Scalar slot(const Scalar& j) const { return as_index(load(slots, {j})); }
  Scalar score(const Scalar& j) const { return load(scores, {j}); }
  Scalar is_taken(const Scalar& j) const { return at_least(slot(j), int_imm(0)); }
  Scalar threshold() const { return constant(data->dtype, is_soft() ? in.float_attr("score_threshold") : 0); }
  bool is_soft() const { return in.float_attr("soft_nms_sigma") > 0; }
  Scalar has_room() const {
    int64_t most = in.int_attr("max_output_size");
    return most > 0 ? less(kept.get(), int_imm(most)) : truth(true);
  }

  // Sorts the first `valid` boxes by score and keeps the best `top_k` (all of them when `top_k` is not positive).
  Stmt rank(const Scalar& valid) const {
    int64_t score_index = in.int_attr("score_index"), top_k = in.int_attr("top_k");
    Scalar limit = min(max(as_index(valid), int_imm(0)), count);
    auto before = [&](const Scalar& a, const Scalar& b) {
      Scalar better = stands_before(number(a, score_index), number(b, score_index), true);
      return both(less(a, limit), Binary::make(BinaryOp::Or, at_least(b, limit), better));
    };
    return in_order({order.sort(before), considered.set(top_k > 0 ? min(limit, int_imm(top_k)) : limit),
                     kept.set(int_imm(0)), repeat("j", count, [&](const Scalar& j) {
                       Stmt take = in_order(
                           {store(slots, {j}, order.at(j)), store(scores, {j}, number(order.at(j), score_index))});
                       return when(less(j, considered.get()), take, store(slots, {j}, int_imm(-1)));
                     })});
  }

  Scalar rivals(const Scalar& a, const Scalar& b) const {
    int64_t id = in.int_attr("id_index");
    if (in.bool_attr("force_suppress") || id < 0) return truth(true);
    return equals(number(slot(a), id), number(slot(b), id));
  }
  Scalar shared(const Scalar& a, const Scalar& b) const {
    int64_t first = in.int_attr("coord_start");
    auto box = [&](const Scalar& j) { return [this, j, first](int64_t i) { return number(slot(j), first + i); }; };
    return overlap(box(a), box(b));
  }
  Scalar too_close(const Scalar& overlap) const {
    return at_least(overlap, constant(data->dtype, in.float_attr("iou_threshold")));
  }

  // In score order, each remaining box removes the later boxes that overlap it too much: those of its class, or of any
  // class with `force_suppress` or without `id_index`. A box is removed, too, when its score is not above the threshold
  // or the maximum number of boxes is reached.
  Stmt suppress() const {
    return repeat("j", considered.get(), [&](const Scalar& j) {
      Stmt away = repeat("rest", considered.get() - j - int_imm(1), [&](const Scalar& rest) {
        Scalar other = j + int_imm(1) + rest;
        Scalar goes = and_then(is_taken(other), and_then(rivals(j, other), too_close(shared(j, other))));
        return when(goes, store(slots, {other}, int_imm(-1)));
      });
      Scalar stays = and_then(is_taken(j), both(above(score(j), threshold()), has_room()));
      return when(stays, in_order({kept.set(kept.get() + int_imm(1)), away}), store(slots, {j}, int_imm(-1)));
    });
  }

  // Soft suppression: repeatedly keeps the best remaining box, removes its rivals that overlap it too much, and lowers
  // the scores of the other rivals by their overlap, removing those whose scores fall to the threshold.
  Stmt decay() const {
    Scalar here = kept.get();
    Stmt find_best = repeat("j", considered.get() - here, [&](const Scalar& j) {
      Scalar other = here + j;
      return when(and_then(is_taken(other), above(score(other), held_score.get())),
                  in_order({best.set(other), held_score.set(score(other))}));
    });
    Stmt swap = in_order({held.set(slot(here)), held_score.set(score(here)), store(slots, {here}, slot(best.get())),
                          store(scores, {here}, score(best.get())), store(slots, {best.get()}, held.get()),
                          store(scores, {best.get()}, held_score.get())});
    Scalar scale = constant(data->dtype, -0.5 / in.float_attr("soft_nms_sigma"));
    Stmt lower = repeat("j", considered.get() - here - int_imm(1), [&](const Scalar& j) {
      Scalar other = here + int_imm(1) + j;
      return when(and_then(is_taken(other), rivals(here, other)),
                  let("iou", shared(here, other), [&](const Scalar& iou) {
                    Stmt gone = store(slots, {other}, int_imm(-1));
                    Stmt fades = in_order({store(scores, {other}, score(other) * intrinsic("exp", scale * iou * iou)),
                                           when(at_most(score(other), threshold()), gone)});
                    return when(too_close(iou), gone, fades);
                  }));
    });
    Stmt keep = in_order({swap, lower, kept.set(here + int_imm(1))});
    Stmt round = in_order(
        {best.set(int_imm(-1)), held_score.set(threshold()), find_best, when(at_least(best.get(), int_imm(0)), keep)});
    Stmt rest = repeat("j", count,
                       [&](const Scalar& j) { return when(at_least(j, kept.get()), store(slots, {j}, int_imm(-1))); });
    return in_order({repeat("round", considered.get(), [&](const Scalar&) { return when(has_room(), round); }), rest});
  }

  Stmt compact() const {
    Stmt move = in_order({store(slots, {kept.get()}, slot(held.get())), store(scores, {kept.get()}, score(held.get())),
                          when(less(kept.get(), held.get()), store(slots, {held.get()}, int_imm(-1))),
                          kept.set(kept.get() + int_imm(1))});
    return in_order({kept.set(int_imm(0)), repeat("j", count, [&](const Scalar& j) {
                       return in_order({held.set(j), when(is_taken(j), move)});
                     })});
  }

  const InferInput& in;
  Ref<Buffer> data;
  Scalar batch, count;
  PlacesInOrder order;
  Ref<Buffer> slots, scores;
  Cell considered, kept, best, held;
  Cell held_score;
};

}  // namespace

Ref<BaseFunc> lower_valid_counts(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("get_valid_counts");
  Ref<Buffer> x = k.input("A", call.args[0]->type);
  const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
  Ref<Buffer> counts = k.output("count", fields[0]), boxes = k.output("boxes", fields[1]),
              places = k.output("places", fields[2]);
  Cell next("next", kInt64);
  k.steps({.name = "get_valid_counts",
           .spatial = {x->shape[0]},
           .reads = {x},
           .writes = {counts, boxes, places},
           .locals = {next.buffer()},
           .body = [&](const Indices& at) {
             auto number = [&](const Scalar& box, int64_t i) { return load(x, {at[0], box, int_imm(i)}); };
             auto write = [&](const Scalar& to, const Scalar& place,
                              const std::function<Scalar(const Scalar&)>& value) {
               return in_order({store(places, {at[0], to}, place), repeat("k", x->shape[2], [&](const Scalar& i) {
                                  return store(boxes, {at[0], to, i}, value(i));
                                })});
             };
             Stmt pick = repeat("j", x->shape[1], [&](const Scalar& j) {
               Scalar counts_in =
                   above(number(j, in.int_attr("score_index")), constant(x->dtype, in.float_attr("score_threshold")));
               int64_t id = in.int_attr("id_index");
               if (id >= 0) counts_in = both(counts_in, at_least(number(j, id), constant(x->dtype, 0)));
               Stmt take = write(next.get(), j, [&](const Scalar& i) { return load(x, {at[0], j, i}); });
               return when(counts_in, in_order({take, next.set(next.get() + int_imm(1))}));
             });
             Stmt rest = repeat("j", x->shape[1], [&](const Scalar& j) {
               return when(at_least(j, next.get()),
                           write(j, int_imm(-1), [&](const Scalar&) { return constant(x->dtype, -1); }));
             });
             return in_order({next.set(int_imm(0)), pick, store(counts, at, next.get()), rest});
           }});
  return std::move(k).finish();
}

Ref<BaseFunc> lower_suppression(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("non_max_suppression");
  Ref<Buffer> data = k.input("data", call.args[0]->type), valid = k.input("valid_count", call.args[1]->type),
              indices = k.input("indices", call.args[2]->type);
  const bool gives_indices = in.bool_attr("return_indices"), is_soft = in.float_attr("soft_nms_sigma") > 0,
             gives_data = !gives_indices || is_soft;
  const auto* tuple = find<TupleType>(call.type);
  const std::vector<Type> types = tuple ? tuple->fields : std::vector{call.type};
  Ref<Buffer> out = gives_data ? k.output("out", types[0]) : nullptr;
  Ref<Buffer> places = gives_indices ? k.output("places", types[types.size() - 2]) : nullptr;
  Ref<Buffer> counts = gives_indices ? k.output("count", types.back()) : nullptr;
  std::vector<Ref<Buffer>> writes;
  for (const Ref<Buffer>& b : {out, places, counts})
    if (b) writes.push_back(b);
  Suppression shape(in, data, int_imm(0));
  k.steps({.name = "non_max_suppression",
           .spatial = {data->shape[0]},
           .reads = {data, valid, indices},
           .writes = writes,
           .locals = shape.locals(),
           .body = [&](const Indices& at) {
             Suppression s = shape;
             s.batch = at[0];
             std::vector<Stmt> steps{s.rank(load(valid, {at[0]})), is_soft ? s.decay() : s.suppress()};
             if (gives_indices || in.bool_attr("invalid_to_bottom")) steps.push_back(s.compact());
             if (counts) steps.push_back(store(counts, {at[0], int_imm(0)}, s.kept.get()));
             steps.push_back(repeat("j", s.count, [&](const Scalar& j) {
               std::vector<Stmt> row;
               if (places)
                 row.push_back(store(places, {at[0], j},
                                     choose(s.is_taken(j), load(indices, {at[0], s.slot(j)}), constant(kInt32, -1))));
               if (out) {
                 Scalar none = constant(data->dtype, -1);
                 row.push_back(repeat("k", data->shape[2], [&](const Scalar& i) {
                   Scalar score = equals(i, int_imm(in.int_attr("score_index")));
                   Scalar value = choose(score, s.score(j), load(data, {at[0], s.slot(j), i}));
                   return store(out, {at[0], j, i}, choose(s.is_taken(j), value, none));
                 }));
               }
               return in_order(std::move(row));
             }));
             return in_order(std::move(steps));
           }});
  return std::move(k).finish();
}

}  // namespace sunmao
