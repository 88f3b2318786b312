#include "passes/analysis/well_formed.h"

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ops/ops.h"
#include "passes/analysis/reshape_pattern.h"
#include "script/parse.h"
#include "tests/unit/passes/parsed.h"

namespace sunmao {
namespace {

const DType kFloat = DType::float_(32);

std::vector<std::string> codes(const std::vector<Diagnostic>& found) {
  std::vector<std::string> out;
  for (const Diagnostic& d : found) out.push_back(d.code);
  return out;
}
using Codes = std::vector<std::string>;

std::string add_one(const std::string& parameters, const std::string& call) {
  return R"(
@I.ir_module
class M:
    @R.function
    def main()" +
         parameters +
         R"():
        cls = M
        B = R.)" +
         call + R"(
        return B

    @T.prim_func(private=True)
    def add_one(A: T.Buffer((T.int64(16),), "float32"), B: T.Buffer((T.int64(16),), "float32")):
        for i in range(T.int64(16)):
            with T.sblock("compute"):
                vi = T.axis.spatial(T.int64(16), i)
                B[vi] = A[vi] + T.float32(1)
)";
}

TEST(WellFormed, call_tir_fits_the_function) {
  std::string tensor = "A: R.Tensor((16,), \"float32\")";
  auto found = [](const std::string& p, const std::string& c) {
    return codes(check_well_formed(parse(add_one(p, c))));
  };
  EXPECT_EQ(found(tensor, "call_tir(cls.add_one, (A,), out_ty=R.Tensor((16,), \"float32\"))"), Codes{});
  EXPECT_EQ(found(tensor, "call_tir(cls.add_one, (A,), out_ty=R.Tensor((32,), \"float32\"))"), Codes{"E0508"});
  EXPECT_EQ(found(tensor, "call_tir(cls.add_one, (A,), out_ty=R.Tensor((4, 4), \"float32\"))"), Codes{"E0508"});
  EXPECT_EQ(found(tensor, "call_tir(cls.add_one, (A,), out_ty=R.Tensor((16,), \"float16\"))"), Codes{"E0508"});
  EXPECT_EQ(found(tensor, "call_tir(cls.add_one, (A, A), out_ty=R.Tensor((16,), \"float32\"))"), Codes{"E0508"});
  EXPECT_EQ(
      found("A: R.Tensor((\"n\",), \"float32\")", "call_tir(cls.add_one, (A,), out_ty=R.Tensor((16,), \"float32\"))"),
      Codes{});
}

Ref<Function> function_of(std::vector<Ref<Var>> params, std::vector<Binding> bindings, Expr result, bool is_pure = true,
                          Attrs attrs = {}) {
  std::vector<Ref<BindingBlock>> blocks;
  if (!bindings.empty()) blocks.push_back(BindingBlock::make(std::move(bindings)));
  return Function::make(std::move(params), SeqExpr::make(std::move(blocks), std::move(result)), nullptr, is_pure,
                        std::move(attrs));
}

TEST(WellFormed, a_function_alone_may_name_others) {
  Ref<Var> x = Var::make("x", TensorType::make({int_imm(4)}, kFloat));
  Ref<Var> y = Var::make("y", x->type);
  Expr call = Call::make_typed(GlobalVar::make("other"), {x}, {}, {}, x->type);
  Ref<Function> f = function_of({x}, {{y, call, nullptr, {}}}, y);
  EXPECT_EQ(codes(check_well_formed(f)), Codes{});
  EXPECT_EQ(codes(check_well_formed(Module().with_function("main", f))), Codes{"E0407"});
}

TEST(WellFormed, symbols_belong_to_one_function) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", TensorType::make({n}, kFloat)), y = Var::make("y", TensorType::make({n}, kFloat));
  Module m = Module().with_function("a", function_of({x}, {}, x)).with_function("b", function_of({y}, {}, y));
  EXPECT_EQ(codes(check_well_formed(m)), Codes{"E0415"});
}

TEST(WellFormed, a_local_function_may_call_itself) {
  Type scalar = TensorType::make({}, DType::int_(32));
  Ref<Var> x = Var::make("x", scalar), in = Var::make("in", scalar), y = Var::make("y", scalar);
  Ref<Var> f = Var::make("f", CallableType::make({scalar}, scalar, true)), z = Var::make("z", scalar);
  Ref<Function> inner = function_of({in}, {{y, Call::make(f, {in}), nullptr, {}}}, y);
  Ref<Function> outer = function_of({x}, {{f, inner, nullptr, {}}, {z, Call::make(f, {x}), nullptr, {}}}, z);
  EXPECT_EQ(codes(check_well_formed(outer)), Codes{});
}

TEST(WellFormed, a_returned_function_binds_its_symbols) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", TensorType::make({n}, kFloat));
  Ref<Function> inner = function_of({x}, {}, x);
  Ref<Var> f = Var::make("f", inner->type);
  EXPECT_EQ(codes(check_well_formed(function_of({}, {{f, inner, nullptr, {}}}, f))), Codes{});
}

TEST(WellFormed, loop_level_functions_are_named) {
  Ref<Var> f = Var::make("f", AnyType::make());
  Expr loop = PrimFunc::make({}, Evaluate::make(int_imm(0)));
  EXPECT_EQ(codes(check_well_formed(function_of({}, {{f, loop, nullptr, {}}}, f))), Codes{"E0413"});
}

TEST(WellFormed, impure_and_pure_by_force_contradict) {
  Ref<Var> x = Var::make("x", TensorType::make({int_imm(4)}, kFloat));
  Attrs forced(AttrMap{{"relax.force_pure", true}});
  EXPECT_EQ(codes(check_well_formed(function_of({x}, {}, x, /*is_pure=*/false, forced))), Codes{"E0414"});
  EXPECT_EQ(codes(check_well_formed(function_of({x}, {}, x, /*is_pure=*/true, forced))), Codes{});
}

TEST(WellFormed, types_may_be_left_out_of_the_check) {
  Ref<Var> x = Var::make("x", TensorType::make({int_imm(4)}, kFloat));
  Ref<Var> y = Var::make("y", TensorType::make({int_imm(4)}, DType::int_(32)));
  Ref<Function> f = function_of({x}, {{y, x, nullptr, {}}}, y);
  EXPECT_EQ(codes(check_well_formed(f)), Codes{"E0405"});
  EXPECT_EQ(codes(check_well_formed(f, {.check_types = false})), Codes{});
}

bool reshapes(const std::string& body) {
  Module m = parse("@I.ir_module\nclass M:\n" + body);
  return has_reshape_pattern(*m.find_as<PrimFunc>("f"));
}

TEST(ReshapePattern, an_element_keeps_its_place_in_memory) {
  EXPECT_TRUE(reshapes(R"(
    @T.prim_func
    def f(A: T.Buffer((1, 2, 3, 4), "float32"), B: T.Buffer((8, 3), "float32")):
        for i, j in T.grid(8, 3):
            with T.sblock("b"):
                x, y = T.axis.remap("SS", [i, j])
                B[x, y] = A[(x * 3 + y) // 24, (x * 3 + y) % 24 // 12, (x * 3 + y) % 12 // 4, (x * 3 + y) % 4]
)"));
  EXPECT_FALSE(reshapes(R"(
    @T.prim_func
    def f(A: T.Buffer((4, 4), "float32"), B: T.Buffer((4, 4), "float32")):
        for i, j in T.grid(4, 4):
            with T.sblock("b"):
                x, y = T.axis.remap("SS", [i, j])
                B[x, y] = A[y, x]
)"));
}

TEST(ReshapePattern, symbolic_sizes) {
  EXPECT_TRUE(reshapes(R"(
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        n = T.int64()
        A = T.match_buffer(a, (n, T.int64(32)), "float16")
        B = T.match_buffer(b, (T.int64(1), n, T.int64(32)), "float16")
        for i, j, k in T.grid(T.int64(1), n, T.int64(32)):
            with T.sblock("b"):
                x, y, z = T.axis.remap("SSS", [i, j, k])
                B[x, y, z] = A[(z // T.int64(32) + x * n + y) % n, z % T.int64(32)]
)"));
}

TEST(ReshapePattern, arithmetic_and_several_stores_are_none) {
  EXPECT_FALSE(reshapes(R"(
    @T.prim_func
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("b"):
                x = T.axis.spatial(4, i)
                B[x] = A[x] + T.float32(1)
)"));
  EXPECT_FALSE(reshapes(R"(
    @T.prim_func
    def f(A: T.Buffer((3, 0, 4), "float32"), B: T.Buffer((0, 3, 4), "float32")):
        for i, j, k in T.grid(0, 3, 4):
            with T.sblock("b"):
                x, y, z = T.axis.remap("SSS", [i, j, k])
                B[x, y, z] = A[y, x, z]
)"));
}

}  // namespace
}  // namespace sunmao
