// Lowering of per-class non-maximum suppression: of each class, in order of falling scores above a minimum, a box is
// kept unless its overlap with a kept box exceeds a threshold, up to a maximum number of boxes.
#include "ops/box_overlap.h"
#include "ops/statements.h"
#include "ops/vision_lowering.h"

namespace sunmao {
namespace {

// A limit given as an argument: a tensor of one element, or a literal.
struct Limit {
  Ref<Buffer> buffer;
  Scalar literal;
  bool is_known() const { return buffer || (literal && (find_int(literal) || find<FloatImm>(literal))); }
  Scalar get() const { return buffer ? load(buffer, Indices(buffer->shape.size(), int_imm(0))) : literal; }
};
Limit limit_of(KernelBuilder& k, const Expr& arg, const char* name) {
  if (find<TensorType>(arg->type)) return {k.input(name, arg->type), nullptr};
  return {nullptr, scalar_value(arg)};
}

class ClassSuppression {
 public:
  explicit ClassSuppression(const Call& call)
      : k_("all_class_non_max_suppression"), is_onnx_(input_of(call).string_attr("output_format") == "onnx"),
        boxes_(k_.input("boxes", call.args[0]->type)), scores_(k_.input("scores", call.args[1]->type)),
        most_(limit_of(k_, call.args[2], "most")), closeness_(limit_of(k_, call.args[3], "iou")),
        least_(limit_of(k_, call.args[4], "least")), order_(scores_->shape[2]),
        taken_(Buffer::make("taken", kInt32, {scores_->shape[2]})) {
    const std::vector<Type>& fields = find<TupleType>(call.type)->fields;
    chosen_ = k_.output("chosen", fields[0]);
    if (!is_onnx_) values_ = k_.output("values", fields[1]);
    counts_ = k_.output("count", fields.back());
  }

  bool is_known() const { return most_.is_known() && closeness_.is_known() && least_.is_known(); }

  Ref<BaseFunc> finish() && {
    k_.compute(chosen_, "chosen_start", [&](const Indices&) { return constant(kInt64, is_onnx_ ? -1 : 0); });
    if (values_) k_.compute(values_, "values_start", [&](const Indices&) { return constant(values_->dtype, 0); });
    std::vector<Ref<Buffer>> reads{boxes_, scores_}, writes{chosen_, counts_}, locals = order_.locals();
    for (const Limit& l : {most_, closeness_, least_})
      if (l.buffer) reads.push_back(l.buffer);
    if (values_) writes.push_back(values_);
    for (const Ref<Buffer>& b : {taken_, kept_.buffer(), total_.buffer(), free_.buffer()}) locals.push_back(b);
    k_.steps({.name = "all_class_non_max_suppression",
              .spatial = {},
              .reads = std::move(reads),
              .writes = std::move(writes),
              .locals = std::move(locals),
              .body = [&](const Indices&) { return all_batches(); }});
    return std::move(k_).finish();
  }

 private:
  // ONNX's output rows are consecutive over all batches; those of TensorFlow are per batch.
  Stmt all_batches() const {
    Stmt all = repeat("b", scores_->shape[0], [&](const Scalar& b) {
      Stmt classes = repeat("c", scores_->shape[1], [&](const Scalar& c) { return one_class(b, c); });
      if (is_onnx_) return classes;
      return in_order({total_.set(int_imm(0)), classes, store(counts_, {b}, total_.get())});
    });
    if (!is_onnx_) return all;
    return in_order({total_.set(int_imm(0)), all, store(counts_, {int_imm(0)}, total_.get())});
  }

  Stmt one_class(const Scalar& b, const Scalar& c) const {
    auto score = [&](const Scalar& place) { return load(scores_, {b, c, place}); };
    Stmt sort = order_.sort([&](const Scalar& p, const Scalar& q) { return stands_before(score(p), score(q), true); });
    Stmt each = repeat("rank", scores_->shape[2], [&](const Scalar& rank) {
      return let("place", order_.at(rank), [&](const Scalar& place) {
        Scalar enough = above(score(place), cast_to(scores_->dtype, least_.get()));
        return when(both(less(kept_.get(), as_index(most_.get())), enough), consider(b, c, place));
      });
    });
    return in_order({kept_.set(int_imm(0)), sort, each});
  }

  Corner box(const Scalar& b, const Scalar& place) const {
    return [this, b, place](int64_t i) { return load(boxes_, {b, place, int_imm(i)}); };
  }

  // Keeps the box unless its overlap with an already kept box exceeds the threshold.
  Stmt consider(const Scalar& b, const Scalar& c, const Scalar& place) const {
    Stmt look = repeat("j", kept_.get(), [&](const Scalar& j) {
      Scalar shared = overlap(box(b, as_index(load(taken_, {j}))), box(b, place));
      return when(above(shared, cast_to(boxes_->dtype, closeness_.get())), free_.set(truth(false)));
    });
    return in_order({free_.set(truth(true)), look, when(free_.get(), take(b, c, place))});
  }

  Stmt take(const Scalar& b, const Scalar& c, const Scalar& place) const {
    std::vector<Stmt> steps{store(taken_, {kept_.get()}, place)};
    const Indices row = is_onnx_ ? Indices{total_.get()} : Indices{b, total_.get()};
    const std::vector<Scalar> numbers = is_onnx_ ? std::vector<Scalar>{b, c, place} : std::vector<Scalar>{c, place};
    for (size_t i = 0; i < numbers.size(); ++i) {
      Indices at = row;
      at.push_back(int_imm(static_cast<int64_t>(i)));
      steps.push_back(store(chosen_, at, numbers[i]));
    }
    if (values_) steps.push_back(store(values_, row, load(scores_, {b, c, place})));
    steps.push_back(kept_.set(kept_.get() + int_imm(1)));
    steps.push_back(total_.set(total_.get() + int_imm(1)));
    return in_order(std::move(steps));
  }

  KernelBuilder k_;
  const bool is_onnx_;
  Ref<Buffer> boxes_, scores_;
  Limit most_, closeness_, least_;
  PlacesInOrder order_;
  Ref<Buffer> taken_, chosen_, values_, counts_;  // values_ is null in ONNX form
  Cell kept_{"kept", kInt64}, total_{"total", kInt64}, free_{"free", DType::bool_()};
};

}  // namespace

Ref<BaseFunc> lower_all_class_suppression(const Call& call) {
  ClassSuppression s(call);
  return s.is_known() ? std::move(s).finish() : nullptr;
}

}  // namespace sunmao
