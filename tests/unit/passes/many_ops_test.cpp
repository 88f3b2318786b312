// Modules of many ops: kernels keep to limits, and the work of passes on a kernel does not explode with its statements.
#include <gtest/gtest.h>

#include <algorithm>

#include "eval/evaluator.h"
#include "loop/walk.h"
#include "ops/ops.h"
#include "passes/loop/store_nest.h"
#include "passes/pass.h"
#include "passes/pass_arguments.h"
#include "script/parse.h"
#include "tests/unit/passes/counted_allocations.h"

namespace sunmao {
namespace {

constexpr const char* kToKernels =
    "normalize, legalize-ops, canonicalize-bindings, annotate-op-pattern, fuse-ops(only_kernels=True), fuse-tir";

Module through(Module m, const std::string& passes) {
  for (const PassCall& call : parse_pass_calls(passes, "test")) {
    PassContext context;
    context.arguments = call.arguments;
    m = call.pass->run(m, context);
  }
  return m;
}

/// A function of vectors `x` and `y`, which binds `lv0` … to these values and returns `result`.
Module vector_function(const std::vector<std::string>& values, const std::string& result) {
  std::string text =
      "@R.function\ndef main(x: R.Tensor((8,), \"float32\"), y: R.Tensor((8,), \"float32\")):\n    with "
      "R.dataflow():\n";
  for (size_t i = 0; i < values.size(); ++i) text += fmt::format("        lv{} = {}\n", i, values[i]);
  text += fmt::format("        gv = {}\n        R.output(gv)\n    return gv\n", result);
  return parse_module(Source::make("test.py", text), builtin_ops());
}

enum class Added : uint8_t { Input, Itself };

/// A chain of ops, each of which adds the input `y`, or itself, to the value before.
Module steps(size_t ops, Added added) {
  std::vector<std::string> values{"R.add(x, y)"};
  for (size_t i = 1; i < ops; ++i)
    values.push_back(added == Added::Itself ? fmt::format("R.add(lv{0}, lv{0})", i - 1)
                                            : fmt::format("R.add(lv{}, y)", i - 1));
  return vector_function(values, fmt::format("R.negative(lv{})", ops - 1));
}

/// Applies `op`, which puts tensors together, to `count` vectors.
Module together(const std::string& op, size_t count) {
  std::string list;
  for (size_t i = 0; i < count; ++i) list += i % 3 == 0 ? "y, " : "x, ";
  return vector_function({fmt::format("R.{}(({}), axis=0)", op, list)}, "R.negative(lv0)");
}

std::vector<Ref<PrimFunc>> kernels(const Module& m) {
  std::vector<Ref<PrimFunc>> out;
  for (const FunctionEntry& e : m.functions())
    if (Ref<PrimFunc> f = find_ref<PrimFunc>(Expr(e.func))) out.push_back(std::move(f));
  return out;
}

size_t most_buffers(const Module& m) {
  size_t most = 0;
  for (const Ref<PrimFunc>& f : kernels(m)) most = std::max(most, f->buffers().size());
  return most;
}

Array result(const Module& m) {
  std::vector<float> x, y;
  for (int i = 0; i < 8; ++i) {
    x.push_back(static_cast<float>(i));
    y.push_back(static_cast<float>(10 - 3 * i));
  }
  return *Evaluator(m).call("main", {Array::from_floats({8}, x), Array::from_floats({8}, y)}).array();
}

uint64_t allocations_of_inlining(size_t ops) {
  const Module m = through(steps(ops, Added::Input), kToKernels);
  const uint64_t before = counted_allocations();
  const Module inlined = through(m, "inline-elementwise");
  const uint64_t spent = counted_allocations() - before;
  EXPECT_EQ(read_root(*kernels(inlined).at(0))->stmts.size(), 1);
  return spent;
}

// The value grows with each statement, so that work on all values grows with the square: 4 times, and not 8.
TEST(ManyOps, InliningDoesNotSearchAllStatementsForEachLoad) {
  EXPECT_LE(allocations_of_inlining(160), 5 * allocations_of_inlining(80));
}

// Each value is read twice: copied, the last one would have 2 ^ 60 loads.
TEST(ManyOps, ADoublingChainIsOneStatementOfFewNodes) {
  const Module fused = through(steps(60, Added::Itself), kToKernels), inlined = through(fused, "inline-elementwise");
  const std::vector<Ref<PrimFunc>> made = kernels(inlined);
  ASSERT_EQ(made.size(), 1);
  const std::optional<RootBody> root = read_root(*made[0]);
  ASSERT_EQ(root->stmts.size(), 1);
  EXPECT_TRUE(root->temps.empty());
  int64_t nodes = 0;
  visit_all(read_store_nest(root->stmts[0])->value, [&](const Scalar&) { ++nodes; });
  EXPECT_LT(nodes, 1 << 14);
  EXPECT_TRUE(result(inlined) == result(fused));
}

// Each value of one chain is read by the other one, which goes the same way or the other way.
TEST(ManyOps, TwoChainsThatReadEachOtherAreOneKernel) {
  for (const bool is_same_way : {true, false}) {
    std::vector<std::string> values{"R.add(x, y)"};
    constexpr size_t kOps = 100;
    for (size_t i = 1; i < kOps; ++i) values.push_back(fmt::format("R.subtract(lv{}, y)", i - 1));
    values.push_back("R.multiply(x, y)");
    for (size_t i = 1; i < kOps; ++i)
      values.push_back(fmt::format("R.maximum(lv{}, lv{})", kOps + i - 1, is_same_way ? i : kOps - i));
    const Module fused = through(vector_function(values, fmt::format("R.negative(lv{})", 2 * kOps - 1)), kToKernels);
    EXPECT_EQ(kernels(fused).size(), 1) << is_same_way;
  }
}

// What is read at another element too is not computed once for both.
TEST(ManyOps, AValueThatIsReadAtTwoElementsStays) {
  std::vector<std::string> values{"R.add(x, y)"};
  for (size_t i = 1; i < 40; ++i) values.push_back(fmt::format("R.add(lv{0}, R.flip(lv{0}, axis=0))", i - 1));
  const Module fused = through(vector_function(values, "R.negative(lv39)"), kToKernels);
  EXPECT_TRUE(result(through(fused, "inline-elementwise")) == result(fused));
}

TEST(ManyOps, OneKernelPutsAFewHundredTensorsTogether) {
  for (const char* op : {"concat", "stack"}) {
    const Module written = together(op, 300), legal = through(written, "normalize, legalize-ops");
    EXPECT_EQ(most_buffers(legal), 65) << op;
    EXPECT_TRUE(result(legal) == result(through(written, "normalize"))) << op;
  }
}

TEST(ManyOps, TensorsThatFitOneKernelArePutTogetherByOne) {
  EXPECT_EQ(most_buffers(through(together("concat", 64), "normalize, legalize-ops")), 65);
  EXPECT_EQ(kernels(through(together("concat", 64), "normalize, legalize-ops")).size(), 2);  // and `negative`
}

TEST(ManyOps, WhatPutsManyTensorsTogetherStaysAKernelOfItsOwn) {
  const Module many = through(together("concat", 64 * 3), kToKernels),
               few = through(together("concat", 63), kToKernels);
  EXPECT_EQ(kernels(many).size(), 2);  // 64 tensors, which three calls put together; their results, negated
  EXPECT_EQ(kernels(few).size(), 1);
}

}  // namespace
}  // namespace sunmao
