#include "ops/custom_ops.h"

#include <gtest/gtest.h>

#include <thread>

#include "ops/ops.h"
#include "support/diagnostic.h"
#include "tests/unit/error_code.h"

namespace sunmao {
namespace {

CustomOp same_as_first(const std::string& name) {
  return {.name = name, .is_pure = true, .infer = [](const InferInput& in) { return in.type(0); }};
}

Expr four_floats() { return Var::make("x", TensorType::make({int_imm(4)}, DType::float_(32))); }

TEST(CustomOps, stand_beside_those_of_the_library) {
  set_custom_op(same_as_first("custom_test.beside"));
  Ref<Op> op = known_ops()->get("relax.custom_test.beside");
  EXPECT_TRUE(op->info.is_pure);
  EXPECT_EQ(known_ops()->find("add"), builtin_ops().find("add"));
  EXPECT_EQ(builtin_ops().find("custom_test.beside"), nullptr);
  Expr x = four_floats();
  EXPECT_EQ(Call::make(op, {x}, {}, {}, {})->type, x->type);
}

TEST(CustomOps, keep_their_record_when_they_are_said_anew) {
  set_custom_op(same_as_first("custom_test.anew"));
  Ref<Op> op = known_ops()->get("custom_test.anew");
  CustomOp other = same_as_first("custom_test.anew");
  other.infer = [](const InferInput&) { return AnyType::make(); };
  set_custom_op(other);
  set_custom_op(same_as_first("custom_test.another"));
  EXPECT_EQ(known_ops()->get("custom_test.anew"), op);
  EXPECT_TRUE(find<AnyType>(Call::make(op, {four_floats()}, {}, {}, {})->type));
}

TEST(CustomOps, are_refused_where_the_library_or_a_program_knows_better) {
  EXPECT_EQ(code_of([] { set_custom_op(same_as_first("relax.add")); }), "E0034");
  set_custom_op(same_as_first("custom_test.pure"));
  Ref<Op> op = known_ops()->get("custom_test.pure");
  CustomOp impure = same_as_first("custom_test.pure");
  impure.is_pure = false;
  EXPECT_EQ(code_of([&] { set_custom_op(impure); }), "E0034");
  remove_custom_op("custom_test.pure");
  EXPECT_EQ(find_custom_op("custom_test.pure"), nullptr);
  EXPECT_EQ(code_of([&] { Call::make(op, {four_floats()}, {}, {}, {}); }), "E0204");
}

TEST(CustomOps, say_the_normal_form_of_their_calls) {
  CustomOp op = same_as_first("custom_test.normal");
  op.normalize = [](const Call& call) { return call.args[0]; };
  set_custom_op(op);
  Expr x = four_floats();
  EXPECT_EQ(normal_custom_call(Call::make(known_ops()->get("custom_test.normal"), {x}, {}, {}, {})), x);
  Ref<Call> add = Call::make(builtin_ops().get("add"), {x, x}, {}, {}, {});
  EXPECT_EQ(normal_custom_call(add), Expr(add));
}

TEST(CustomOps, may_be_added_and_used_by_threads_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 20; ++i) {
        const std::string name = "custom_test.thread_" + std::to_string(t) + "_" + std::to_string(i);
        set_custom_op(same_as_first(name));
        Call::make(known_ops()->get(name), {four_floats()}, {}, {}, {});
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(known_ops()->find("custom_test.thread_3_19"), nullptr);
}

}  // namespace
}  // namespace sunmao
