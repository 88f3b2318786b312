#include <gtest/gtest.h>

#include <functional>

#include "ir/builder.h"
#include "ir/copy.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"
#include "tests/unit/ir/tensor_types.h"

namespace sunmao {
namespace {

Type same_as_first(const InferInput& in) {
  in.tensor(0);
  return in.type(0);
}

Ref<Op> twice_op(bool pure = true) {
  return Op::make(
      {.name = "test.twice", .summary = "", .params = {{"x", "tensor"}}, .infer = same_as_first, .is_pure = pure});
}

Module one_function(const Ref<Op>& op, int length = 3) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", tensor({n, int_imm(4)}));
  BlockBuilder b;
  b.begin_dataflow();
  Expr last = x;
  for (int i = 0; i < length; ++i) last = b.emit(Call::make(op, {last}));
  Expr out = b.emit_output(Call::make(op, {last}));
  b.end_dataflow();
  return Module().with_function("main", b.finish_function({x}, out, Attrs(AttrMap{{"global_symbol", "main"}})));
}

TEST(Type, describes_itself_as_scripts_write_it) {
  Ref<SymVar> n = SymVar::make("n");
  EXPECT_EQ(describe(tensor({n, int_imm(768)})), "Tensor((n, 768), \"float32\")");
  EXPECT_EQ(describe(tensor({floor_div(Scalar(n) + int_imm(1), int_imm(2))})), "Tensor(((n + 1) // 2,), \"float32\")");
  EXPECT_EQ(describe(TensorType::make_unknown(kF32, 2)), "Tensor(ndim=2, \"float32\")");
  EXPECT_EQ(describe(TupleType::make({PrimType::make(DType::int_(64)), AnyType::make()})),
            "Tuple(Prim(\"int64\"), Any)");
}

TEST(Module, is_a_value_that_shares_what_does_not_change) {
  Module m = one_function(twice_op());
  Ref<BaseFunc> f = m.find("main");
  Module more = m.with_function("other", f);
  EXPECT_FALSE(m.find("other"));
  EXPECT_TRUE(more.find("main").same_as(f));
  EXPECT_TRUE(m.with_function("main", f).same_as(m));
  EXPECT_TRUE(m.without_function("absent").same_as(m));
  EXPECT_EQ(more.without_function("main").functions().size(), 1u);
}

TEST(Equality, ignores_names_and_sees_structure) {
  Ref<Op> op = twice_op();
  Module a = one_function(op), b = one_function(op), c = one_function(op, 4);
  EXPECT_TRUE(structural_equal(a, b));
  EXPECT_EQ(structural_hash(a), structural_hash(b));
  EXPECT_EQ(first_difference(a, c), "main.body.blocks[0]: 4 bindings against 5");
  EXPECT_NE(structural_hash(a), structural_hash(c));
}

TEST(Equality, a_fresh_copy_is_equal_and_shares_no_variable) {
  Module m = one_function(twice_op());
  Ref<Function> f = m.find_as<Function>("main"), copy = FreshCopy().copy(f);
  EXPECT_TRUE(structural_equal(Expr(f), Expr(copy)));
  EXPECT_FALSE(f->params[0].same_as(copy->params[0]));
  EXPECT_NE(free_symbols(f->params[0]->type)[0], free_symbols(copy->params[0]->type)[0]);
}

TEST(FreshCopy, a_local_function_that_calls_itself_calls_its_copy) {
  const Ref<Var> x = Var::make("x", tensor({int_imm(2)})), y = Var::make("y", tensor({int_imm(2)}));
  const Ref<Var> local = Var::make("local", CallableType::make({{x->type}}, x->type, true)),
                 z = Var::make("z", x->type);
  const Ref<SeqExpr> inside =
      SeqExpr::make({BindingBlock::make({{z, Call::make(Expr(local), {Expr(x)}), {}, {}}})}, Expr(z));
  const Ref<Function> callee = Function::make({x}, inside, x->type, true, {});
  const Ref<Var> result = Var::make("result", x->type);
  const Ref<SeqExpr> body = SeqExpr::make(
      {BindingBlock::make({{local, Expr(callee), {}, {}}, {result, Call::make(Expr(local), {Expr(y)}), {}, {}}})},
      Expr(result));
  const Ref<Function> f = Function::make({y}, body, x->type, true, {});
  EXPECT_TRUE(free_vars(Expr(f)).empty());
  EXPECT_TRUE(free_vars(Expr(FreshCopy().copy(f))).empty());
  EXPECT_TRUE(structural_equal(Expr(f), Expr(FreshCopy().copy(f))));
}

TEST(Rewriter, gives_the_same_pointer_when_nothing_changes) {
  Module m = one_function(twice_op());
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_TRUE(Rewriter().rewrite(f).same_as(f));
  EXPECT_TRUE(map_functions(m, [](const Ref<Function>& g) { return g; }).same_as(m));
}

TEST(Deep, a_chain_of_100000_bindings_builds_hashes_rewrites_and_frees) {
  Module m = one_function(twice_op(), 100'000);
  Ref<Function> f = m.find_as<Function>("main");
  EXPECT_TRUE(Rewriter().rewrite(f).same_as(f));
  EXPECT_EQ(structural_hash(m), structural_hash(m));
  EXPECT_TRUE(verify(m, Stage::Normal).empty());
}

TEST(Call, an_argument_too_many_or_of_the_wrong_kind_is_a_coded_error) {
  Ref<Op> op = twice_op();
  Ref<Var> x = Var::make("x", tensor({int_imm(2)})), s = Var::make("s", ShapeType::make({int_imm(2)}));
  for (auto [args, code] :
       std::vector<std::pair<std::vector<Expr>, std::string>>{{{x, x}, "E0202"}, {{}, "E0202"}, {{s}, "E0201"}}) {
    try {
      Call::make(op, args);
      ADD_FAILURE() << code;
    } catch (const UserError& e) {
      EXPECT_EQ(e.diagnostics()[0].code, code);
    }
  }
}

TEST(InferCall, symbols_of_the_callee_take_what_the_caller_has) {
  Ref<SymVar> n = SymVar::make("n"), b = SymVar::make("b");
  Type signature = CallableType::make({tensor({n, int_imm(2)})}, tensor({Scalar(n) * int_imm(2)}), true);
  Ref<Var> x = Var::make("x", tensor({Scalar(b) + int_imm(1), int_imm(2)})),
           bad = Var::make("y", tensor({b, int_imm(3)}));
  std::vector<Expr> args{x}, wrong{bad};
  Type result = infer_call(*find<CallableType>(signature), args, {}, "f");
  EXPECT_EQ(describe(result), "Tensor((b * 2 + 2,), \"float32\")");
  EXPECT_THROW(infer_call(*find<CallableType>(signature), wrong, {}, "f"), UserError);
}

TEST(Infer, solves_for_symbols_that_no_dimension_is_alone) {
  const DType f32 = DType::float_(32);
  const Scalar n = SymVar::make("n"), m = SymVar::make("m");
  const Type signature = CallableType::make(
      {TensorType::make({n * int_imm(2) + int_imm(1)}, f32), ShapeType::make({n})}, TensorType::make({n}, f32), true);
  const Expr shape = Var::make("s", ShapeType::make_unknown(1));
  const auto result = [&](const Scalar& dim) {
    std::vector<Expr> args{Var::make("x", TensorType::make({dim}, f32)), shape};
    return infer_call(*find<CallableType>(signature), args, {}, "f");
  };
  EXPECT_EQ(describe(result(int_imm(9))), describe(TensorType::make({int_imm(4)}, f32)));
  EXPECT_EQ(describe(result(m * int_imm(6) + int_imm(1))), describe(TensorType::make({m * int_imm(3)}, f32)));
  EXPECT_EQ(find<TensorType>(result(m))->dims(), nullptr);
}

std::vector<std::string> codes(const Module& m, Stage stage = Stage::Normal) {
  std::vector<std::string> out;
  for (const Diagnostic& d : verify(m, stage)) out.push_back(d.code);
  return out;
}

Module with_body(std::vector<Ref<Var>> params, std::vector<Binding> bindings, Expr result, bool pure = true) {
  Ref<SeqExpr> body = SeqExpr::make({BindingBlock::make(std::move(bindings))}, std::move(result));
  return Module().with_function("main", Function::make(std::move(params), body, nullptr, pure));
}

TEST(Verifier, lists_every_finding_with_its_code) {
  Ref<Op> op = twice_op(), impure = twice_op(false);
  Ref<Var> x = Var::make("x", tensor({int_imm(2)})), y = Var::make("y", x->type), z = Var::make("z", x->type);
  EXPECT_TRUE(codes(with_body({x}, {{y, Call::make(op, {x}), nullptr, {}}}, y)).empty());
  // a use of a variable that is not defined
  EXPECT_EQ(codes(with_body({x}, {{y, Call::make(op, {z}), nullptr, {}}}, y)), std::vector<std::string>{"E0401"});
  // a parameter that is a dataflow variable
  Ref<Var> inner = Var::make_dataflow("lv", x->type);
  EXPECT_EQ(codes(with_body({inner}, {}, inner)), std::vector<std::string>{"E0401"});
  // a tensor type whose shape is a variable that is not defined
  Ref<Var> shape = Var::make("s", ShapeType::make_unknown(1));
  Ref<Var> named = Var::make("w", TensorType::make_with_shape(shape, DType::float_(32)));
  EXPECT_TRUE(codes(with_body({shape, named}, {}, named)).empty());
  EXPECT_EQ(codes(with_body({named}, {}, x))[0], "E0401");
  // a variable defined twice
  Binding b{y, Call::make(op, {x}), nullptr, {}};
  EXPECT_EQ(codes(with_body({x}, {b, b}, y)), std::vector<std::string>{"E0402"});
  // a free symbol
  Ref<Var> s = Var::make("s", tensor({Scalar(SymVar::make("n")) * int_imm(2)}));
  EXPECT_EQ(codes(with_body({s}, {}, s)), std::vector<std::string>{"E0404"});
  // a variable whose type contradicts its value's type
  Ref<Var> w = Var::make("w", tensor({int_imm(3)}));
  EXPECT_EQ(codes(with_body({x}, {{w, Call::make(op, {x}), nullptr, {}}}, w)), std::vector<std::string>{"E0405"});
  // a nested operand, which only the raw stage allows
  Module nested = with_body({x}, {{y, Call::make(op, {Call::make(op, {x})}), nullptr, {}}}, y);
  EXPECT_EQ(codes(nested), std::vector<std::string>{"E0406"});
  EXPECT_TRUE(codes(nested, Stage::Raw).empty());
  // a side effect in a pure function
  EXPECT_EQ(codes(with_body({x}, {{y, Call::make(impure, {x}), nullptr, {}}}, y)), std::vector<std::string>{"E0412"});
  EXPECT_TRUE(codes(with_body({x}, {{y, Call::make(impure, {x}), nullptr, {}}}, y, false)).empty());
  // a call of a function that the module lacks
  EXPECT_EQ(codes(with_body({x}, {{y, Call::make_typed(GlobalVar::make("f"), {x}, {}, {}, x->type), nullptr, {}}}, y)),
            std::vector<std::string>{"E0407"});
  // a call of a function with more arguments than it takes
  const Module twice =
      with_body({x}, {{y, Call::make_typed(GlobalVar::make("f"), {x, x}, {}, {}, x->type), nullptr, {}}}, y);
  EXPECT_EQ(codes(twice.with_function("f", Function::make({z}, SeqExpr::make({}, z), nullptr, true))),
            std::vector<std::string>{"E0310"});
}

TEST(Construction, what_cannot_be_is_a_coded_error) {
  Ref<Var> x = Var::make("x", tensor({int_imm(2)})), y = Var::make("y", tensor({int_imm(3)}));
  Scalar fraction = FloatImm::make(DType::float_(32), 0.5);
  Type one = CallableType::make({x->type}, x->type, true);
  Ref<Var> f = Var::make("f", one);
  EXPECT_EQ(code_of([&] { ShapeExpr::make({fraction}); }), "E0302");
  EXPECT_EQ(code_of([&] { Call::make(f, {x, x}); }), "E0310");
  EXPECT_EQ(code_of([&] { TupleGetItem::make(Tuple::make({x}), 1); }), "E0312");
  EXPECT_EQ(code_of([&] { TupleGetItem::make(x, 0); }), "E0312");
  EXPECT_EQ(code_of([&] { Call::make(f, {y}); }), "E0313");
  EXPECT_EQ(code_of([&] { Call::make(x, {y}); }), "E0315");
  EXPECT_EQ(code_of([&] { Binary::make(BinaryOp::Add, SymVar::make("i"), SymVar::make("f", DType::float_(32))); }),
            "E0301");
}

TEST(Verifier, knows_missing_parts_symbols_conditions_and_stages) {
  Ref<Op> op = twice_op();
  Ref<Var> x = Var::make("x", tensor({int_imm(2)})), y = Var::make("y", x->type), untyped = Var::make("u", nullptr);
  EXPECT_EQ(codes(with_body({x}, {{y, nullptr, nullptr, {}}}, y), Stage::Raw), std::vector<std::string>{"E0400"});
  EXPECT_EQ(codes(with_body({untyped}, {}, untyped)), std::vector<std::string>{"E0403"});
  Module named = Module().with_function(
      "main", Function::make({x}, SeqExpr::make({}, x), nullptr, true, Attrs(AttrMap{{"global_symbol", "entry"}})));
  EXPECT_EQ(codes(named), std::vector<std::string>{"E0408"});
  Ref<SeqExpr> branch = SeqExpr::make({}, x);
  EXPECT_EQ(codes(with_body({x}, {{y, If::make(x, branch, branch), nullptr, {}}}, y)),
            std::vector<std::string>{"E0409"});
  Ref<Var> c = Var::make("c", TensorType::make({}, DType::bool_()));
  Ref<BindingBlock> block = BindingBlock::make_dataflow({{y, If::make(c, branch, branch), nullptr, {}}});
  Module nested = Module().with_function("main", Function::make({x, c}, SeqExpr::make({block}, y), nullptr, true));
  EXPECT_EQ(codes(nested), std::vector<std::string>{"E0410"});
  Ref<Op> lowered = Op::make({.name = "test.lowered",
                              .summary = "",
                              .params = {{"x", "tensor"}},
                              .infer = same_as_first,
                              .lower = [](const Call&) { return Ref<BaseFunc>(); }});
  Module left = with_body({x}, {{y, Call::make(lowered, {x}), nullptr, {}}}, y);
  EXPECT_TRUE(codes(left, Stage::Normal).empty());
  EXPECT_EQ(codes(left, Stage::Legal), std::vector<std::string>{"E0411"});
}

TEST(Call, an_omitted_flag_is_its_default) {
  Ref<Op> flagged =
      Op::make({.name = "test.flagged",
                .summary = "",
                .params = {{"x", "tensor"}, {.name = "flag", .doc = "flag", .default_value = AttrValue(true)}},
                .infer = same_as_first});
  Ref<Call> call = find_ref<Call>(Call::make(flagged, {Var::make("x", tensor({int_imm(2)}))}));
  ASSERT_EQ(call->args.size(), 2u);
  const auto* flag = find<PrimValue>(call->args[1]);
  ASSERT_TRUE(flag);
  EXPECT_EQ(*find_int(flag->value), 1);
}

TEST(Verifier, stops_at_its_limit_and_not_at_the_first) {
  Ref<Op> op = twice_op();
  std::vector<Binding> bindings;
  for (int i = 0; i < 50; ++i) {
    Ref<Var> lost = Var::make("lost", tensor({int_imm(2)})), v = Var::make("v", lost->type);
    bindings.push_back({v, Call::make(op, {lost}), nullptr, {}});
  }
  EXPECT_EQ(verify(with_body({}, bindings, Tuple::make({})), Stage::Normal).size(), 20u);
}

}  // namespace
}  // namespace sunmao
