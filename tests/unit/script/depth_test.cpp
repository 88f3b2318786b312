// Depth is limited at construction; below the limit all recursive traversals have enough stack.
#include "support/depth.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/equal.h"
#include "ir/verify.h"
#include "loop/flat.h"
#include "loop/walk.h"
#include "script/print.h"
#include "support/diagnostic.h"
#include "sym/analyzer.h"
#include "sym/walk.h"

namespace sunmao {
namespace {

// Nests `wrap` over `start` until construction fails; returns the deepest result, and the error code in `code`.
template <class T>
T deepest(T start, const std::function<T(const T&)>& wrap, std::string& code) {
  try {
    for (uint32_t i = 0; i <= 2 * kMaxDepth; ++i) start = wrap(start);
  } catch (const UserError& e) {
    code = e.diagnostics()[0].code;
  }
  return start;
}

#ifndef SUNMAO_SANITIZED  // sanitizers' larger frames exceed the stack
TEST(Depth, of_scalars) {
  const Ref<SymVar> n = SymVar::make("n"), m = SymVar::make("m");
  std::string code;
  const Scalar left = deepest<Scalar>(n, [&](const Scalar& s) { return s + m; }, code);
  EXPECT_EQ(code, "E0104");
  EXPECT_EQ(left->depth(), kMaxDepth);
  const Scalar other = substitute(left, {{n, int_imm(1)}});
  EXPECT_FALSE(structural_equal(left, other));
  EXPECT_NE(structural_hash(left), structural_hash(other));
  EXPECT_EQ(free_symbols(left).size(), 2u);
  EXPECT_TRUE(Analyzer().can_prove_equal(left, Scalar(n) + Scalar(m) * int_imm(kMaxDepth)));
  EXPECT_EQ(print(left).size(), 1 + size_t{4} * kMaxDepth);
  const Scalar right = deepest<Scalar>(n, [&](const Scalar& s) { return m - s; }, code = {});
  EXPECT_EQ(code, "E0104");
  EXPECT_EQ(print(right).size(), 5 + size_t{6} * (kMaxDepth - 1));
}
TEST(Depth, of_types) {
  std::string code;
  const Type tuple =
      deepest<Type>(PrimType::make(DType::int_(64)), [](const Type& t) { return TupleType::make({t}); }, code);
  EXPECT_EQ(code, "E0104");
  EXPECT_TRUE(structural_equal(tuple, tuple));
  EXPECT_NE(structural_hash(tuple), 0u);
  EXPECT_FALSE(print(tuple).empty());
  deepest<Type>(
      AnyType::make(), [](const Type& t) { return CallableType::make({t}, AnyType::make(), true); }, code = {});
  EXPECT_EQ(code, "E0104");
}

TEST(Depth, of_expressions) {
  std::string code;
  const Ref<Var> x = Var::make("x", AnyType::make());
  auto sequence = [](const Expr& body) { return SeqExpr::make({}, body); };
  const Expr nested = deepest<Expr>(x, [&](const Expr& e) { return If::make(x, sequence(e), sequence(x)); }, code);
  EXPECT_EQ(code, "E0104");
  const Ref<SeqExpr> body = find<If>(nested)->then_branch;
  const Module module = Module{}.with_function("main", Function::make({x}, body, AnyType::make(), true));
  EXPECT_EQ(structural_hash(module), computed_hash(module));
  EXPECT_TRUE(structural_equal(module, module));
  EXPECT_TRUE(verify(module, Stage::Raw).empty());
}

TEST(Depth, of_statements) {
  std::string code;
  const Stmt end = Evaluate::make(int_imm(0));
  const Stmt loops =
      deepest<Stmt>(end, [](const Stmt& s) { return For::make(SymVar::make("i"), int_imm(2), s); }, code);
  EXPECT_EQ(code, "E0104");
  EXPECT_TRUE(structural_equal(loops, with_fresh_names(loops)));
  const Stmt definitions =
      deepest<Stmt>(end, [](const Stmt& s) { return Bind::make(SymVar::make("x"), int_imm(2), s); }, code = {});
  EXPECT_EQ(code, "E0104");
  EXPECT_TRUE(structural_equal(definitions, nested(flat(definitions))));
  EXPECT_FALSE(print(definitions).empty());
  const Ref<PrimFunc> f = PrimFunc::make({}, find<Bind>(definitions)->body);
  EXPECT_TRUE(verify(Module{}.with_function("f", f), Stage::Raw).empty());
}
#endif

}  // namespace
}  // namespace sunmao
