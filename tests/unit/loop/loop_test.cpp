#include <gtest/gtest.h>

#include <functional>

#include "ir/equal.h"
#include "loop/builder.h"
#include "loop/walk.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

const DType kF32 = DType::float_(32);

Ref<PrimFunc> doubled(const std::string& symbol) {
  Ref<SymVar> n = SymVar::make(symbol);
  Type type = TensorType::make({n, int_imm(4)}, kF32);
  KernelBuilder k("double");
  Ref<Buffer> x = k.input("A", type), y = k.output("B", type);
  k.compute(y, "double", [&](const Indices& at) { return load(x, at) + load(x, at); });
  return std::move(k).finish();
}

std::string code_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const UserError& e) {
    return e.diagnostics()[0].code;
  }
  return "no error";
}

TEST(PrimFunc, equality_ignores_names_of_symbols_and_loops) {
  Ref<PrimFunc> a = doubled("n"), b = doubled("m");
  EXPECT_TRUE(structural_equal(Expr(a), Expr(b)));
  EXPECT_EQ(structural_hash(Expr(a)), structural_hash(Expr(b)));
  EXPECT_TRUE(structural_equal(a->body, with_fresh_names(a->body)));
}

TEST(PrimFunc, dims_are_the_symbols_of_shapes_then_scalars) {
  Ref<SymVar> n = SymVar::make("n");
  KernelBuilder k("f");
  Ref<Buffer> y = k.output("B", TensorType::make({Scalar(n) * int_imm(2)}, kF32));
  k.compute(y, "fill", [&](const Indices&) { return constant(kF32, 1); });
  Ref<PrimFunc> f = std::move(k).finish();
  ASSERT_EQ(f->params.size(), 2u);  // n is no dimension of its own, so it is passed
  EXPECT_EQ(f->params[1].var, n);
  EXPECT_EQ(f->dims(), std::vector{n});
}

TEST(StmtRewriter, gives_the_same_pointer_when_nothing_changes) {
  Ref<PrimFunc> f = doubled("n");
  EXPECT_TRUE(StmtRewriter().visit(f->body).same_as(f->body));
  EXPECT_TRUE(f->with_body(f->body).same_as(f));
  EXPECT_TRUE(substitute(f->body, {}).same_as(f->body));
}

TEST(Loop, what_cannot_be_is_a_coded_error) {
  KernelBuilder k("f");
  Ref<Buffer> b = Buffer::make("A", kF32, {int_imm(2), int_imm(3)});
  EXPECT_EQ(code_of([&] { k.input("A", TensorType::make_unknown(kF32, 2)); }), "E0314");
  EXPECT_EQ(code_of([&] { load(b, {int_imm(0)}); }), "E0316");
  EXPECT_EQ(code_of([&] { BufferStore::make(b, SymVar::make("i"), {int_imm(0), int_imm(0)}); }), "E0301");
}

}  // namespace
}  // namespace sunmao
