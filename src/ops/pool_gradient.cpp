#include "ops/pool_gradient.h"

#include "ops/pool_window.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

// Builds a pool gradient kernel: for each channel of each image a sequential loop over all windows, which add to a
// zeroed result.
class PoolGradient {
 public:
  explicit PoolGradient(const Call& call)
      : in_(input_of(call)), pool_(in_, "NCHW", 2), builder_(in_.op.name()),
        grad(builder_.input("A", call.args[0]->type)), x(builder_.input("B", call.args[1]->type)),
        y(builder_.output("T_grad", call.type)), sizes(pool_.data.canonical_sizes(x->shape)) {}

  const InferInput& in() const { return in_; }
  const Pool& pool() const { return pool_; }
  Scalar incoming(const Indices& at) const { return load(grad, pool_.out.indices(at)); }
  Scalar element(const Indices& at) const { return load(x, pool_.data.indices(at)); }
  Stmt add(const Indices& at, const Scalar& value) const {
    const Indices own = pool_.data.indices(at);
    return store(y, own, load(y, own) + value);
  }
  /// Emits a loop over the taps of the window at `at` that lie inside the tensor.
  template <class Body>
  Stmt each_tap(const Indices& at, const Body& body) const {
    return repeat("kh", int_imm(pool_.size[0]), [&](const Scalar& i) {
      return repeat("kw", int_imm(pool_.size[1]), [&](const Scalar& j) {
        const Tap tap = tap_of(pool_, at, {i, j}, sizes);
        return tap.inside ? when(tap.inside, body(tap.from)) : body(tap.from);
      });
    });
  }
  template <class Window>
  Ref<BaseFunc> finish(std::vector<Ref<Buffer>> locals, const Window& window) {
    const std::vector<Scalar> windows = pool_.out.canonical_sizes(grad->shape);
    auto plane = [&](const std::vector<Scalar>& extents, const auto& body) {
      return repeat("h", extents[2], [&](const Scalar& h) {
        return repeat("w", extents[3], [&](const Scalar& w) { return body(h, w); });
      });
    };
    builder_.steps({.name = in_.op.name().substr(5),
                    .spatial = {sizes[0], sizes[1]},
                    .reads = {grad, x},
                    .writes = {y},
                    .locals = std::move(locals),
                    .body = [&](const Indices& at) {
                      Stmt clear = plane(sizes, [&](const Scalar& h, const Scalar& w) {
                        return store(y, pool_.data.indices({at[0], at[1], h, w}), constant(y->dtype, 0));
                      });
                      return in_order({clear, plane(windows, [&](const Scalar& h, const Scalar& w) {
                                         return window(Indices{at[0], at[1], h, w});
                                       })});
                    }});
    return std::move(builder_).finish();
  }

 private:
  InferInput in_;
  Pool pool_;
  KernelBuilder builder_;

 public:
  const Ref<Buffer> grad, x, y;
  const std::vector<Scalar> sizes;
};

}  // namespace

// The gradient of a window goes to its first maximum; NaN counts as the largest value.
Ref<BaseFunc> lower_max_pool_gradient(const Call& call) {
  PoolGradient g(call);
  Cell top("top", g.x->dtype), row("row", DType::int_(64)), column("column", DType::int_(64));
  return g.finish({top.buffer(), row.buffer(), column.buffer()}, [&](const Indices& at) {
    Stmt look = g.each_tap(at, [&](const Indices& from) {
      Scalar value = g.element(from);
      Scalar is_first = less(row.get(), int_imm(0));
      Stmt take = in_order({top.set(value), row.set(from[2]), column.set(from[3])});
      return when(Binary::make(BinaryOp::Or, is_first, stands_before(value, top.get(), true)), take);
    });
    Stmt give = g.add({at[0], at[1], row.get(), column.get()}, g.incoming(at));
    return in_order(
        {row.set(int_imm(-1)), top.set(lowest_of(g.x->dtype)), look, when(at_least(row.get(), int_imm(0)), give)});
  });
}

// Each element of a window receives the window's gradient divided by the divisor of the average, which may count
// padding.
Ref<BaseFunc> lower_avg_pool_gradient(const Call& call) {
  PoolGradient g(call);
  return g.finish({}, [&](const Indices& at) {
    Scalar count = counted(g.pool(), at, g.sizes, g.in().bool_attr("count_include_pad"));
    Scalar share = divide(g.incoming(at), cast_to(g.y->dtype, count));
    return g.each_tap(at, [&](const Indices& from) { return g.add(from, share); });
  });
}

}  // namespace sunmao
