#include "passes/canonical/inline_functions.h"

#include <gtest/gtest.h>

#include "ir/equal.h"
#include "ops/ops.h"
#include "passes/pass_arguments.h"
#include "passes/upstream/update_param_type.h"
#include "passes/weights/bind_params.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"
#include "tests/unit/passes/parsed.h"

namespace sunmao {
namespace {

TEST(InlineFunctions, one_that_calls_itself_is_an_error) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = M
        y = cls.loop(x)
        return y

    @R.function(private=True)
    def loop(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = M
        y = cls.loop(x)
        return y
)");
  Ref<Function> main = m.find_as<Function>("main"), loop = m.find_as<Function>("loop");
  EXPECT_EQ(code_of([&] { inline_functions(main, {{"loop", loop}}); }), "E0517");
  EXPECT_EQ(inline_functions(main, {{"other", loop}}), main);
}

TEST(BindParams, values_that_contradict_are_an_error) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")):
        return (x, y)
)");
  Expr two = Constant::make(Array::from_floats({2}, std::vector<float>{1, 2}));
  Expr three = Constant::make(Array::from_floats({3}, std::vector<float>{1, 2, 3}));
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_EQ(code_of([&] { bind_params(f, std::map<std::string, Expr>{{"x", two}, {"y", three}}); }), "E0518");
  EXPECT_TRUE(bind_params(f, std::map<std::string, Expr>{{"x", two}, {"y", two}})->params.empty());
}

TEST(UpdateParamType, types_that_follow_are_inferred_anew) {
  Module m = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((16,), "float32"), w: R.Tensor((32, 16), "float32")) -> R.Tensor((32,), "float32"):
        y: R.Tensor((32,), "float32") = R.matmul(w, x)
        return y
)");
  Module expected = parse(R"(
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((16,), "float32"), w: R.Tensor((64, 16), "float32")) -> R.Tensor((64,), "float32"):
        y: R.Tensor((64,), "float32") = R.matmul(w, x)
        return y
)");
  Type wider = TensorType::make({int_imm(64), int_imm(16)}, DType::float_(32));
  Module updated = update_param_type(m, [&](const Ref<Var>& v) { return v->name == "w" ? wider : Type(); });
  EXPECT_EQ(first_difference(updated, expected), "");
  EXPECT_TRUE(update_param_type(m, [](const Ref<Var>&) { return Type(); }).same_as(m));
}

TEST(PassArguments, are_read_from_text) {
  std::vector<PassCall> calls =
      parse_pass_calls("normalize, bind-params(func_name=\"f\", params={a: [1, 2.5], 'b': None})", "test");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_STREQ(calls[0].pass->name, "normalize");
  EXPECT_EQ(*calls[1].arguments.at("func_name").find<std::string>(), "f");
  const AttrMap& params = *calls[1].arguments.at("params").find<AttrMap>();
  EXPECT_EQ(*(*params.at("a").find<AttrList>())[1].find<double>(), 2.5);
  EXPECT_TRUE(params.at("b").is_none());
}

TEST(PassArguments, what_cannot_be_read_is_an_error) {
  auto code = [](const char* text) { return code_of([&] { parse_pass_calls(text, "test"); }); };
  EXPECT_EQ(code("normalise"), "E0511");
  EXPECT_EQ(code("normalize(x=1)"), "E0514");
  EXPECT_EQ(code("normalize("), "E0514");
  EXPECT_EQ(code("normalize bind-params"), "E0514");
  EXPECT_EQ(code("convert-to-dataflow(min_size='3)"), "E0514");
  PassContext context = with_arguments({}, *find_pass("convert-to-dataflow"), {{"min_size", "three"}});
  EXPECT_EQ(code_of([&] { find_pass("convert-to-dataflow")->run(Module(), context); }), "E0514");
}

}  // namespace
}  // namespace sunmao
