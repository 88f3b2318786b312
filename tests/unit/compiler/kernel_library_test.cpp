// Kernels of an artifact that are called one by one, functions that are run while a module is compiled, and artifacts
// of what only hosts understand.
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/compile.h"
#include "compiler/kernel_library.h"
#include "compiler/loaded_kernels.h"
#include "compiler/run_compiled.h"
#include "ops/ops.h"
#include "passes/loop/kernel_forms.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

constexpr const char* kProgram = R"(
@I.ir_module
class M:
    @R.function(private=True)
    def scaled(x: R.Tensor(("n",), "float32"), by: R.Tensor((), "float32")) -> R.Tensor(("n",), "float32"):
        y = R.multiply(x, by)
        return y

    @R.function
    def main(x: R.Tensor(("n",), "float32"), c: R.Tensor((), "bool"), s: R.Shape(["m"])):
        n = T.int64()
        m = T.int64()
        cls = M
        if c:
            y = cls.scaled(x, R.const(3, "float32"))
        else:
            y = R.negative(x)
        z = R.concat((y, R.full(R.shape([m]), R.const(7, "float32"))), axis=0)
        return (z, (R.shape([n + m]), x))

    @R.function
    def straight(x: R.Tensor((3,), "float32")):
        y = R.add(x, x)
        return y
)";

Compiled compile_text(const char* text, bool kernels_alone = false) {
  CompileOptions options;
  options.bind_weights = false;
  options.kernels_alone = kernels_alone;
  return compile({parse_module(Source::make("m.py", text), builtin_ops()), {}}, options);
}

Array floats(std::vector<float> values) { return Array::from_floats({static_cast<int64_t>(values.size())}, values); }

Array boolean(bool value) {
  ArrayBuilder b(DType::bool_(), {});
  b.as<uint8_t>()[0] = value;
  return std::move(b).finish();
}

TEST(RunCompiled, RunsBranchesToo) {
  const Compiled compiled = compile_text(kProgram);
  const Value got = run_compiled(compiled.module, "main", {floats({1, 2}), boolean(true), ShapeValue{1}}, {});
  EXPECT_EQ(*got.tuple()->at(0).array(), floats({3, 6, 7}));
}

TEST(KernelLibrary, AnArtifactOfKernelsAloneHasNoFunctions) {
  const Compiled compiled = compile_text(kProgram, true);
  const io::Bytes artifact = compiled.artifact;
  const ModelHandle model = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  EXPECT_EQ(sunmao_function_count(model.get()), 0u);
  const KernelLibrary library(compiled.module, artifact);
  for (const FunctionEntry& e : compiled.module.functions()) {
    const auto* f = find<PrimFunc>(Expr(e.func));
    if (!f || f->attrs.has(kFormOfAttr)) continue;
    EXPECT_GE(sunmao_find_kernel(model.get(), e.var->name.c_str()), 0) << e.var->name;
    library.lend([&](KernelRunner& kernels) {
      EXPECT_FALSE(kernels.may_write(*f, 0)) << e.var->name;
      return Value();
    });
  }
}

constexpr const char* kHost = R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"), False)):
        y = R.call_packed("host.double", x, ty_args=(R.Tensor((2,), "float32"),))
        z = f(y)
        w = R.add(z, x)
        return w
)";

TEST(Artifact, AFunctionOfTheHostThatIsPassedIsAnObject) {
  const Compiled compiled = compile_text(kHost);
  const io::Bytes artifact = compiled.artifact;
  const ModelHandle model = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  std::vector<std::string> called;
  for (size_t i = 0; i < sunmao_host_function_count(model.get()); ++i)
    called.emplace_back(sunmao_host_function_name(model.get(), i));
  EXPECT_EQ(called,
            (std::vector<std::string>{"vm.builtin.check_func_info", "host.double", "vm.builtin.invoke_closure"}));
  sunmao_value_info info;
  ASSERT_EQ(sunmao_input_info(model.get(), 0, 1, &info), 0);
  EXPECT_STREQ(info.dtype_name, "handle");
  EXPECT_EQ(info.ndim, 0);
}

TEST(KernelLibrary, KernelsAreCalledByNumber) {
  const Compiled compiled = compile_text(kProgram);
  const io::Bytes artifact = compiled.artifact;
  const ModelHandle model = load_model(artifact, SUNMAO_LOAD_OPTIONS_INIT);
  const SessionHandle session = create_session(model);
  const KernelTable table(compiled.module, model);
  for (const FunctionEntry& e : compiled.module.functions()) {
    const auto* f = find<PrimFunc>(Expr(e.func));
    EXPECT_TRUE(!f || f->attrs.has(kFormOfAttr) || table.find(*f)) << e.var->name;
  }
  EXPECT_EQ(sunmao_find_kernel(model.get(), "no such kernel"), -1);
  EXPECT_EQ(sunmao_find_kernel(nullptr, "main"), -1);
  sunmao_error error;
  EXPECT_NE(sunmao_run_kernel(session.get(), -1, nullptr, 0, nullptr, 0, &error), 0);
  EXPECT_STREQ(error.code, "E0901");
  EXPECT_NE(sunmao_run_kernel(session.get(), 0, nullptr, 0, nullptr, 0, &error), 0);
  EXPECT_STREQ(error.code, "E0902");
  EXPECT_NE(sunmao_run_kernel(session.get(), 0, nullptr, 1, nullptr, 0, &error), 0);
  EXPECT_STREQ(error.code, "E0900");
}

}  // namespace
}  // namespace sunmao
