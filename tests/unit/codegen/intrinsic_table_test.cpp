// The table of intrinsics: every record has all parts, expansions are made of instructions, and compiled code agrees
// with the evaluator's functions within the bounds on edges, for instruction sets with and without wide registers and
// `fma`.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "passes/loop/expand_intrinsics.h"
#include "passes/loop/lower_blocks.h"
#include "passes/loop/vectorize_loops.h"
#include "sym/walk.h"
#include "tests/unit/codegen/intrinsic_errors.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

using Floats = std::vector<float>;

Floats edges() {
  using Limits = std::numeric_limits<float>;
  Floats out{0,
             0.25f,
             0.5f,
             0.75f,
             1,
             1.5f,
             2,
             3,
             10,
             88.7f,
             89.5f,
             104,
             150,
             700,
             131071,
             131072,
             1e6f,
             16777218,
             1e10f,
             1e20f,
             3e38f,
             Limits::denorm_min(),
             1e-40f,
             Limits::min(),
             1e-30f,
             1e-10f,
             1e-5f,
             0.99999994f,
             1.0000001f,
             1.5707964f,
             3.1415927f,
             0.78539819f,
             Limits::max(),
             Limits::infinity(),
             Limits::quiet_NaN()};
  for (size_t i = 0, count = out.size(); i < count; ++i) out.push_back(-out[i]);
  return out;
}

// Returns all tuples of edges, and some of random bits.
std::vector<Floats> operands_of(const Intrinsic& intrinsic) {
  const Floats all = edges();
  std::vector<Floats> out(intrinsic.arity);
  size_t count = 1;
  for (size_t k = 0; k < intrinsic.arity; ++k) count *= all.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0, rest = i; k < intrinsic.arity; ++k, rest /= all.size()) out[k].push_back(all[rest % all.size()]);
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i)
    for (Floats& operand : out) operand.push_back(std::bit_cast<float>(static_cast<uint32_t>(random())));
  if (intrinsic.name == "scalb")  // takes whole numbers of some hundreds
    for (float& n : out[1]) n = std::isnan(n) ? 0 : std::trunc(std::fmin(std::fmax(n, -250.0f), 250.0f));
  return out;
}

// True when what a branch computes for rare lanes is computed there, and not before it.
bool branches_compute(const Scalar& s) {
  bool all = true;
  visit_all(s, [&](const Scalar& node) {
    const auto* call = sunmao::find<ScalarCall>(node);
    if (call && call->name == "if_then_else") all = all && !sunmao::find<SymVar>(call->args[1]);
  });
  return all;
}

TEST(IntrinsicTable, EveryRecordHasAllParts) {
  std::set<std::string_view> names;
  for (const Intrinsic& i : all_intrinsics()) {
    EXPECT_TRUE(names.insert(i.name).second) << i.name << " is there twice";
    EXPECT_EQ(find_intrinsic(i.name), &i);
    const bool takes_floats = i.operands == Operands::Floats || i.operands == Operands::Numbers;
    EXPECT_EQ(i.of_floats != nullptr, takes_floats) << i.name;
    EXPECT_EQ(i.of_integers != nullptr, i.operands != Operands::Floats) << i.name;
    EXPECT_TRUE(takes_floats || !i.expansion) << i.name;
    EXPECT_TRUE(!i.is_exact || (!i.expansion && i.bound.float32 == 0 && i.bound.float64 == 0)) << i.name;
  }
}

TEST(IntrinsicTable, CallsOfOtherOperandsHaveNoRecord) {
  const Scalar x = SymVar::make("x", DType::float_(32)), n = SymVar::make("n", DType::int_(32));
  auto find = [](const char* name, DType dtype, std::vector<Scalar> args) {
    return find_intrinsic(*sunmao::find<ScalarCall>(ScalarCall::make(name, dtype, std::move(args))));
  };
  EXPECT_TRUE(find("exp", DType::float_(32), {x}));
  EXPECT_FALSE(find("exp", DType::int_(32), {n}));
  EXPECT_FALSE(find("exp", DType::float_(32), {x, x}));
  EXPECT_FALSE(find("pow", DType::float_(32), {x, n}));
  EXPECT_TRUE(find("pow", DType::int_(32), {n, n}));
  EXPECT_FALSE(find("bitwise_and", DType::float_(32), {x, x}));
  EXPECT_FALSE(find("no_such", DType::float_(32), {x}));
}

TEST(IntrinsicTable, ExpansionsAreOfInstructionsAndSmall) {
  for (const Intrinsic& i : all_intrinsics()) {
    if (!i.expansion) continue;
    for (const DType dtype : {DType::float_(16), DType::float_(32), DType::float_(32, 16), DType::float_(64, 8)}) {
      const std::vector<Scalar> args(i.arity, SymVar::make("x", dtype));
      const DType result = i.result == Intrinsic::Result::Bool ? DType::bool_(dtype.lanes) : dtype;
      const Scalar call = ScalarCall::make(std::string(i.name), result, args);
      const Scalar out = expand_intrinsic(*sunmao::find<ScalarCall>(call), true);
      ASSERT_TRUE(out) << i.name;
      EXPECT_EQ(out->dtype, result) << i.name;
      int count = 0;
      visit_all(out, [&](const Scalar& node) {
        ++count;
        const auto* inner = sunmao::find<ScalarCall>(node);
        const Intrinsic* known = inner ? find_intrinsic(std::string_view(inner->name)) : nullptr;
        EXPECT_FALSE(known && known->expansion) << i.name << " expands to " << known->name;
      });
      EXPECT_LT(count, 1500) << i.name << " on " << dtype.str();
      EXPECT_TRUE(branches_compute(out)) << i.name << " on " << dtype.str();
    }
  }
}

TEST(IntrinsicTable, CompiledCodeAgreesOnEdges) {
  for (const char* isa : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const Target target = Target::parse(isa);
    if (!target.isa.runs_here()) continue;
    for (const Intrinsic& i : all_intrinsics()) {
      if (!i.of_floats || (i.name == "fma" && !target.isa.has(Instruction::FusedMultiplyAdd))) continue;
      const GreatestError e = greatest_error(CompiledIntrinsic(i, target), i, operands_of(i));
      EXPECT_LE(e.spacings, std::max(i.bound.float32, 0.5000001))
          << i.name << "(" << fmt::format("{}", fmt::join(e.at, ", ")) << ") on " << isa;
    }
  }
}

// Returns exp of `dtype` over a vector of all lanes.
Ref<PrimFunc> exp_of_vector(DType dtype, int64_t lanes, const Target& target) {
  KernelBuilder k("f");
  const Ref<Buffer> x = k.input("x", tensor({lanes}, dtype)), out = k.output("out", tensor({lanes}, dtype));
  k.compute(out, "f", [&](const Indices& i) { return intrinsic("exp", load(x, i)); });
  const Ref<PrimFunc> plain = lower_blocks(std::move(k).finish(), target);
  const For& loop = *sunmao::find<For>(plain->body);
  const Stmt wide = For::make(loop.var, loop.extent, loop.body, ForKind::Vectorized);
  return expand_intrinsics(vectorize_loops(plain->with_body(wide), target), target);
}

template <class T>
void check_vector(const Target& target, int64_t lanes) {
  std::vector<T> x, out(static_cast<size_t>(lanes));
  for (int64_t i = 0; i < lanes; ++i) x.push_back(static_cast<T>(i) * static_cast<T>(4.1) - 96);
  Program program(exp_of_vector(DType::float_(sizeof(T) * 8), lanes, target), target);
  ASSERT_EQ(program({x.data(), out.data()}), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    const double want = static_cast<T>(std::exp(static_cast<double>(x[i])));
    EXPECT_LE(std::abs(out[i] - want),
              want * std::numeric_limits<T>::epsilon() * 2 + std::numeric_limits<T>::denorm_min())
        << "lane " << i << " of " << lanes;
  }
}

TEST(IntrinsicTable, PowersOfTwoScaleVectorsOfAnyLength) {
  for (const char* isa : {"x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    const Target target = Target::parse(isa);
    if (!target.isa.runs_here()) continue;
    for (int64_t lanes : {2, 8, 16, 24, 32, 44}) {
      check_vector<float>(target, lanes);
      check_vector<double>(target, lanes);
    }
  }
}

TEST(IntrinsicTable, ErrorsAreCountedInSpacings) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(error_of(1.0f, 1.0 + 0x1p-24), 0.5);
  EXPECT_EQ(error_of(1.0f, 1.0 - 0x1p-24), 1);  // below a power of two numbers are closer
  EXPECT_EQ(error_of(0x1p-149f, 0), kInfinity);
  EXPECT_EQ(error_of(0x1p-149f, 0x1p-148), 1);
  EXPECT_EQ(error_of(-0.0f, 0), kInfinity);
  EXPECT_EQ(error_of(std::numeric_limits<float>::infinity(), 0x1.fffffep127), 1);
  EXPECT_EQ(error_of(1.0f, std::nan("")), kInfinity);
}

}  // namespace
}  // namespace sunmao::testing
