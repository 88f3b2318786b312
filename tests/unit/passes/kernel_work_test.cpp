// The work and the family of the kernels that ops become.
#include "passes/analysis/kernel_work.h"

#include <gtest/gtest.h>

#include "loop/builder.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "passes/schedule/kernel_family.h"
#include "script/parse.h"

namespace sunmao {
namespace {

struct Said {
  std::string family, flops, bytes;
  bool operator==(const Said&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Said& s) {
  return out << s.family << ", " << s.flops << " flops, " << s.bytes << " bytes";
}

// Returns what is said of the one kernel of `value`, an expression of parameters.
Said said_of(const std::string& params, const std::string& value) {
  const std::string text = fmt::format(R"(
@I.ir_module
class M:
    @R.function
    def main({}):
        n = T.int64()
        return {}
)",
                                       params, value);
  Module module = parse_module(Source::make("test", text), builtin_ops());
  for (const char* pass : {"normalize", "legalize-ops"}) module = find_pass(pass)->run(module, {});
  Said said;
  for (const FunctionEntry& e : module.functions()) {
    const auto* func = find<PrimFunc>(Expr(e.func));
    if (!func) continue;
    EXPECT_EQ(said.family, "") << "two kernels";
    const KernelWork work = count_work(*func);
    said = {kernel_family(*func), describe(work.flops), describe(work.bytes)};
  }
  return said;
}

TEST(KernelWork, of_a_product_of_matrices) {
  EXPECT_EQ(said_of(R"(a: R.Tensor((3, 5), "float32"), b: R.Tensor((5, 7), "float32"))", "R.matmul(a, b)"),
            (Said{"contraction", "210", "284"}));
}

TEST(KernelWork, of_a_product_with_a_symbolic_size) {
  EXPECT_EQ(said_of(R"(a: R.Tensor(("n", 5), "float32"), b: R.Tensor((5, 7), "float32"))", "R.matmul(a, b)"),
            (Said{"contraction", "n * 70", "n * 48 + 140"}));
}

TEST(KernelWork, of_a_convolution) {
  EXPECT_EQ(said_of(R"(x: R.Tensor((1, 8, 16, 16), "float32"), w: R.Tensor((4, 8, 3, 3), "float32"))",
                    "R.nn.conv2d(x, w, padding=[1, 1])"),
            (Said{"contraction", std::to_string(2 * 4 * 16 * 16 * 8 * 9),
                  std::to_string(4 * (8 * 16 * 16 + 4 * 8 * 9 + 4 * 16 * 16))}));
}

TEST(KernelWork, of_a_depthwise_convolution) {
  EXPECT_EQ(
      said_of(R"(x: R.Tensor((1, 16, 16, 8), "float32"), w: R.Tensor((3, 3, 8, 1), "float32"))",
              R"(R.nn.conv2d(x, w, groups=8, data_layout="NHWC", kernel_layout="HWOI"))"),
      (Said{"window", std::to_string(2 * 14 * 14 * 8 * 9), std::to_string(4 * (16 * 16 * 8 + 9 * 8 + 14 * 14 * 8))}));
}

TEST(KernelWork, of_a_pool) {
  EXPECT_EQ(said_of(R"(x: R.Tensor((1, 2, 8, 8), "float32"))", "R.nn.max_pool2d(x, pool_size=[2, 2], strides=[2, 2])"),
            (Said{"window", std::to_string(2 * 4 * 4 * 4), std::to_string(4 * (2 * 8 * 8 + 2 * 4 * 4))}));
}

// max, then the difference and its exponential, their sum, and the quotient
TEST(KernelWork, of_a_softmax) {
  EXPECT_EQ(said_of(R"(x: R.Tensor((4, 10), "float32"))", "R.nn.softmax(x)"), (Said{"row", "200", "320"}));
}

TEST(KernelWork, of_elementwise_arithmetic) {
  EXPECT_EQ(said_of(R"(x: R.Tensor(("n", 8), "float32"), b: R.Tensor((8,), "float32"))", "R.add(x, b)"),
            (Said{"map", "n * 8", "n * 64 + 32"}));
  EXPECT_EQ(said_of(R"(x: R.Tensor((8,), "float32"))", "R.exp(x)"), (Said{"map", "8", "64"}));
}

TEST(KernelWork, of_equal_parts_counts_once) {
  const Type type = TensorType::make({int_imm(8)}, DType::float_(32));
  KernelBuilder k("square");
  const Ref<Buffer> x = k.input("x", type), y = k.output("y", type);
  k.compute(y, "y", [&](const Indices& i) { return intrinsic("exp", load(x, i)) * intrinsic("exp", load(x, i)); });
  const KernelWork work = count_work(*std::move(k).finish());
  EXPECT_EQ(describe(work.flops), "16");
  EXPECT_EQ(describe(work.bytes), "64");
}

TEST(KernelWork, of_a_transpose_is_its_bytes) {
  EXPECT_EQ(said_of(R"(x: R.Tensor((8, 3), "float16"))", "R.permute_dims(x)"), (Said{"map", "0", "96"}));
}

TEST(KernelWork, of_a_gather_counts_the_rows_that_are_read) {
  EXPECT_EQ(said_of(R"(t: R.Tensor((1000, 16), "float32"), i: R.Tensor((5,), "int64"))", "R.take(t, i, axis=0)"),
            (Said{"map", "0", std::to_string(5 * 16 * 4 * 2 + 5 * 8)}));
}

TEST(KernelWork, of_integers) {
  EXPECT_EQ(said_of(R"(a: R.Tensor((3, 5), "int32"), b: R.Tensor((5, 7), "int32"))", "R.matmul(a, b)"),
            (Said{"contraction", "210", "284"}));
}

TEST(KernelWork, of_elements_of_less_than_a_byte) {
  EXPECT_EQ(said_of(R"(x: R.Tensor((6,), "int4"))", R"(R.astype(x, "float32"))"), (Said{"map", "0", "27"}));
}

}  // namespace
}  // namespace sunmao
