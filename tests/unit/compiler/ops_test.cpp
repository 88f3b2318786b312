// Kernels of ops in C: functions of the host whose results the session allocates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "compiler/compile.h"
#include "compiler/runtime_handles.h"
#include "ops/ops.h"
#include "script/parse.h"

namespace sunmao {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kModel = R"py(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 3), "float32")) -> R.Tuple(R.Tensor(("n", 3), "float32"), R.Tensor(("n",), "int64")):
        n = T.int64()
        with R.dataflow():
            h = R.add(x, R.const(1, "float32"))
            ys = R.call_dps_packed("scale", (h, R.prim_value(-2), T.float32(0.5), R.str("a \"b\", (c)"), R.shape([n, 7]), (x,)),
                                   out_ty=[R.Tensor((n, 3), "float32"), R.Tensor((n,), "int64")])
            y = ys[0]
            z = ys[1]
            s = R.multiply(y, y)
            R.output(s, z)
        return (s, z)

    @R.function
    def made(x: R.Tensor((3,), "float32")) -> R.Tensor((3,), "float32"):
        y = R.call_pure_packed("make", x, ty_args=R.Tensor((3,), "float32"))
        return y
)py";

using Kernel = std::function<int(const sunmao_op_call&)>;

class Ops : public ::testing::Test {
 protected:
  static io::Bytes artifact() {
    CompileOptions options;
    options.bind_weights = false;
    return compile({parse_module(Source::make("m.py", kModel), builtin_ops()), {}}, options).artifact;
  }

  int give(const char* name, Kernel kernel) {
    kernel_ = std::move(kernel);
    const auto call = [](void* data, const sunmao_op_call* c) { return (*static_cast<Kernel*>(data))(*c); };
    return sunmao_register_op(session_.get(), name, call, &kernel_, &error_);
  }

  int run(int64_t rows) {
    std::vector<float> x(static_cast<size_t>(rows) * 3, 1);
    std::vector<int64_t> shape{rows, 3};
    const DLTensor input{x.data(), {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, shape.data(), nullptr, 0};
    DLTensor outputs[2] = {};
    if (const int status = sunmao_run(session_.get(), "main", &input, 1, outputs, 2, &error_)) return status;
    const auto* s = static_cast<const float*>(outputs[0].data);
    const auto* z = static_cast<const int64_t*>(outputs[1].data);
    scaled_.assign(s, s + rows * 3);
    rows_.assign(z, z + rows);
    return 0;
  }

  const io::Bytes artifact_ = artifact();
  const ModelHandle model_ = load_model(artifact_, SUNMAO_LOAD_OPTIONS_INIT);
  const SessionHandle session_ = create_session(model_);
  Kernel kernel_;
  sunmao_error error_ = {};
  std::vector<float> scaled_;
  std::vector<int64_t> rows_;
};

TEST_F(Ops, KernelsFillResultsThatTheSessionAllocates) {
  const Kernel kernel = [](const sunmao_op_call& call) {
    EXPECT_EQ(call.struct_size, sizeof(call));
    EXPECT_EQ(call.input_count, 2u);
    EXPECT_EQ(call.output_count, 2u);
    EXPECT_EQ(call.value_count, 4u);
    const DLTensor &h = call.inputs[0], &y = call.outputs[0], &z = call.outputs[1];
    EXPECT_EQ(h.ndim, 2);
    EXPECT_EQ(call.inputs[1].shape[1], 3);
    EXPECT_EQ(y.shape[0], h.shape[0]);
    EXPECT_EQ(y.dtype.code, kDLFloat);
    EXPECT_EQ(z.ndim, 1);
    EXPECT_EQ(z.dtype.code, kDLInt);
    EXPECT_EQ(call.values[0].integers[0], -2);
    EXPECT_EQ(call.values[0].count, 1u);
    EXPECT_EQ(call.values[0].real, -2.0);
    EXPECT_EQ(call.values[1].real, 0.5);
    EXPECT_EQ(call.values[1].integers, nullptr);
    EXPECT_EQ(call.values[1].text, nullptr);
    EXPECT_STREQ(call.values[2].text, "a \"b\", (c)");
    EXPECT_EQ(call.values[3].count, 2u);
    EXPECT_EQ(call.values[3].integers[0], h.shape[0]);
    EXPECT_EQ(call.values[3].integers[1], 7);
    for (int64_t i = 0; i < h.shape[0] * 3; ++i)
      static_cast<float*>(y.data)[i] = static_cast<const float*>(h.data)[i] * 3;
    for (int64_t i = 0; i < h.shape[0]; ++i) static_cast<int64_t*>(z.data)[i] = i;
    return 0;
  };
  ASSERT_EQ(give("scale", kernel), 0) << error_.message;
  ASSERT_EQ(run(2), 0) << error_.message;
  EXPECT_THAT(scaled_, ElementsAre(36, 36, 36, 36, 36, 36));
  EXPECT_THAT(rows_, ElementsAre(0, 1));
  ASSERT_EQ(run(5), 0) << error_.message;
  EXPECT_THAT(rows_, ElementsAre(0, 1, 2, 3, 4));
  ASSERT_EQ(run(0), 0) << error_.message;
}

TEST_F(Ops, E0923_AKernelThatFailsSaysWhy) {
  ASSERT_EQ(give("scale", [](const sunmao_op_call& call) { return *call.failure = "not today", 1; }), 0);
  EXPECT_NE(run(2), 0);
  EXPECT_STREQ(error_.code, "E0923");
  EXPECT_STREQ(error_.message, "function `main`: the host's function `scale` failed: not today");
  ASSERT_EQ(give("scale", [](const sunmao_op_call&) { return 1; }), 0);
  EXPECT_NE(run(2), 0);
  EXPECT_STREQ(error_.message, "function `main`: the host's function `scale` failed");
}

TEST_F(Ops, E0924_AMissingKernelIsNamedWithItsForm) {
  EXPECT_NE(run(2), 0);
  EXPECT_STREQ(error_.code, "E0924");
  EXPECT_THAT(error_.help,
              HasSubstr("sunmao_register_op(session, \"scale\", ...); it is called as scale(float32[2], -2, 0.5, "));
}

TEST_F(Ops, E0927_FunctionsThatMakeTheirResultsAreNoKernels) {
  EXPECT_NE(give("make", [](const sunmao_op_call&) { return 0; }), 0);
  EXPECT_STREQ(error_.code, "E0927");
  EXPECT_THAT(error_.message, HasSubstr("make(float32[1]) -> float32[1]"));
}

TEST_F(Ops, ArgumentsOfRegistrationAreChecked) {
  EXPECT_NE(give("other", [](const sunmao_op_call&) { return 0; }), 0);
  EXPECT_STREQ(error_.code, "E0901");
  const sunmao_op op = [](void*, const sunmao_op_call*) { return 0; };
  EXPECT_NE(sunmao_register_op(nullptr, "scale", op, nullptr, &error_), 0);
  EXPECT_NE(sunmao_register_op(session_.get(), nullptr, op, nullptr, &error_), 0);
  EXPECT_NE(sunmao_register_op(session_.get(), "scale", nullptr, nullptr, &error_), 0);
  EXPECT_STREQ(error_.code, "E0900");
}

}  // namespace
}  // namespace sunmao
