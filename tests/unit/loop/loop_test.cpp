#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "ir/equal.h"
#include "loop/builder.h"
#include "loop/flat.h"
#include "loop/intrinsics/table.h"
#include "loop/walk.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

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
  ASSERT_EQ(f->params.size(), 2u);  // n is not a dimension by itself, so it is a parameter
  EXPECT_EQ(f->params[1].var, n);
  EXPECT_EQ(f->dims(), std::vector{n});
}

TEST(StmtRewriter, gives_the_same_pointer_when_nothing_changes) {
  Ref<PrimFunc> f = doubled("n");
  EXPECT_TRUE(StmtRewriter().visit(f->body).same_as(f->body));
  EXPECT_TRUE(f->with_body(f->body).same_as(f));
  EXPECT_TRUE(substitute(f->body, {}).same_as(f->body));
}

Stmt store(const Ref<Buffer>& b, const Scalar& v) {
  return BufferStore::make(b, v, std::vector<Scalar>(b->shape.size(), int_imm(0)));
}

TEST(Flat, definitions_stand_beside_what_they_hold_for) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(4)});
  Ref<SymVar> x = SymVar::make("x", kF32);
  const Stmt first = store(a, constant(kF32, 1)), second = store(a, x);
  const Stmt deep = AllocBuffer::make(a, Seq::make({first, Bind::make(x, constant(kF32, 2), second)}));
  const Stmt wide = flat(deep);
  const auto* seq = find<Seq>(wide);
  ASSERT_TRUE(seq);
  ASSERT_EQ(seq->stmts.size(), 4u);
  EXPECT_FALSE(find<AllocBuffer>(seq->stmts[0])->body);
  EXPECT_FALSE(find<Bind>(seq->stmts[2])->body);
  EXPECT_EQ(seq->stmts[1], first);
  EXPECT_EQ(seq->stmts[3], second);
  EXPECT_TRUE(structural_equal(nested(wide), deep));
  EXPECT_TRUE(flat(first).same_as(first));
  EXPECT_TRUE(nested(first).same_as(first));
}

TEST(Flat, a_last_definition_holds_for_the_tail) {
  Ref<SymVar> x = SymVar::make("x", kF32);
  const Stmt bind = Bind::make(x, constant(kF32, 2), nullptr);
  EXPECT_TRUE(nested(bind).same_as(bind));
  const Stmt tail = Evaluate::make(x);
  EXPECT_EQ(find<Bind>(nested(bind, tail))->body, tail);
}

TEST(WithNames, renames_where_it_is_defined_and_used) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(4)});
  Ref<SymVar> i = SymVar::make("v");
  const Stmt loop = For::make(i, int_imm(4), BufferStore::make(a, constant(kF32, 1), {i}));
  const Stmt named = with_names(loop, {{i.get(), "i"}});
  EXPECT_EQ(find<For>(named)->var->name, "i");
  EXPECT_TRUE(structural_equal(named, loop));
  EXPECT_TRUE(with_names(loop, {}).same_as(loop));
  EXPECT_TRUE(with_names(loop, {{a->span.get(), "other"}}).same_as(loop));
}

TEST(PrimFunc, stores_to_its_own_memory_are_no_effect) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(4)});
  const Stmt body = store(a, constant(kF32, 1));
  const Type f32 = PrimType::make(kF32);
  auto purity = [](const Ref<PrimFunc>& f) { return find<CallableType>(f->type)->is_pure; };
  EXPECT_TRUE(purity(PrimFunc::make({}, AllocBuffer::make(a, body), {}, f32)));
  EXPECT_FALSE(purity(PrimFunc::make({{SymVar::make_handle("a", {}), a}}, body, {}, f32)));
}

TEST(Substitute, reaches_the_sizes_of_what_is_allocated_inside) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Buffer> a = Buffer::make("A", kF32, {n, int_imm(4)});
  const Stmt moved = substitute(AllocBuffer::make(a, store(a, constant(kF32, 1))), {{n, int_imm(3)}});
  const auto* alloc = find<AllocBuffer>(moved);
  ASSERT_TRUE(alloc);
  EXPECT_EQ(*find_int(alloc->buffer->shape[0]), 3);
  EXPECT_EQ(find<BufferStore>(alloc->body)->buffer, alloc->buffer);
}

// Unrolled bodies share loops, and a text of them has as many loops as copies.
TEST(PrimFunc, a_loop_that_stands_twice_equals_two_loops) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(4)});
  const auto loop = [&](const char* name, double value) {
    Ref<SymVar> i = SymVar::make(name);
    const Scalar x = SymVar::make("x", kF32);
    const Scalar twice = Let::make(find_ref<SymVar>(x), constant(kF32, value), x * x);
    return For::make(i, int_imm(4), BufferStore::make(a, twice + twice, {i}));
  };
  const Stmt one = loop("i", 1), other = loop("j", 1), third = loop("k", 2);
  const Stmt shared = Seq::make({one, one}), apart = Seq::make({one, other});
  EXPECT_TRUE(structural_equal(shared, apart));
  EXPECT_TRUE(structural_equal(apart, shared));
  EXPECT_EQ(structural_hash(shared), structural_hash(apart));
  EXPECT_FALSE(structural_equal(shared, Seq::make({one, third})));
}

TEST(BufferLoad, keeps_its_mask_when_it_is_rebuilt) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(8)}), b = Buffer::make("B", kF32, {int_imm(8)});
  const Scalar mask = Broadcast::make(IntImm::make(DType::bool_(), 1), 4);
  const Scalar load = BufferLoad::make_masked(a, {Ramp::make(int_imm(0), int_imm(1), 4)}, mask);
  const Scalar moved = substitute(load, {}, {{a, b}});
  ASSERT_TRUE(find<BufferLoad>(moved));
  EXPECT_EQ(find<BufferLoad>(moved)->buffer, b);
  EXPECT_EQ(find<BufferLoad>(moved)->predicate, mask);
  EXPECT_FALSE(structural_equal(load, BufferLoad::make(a, find<BufferLoad>(load)->indices)));
  EXPECT_EQ(code_of([&] { BufferLoad::make_masked(a, {int_imm(0)}, mask); }), "E0316");
}

TEST(PrimFunc, each_parameter_is_its_own) {
  Ref<SymVar> x = SymVar::make("x"), p = SymVar::make("p", DType::handle()), q = SymVar::make("q", DType::handle());
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(4)});
  Stmt nothing = Evaluate::make(int_imm(0));
  EXPECT_EQ(code_of([&] { PrimFunc::make({{x, nullptr}, {x, nullptr}}, nothing); }), "E0402");
  EXPECT_EQ(code_of([&] { PrimFunc::make({{p, a}, {q, a}}, nothing); }), "E0402");
  EXPECT_EQ(code_of([&] { PrimFunc::make({{p, a}, {q, nullptr}, {x, nullptr}}, nothing); }), "no error");
}

TEST(BufferStore, lanes_are_those_of_the_indices) {
  Ref<Buffer> a = Buffer::make("A", kF32, {int_imm(8)}), pairs = Buffer::make("P", kF32.with_lanes(2), {int_imm(8)});
  Scalar one = constant(kF32, 1), four = Broadcast::make(one, 4), ramp = Ramp::make(int_imm(0), int_imm(1), 4);
  EXPECT_EQ(code_of([&] { BufferStore::make(a, one, {ramp}); }), "E0316");
  EXPECT_EQ(code_of([&] { BufferStore::make(a, four, {int_imm(0)}); }), "E0316");
  EXPECT_EQ(code_of([&] { BufferStore::make(a, four, {ramp}); }), "no error");
  EXPECT_EQ(code_of([&] { BufferStore::make(pairs, one, {int_imm(0)}); }), "E0316");
  EXPECT_EQ(code_of([&] { BufferStore::make(pairs, Broadcast::make(one, 2), {int_imm(0)}); }), "no error");
}

TEST(Loop, what_cannot_be_is_a_coded_error) {
  KernelBuilder k("f");
  Ref<Buffer> b = Buffer::make("A", kF32, {int_imm(2), int_imm(3)});
  EXPECT_EQ(code_of([&] { k.input("A", TensorType::make_unknown(kF32, 2)); }), "E0314");
  EXPECT_EQ(code_of([&] { load(b, {int_imm(0)}); }), "E0316");
  EXPECT_EQ(code_of([&] { BufferStore::make(b, SymVar::make("i"), {int_imm(0), int_imm(0)}); }), "E0301");
}

TEST(Intrinsics, a_power_of_two_that_is_no_number_gives_none) {
  const double operands[] = {1.5, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(std::isnan(find_intrinsic("scalb")->of_floats(operands)));
  const double large[] = {1.5, 1e300};
  EXPECT_TRUE(std::isinf(find_intrinsic("scalb")->of_floats(large)));
}

}  // namespace
}  // namespace sunmao
