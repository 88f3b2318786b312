// Each loop pass on the smallest function that shows its effect, and on one that it leaves unchanged.
#include <gtest/gtest.h>

#include "loop/builder.h"
#include "loop/walk.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/simplify_loops.h"
#include "passes/loop/store_nest.h"
#include "passes/loop/unroll_loops.h"
#include "passes/loop/vectorize_loops.h"
#include "passes/schedule/inline_elementwise.h"
#include "passes/schedule/lower_kernel.h"
#include "passes/schedule/schedule.h"

namespace sunmao {
namespace {

const DType kF32 = DType::float_(32);

Type tensor(std::vector<Scalar> dims) { return TensorType::make(std::move(dims), kF32); }
Target target() { return Target::parse("x86-64-v3"); }

/// Counts statements and loops by kind.
class Census final : public StmtVisitor {
 public:
  explicit Census(const Stmt& s) { visit(s); }
  int of(StmtKind kind) const { return kinds_[static_cast<size_t>(kind)]; }
  int loops(ForKind kind) const { return loops_[static_cast<size_t>(kind)]; }
  int vector_stores = 0;
  void visit(const Stmt& s) override {
    ++kinds_[static_cast<size_t>(s->kind)];
    if (const auto* loop = find<For>(s)) ++loops_[static_cast<size_t>(loop->for_kind)];
    if (const auto* store = find<BufferStore>(s))
      vector_stores += !store->indices.empty() && store->indices.back()->dtype.lanes > 1 ? 1 : 0;
    visit_parts(s);
  }

 private:
  int kinds_[16] = {};
  int loops_[8] = {};
};

struct Chain {
  Ref<PrimFunc> func;
  Ref<Buffer> out;
};

/// Returns the kernel t = f(a), out = t + t, and its output buffer.
Chain chain(const std::function<Scalar(const Scalar&)>& f) {
  KernelBuilder k("chain");
  Ref<Buffer> a = k.input("a", tensor({int_imm(8)})), out = k.output("out", tensor({int_imm(8)}));
  Ref<Buffer> t = k.alloc("t", kF32, {int_imm(8)});
  k.compute(t, "t", [&](const Indices& i) { return f(load(a, i)); });
  k.compute(out, "out", [&](const Indices& i) { return load(t, i) + load(t, i); });
  return {std::move(k).finish(), out};
}

TEST(InlineElementwise, takes_in_cheap_producers) {
  const Chain c = chain([](const Scalar& x) { return x * x; });
  const Ref<PrimFunc> after = inline_elementwise(c.func);
  const RootBody root = *read_root(*after);
  EXPECT_EQ(root.stmts.size(), 1u);
  EXPECT_TRUE(root.temps.empty());
  EXPECT_EQ(inline_elementwise(after), after);
}

TEST(InlineElementwise, leaves_what_would_be_computed_twice) {
  const Chain c = chain([](const Scalar& x) { return intrinsic("exp", x); });
  EXPECT_EQ(inline_elementwise(c.func), c.func);
}

TEST(InlineElementwise, computes_once_what_each_step_of_a_chain_would_double) {
  KernelBuilder k("chain");
  Ref<Buffer> last = k.input("a", tensor({int_imm(8)})), out = k.output("out", tensor({int_imm(8)}));
  constexpr int kSteps = 40;
  for (int step = 0; step < kSteps; ++step) {
    Ref<Buffer> next = step + 1 < kSteps ? k.alloc(fmt::format("t{}", step), kF32, {int_imm(8)}) : out;
    k.compute(next, next->name, [&](const Indices& i) { return load(last, i) * load(last, i); });
    last = next;
  }
  const RootBody root = *read_root(*inline_elementwise(std::move(k).finish()));
  ASSERT_EQ(root.stmts.size(), 1u);
  int64_t nodes = 0;
  visit_all(read_store_nest(root.stmts[0])->value, [&](const Scalar&) { ++nodes; });
  EXPECT_LT(nodes, 1 << 14);
}

TEST(LowerBlocks, stores_the_initial_value_ahead_of_the_reduction) {
  KernelBuilder k("sum");
  Ref<Buffer> a = k.input("a", tensor({int_imm(4), int_imm(5)})), out = k.output("out", tensor({int_imm(4)}));
  k.reduce(out, "sum", {int_imm(5)}, {constant(kF32, 0), [](const Scalar& s, const Scalar& v) { return s + v; }},
           [&](const Indices& s, const Indices& r) { return load(a, {s[0], r[0]}); });
  const Ref<PrimFunc> func = std::move(k).finish();
  const Ref<PrimFunc> after = lower_blocks(func, target());
  const Census census(after->body);
  EXPECT_EQ(census.of(StmtKind::BlockRealize), 0);
  EXPECT_EQ(census.of(StmtKind::IfThenElse), 0);
  const auto* outer = find<For>(after->body);
  ASSERT_TRUE(outer);
  const auto* steps = find<Seq>(outer->body);
  ASSERT_TRUE(steps);
  EXPECT_TRUE(find<BufferStore>(steps->stmts[0]));
  EXPECT_TRUE(find<For>(steps->stmts[1]));
  EXPECT_EQ(lower_blocks(after, target()), after);
}

/// Returns the kernel out[i] = value(a, i), with one loop of `kind`.
Ref<PrimFunc> one_loop(ForKind kind, int64_t extent,
                       const std::function<Scalar(const Ref<Buffer>&, const Scalar&)>& value) {
  KernelBuilder k("loop");
  Ref<Buffer> a = k.input("a", tensor({int_imm(64)})), out = k.output("out", tensor({int_imm(64)}));
  const Ref<PrimFunc> shell = std::move(k).finish();
  const Ref<SymVar> i = SymVar::make("i");
  return shell->with_body(For::make(i, int_imm(extent), BufferStore::make(out, value(a, i), {i}), kind));
}

TEST(UnrollLoops, writes_each_step) {
  const Ref<PrimFunc> func =
      one_loop(ForKind::Unrolled, 5, [](const auto& a, const Scalar& i) { return load(a, {i}); });
  const Census census(unroll_loops(func, target())->body);
  EXPECT_EQ(census.of(StmtKind::For), 0);
  EXPECT_EQ(census.of(StmtKind::BufferStore), 5);
  const Ref<PrimFunc> serial =
      one_loop(ForKind::Serial, 5, [](const auto& a, const Scalar& i) { return load(a, {i}); });
  EXPECT_EQ(unroll_loops(serial, target()), serial);
}

TEST(UnrollLoops, leaves_marked_loops_to_code_generation_on_request) {
  const Ref<PrimFunc> func =
      one_loop(ForKind::Unrolled, 5, [](const auto& a, const Scalar& i) { return load(a, {i}); });
  const Census census(unroll_loops_as(func, {.explicit_unroll = false})->body);
  EXPECT_EQ(census.loops(ForKind::Serial), 1);
  EXPECT_EQ(census.of(StmtKind::BufferStore), 1);
}

TEST(UnrollLoops, takes_serial_loops_of_few_statements_or_steps_on_request) {
  const auto loads = [](const auto& a, const Scalar& i) { return load(a, {i}); };
  const Ref<PrimFunc> five = one_loop(ForKind::Serial, 5, loads);
  const auto stores = [&](const UnrollOptions& options) {
    return Census(unroll_loops_as(five, options)->body).of(StmtKind::BufferStore);
  };
  EXPECT_EQ(stores({.auto_max_step = 5}), 5);
  EXPECT_EQ(unroll_loops_as(five, {.auto_max_step = 4}), five);
  EXPECT_EQ(stores({.auto_max_extent = 5}), 5);
  EXPECT_EQ(unroll_loops_as(five, {.auto_max_extent = 4}), five);
  EXPECT_EQ(unroll_loops_as(five, {.auto_max_step = 5, .auto_max_depth = 0}), five);
  EXPECT_EQ(unroll_loops_as(five, {.auto_max_step = 5, .explicit_unroll = false}), five);
  const Ref<PrimFunc> parallel = one_loop(ForKind::Parallel, 5, loads);
  EXPECT_EQ(unroll_loops_as(parallel, {.auto_max_step = 5}), parallel);
}

TEST(UnrollLoops, takes_so_many_serial_loops_within_each_other) {
  const Ref<PrimFunc> one = one_loop(ForKind::Serial, 3, [](const auto& a, const Scalar& i) { return load(a, {i}); });
  Stmt nest = one->body;
  for (int i = 0; i < 3; ++i) nest = For::make(SymVar::make("j"), int_imm(3), nest);
  const Ref<PrimFunc> four = one->with_body(nest);
  const Census two(unroll_loops_as(four, {.auto_max_depth = 2, .auto_max_extent = 3})->body);
  EXPECT_EQ(two.of(StmtKind::For), 2);
  EXPECT_EQ(two.of(StmtKind::BufferStore), 9);
  const Census by_steps(unroll_loops_as(four, {.auto_max_step = 27})->body);
  EXPECT_EQ(by_steps.of(StmtKind::For), 1);
  EXPECT_EQ(by_steps.of(StmtKind::BufferStore), 27);
}

TEST(UnrollLoops, keeps_code_within_bounds) {
  Stmt nest = one_loop(ForKind::Serial, 1000, [](const auto& a, const Scalar& i) { return load(a, {i}); })->body;
  const Ref<PrimFunc> shell = one_loop(ForKind::Serial, 1, [](const auto& a, const Scalar& i) { return load(a, {i}); });
  for (int i = 0; i < 3; ++i) nest = For::make(SymVar::make("j"), int_imm(1000), nest);
  const Census census(unroll_loops_as(shell->with_body(nest), {.auto_max_extent = 1000})->body);
  EXPECT_EQ(census.of(StmtKind::BufferStore), 1000);
  EXPECT_EQ(census.of(StmtKind::For), 3);
}

TEST(VectorizeLoops, makes_ramps_of_neighbours) {
  const Ref<PrimFunc> func = one_loop(ForKind::Vectorized, 8, [](const auto& a, const Scalar& i) {
    return load(a, {i * int_imm(2)}) + load(a, {int_imm(3)});
  });
  const Ref<PrimFunc> after = vectorize_loops(func, target());
  const auto* store = find<BufferStore>(after->body);
  ASSERT_TRUE(store);
  EXPECT_TRUE(find<Ramp>(store->indices[0]));
  EXPECT_EQ(store->value->dtype, kF32.with_lanes(8));
  EXPECT_EQ(vectorize_loops(after, target()), after);
}

TEST(VectorizeLoops, keeps_serial_what_has_no_vector_form) {
  KernelBuilder k("transpose");
  Ref<Buffer> a = k.input("a", tensor({int_imm(8), int_imm(8)})), out = k.output("out", tensor({int_imm(8)}));
  const Ref<PrimFunc> shell = std::move(k).finish();
  const Ref<SymVar> i = SymVar::make("i");
  Stmt body = BufferStore::make(out, load(a, {i, int_imm(0)}), {i});
  const Ref<PrimFunc> after =
      vectorize_loops(shell->with_body(For::make(i, int_imm(8), body, ForKind::Vectorized)), target());
  EXPECT_EQ(Census(after->body).loops(ForKind::Serial), 1);
}

TEST(SimplifyLoops, drops_what_is_decided) {
  KernelBuilder k("f");
  Ref<Buffer> out = k.output("out", tensor({int_imm(64)}));
  const Ref<PrimFunc> shell = std::move(k).finish();
  const Ref<SymVar> i = SymVar::make("i"), once = SymVar::make("once");
  Stmt store = BufferStore::make(out, constant(kF32, 1), {i + once});
  Stmt always = IfThenElse::make(Binary::make(BinaryOp::Lt, i, int_imm(64)), store);
  Stmt never = IfThenElse::make(Binary::make(BinaryOp::Ge, i, int_imm(64)), store);
  Stmt body = For::make(i, int_imm(64), For::make(once, int_imm(1), Seq::make({always, never})));
  const Ref<PrimFunc> after = simplify_loops(shell->with_body(body), target());
  const Census census(after->body);
  EXPECT_EQ(census.of(StmtKind::IfThenElse), 0);
  EXPECT_EQ(census.of(StmtKind::For), 1);
  EXPECT_EQ(census.of(StmtKind::BufferStore), 1);
}

TEST(SimplifyLoops, leaves_arithmetic_on_data) {
  const Ref<PrimFunc> func = one_loop(ForKind::Serial, 64, [](const auto& a, const Scalar& i) {
    return load(a, {i}) + constant(kF32, 1) - constant(kF32, 1);
  });
  EXPECT_EQ(simplify_loops(func, target()), func);
}

TEST(Schedule, vectors_the_last_axis_and_threads_the_first) {
  KernelBuilder k("f");
  Ref<Buffer> a = k.input("a", tensor({int_imm(512), int_imm(512)})), b = k.input("b", tensor({int_imm(512)}));
  Ref<Buffer> out = k.output("out", tensor({int_imm(512), int_imm(512)}));
  k.compute(out, "add", [&](const Indices& i) { return load(a, i) + load(b, {i[1]}); });
  const Ref<PrimFunc> after = schedule(std::move(k).finish(), target());
  const Census census(after->body);
  EXPECT_EQ(census.loops(ForKind::Parallel), 1);
  EXPECT_EQ(census.loops(ForKind::Vectorized), 1);
  EXPECT_EQ(schedule(after, target()), after);
}

TEST(LowerKernel, leaves_no_blocks_and_no_marks) {
  const Ref<PrimFunc> after = lower_kernel(chain([](const Scalar& x) { return x * x; }).func, target());
  const Census census(after->body);
  EXPECT_EQ(census.of(StmtKind::Block), 0);
  EXPECT_EQ(census.loops(ForKind::Vectorized), 0);
  EXPECT_EQ(census.loops(ForKind::Unrolled), 0);
  EXPECT_EQ(census.vector_stores, 1);
}

TEST(LowerKernel, gives_the_same_twice_and_keeps_its_input) {
  const Ref<PrimFunc> func = chain([](const Scalar& x) { return x * x; }).func;
  const Stmt before = func->body;
  const Ref<PrimFunc> first = lower_kernel(func, target()), second = lower_kernel(func, target());
  Equality equality;
  EXPECT_TRUE(first->equals(*second, equality)) << equality.difference();
  EXPECT_EQ(func->body, before);
}

}  // namespace
}  // namespace sunmao
