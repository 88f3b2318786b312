#include <gtest/gtest.h>

#include "ir/equal.h"
#include "ops/ops.h"
#include "passes/analysis/variables.h"
#include "passes/pattern/rewrite.h"
#include "script/parse.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

Ref<Function> parse_function(const std::string& body) {
  std::string text = R"(
@I.ir_module
class M:
    @R.function(private=True)
    def main(x: R.Tensor((4, 4), "float32"), y: R.Tensor((4, 4), "float32")):
)";
  return parse_module(Source::make("test", text + body), builtin_ops()).find_as<Function>("main");
}

Ref<Function> two_products() {
  return parse_function(R"(
        with R.dataflow():
            lv0 = R.matmul(x, y)
            lv1 = R.nn.relu(lv0)
            lv2 = R.matmul(x, lv1)
            R.output(lv2)
        return lv2
)");
}

Ref<Pattern> wildcard() { return Pattern::make(WildcardForm{}); }
Ref<Pattern> op(std::string_view name) { return Pattern::make(ExprForm{builtin_ops().get(name)}); }
Ref<Pattern> call(std::string_view name, std::vector<Ref<Pattern>> args) {
  return Pattern::make(CallForm{op(name), std::move(args), false});
}
Expr call_of(std::string_view name, std::vector<Expr> args) {
  return Call::make(builtin_ops().get(name), std::move(args));
}

const Binding& binding(const Ref<Function>& f, size_t index) { return f->body->blocks.at(0)->bindings.at(index); }

ValueOf values_of(const Ref<Function>& f) {
  return [values = var_to_value(Expr(f))](const Ref<Var>& v) {
    auto it = values.find(v);
    return it == values.end() ? Expr() : it->second;
  };
}

std::optional<Expr> part(const std::optional<Matches>& found, const Ref<Pattern>& p) {
  if (!found) return std::nullopt;
  for (const auto& [pattern, e] : *found)
    if (pattern == p) return e;
  return std::nullopt;
}

TEST(Pattern, follows_variables_where_their_values_are_known) {
  Ref<Function> f = two_products();
  Ref<Pattern> input = wildcard(), relu = call("nn.relu", {call("matmul", {input, wildcard()})});
  EXPECT_FALSE(match(relu, binding(f, 1).value));
  std::optional<Matches> found = match(relu, binding(f, 1).value, values_of(f));
  EXPECT_EQ(part(found, input), Expr(f->params[0]));
  EXPECT_EQ(part(found, relu), binding(f, 1).value);
}

TEST(Pattern, stands_for_one_expression_wherever_it_occurs) {
  Ref<Function> f = two_products();
  Ref<Pattern> same = wildcard();
  EXPECT_TRUE(match(call("add", {same, same}), call_of("add", {f->params[0], f->params[0]})));
  EXPECT_FALSE(match(call("add", {same, same}), call_of("add", {f->params[0], f->params[1]})));
}

TEST(Pattern, exchanges_the_arguments_of_commutative_ops_alone) {
  Ref<Function> f = two_products();
  Expr two = Constant::make(Array::from_floats({}, std::vector<float>{2}));
  Ref<Pattern> constant = Pattern::make(ConstantForm{});
  EXPECT_TRUE(match(call("add", {wildcard(), constant}), call_of("add", {two, f->params[0]})));
  EXPECT_TRUE(match(call("maximum", {wildcard(), constant}), call_of("maximum", {two, f->params[0]})));
  EXPECT_FALSE(match(call("subtract", {wildcard(), constant}), call_of("subtract", {two, f->params[0]})));
}

TEST(Pattern, symbols_of_a_type_stand_for_one_dimension_each) {
  Ref<SymVar> n = SymVar::make("n");
  Type square = TensorType::make({n, n}, DType::void_());
  Ref<Pattern> p = Pattern::make(TypeForm{wildcard(), square});
  auto var = [](std::vector<Scalar> dims) {
    return Var::make("v", TensorType::make(std::move(dims), DType::float_(32)));
  };
  EXPECT_TRUE(match(p, var({IntImm::make(DType::int_(64), 3), IntImm::make(DType::int_(64), 3)})));
  EXPECT_FALSE(match(p, var({IntImm::make(DType::int_(64), 3), IntImm::make(DType::int_(64), 4)})));
}

TEST(Pattern, a_field_in_any_order_is_taken_once) {
  Ref<Function> f = two_products();
  Ref<Pattern> named = Pattern::make(VarForm{"y", false}), any = Pattern::make(VarForm{"", false});
  Ref<Pattern> fields = Pattern::make(TupleForm{{any, named}, false});
  std::optional<Matches> found = match(fields, Tuple::make({f->params[1], f->params[0]}));
  EXPECT_EQ(part(found, any), Expr(f->params[0]));
  EXPECT_FALSE(match(fields, Tuple::make({f->params[0], f->params[0]})));
}

TEST(PatternGraph, gives_each_pattern_a_variable_of_its_own) {
  Ref<Function> f = two_products();
  Ref<Pattern> first = call("matmul", {wildcard(), wildcard()}), second = first->duplicate(), relu = op("nn.relu");
  relu = Pattern::make(CallForm{relu, {wildcard()}, false});
  PatternGraph graph{{{first, relu, 0, true}, {relu, second, 1, true}}, {{first, second}}};
  std::optional<Matches> found = match_block(graph, *f->body->blocks[0]);
  EXPECT_EQ(part(found, first), Expr(binding(f, 0).var));
  EXPECT_EQ(part(found, second), Expr(binding(f, 2).var));
  graph.uses[1].operand = 0;
  EXPECT_FALSE(match_block(graph, *f->body->blocks[0]));
}

TEST(PatternGraph, a_value_that_leaves_the_block_has_no_only_user) {
  Ref<Function> f = parse_function(R"(
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.exp(a)
            R.output(a, b)
        return (a, b)
)");
  Ref<Pattern> relu = call("nn.relu", {wildcard()}), exp = call("exp", {wildcard()});
  EXPECT_TRUE(match_block({{{relu, exp}}, {}}, *f->body->blocks[0]));
  EXPECT_FALSE(match_block({{{relu, exp, kAnyIndex, true}}, {}}, *f->body->blocks[0]));
}

TEST(RewriteCalls, a_declined_match_changes_nothing) {
  Ref<Function> f = two_products();
  CallRewrite decline = [](const Expr& e, const Matches&) { return e; };
  EXPECT_EQ(rewrite_calls(call("nn.relu", {wildcard()}), decline, f), f);
}

TEST(RewriteCalls, goes_on_until_nothing_matches) {
  Ref<Function> f = parse_function("        return R.nn.relu(R.nn.relu(R.nn.relu(x)))\n");
  Ref<Pattern> input = wildcard(), twice = call("nn.relu", {call("nn.relu", {input})});
  CallRewrite once = [&](const Expr&, const Matches& found) { return call_of("nn.relu", {*part(found, input)}); };
  Ref<Function> expected = parse_function("        y = R.nn.relu(x)\n        return y\n");
  EXPECT_TRUE(structural_equal(Expr(rewrite_calls(twice, once, f)), Expr(expected)));
}

TEST(RewriteCalls, a_match_does_not_reach_over_an_effect) {
  Ref<Function> f = parse_function(R"(
        a = R.nn.relu(x)
        R.print(format="between")
        b = R.nn.relu(a)
        return b
)");
  Ref<Pattern> input = wildcard(), twice = call("nn.relu", {call("nn.relu", {input})});
  CallRewrite once = [&](const Expr&, const Matches& found) { return call_of("nn.relu", {*part(found, input)}); };
  EXPECT_EQ(rewrite_calls(twice, once, f), f);
}

TEST(RewriteCalls, one_that_feeds_itself_is_an_error) {
  Ref<Function> f = parse_function("        return R.nn.relu(x)\n");
  CallRewrite grow = [](const Expr& e, const Matches&) { return call_of("nn.relu", {e}); };
  EXPECT_EQ(code_of([&] { rewrite_calls(call("nn.relu", {wildcard()}), grow, f); }), "E0524");
}

TEST(RewriteBindings, what_a_new_value_reads_moves_before_it) {
  Ref<Function> f = parse_function(R"(
        with R.dataflow():
            a = R.nn.relu(x)
            b = R.exp(y)
            c = R.add(a, b)
            R.output(c)
        return c
)");
  Ref<Function> expected = parse_function(R"(
        with R.dataflow():
            b = R.exp(y)
            a = R.multiply(x, b)
            c = R.add(a, b)
            R.output(c)
        return c
)");
  Ref<Pattern> relu = call("nn.relu", {wildcard()}), exp = call("exp", {wildcard()}), sum = call("add", {relu, exp});
  PatternGraph graph{{{relu, sum, 0}, {exp, sum, 1}}, {}};
  BindingRewrite scale = [&](const Matches& found, const auto&) {
    Ref<Var> a = find_ref<Var>(*part(found, relu));
    return Replacements{{a, call_of("multiply", {f->params[0], *part(found, exp)})}};
  };
  EXPECT_TRUE(structural_equal(Expr(rewrite_bindings(graph, scale, f)), Expr(expected)));
}

TEST(RewriteBindings, a_value_without_a_place_is_an_error) {
  Ref<Function> f = two_products();
  Ref<Pattern> relu = call("nn.relu", {wildcard()}), input = wildcard();
  PatternGraph graph{{{input, relu, 0}}, {}};
  auto replace = [&](const Ref<Pattern>& what, Expr value) {
    return code_of([&] {
      BindingRewrite rewrite = [&](const Matches& found, const auto&) {
        return Replacements{{find_ref<Var>(*part(found, what)), value}};
      };
      rewrite_bindings(graph, rewrite, f);
    });
  };
  EXPECT_EQ(replace(input, call_of("exp", {binding(f, 1).var})), "E0525");
  PatternGraph outside{{{input, call("matmul", {wildcard(), wildcard()}), 1}}, {}};
  graph = outside;
  EXPECT_EQ(replace(input, f->params[0]), "E0525");
}

}  // namespace
}  // namespace sunmao
