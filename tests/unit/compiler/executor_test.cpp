// Programs that bytecode cannot express run in the executor with compiled kernels, with the evaluator's results.
#include <gtest/gtest.h>

#include "compiler/build.h"
#include "compiler/compile.h"
#include "compiler/compiled_executor.h"
#include "compiler/loaded_kernels.h"
#include "eval/evaluator.h"
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

Compiled compile_walked(const char* text) {
  CompileOptions options;
  options.bind_weights = false;
  options.allow_walk = true;
  return compile({parse_module(Source::make("m.py", text), builtin_ops()), {}}, options);
}

std::unique_ptr<CompiledExecutor> executor_of(const Compiled& compiled) {
  return std::make_unique<CompiledExecutor>(compiled.module, io::join(compiled.artifact));
}

Array floats(std::vector<float> values) { return Array::from_floats({static_cast<int64_t>(values.size())}, values); }

Array boolean(bool value) {
  ArrayBuilder b(DType::bool_(), {});
  b.as<uint8_t>()[0] = value;
  return std::move(b).finish();
}

struct Seen {
  size_t args = 0, written = 0;
};

class Doubles final : public HostFunction {
 public:
  explicit Doubles(Seen& seen) : seen_(seen) {}
  Value call(ValueTuple args, size_t written) const override {
    const Array& x = *args.at(0).array();
    ArrayBuilder out(x.dtype(), x.shape());
    for (size_t i = 0; i < x.as<float>().size(); ++i) out.as<float>()[i] = 2 * x.as<float>()[i];
    seen_ = {args.size(), written};
    return std::move(out).finish();
  }

 private:
  Seen& seen_;
};

TEST(Executor, BranchesCallsShapesAndTuplesAsTheEvaluator) {
  const Compiled compiled = compile_walked(kProgram);
  EXPECT_TRUE(compiled.walked.empty());
  const auto executor = executor_of(compiled);
  const Module source = parse_module(Source::make("m.py", kProgram), builtin_ops());
  for (bool c : {true, false}) {
    const ValueTuple args{floats({1, 2, 3}), boolean(c), ShapeValue{2}};
    const Value got = executor->call("main", args), expected = Evaluator(source).call("main", args);
    EXPECT_EQ(*got.tuple()->at(0).array(), *expected.tuple()->at(0).array()) << c;
    EXPECT_EQ(*got.tuple()->at(1).tuple()->at(0).shape(), (ShapeValue{5}));
    EXPECT_EQ(got.tuple()->at(1).tuple()->at(1).array()->data(), args[0].array()->data()) << "copied";
  }
}

TEST(Executor, ArgumentsThatDoNotFitAreNamed) {
  const auto executor = executor_of(compile_walked(kProgram));
  EXPECT_EQ(code_of([&] { executor->call("main", {floats({1}), boolean(true)}); }), "E0505");
  EXPECT_EQ(code_of([&] { executor->call("main", {boolean(true), boolean(true), ShapeValue{2}}); }), "E0505");
  EXPECT_EQ(code_of([&] { executor->call("main", {floats({1}), boolean(true), int64_t{2}}); }), "E0505");
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

TEST(Executor, FunctionsOfTheHostByNameAndByHand) {
  const auto executor = executor_of(compile_walked(kHost));
  Seen seen;
  auto doubles = std::make_shared<const Doubles>(seen);
  const FindHostFunction find = [&](const std::string& name) -> std::shared_ptr<const HostFunction> {
    return name == "host.double" ? doubles : nullptr;
  };
  const ValueTuple args{floats({1, 2}), Value(std::shared_ptr<const HostFunction>(doubles))};
  EXPECT_EQ(*executor->call("main", args, find).array(), floats({5, 10}));
  EXPECT_EQ(seen.args, 1u);
  EXPECT_EQ(seen.written, 0u);
  EXPECT_EQ(code_of([&] { executor->call("main", args); }), "E0509");
}

// Increments `live`, and returns an array that decrements it when it is released.
Array counted(int& live) {
  ++live;
  std::shared_ptr<const std::vector<float>> memory(new std::vector<float>{1, 2}, [&live](const std::vector<float>* p) {
    --live;
    delete p;
  });
  const auto* bytes = static_cast<const std::byte*>(static_cast<const void*>(memory->data()));
  return Array::wrap(DType::float_(32), {2}, bytes, memory);
}

struct Counts {
  int live = 0, peak = 0;
};

class Reads final : public HostFunction {
 public:
  explicit Reads(Counts& counts) : counts_(counts) {}
  Value call(ValueTuple, size_t) const override {
    Array weight = counted(counts_.live);
    counts_.peak = std::max(counts_.peak, counts_.live);
    return weight;
  }

 private:
  Counts& counts_;
};

TEST(Executor, AnArrayGoesWithItsLastUse) {
  const auto executor = executor_of(compile_walked(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main():
        a = R.call_packed("host.read", ty_args=(R.Tensor((2,), "float32"),))
        ta = R.negative(a)
        b = R.call_packed("host.read", ty_args=(R.Tensor((2,), "float32"),))
        tb = R.negative(b)
        c = R.call_packed("host.read", ty_args=(R.Tensor((2,), "float32"),))
        tc = R.negative(c)
        return (ta, tb, tc)
)"));
  Counts counts;
  auto reads = std::make_shared<const Reads>(counts);
  const Value result = executor->call("main", {}, [&](const std::string&) { return reads; });
  EXPECT_EQ(result.tuple()->size(), 3u);
  EXPECT_EQ(counts.peak, 1);
  EXPECT_EQ(counts.live, 0);
}

TEST(Executor, AFieldIsEmptiedInPlace) {
  const auto executor = executor_of(compile_walked(R"(
@I.ir_module
class M:
    @R.function(pure=False)
    def main(params: R.Tuple(R.Tensor((2,), "float32"), R.Tensor((2,), "float32")), live: R.Callable((), R.Prim("int64"), False)):
        a = params[0]
        _ = R.call_packed("vm.builtin.tuple_reset_item", params, R.prim_value(0), ty_args=(R.Tuple,))
        ta = R.negative(a)
        n = live()
        b = params[1]
        tb = R.negative(b)
        return (ta, tb, n)
)"));
  class Live final : public HostFunction {
   public:
    explicit Live(const int& live) : live_(live) {}
    Value call(ValueTuple, size_t) const override { return int64_t{live_}; }

   private:
    const int& live_;
  };
  int live = 0;
  ValueTuple args{ValueTuple{counted(live), counted(live)},
                  Value(std::shared_ptr<const HostFunction>(std::make_shared<const Live>(live)))};
  const Value result = executor->call("main", std::move(args));
  EXPECT_EQ(std::get<int64_t>(result.tuple()->at(2).v), 1) << "the first weight outlives its last use";
  EXPECT_EQ(live, 0);
}

TEST(Executor, PreparingRunsBranchesToo) {
  const Compiled compiled = compile_walked(kProgram);
  const Value got = run_compiled(compiled.module, "main", {floats({1, 2}), boolean(true), ShapeValue{1}}, {});
  EXPECT_EQ(*got.tuple()->at(0).array(), floats({3, 6, 7}));
}

TEST(Executor, AnArtifactAloneRefusesThem) {
  CompileOptions options;
  options.bind_weights = false;
  EXPECT_EQ(code_of([&] { compile({parse_module(Source::make("m.py", kHost), builtin_ops()), {}}, options); }),
            "E1020");
}

TEST(Executor, KernelsAreCalledByNumber) {
  const Compiled compiled = compile_walked(kProgram);
  const io::Bytes artifact = io::join(compiled.artifact);
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
