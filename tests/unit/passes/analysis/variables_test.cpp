#include "passes/analysis/variables.h"

#include <gtest/gtest.h>

#include <sstream>

#include "ir/builder.h"
#include "ir/equal.h"
#include "ops/ops.h"
#include "passes/analysis/compile_time.h"
#include "passes/analysis/purity.h"
#include "passes/analysis/recursion.h"
#include "passes/analysis/unused.h"
#include "script/parse.h"

namespace sunmao {
namespace {

Module parse_body(const std::string& body) {
  std::string text = "@I.ir_module\nclass M:\n", line;
  for (std::istringstream in(body); std::getline(in, line);) text += line.empty() ? "\n" : "    " + line + "\n";
  return parse_module(Source::make("test", text), builtin_ops());
}

template <class T>
std::vector<std::string> names(const std::vector<Ref<T>>& nodes) {
  std::vector<std::string> out;
  for (const Ref<T>& n : nodes) out.push_back(n->name);
  return out;
}
using Names = std::vector<std::string>;

Module example() {
  return parse_body(R"(@R.function
def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    n = T.int64()
    m = T.int64()
    cls = M
    z = R.add(x, y)
    c = R.match_cast(z, R.Tensor((m,), "float32"))
    with R.dataflow():
        p = cls.inner(z)
        q = R.add(p, p)
        R.output(q)
    return q

@R.function(private=True)
def inner(a: R.Tensor(("n",), "float32")) -> R.Tensor(("n",), "float32"):
    return a)");
}

TEST(Variables, are_listed_in_order) {
  Module m = example();
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_EQ(names(bound_vars(Expr(f))), (Names{"x", "y", "z", "c", "p", "q"}));
  EXPECT_EQ(names(bound_vars(Expr(f->body))), (Names{"z", "c", "p", "q"}));
  EXPECT_EQ(names(all_vars(Expr(f->body))), (Names{"x", "y", "z", "c", "p", "q"}));
  EXPECT_EQ(names(used_vars(Expr(f->body))), (Names{"x", "y", "z", "p", "q"}));
  EXPECT_EQ(names(free_vars(Expr(f->body))), (Names{"x", "y"}));
  EXPECT_TRUE(free_vars(Expr(f)).empty());
  EXPECT_EQ(names(all_global_vars(Expr(f))), Names{"inner"});
  EXPECT_EQ(names(called_global_vars(Expr(f))), Names{"inner"});
}

TEST(Variables, symbols_are_defined_by_parameters_and_casts) {
  Module m = example();
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_EQ(names(defined_symbolic_vars(Expr(f))), (Names{"n", "m"}));
  EXPECT_TRUE(free_symbolic_vars(Expr(f)).empty());
  EXPECT_EQ(names(free_symbolic_vars(Expr(f->body))), Names{"n"});
}

TEST(Variables, what_a_function_inside_defines_is_free_beside_it) {
  const Ref<SymVar> n = SymVar::make("n", DType::int_(64));
  const Ref<Var> p = Var::make("p", TensorType::make({n}, DType::float_(32)));
  const Ref<Function> inside = Function::make({p}, SeqExpr::make({}, p), p->type, true);
  EXPECT_TRUE(free_symbolic_vars(inside).empty());
  BlockBuilder b;
  b.emit(inside, "inside");
  const Expr shape = b.emit_output(ShapeExpr::make({n}));
  const Ref<Function> f = b.finish_function({}, shape, {});
  EXPECT_EQ(names(free_symbolic_vars(f)), Names{"n"});
  EXPECT_EQ(names(defined_symbolic_vars(f)), Names{"n"});
}

TEST(Variables, bindings_by_name_and_by_variable) {
  Module m = example();
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_EQ(name_to_binding(Expr(f)).at("q").size(), 1u);
  const Binding& z = f->body->blocks[0]->bindings[0];
  EXPECT_EQ(var_to_value(Expr(f)).at(z.var), z.value);
}

TEST(Variables, use_def_chains_of_a_block) {
  Module m = example();
  const BindingBlock& block = *m.find_as<Function>("main")->body->blocks[1];
  std::vector<VarUses> chains = use_def_chains(block);
  ASSERT_EQ(chains.size(), 3u);
  EXPECT_EQ(chains[0].var->name, "z");
  EXPECT_EQ(names(chains[0].users), Names{"p"});
  EXPECT_EQ(names(chains[1].users), Names{"q"});
  EXPECT_TRUE(chains[2].users.empty());
}

TEST(Recursion, groups_are_circles_of_mentions) {
  Module m = parse_body(R"(@R.function
def a(x: R.Any) -> R.Any:
    cls = M
    y: R.Any = cls.b(x)
    return y

@R.function
def b(x: R.Any) -> R.Any:
    cls = M
    y: R.Any = cls.a(x)
    z: R.Any = cls.d(y)
    return z

@R.function
def c(x: R.Any) -> R.Any:
    cls = M
    y: R.Any = cls.c(x)
    return y

@R.function
def d(x: R.Any) -> R.Any:
    return x)");
  std::vector<std::vector<Ref<GlobalVar>>> groups = detect_recursion(m);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(names(groups[0]), (Names{"a", "b"}));
  EXPECT_EQ(names(groups[1]), Names{"c"});
}

TEST(CompileTime, follows_weights_and_their_symbols) {
  Module m = parse_body(R"(@R.function
def main(x: R.Tensor(("n",), "float32"), w: R.Tensor(("m",), "float32")):
    R.func_attr({"num_input": 1})
    m = T.int64()
    n = T.int64()
    a = R.add(w, w)
    b = R.reshape(a, R.shape([m, 1]))
    c = R.reshape(a, R.shape([n, m // n]))
    d = R.add(x, x)
    e = R.add(d, a)
    return (b, c, e))");
  EXPECT_EQ(names(computable_at_compile_time(*m.find_as<Function>("main"))), (Names{"w", "a", "b"}));
}

TEST(CompileTime, without_num_input_no_parameter_is_known) {
  Module m = example();
  EXPECT_TRUE(computable_at_compile_time(*m.find_as<Function>("main")).empty());
}

TEST(Purity, a_nested_function_counts_when_it_is_called) {
  Module m = parse_body(R"(@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    @R.function(pure=False)
    def effect(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        z = R.call_packed("effect", y, ty_args=(R.Tensor((4,), "float32"),))
        return z

    return x

@R.function(pure=False)
def loop(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    cls = M
    y = cls.loop(x)
    return y)");
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_FALSE(contains_impure_call(Expr(f)));
  EXPECT_TRUE(contains_impure_call(f->body->blocks[0]->bindings[0].value));
  Ref<Function> loop = m.find_as<Function>("loop");
  EXPECT_TRUE(contains_impure_call(Expr(loop), {.module = &m}));
  EXPECT_FALSE(contains_impure_call(Expr(loop), {.own_name = GlobalVar::make("loop"), .module = &m}));
}

TEST(Unused, goes_with_what_only_it_needed) {
  Module m = parse_body(R"(@R.function
def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
    a = R.add(x, x)
    b = R.add(a, a)
    return x)");
  Ref<Function> f = m.find_as<Function>("main");
  Expr cleaned = remove_all_unused(Expr(f));
  EXPECT_TRUE(find<Function>(cleaned)->body->blocks.empty());
  EXPECT_EQ(remove_all_unused(cleaned), cleaned);
  EXPECT_TRUE(find<SeqExpr>(remove_all_unused(Expr(f->body)))->blocks.empty());
}

}  // namespace
}  // namespace sunmao
