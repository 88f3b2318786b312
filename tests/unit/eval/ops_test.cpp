#include "ops/ops.h"

#include <gtest/gtest.h>

#include <cmath>

#include "eval/evaluator.h"
#include "ir/builder.h"
#include "support/diagnostic.h"
#include "tests/unit/eval/float_array.h"

namespace sunmao {
namespace {

std::vector<float> values(const Array& a) {
  auto span = a.as<float>();
  return {span.begin(), span.end()};
}

Array run_call(const std::string& op, const std::vector<Expr>& args, AttrMap attrs = {}) {
  BlockBuilder b;
  Expr result = b.emit_output(Call::make(builtin_ops().get(op), args, Attrs(std::move(attrs))));
  Module m = Module().with_function("f", b.finish_function({}, result));
  return *Evaluator(m).call("f", {}).array();
}

Expr constant_of(Array a) { return Constant::make(std::move(a)); }

TEST(Ops, every_record_is_whole) {
  for (const Ref<Op>& op : builtin_ops().all()) {
    EXPECT_FALSE(op->info.summary.empty()) << op->name();
    for (const OpParam& p : op->info.params) EXPECT_FALSE(p.doc.empty()) << op->name() << "." << p.name;
  }
}

TEST(Ops, binary_broadcasts) {
  Array a = float_array({2, 3}, {1, 2, 3, 4, 5, 6}), row = float_array({3}, {10, 20, 30}),
        column = float_array({2, 1}, {100, 200});
  EXPECT_EQ(values(run_call("add", {constant_of(a), constant_of(row)})), (std::vector<float>{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(values(run_call("multiply", {constant_of(a), constant_of(column)})),
            (std::vector<float>{100, 200, 300, 800, 1000, 1200}));
  EXPECT_EQ(run_call("add", {constant_of(float_array({0, 3}, {})), constant_of(row)}).shape(),
            (std::vector<int64_t>{0, 3}));
}

TEST(Ops, maximum_and_minimum_keep_nan) {
  Array a = float_array({2}, {NAN, 1}), b = float_array({2}, {1, NAN});
  for (const char* op : {"maximum", "minimum"})
    for (float v : values(run_call(op, {constant_of(a), constant_of(b)}))) EXPECT_TRUE(std::isnan(v)) << op;
}

TEST(Ops, relu_of_negative_zero_and_infinity) {
  std::vector<float> out = values(run_call("nn.relu", {constant_of(float_array({4}, {-1, 2, -INFINITY, INFINITY}))}));
  EXPECT_EQ(out, (std::vector<float>{0, 2, 0, INFINITY}));
}

TEST(Ops, matmul_in_all_ranks) {
  Array a = float_array({2, 3}, {1, 2, 3, 4, 5, 6}), b = float_array({3, 2}, {1, 2, 3, 4, 5, 6}),
        v = float_array({3}, {1, 1, 1});
  EXPECT_EQ(values(run_call("matmul", {constant_of(a), constant_of(b)})), (std::vector<float>{22, 28, 49, 64}));
  EXPECT_EQ(values(run_call("matmul", {constant_of(a), constant_of(v)})), (std::vector<float>{6, 15}));
  EXPECT_EQ(values(run_call("matmul", {constant_of(v), constant_of(b)})), (std::vector<float>{9, 12}));
  EXPECT_EQ(values(run_call("matmul", {constant_of(v), constant_of(v)})), (std::vector<float>{3}));
  Array batch = float_array({2, 1, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(run_call("matmul", {constant_of(batch), constant_of(b)}).shape(), (std::vector<int64_t>{2, 1, 2}));
  EXPECT_EQ(values(run_call("matmul", {constant_of(float_array({1, 0}, {})), constant_of(float_array({0, 2}, {}))})),
            (std::vector<float>{0, 0}));
}

TEST(Ops, permute_and_reshape) {
  Array a = float_array({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(run_call("permute_dims", {constant_of(a)})), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(values(run_call("permute_dims", {constant_of(a)}, {{"axes", AttrValue::ints({-1, 0})}})),
            (std::vector<float>{1, 4, 2, 5, 3, 6}));
  Array r = run_call("reshape", {constant_of(a), ShapeExpr::make({int_imm(3), int_imm(-1)})});
  EXPECT_EQ(r.shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(values(r), values(a));
}

TEST(Ops, reductions_over_some_all_and_no_elements) {
  Array a = float_array({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(run_call("sum", {constant_of(a)}, {{"axis", AttrValue::ints({-1})}})), (std::vector<float>{6, 15}));
  EXPECT_EQ(run_call("sum", {constant_of(a)}, {{"axis", AttrValue::ints({0})}, {"keepdims", true}}).shape(),
            (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(values(run_call("mean", {constant_of(a)})), (std::vector<float>{3.5f}));
  EXPECT_EQ(values(run_call("max", {constant_of(a)}, {{"axis", AttrValue::ints({0})}})), (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(values(run_call("sum", {constant_of(float_array({2, 0}, {}))}, {{"axis", AttrValue::ints({1})}})),
            (std::vector<float>{0, 0}));
}

TEST(Ops, astype_truncates_and_rounds) {
  Array a = float_array({3}, {1.9f, -1.9f, NAN});
  Array i = run_call("astype", {constant_of(a)}, {{"dtype", DType::int_(32)}});
  EXPECT_EQ(i.as<int32_t>()[0], 1);
  EXPECT_EQ(i.as<int32_t>()[1], -1);
  EXPECT_EQ(i.as<int32_t>()[2], 0);
}

struct BadCall {
  std::string op;
  std::vector<Type> args;
  AttrMap attrs;
  std::string code;
};

Type f32(std::vector<int64_t> dims, DType dtype = DType::float_(32)) {
  std::vector<Scalar> scalars;
  for (int64_t d : dims) scalars.push_back(int_imm(d));
  return TensorType::make(std::move(scalars), dtype);
}

TEST(Ops, each_broken_constraint_is_a_coded_error) {
  std::vector<BadCall> cases{
      {"add", {f32({2}), f32({2}, DType::int_(32))}, {}, "E0304"},
      {"add", {f32({2}), f32({3})}, {}, "E0303"},
      {"sqrt", {f32({2}, DType::int_(32))}, {}, "E0306"},
      {"matmul", {f32({}), f32({2})}, {}, "E0307"},
      {"matmul", {f32({2, 3}), f32({4, 5})}, {}, "E0311"},
      {"matmul", {f32({2, 3}), f32({3, 5}, DType::float_(64))}, {}, "E0304"},
      {"permute_dims", {f32({2, 3})}, {{"axes", AttrValue::ints({0})}}, "E0203"},
      {"permute_dims", {f32({2, 3})}, {{"axes", AttrValue::ints({0, 0})}}, "E0203"},
      {"permute_dims", {f32({2, 3})}, {{"axes", AttrValue::ints({0, 2})}}, "E0203"},
      {"reshape", {f32({2, 3}), ShapeType::make({int_imm(4), int_imm(2)})}, {}, "E0308"},
      {"reshape", {f32({2, 3}), f32({2})}, {}, "E0201"},
      {"sum", {f32({2, 3})}, {{"axis", AttrValue::ints({2})}}, "E0203"},
      {"sum", {f32({2, 3})}, {{"axis", AttrValue::ints({1, -1})}}, "E0203"},
      {"mean", {f32({2}, DType::int_(32))}, {}, "E0306"},
      {"astype", {f32({2})}, {{"dtype", "quux"}}, "E0203"},
  };
  for (const BadCall& c : cases) {
    std::vector<Expr> args;
    for (const Type& t : c.args) args.push_back(Var::make("v", t));
    try {
      Call::make(builtin_ops().get(c.op), args, Attrs(c.attrs));
      ADD_FAILURE() << c.op << ": no error, expected " << c.code;
    } catch (const UserError& e) {
      EXPECT_EQ(e.diagnostics()[0].code, c.code) << e.what();
    }
  }
}

TEST(Ops, operands_on_two_devices_are_refused) {
  Type here = TensorType::make({int_imm(2)}, DType::float_(32), VDevice::make("llvm"));
  Type there = TensorType::make({int_imm(2)}, DType::float_(32), VDevice::make("cuda"));
  try {
    Call::make(builtin_ops().get("add"), {Var::make("a", here), Var::make("b", there)});
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0305");
  }
}

TEST(Ops, an_unknown_name_suggests_close_ones) {
  try {
    builtin_ops().get("matmull");
    ADD_FAILURE();
  } catch (const UserError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, "E0204");
    EXPECT_NE(e.diagnostics()[0].help.find("`matmul`"), std::string::npos);
  }
}

TEST(Ops, shapes_stay_symbolic) {
  Ref<SymVar> n = SymVar::make("n");
  Ref<Var> x = Var::make("x", TensorType::make({n, int_imm(8)}, DType::float_(32)));
  Expr r = Call::make(builtin_ops().get("reshape"), {x, ShapeExpr::make({int_imm(-1), int_imm(4)})});
  EXPECT_EQ(describe(r->type), "Tensor((n * 2, 4), \"float32\")");
  EXPECT_EQ(describe(Call::make(builtin_ops().get("add"), {x, x})->type), "Tensor((n, 8), \"float32\")");
  // Where broadcasting cannot be decided, the dimensions stay unknown.
  Ref<Var> y = Var::make("y", TensorType::make({SymVar::make("m"), int_imm(8)}, DType::float_(32)));
  EXPECT_EQ(describe(Call::make(builtin_ops().get("add"), {x, y})->type), "Tensor(ndim=2, \"float32\")");
}

}  // namespace
}  // namespace sunmao
