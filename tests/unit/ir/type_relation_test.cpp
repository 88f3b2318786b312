#include "ir/type_relation.h"

#include <gtest/gtest.h>

#include "ir/equal.h"
#include "support/diagnostic.h"
#include "tests/unit/ir/tensor_types.h"

namespace sunmao {
namespace {

Type of_rank(int rank, DType dtype = kF32) { return TensorType::make_unknown(dtype, rank); }

BaseCheck check(const Type& base, const Type& derived) {
  Analyzer analyzer;
  return base_check(base, derived, analyzer);
}

TEST(BaseCheck, levels_of_tensors) {
  Scalar n = SymVar::make("n");
  EXPECT_EQ(check(AnyType::make(), of_rank(2)), BaseCheck::Pass);
  EXPECT_EQ(check(of_rank(2), AnyType::make()), BaseCheck::StaticUnknown);
  EXPECT_EQ(check(of_rank(2), of_rank(kUnknownRank)), BaseCheck::StaticUnknown);
  EXPECT_EQ(check(of_rank(2), of_rank(3)), BaseCheck::Disjoint);
  EXPECT_EQ(check(of_rank(2), of_rank(2, kI32)), BaseCheck::Disjoint);
  EXPECT_EQ(check(of_rank(2), tensor({n, n})), BaseCheck::Pass);
  EXPECT_EQ(check(tensor({n}), of_rank(1)), BaseCheck::ShapeUnknown);
  EXPECT_EQ(check(tensor({n, int_imm(1)}), tensor({n, int_imm(2)})), BaseCheck::Disjoint);
  EXPECT_EQ(check(tensor({n}), tensor({int_imm(2)})), BaseCheck::ShapeUnknown);
  EXPECT_EQ(check(tensor({n}), ShapeType::make({n})), BaseCheck::Disjoint);
}

TEST(BaseCheck, devices) {
  Type on_cpu = TensorType::make_unknown(kF32, 1, VDevice::make("llvm"));
  Type on_gpu = TensorType::make_unknown(kF32, 1, VDevice::make("cuda"));
  EXPECT_EQ(check(of_rank(1), on_cpu), BaseCheck::Pass);
  EXPECT_EQ(check(on_cpu, of_rank(1)), BaseCheck::StaticUnknown);
  EXPECT_EQ(check(on_cpu, on_gpu), BaseCheck::Disjoint);
}

TEST(BaseCheck, composites_have_the_worst_of_their_parts) {
  Type any = AnyType::make(), prim = PrimType::make(kI32);
  EXPECT_EQ(check(prim, PrimType::make(kF32)), BaseCheck::Disjoint);
  EXPECT_EQ(check(TupleType::make({any, of_rank(1)}), TupleType::make({of_rank(1), any})), BaseCheck::StaticUnknown);
  EXPECT_EQ(check(TupleType::make({any}), TupleType::make({any, any})), BaseCheck::Disjoint);
  Type known = CallableType::make({of_rank(1)}, of_rank(1), true);
  EXPECT_EQ(check(CallableType::make_opaque(any, false), known), BaseCheck::Pass);
  EXPECT_EQ(check(known, CallableType::make_opaque(of_rank(1), true)), BaseCheck::ShapeUnknown);
  EXPECT_EQ(check(known, CallableType::make({of_rank(1)}, of_rank(1), false)), BaseCheck::Disjoint);
}

TEST(CommonType, of_callables_goes_into_parameters) {
  Scalar n = SymVar::make("n"), m = SymVar::make("m");
  Analyzer analyzer;
  Type a = CallableType::make({tensor({n, int_imm(1)})}, tensor({n}), true);
  Type b = CallableType::make({tensor({m, int_imm(2)})}, tensor({m}), true);
  EXPECT_TRUE(structural_equal(common_type(a, b, analyzer), CallableType::make({of_rank(2)}, of_rank(1), true)));
}

TEST(StaticType, keeps_ranks_and_dtypes) {
  Scalar n = SymVar::make("n");
  EXPECT_TRUE(structural_equal(static_type(TupleType::make({tensor({n, n}), ShapeType::make({n})})),
                               TupleType::make({of_rank(2), ShapeType::make_unknown(1)})));
}

TEST(EraseToWellDefined, keeps_what_is_defined) {
  Ref<SymVar> n = SymVar::make("n"), m = SymVar::make("m");
  Type shape = ShapeType::make({int_imm(1), Scalar(n) + int_imm(1), m});
  EXPECT_TRUE(structural_equal(erase_to_well_defined(shape, {}), ShapeType::make_unknown(3)));
  EXPECT_EQ(erase_to_well_defined(shape, {{n, n}, {m, m}}), shape);
  EXPECT_TRUE(structural_equal(erase_to_well_defined(shape, {{n, int_imm(2)}, {m, m}}),
                               ShapeType::make({int_imm(1), int_imm(3), m})));
  Ref<Var> var = Var::make("s", ShapeType::make_unknown(2));
  Type by_var = TensorType::make_with_shape(var, kF32);
  EXPECT_TRUE(structural_equal(erase_to_well_defined(by_var, {}), of_rank(2)));
  EXPECT_EQ(erase_to_well_defined(by_var, {}, {{var, var}}), by_var);
}

TEST(DeriveCallResult, solves_symbols_and_demands_static_facts) {
  Scalar n = SymVar::make("n"), m = SymVar::make("m");
  Type signature = CallableType::make({tensor({n, m})}, tensor({m + int_imm(1), n}), true);
  auto derive = [&](const Type& arg) {
    std::vector<Expr> args{Var::make("x", arg)};
    return derive_call_result(*find<CallableType>(signature), args, {}, "f");
  };
  EXPECT_TRUE(structural_equal(derive(tensor({int_imm(10), int_imm(11)})), tensor({int_imm(12), int_imm(10)})));
  EXPECT_TRUE(structural_equal(derive(of_rank(2)), of_rank(2)));
  EXPECT_THROW(derive(AnyType::make()), UserError);
  EXPECT_THROW(derive(of_rank(3)), UserError);
}

TEST(Symbols, of_types) {
  Ref<SymVar> n = SymVar::make("n"), m = SymVar::make("m");
  Type t = tensor({int_imm(1), Scalar(n) * int_imm(2), m});
  EXPECT_EQ(definable_symbols(t), std::vector<Ref<SymVar>>{m});
  EXPECT_EQ(free_symbols(t), (std::vector<Ref<SymVar>>{n, m}));
  Type f = CallableType::make({tensor({n, m})}, tensor({n}), true);
  EXPECT_EQ(definable_symbols(f), (std::vector<Ref<SymVar>>{n, m}));
  EXPECT_TRUE(unbound_symbols(f).empty());
  std::vector<Scalar> found = non_negative_scalars(TupleType::make({t, ShapeType::make({m}), PrimType::of_value(n)}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(describe(found[0]), "n * 2");
  EXPECT_EQ(describe(found[1]), "m");
}

TEST(Function, its_result_is_as_precise_as_its_body) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", tensor({n}));
  Ref<Function> f = Function::make({x}, SeqExpr::make({}, x), of_rank(kUnknownRank), true);
  EXPECT_TRUE(structural_equal(f->result_type, tensor({n})));
}

}  // namespace
}  // namespace sunmao
