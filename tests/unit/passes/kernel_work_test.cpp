// The work and the family of the kernels that ops become, and the work of functions.
#include "passes/schedule/function_work.h"

#include <gtest/gtest.h>

#include "loop/builder.h"
#include "ops/ops.h"
#include "passes/pass.h"
#include "passes/schedule/kernel_family.h"
#include "script/parse.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

struct Said {
  std::string family, flops, bytes;
  bool operator==(const Said&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Said& s) {
  return out << s.family << ", " << s.flops << " flops, " << s.bytes << " bytes";
}

Module legalised(const std::string& params, const std::string& value) {
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
  return module;
}

// Returns the one kernel of `value`, an expression of parameters.
Ref<PrimFunc> kernel_of(const std::string& params, const std::string& value) {
  const Module module = legalised(params, value);
  Ref<PrimFunc> found;
  for (const FunctionEntry& e : module.functions())
    if (Ref<PrimFunc> func = find_ref<PrimFunc>(Expr(e.func))) {
      EXPECT_FALSE(found) << "two kernels";
      found = std::move(func);
    }
  return found;
}

Said said_of(const std::string& params, const std::string& value) {
  const Ref<PrimFunc> func = kernel_of(params, value);
  const KernelWork work = count_work(*func);
  return {kernel_family(*func), describe(work.flops), describe(work.bytes)};
}

std::string operations_text(const std::map<Numbers, Scalar>& flops_on) {
  std::string out;
  for (const auto& [numbers, flops] : flops_on)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name_of(numbers), describe(flops));
  return out;
}

std::string operations_of(const std::string& params, const std::string& value) {
  return operations_text(count_work(*kernel_of(params, value)).flops_on);
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

TEST(KernelWork, of_a_depthwise_convolution_with_channels_first) {
  EXPECT_EQ(
      said_of(R"(x: R.Tensor((1, 8, 16, 16), "float32"), w: R.Tensor((8, 1, 3, 3), "float32"))",
              "R.nn.conv2d(x, w, groups=8)"),
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

TEST(KernelWork, of_products_of_bytes_is_on_bytes) {
  const char* params = R"(a: R.Tensor(("n", 5), "uint8"), b: R.Tensor((5, 7), "int8"))";
  const char* bytes = R"(R.matmul(a, b, out_dtype="int32"))";
  EXPECT_EQ(operations_of(params, bytes), "int8 n * 70");
  EXPECT_EQ(said_of(params, bytes).flops, "n * 70");
  EXPECT_EQ(operations_of(params, R"(R.matmul(a, b, out_dtype="int64"))"), "integers n * 70");
  EXPECT_EQ(operations_of(params, R"(R.matmul(a, b, out_dtype="float32"))"), "float32 n * 70");
}

// A padded convolution chooses between an element and zero.
// The kernel has a form for each number of sequences that take a step together.
TEST(KernelWork, of_a_recurrent_layer_is_that_of_its_sequences) {
  const auto work_of = [](const std::string& batch) {
    return count_work(*kernel_of(fmt::format(R"(g: R.Tensor((5, {0}, 60), "float32"), w: R.Tensor((60, 20), "float32"),
                                  h: R.Tensor(({0}, 20), "float32"))",
                                             batch),
                                 "R.nn.gru(g, w, h)"));
  };
  const Scalar alone = work_of("1").flops;
  const int64_t one = *find_int(alone);
  EXPECT_GT(one, 5 * 60 * 20 * 2);
  const Scalar any = work_of("\"n\"").flops;
  const std::vector<Ref<SymVar>> symbols = free_symbols(any);
  ASSERT_EQ(symbols.size(), 1);
  for (int64_t n = 1; n < 14; ++n) {
    EXPECT_EQ(describe(work_of(std::to_string(n)).flops), std::to_string(n * one));
    EXPECT_EQ(describe(Analyzer().simplify(substitute(any, {{symbols[0], int_imm(n)}}))), std::to_string(n * one));
  }
}

TEST(KernelWork, of_padded_bytes_is_on_bytes) {
  EXPECT_EQ(operations_of(R"(x: R.Tensor((1, 8, 16, 16), "uint8"), w: R.Tensor((4, 8, 3, 3), "int8"))",
                          R"(R.nn.conv2d(x, w, padding=[1, 1], out_dtype="int32"))"),
            fmt::format("int8 {}", 2 * 4 * 16 * 16 * 8 * 9));
}

TEST(KernelWork, of_other_integers_is_on_integers) {
  EXPECT_EQ(operations_of(R"(a: R.Tensor((3, 5), "int32"), b: R.Tensor((5, 7), "int32"))", "R.matmul(a, b)"),
            "integers 210");
  EXPECT_EQ(operations_of(R"(x: R.Tensor((8,), "int8"), y: R.Tensor((8,), "int8"))", "R.maximum(x, y)"), "integers 8");
}

TEST(KernelWork, of_floats_is_on_their_type) {
  for (const char* dtype : {"float32", "float64"})
    EXPECT_EQ(operations_of(fmt::format(R"(a: R.Tensor((3, 5), "{0}"), b: R.Tensor((5, 7), "{0}"))", dtype),
                            "R.matmul(a, b)"),
              fmt::format("{} 210", dtype));
  EXPECT_EQ(operations_of(R"(x: R.Tensor((4, 10), "float32"))", "R.nn.softmax(x)"), "float32 200");
}

TEST(KernelWork, of_products_of_two_bytes_is_on_these_with_sums_of_float32) {
  for (const char* dtype : {"float16", "bfloat16"})
    EXPECT_EQ(operations_of(fmt::format(R"(a: R.Tensor((3, 5), "{0}"), b: R.Tensor((5, 7), "{0}"))", dtype),
                            R"(R.matmul(a, b, out_dtype="float32"))"),
              fmt::format("{} 210", dtype));
}

// One operand alone is widened: a product of float32.
TEST(KernelWork, of_narrow_weights_is_on_float32) {
  const Type wide = TensorType::make({int_imm(8)}, DType::float_(32));
  const Type narrow = TensorType::make({int_imm(8)}, DType::float_(16));
  KernelBuilder k("scale");
  const Ref<Buffer> x = k.input("x", wide), w = k.input("w", narrow), y = k.output("y", wide);
  k.compute(y, "y", [&](const Indices& i) { return load(x, i) * Cast::make(DType::float_(32), load(w, i)); });
  EXPECT_EQ(operations_text(count_work(*std::move(k).finish()).flops_on), "float32 8");
}

// (x - zero) * scale: a difference of integers, and a product of floats.
TEST(KernelWork, of_a_mixed_kernel_is_split) {
  EXPECT_EQ(operations_of(R"(x: R.Tensor((6,), "uint8"), s: R.Tensor((), "float32"), z: R.Tensor((), "uint8"))",
                          "R.dequantize(x, s, z)"),
            "integers 6, float32 6");
}

TEST(FunctionWork, is_the_sum_over_calls) {
  const Module module = legalised(R"(x: R.Tensor(("n", 5), "float32"), w: R.Tensor((5, 5), "float32"))",
                                  "R.matmul(R.nn.relu(R.matmul(x, w)), w)");
  const FunctionWork work = count_work(module, module.find_as<Function>("main"));
  EXPECT_EQ(work.calls, 3u);
  EXPECT_TRUE(work.is_whole);
  EXPECT_EQ(operations_text(work.flops_on), "float32 n * 105");
  ASSERT_EQ(work.flops_of.size(), 2u);
  EXPECT_EQ(describe(work.flops_of.at("contraction")), "n * 100");
  EXPECT_EQ(describe(work.flops_of.at("map")), "n * 5");
}

}  // namespace
}  // namespace sunmao
