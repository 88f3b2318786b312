// End-to-end tests: from script to results of compiled code, compared with the evaluator.
#include "compiler/compile.h"
#include "compiler/run_compiled.h"

#include <gtest/gtest.h>
#include <sunmao/runtime.h>

#include <random>

#include "codegen/vm/program.h"
#include "eval/evaluator.h"
#include "frontend/frontend.h"
#include "ir/equal.h"
#include "ops/ops.h"
#include "script/parse.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"
#include "tests/unit/frontend/onnx_writer.h"

namespace sunmao {
namespace {

constexpr const char* kMlp = R"(
@I.ir_module
class M:
    @R.function
    def main(
        x: R.Tensor(("n", 16), "float32"),
        w1: R.Tensor((32, 16), "float32"),
        b1: R.Tensor((32,), "float32"),
        w2: R.Tensor((3, 4), "float32"),
        b2: R.Tensor((3,), "float32"),
    ):
        n = T.int64()
        R.func_attr({"num_input": 1})
        with R.dataflow():
            h = R.nn.relu(R.add(R.matmul(x, R.permute_dims(w1)), b1))
            r = R.reshape(h, R.shape([n, 4, 8]))
            s = R.sum(r, axis=[2])
            y = R.add(R.matmul(s, R.permute_dims(w2)), b2)
            R.output(y)
        return y
)";

Array random_array(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> dist(-1, 1);
  ArrayBuilder b(DType::float_(32), std::move(shape));
  for (float& v : b.as<float>()) v = dist(rng);
  return std::move(b).finish();
}

Model mlp() {
  return {parse_module(Source::make("mlp.py", kMlp), builtin_ops()),
          {{"w1", random_array({32, 16}, 1)},
           {"b1", random_array({32}, 2)},
           {"w2", random_array({3, 4}, 3)},
           {"b2", random_array({3}, 4)}}};
}

CompileOptions checked() {
  CompileOptions options;
  options.runner.verify_each = true;
  return options;
}

void expect_close(const Array& a, const Array& b) {
  ASSERT_EQ(a.shape(), b.shape());
  for (size_t i = 0; i < a.as<float>().size(); ++i) EXPECT_NEAR(a.as<float>()[i], b.as<float>()[i], 1e-5) << i;
}

Array evaluate(const Model& m, const Array& x) {
  std::vector<Value> args{x};
  for (const char* name : {"w1", "b1", "w2", "b2"}) args.emplace_back(m.weights.at(name));
  return *Evaluator(m.module).call("main", args).array();
}

// Runs `main` of an artifact in memory.
Array run(const io::Bytes& artifact, const Array& x) {
  sunmao_error error{};
  sunmao_model* model = nullptr;
  sunmao_session* session = nullptr;
  EXPECT_EQ(sunmao_load_memory(artifact.data(), artifact.size(), nullptr, &model, &error), 0) << error.message;
  EXPECT_EQ(sunmao_session_create(model, &session, &error), 0) << error.message;
  std::vector<int64_t> shape = x.shape();
  ArrayBuilder copy(x.dtype(), shape);
  std::copy_n(x.data(), x.size_bytes(), copy.data());
  DLTensor in{.data = copy.data(),
              .device = {kDLCPU, 0},
              .ndim = 2,
              .dtype = {2, 32, 1},
              .shape = shape.data(),
              .strides = nullptr,
              .byte_offset = 0};
  DLTensor out{};
  EXPECT_EQ(sunmao_run(session, "main", &in, 1, &out, 1, &error), 0) << error.code << error.message;
  Array result;
  if (out.data) {
    std::vector<int64_t> dims(out.shape, out.shape + out.ndim);
    ArrayBuilder b(DType::float_(32), dims);
    std::copy_n(static_cast<const float*>(out.data), b.as<float>().size(), b.as<float>().data());
    result = std::move(b).finish();
  }
  sunmao_session_free(session);
  sunmao_model_free(model);
  return result;
}

TEST(Compile, gives_the_numbers_of_the_evaluator_at_every_batch_size) {
  Model m = mlp();
  io::Bytes artifact = compile(m, checked()).artifact;
  for (int64_t n : {1, 2, 7, 12, 13, 64}) {
    Array x = random_array({n, 16}, static_cast<unsigned>(n));
    expect_close(run(artifact, x), evaluate(m, x));
  }
  EXPECT_EQ(run(artifact, random_array({0, 16}, 9)).shape(), (std::vector<int64_t>{0, 3}));
}

// Symbolic sizes of a model file may agree, so it compiles; a run checks them, or repeats what has one element.
TEST(Compile, sizes_that_an_onnx_file_leaves_open_are_checked_when_it_runs) {
  const auto read = [](const test::GraphText& graph) {
    return read_onnx(io::Bytes::from(test::model(graph)), "t.onnx", "", builtin_ops());
  };
  const Model product = read({.nodes = {test::node("MatMul", {"x", "w"}, {"y"})},
                              .initializers = {test::floats("w", {16, 32})},
                              .inputs = {test::value_info("x", {"b", "k"})},
                              .outputs = {"y"}});
  EXPECT_EQ(run(compile(product, checked()).artifact, random_array({3, 16}, 1)).shape(), (std::vector<int64_t>{3, 32}));
  const Model sum = read({.nodes = {test::node("Add", {"x", "z"}, {"s"}), test::node("Relu", {"s"}, {"y"})},
                          .initializers = {},
                          .inputs = {test::value_info("x", {"a", 4}), test::value_info("z", {"b", 4})},
                          .outputs = {"y"}});
  const Module checks = compile(sum, checked()).module;
  EXPECT_NE(print(checks).find("T.Select(a == 1, b, a)"), std::string::npos) << print(checks);
}

TEST(Compile, the_same_input_gives_the_same_bytes) {
  Model m = mlp();
  io::Bytes a = compile(m, {}).artifact, b = compile(m, {}).artifact;
  EXPECT_EQ(a.text(), b.text());
}

TEST(Compile, the_stages_can_be_printed_read_back_and_continued) {
  Model m = mlp();
  CompileOptions options;
  for (const char* stop : {"normalize", "lift-transform-params", "legalize-ops", "fuse-kernels"}) {
    options.runner.stop_after = stop;
    Module stage = run_pipeline(m, options).module;
    Module again = parse_module(Source::make(stop, print(stage)), builtin_ops());
    EXPECT_EQ(first_difference(stage, again), "") << stop << "\n" << print(stage);
  }
}

TEST(Compile, unbound_the_caller_prepares_and_passes_weights) {
  Model m = mlp();
  CompileOptions options = checked();
  options.bind_weights = false;
  m.module = find_pass("lift-transform-params")->run(m.module, {});
  Module built = compile(m, options).module;
  Value prepared = run_compiled(
      built, "main_transform_params",
      {ValueTuple{m.weights.at("w1"), m.weights.at("b1"), m.weights.at("w2"), m.weights.at("b2")}}, options);
  Array x = random_array({5, 16}, 5);
  std::vector<Value> args{x};
  for (const Value& v : *prepared.tuple()) args.push_back(v);
  Value y = run_compiled(built, "main", args, options);
  expect_close(*y.tuple()->at(0).array(), evaluate(mlp(), x));
}

TEST(Compile, unbound_and_not_lifted_the_signature_stays) {
  Model m = mlp();
  CompileOptions options = checked();
  options.bind_weights = false;
  Array x = random_array({5, 16}, 5);
  std::vector<Value> args{x};
  for (const char* name : {"w1", "b1", "w2", "b2"}) args.emplace_back(m.weights.at(name));
  Value y = run_compiled(compile(m, options).module, "main", args, options);
  expect_close(*y.tuple()->at(0).array(), evaluate(m, x));
}

TEST(Compile, says_what_is_wrong_with_weights_options_and_ranges) {
  Model missing = mlp(), wrong = mlp();
  missing.weights.erase("b1");
  wrong.weights["b1"] = random_array({31}, 1);
  EXPECT_EQ(code_of([&] { compile(missing, {}); }), "E0520");
  EXPECT_EQ(code_of([&] { compile(wrong, {}); }), "E0521");
  CompileOptions options;
  options.dims = {{"seq", {1, 8}}};
  EXPECT_EQ(code_of([&] { compile(mlp(), options); }), "E0512");
  options.dims.clear();
  options.runner.disabled = {"fold-constant"};
  EXPECT_EQ(code_of([&] { compile(mlp(), options); }), "E0511");
  options.runner.disabled.clear();
  options.runner.stop_after = "normalize";
  EXPECT_EQ(code_of([&] { compile(mlp(), options); }), "E0513");
}

std::string compile_code(const std::string& functions) {
  std::string text = "@I.ir_module\nclass M:\n" + functions;
  return code_of([&] { compile({parse_module(Source::make("m.py", text), builtin_ops()), {}}, {}); });
}

TEST(Compile, says_what_the_virtual_machine_does_not_run) {
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        r = R.nonzero(x)
        return r
)"),
            "no error");
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(x: R.Tensor((2,), "float32")):
        r = R.call_pure_packed("of_the_host", x, sinfo_args=R.Tensor((2,), "float32"))
        return r
)"),
            "no error");
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(x: R.Tensor((2,), "float32"), f: R.Callable((R.Tensor((2,), "float32"),), R.Tensor((2,), "float32"))):
        r = f(x)
        return r
)"),
            "no error");
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        r = R.memory.view(x, R.shape([2]), "float32", 8)
        return r
)"),
            "no error");
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2,), "float32")) -> R.Tensor((2,), "float32"):
        if c:
            r = R.add(x, x)
        else:
            r = R.nn.relu(x)
        return r
)"),
            "no error");
  EXPECT_EQ(compile_code(R"(
    @R.function(private=True)
    def main(x: R.Tensor((2,), "float32")):
        return x
)"),
            "E1022");
  EXPECT_EQ(compile_code(R"(
    @R.function
    def main(x: R.Tensor((4,), "float32")):
        cls = M
        y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((5,), "float32"))
        z = R.call_tir(cls.f, (x, y), out_ty=R.Tensor((4,), "float32"))
        return z

    @T.prim_func(private=True)
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("copy"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]
)"),
            "E0508");
}

TEST(Compile, a_size_that_no_input_tells_is_an_error) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", TensorType::make({Scalar(n) + int_imm(1)}, DType::float_(32)));
  Ref<Function> f = Function::make({x}, SeqExpr::make({}, x), nullptr, true, Attrs(AttrMap{{"global_symbol", "main"}}));
  EXPECT_EQ(code_of([&] { emit_program(Module().with_function("main", f), {}, {}); }), "E1021");
}

TEST(Compile, a_stated_range_is_guarded_at_run_time) {
  CompileOptions options;
  options.dims = {{"n", {1, 8}}};
  io::Bytes artifact = compile(mlp(), options).artifact;
  sunmao_error error{};
  sunmao_model* model = nullptr;
  sunmao_session* session = nullptr;
  ASSERT_EQ(sunmao_load_memory(artifact.data(), artifact.size(), nullptr, &model, &error), 0) << error.message;
  ASSERT_EQ(sunmao_session_create(model, &session, &error), 0);
  std::vector<float> data(9 * 16);
  int64_t shape[] = {9, 16};
  DLTensor in{.data = data.data(),
              .device = {kDLCPU, 0},
              .ndim = 2,
              .dtype = {2, 32, 1},
              .shape = shape,
              .strides = nullptr,
              .byte_offset = 0};
  DLTensor out{};
  EXPECT_NE(sunmao_run(session, "main", &in, 1, &out, 1, &error), 0);
  EXPECT_EQ(std::string(error.code).substr(0, 3), "E09");
  EXPECT_NE(std::string(error.message).find("`n`"), std::string::npos) << error.message;
  sunmao_session_free(session);
  sunmao_model_free(model);
}

}  // namespace
}  // namespace sunmao
