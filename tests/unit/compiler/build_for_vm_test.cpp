// Which engine a module for a virtual machine needs, and the reason that is given.
#include "compiler/build_for_vm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/ops.h"
#include "script/parse.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

using ::testing::HasSubstr;

std::variant<Compiled, NeedsUpstreamVm> build_text(const char* text) {
  CompileOptions options;
  options.bind_weights = false;
  return build_for_vm({parse_module(Source::make("m.py", text), builtin_ops()), {}}, options);
}

std::string notice_of(const char* text) {
  const auto built = build_text(text);
  const auto* needs = std::get_if<NeedsUpstreamVm>(&built);
  return needs ? needs->notice : "";
}

TEST(BuildForVm, AModuleThatBytecodeExpressesIsCompiled) {
  const auto built = build_text(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((3,), "float32")):
        y = R.add(x, x)
        return y
)");
  ASSERT_TRUE(std::holds_alternative<Compiled>(built));
  EXPECT_GT(std::get<Compiled>(built).artifact.size(), 0u);
}

TEST(BuildForVm, AHostFunctionThatChangesATensorNeedsRegisters) {
  EXPECT_EQ(notice_of(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((3,), "float32"), y: R.Tensor((3,), "float32")):
        z = R.call_inplace_packed(
            "fill", x, y, inplace_indices=[-1, 1], ty_args=[R.Tensor((3,), "float32"), R.Tensor((3,), "float32")]
        )
        return z
)"),
            "the module runs in the interpreter of register programs, not as bytecode: "
            "in `main`, \"fill\" changes `y`, and bytecode would pass a copy");
}

TEST(BuildForVm, AnObjectIsTheHostsInBothEngines) {
  EXPECT_EQ(notice_of(R"(
@I.ir_module
class M:
    @R.function
    def main(cache: R.Any):
        z = R.call_inplace_packed("append", cache, inplace_indices=[0], ty_args=[R.Any])
        return z
)"),
            "");
}

constexpr const char* kTwoFunctions = R"(
@I.ir_module
class M:
    @R.function
    def first(x: R.Tensor((3,), "float32")):
        y = R.add(x, x)
        return y

    @R.function(pure=False)
    def second(x: R.Tensor((3,), "float32")):
        heap = R.call_builtin_with_ctx(
            "vm.builtin.alloc_shape_heap", (R.prim_value(1),), ty_args=[R.Tensor(ndim=1, dtype="int64")]
        )
        s = R.call_packed("vm.builtin.make_shape", heap, 1, 1, 0, ty_args=[R.Shape(ndim=1)])
        return s

    @R.function
    def third(x: R.Tensor((3,), "float32")):
        y = R.exp(x)
        return y
)";

TEST(BuildForVm, TheReasonNamesTheFunctionAndTheCode) {
  const auto built = build_text(kTwoFunctions);
  const auto* needs = std::get_if<NeedsUpstreamVm>(&built);
  ASSERT_TRUE(needs);
  EXPECT_THAT(needs->notice, HasSubstr("bytecode cannot express `second`: "));
  EXPECT_THAT(needs->notice, HasSubstr("slot 0, of which it is not known what it holds (E1020)"));
  EXPECT_EQ(needs->refusal.code, "E1020");
}

TEST(BuildForVm, OtherErrorsAreThrown) {
  EXPECT_EQ(code_of([] {
              build_text(R"(
@I.ir_module
class M:
    @T.prim_func(private=True)
    def f(A: T.Buffer((3,), "float32")):
        for i in range(3):
            A[i] = T.float32(1)
)");
            }),
            "E1022");
}

}  // namespace
}  // namespace sunmao
