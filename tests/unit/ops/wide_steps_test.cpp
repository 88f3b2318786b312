#include "ops/wide_steps.h"

#include "ops/lowering.h"
#include "tests/unit/ops/op_case.h"

namespace sunmao {
namespace {

using Codes = std::vector<uint16_t>;
const DType kHalf = DType::float_(16);

Ref<PrimFunc> kernel(const std::string& op, std::vector<Expr> args, AttrMap attrs = {}) {
  return find_ref<PrimFunc>(Expr(kernel_of(*call_op(op, std::move(args), std::move(attrs)))));
}
Codes codes(const std::string& op, const std::vector<Expr>& args, AttrMap attrs = {}) {
  return elements<uint16_t>(*evaluated(op, args, std::move(attrs)).array());
}

TEST(WideSteps, SumsDoNotStopWhereOneIsLessThanASpacing) {
  const Expr ones = integers(kHalf, {4096}, Codes(4096, 0x3c00));
  EXPECT_EQ(codes("sum", {ones}), Codes{0x6c00});
  EXPECT_EQ(codes("cumsum", {ones}).back(), 0x6c00);
}

TEST(WideSteps, RoundWhereTheResultIsStored) {
  // (1 + 3e)^2 - 1 is 6e + 9e * e, where e is the spacing of float16 at 1; the product rounded by itself is 1 + 6e.
  const Expr x = integers(kHalf, {1}, Codes{0x3c03}), minus_one = integers(kHalf, {1}, Codes{0xbc00});
  EXPECT_EQ(codes("ewise_fma", {x, x, minus_one}), Codes{0x1e02});
}

TEST(WideSteps, AreLeftAloneWhereThereIsOneOrNone) {
  const Expr x = tensor({4}, kHalf);
  KernelBuilder k("negated");
  const Ref<Buffer> from = k.input("from", x->type), to = k.output("to", x->type);
  k.compute(to, "negated", [&](const Indices& at) { return load(from, at) * constant(kHalf, -1); });
  const Ref<PrimFunc> one = std::move(k).finish();
  EXPECT_EQ(with_wide_steps(one), one);
  const Ref<PrimFunc> wide = kernel("nn.softmax", {tensor({4})});
  EXPECT_EQ(with_wide_steps(wide), wide);
}

TEST(WideSteps, AreMadeWideOnce) {
  for (const char* op : {"sum", "variance", "nn.silu", "nn.softmax", "cumsum"}) {
    const Ref<PrimFunc> once = kernel(op, {tensor({4}, kHalf)});
    EXPECT_EQ(with_wide_steps(once), once) << op;
  }
}

}  // namespace
}  // namespace sunmao
