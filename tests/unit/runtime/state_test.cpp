// State of sessions: what the verifier demands, what runs keep, and what becomes of it when they fail.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <thread>

#include "runtime/disassemble.h"
#include "runtime/program.h"
#include "tests/unit/runtime/run_states.h"

namespace sunmao::runtime::testing {
namespace {

using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(States, are_disassembled) {
  const std::vector<uint8_t> bytes = state_program();
  const io::Result<Program> program = Program::read(std::as_bytes(std::span<const uint8_t>(bytes)));
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const std::string text = disassemble(*program);
  EXPECT_THAT(text, HasSubstr("state `sum`: float32 (3) of zeros\nstate `row`: float32 (3) = w0\n"));
  EXPECT_THAT(text, HasSubstr("param p1 `sum`: float32 (3) = state `sum`\n"));
  EXPECT_THAT(text, HasSubstr("result r1 `sum`: float32 (3) becomes state `sum`\n"));
}

TEST(States, are_none_before_version_6) {
  std::vector<uint8_t> bytes = state_program();
  bytes[4] = 5;
  EXPECT_THAT(fault_of(bytes), HasSubstr("E0854 program: value `sum`: there is no state 0"));
}

TEST(States, E0855_results_that_are_not_delivered) {
  const auto write_result = [](ProgramBuilder& b) {
    const uint32_t x = b.tensor(Opcode::Param, 0);
    b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), x});
    b.emit(Opcode::Return);
  };
  EXPECT_THAT(fault_of(state_program(write_result)), HasSubstr("a function with state delivers its results"));
  const auto deliver_slot = [](ProgramBuilder& b) {
    const uint32_t x = b.tensor(Opcode::Param, 0);
    b.emit(Opcode::Deliver, {x, 0, 3, 0});
  };
  EXPECT_THAT(fault_of(state_program(deliver_slot)), HasSubstr("there is no tensor register 3"));
  ProgramBuilder b;
  b.begin_function("f", {{"x", kFloat32, {}}}, {{"y", kFloat32, {}}});
  b.emit(Opcode::Layout);
  b.emit(Opcode::Deliver, {b.tensor(Opcode::Param, 0)});
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("the function is no inner one and has no state"));
}

TEST(States, E0855_sizes_that_are_not_checked) {
  ProgramBuilder b;
  b.add_state("s", kFloat32, {3});
  b.begin_function("f", {{"s", kFloat32, {3}, kSum}}, {});
  b.emit(Opcode::Layout);
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("axis 0 of parameter `s` is not checked"));
}

using Value = ProgramBuilder::Value;

/// Returns what is wrong with a function of these values, where the states are a: float32 (2), b: float32 (2).
std::string fault_of_values(const std::vector<Value>& params, const std::vector<Value>& results,
                            bool is_inner = false) {
  ProgramBuilder b;
  b.add_state("a", kFloat32, {2});
  b.add_state("b", kFloat32, {2});
  is_inner ? b.begin_inner_function("f", params, results) : b.begin_function("f", params, results);
  return fault_of(b.finish());
}

TEST(States, E0854_tables) {
  const uint32_t a = abi::kState, other = a + 1;
  const Value to_a = {"x", kFloat32, {2}, a}, to_b = {"y", kFloat32, {2}, other}, out = {"z", kFloat32, {2}};
  EXPECT_THAT(fault_of_values({{"x", kFloat32, {2}, a + 2}}, {}), HasSubstr("value `x`: there is no state 2"));
  EXPECT_THAT(fault_of_values({{"x", kFloat32, {3}, a}}, {}), HasSubstr("its type or shape is not that of its state"));
  EXPECT_THAT(fault_of_values({{"x", kBool, {2}, a}}, {}), HasSubstr("its type or shape is not that of its state"));
  EXPECT_THAT(fault_of_values({to_a, to_a}, {}), HasSubstr("function `f`: it has a state twice"));
  EXPECT_THAT(fault_of_values({}, {to_a, to_b, to_a}), HasSubstr("function `f`: it has a state twice"));
  EXPECT_THAT(fault_of_values({}, {to_a, out}), HasSubstr("function `f`: a result behind those that are states"));
  EXPECT_THAT(fault_of_values({to_a}, {}, true), HasSubstr("an inner function with a weight or state"));
  ProgramBuilder b;
  b.add_state("s", kFloat32, {2}, 0);
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("state `s`: there is no weight 0"));
  ProgramBuilder c;
  c.add_state("s", kFloat32, {2}, c.add_weight("w", kFloat32, {3}));
  EXPECT_THAT(fault_of(c.finish()), HasSubstr("state `s`: its type or shape is not that of its weight"));
  ProgramBuilder d;
  d.add_state("s", kFloat32, {-1});
  EXPECT_THAT(fault_of(d.finish()), HasSubstr("state `s`: its shape is no size"));
  ProgramBuilder e;
  e.add_state("s", kFloat32, {});
  e.add_state("s", kFloat32, {});
  EXPECT_THAT(fault_of(e.finish()), HasSubstr("two states are called `s`"));
}

TEST_F(RunStates, are_listed) {
  ASSERT_EQ(sunmao_state_count(model_.get()), 3u);
  EXPECT_STREQ(sunmao_state_name(model_.get(), 1), "row");
  EXPECT_EQ(sunmao_state_name(model_.get(), 3), nullptr);
  EXPECT_EQ(sunmao_find_state(model_.get(), "grown"), 2);
  EXPECT_EQ(sunmao_find_state(model_.get(), "none"), -1);
  sunmao_value_info info = {};
  ASSERT_EQ(sunmao_state_info(model_.get(), 0, &info), 0);
  EXPECT_EQ(info.dims[0].size, 3);
  ASSERT_EQ(sunmao_state_info(model_.get(), 2, &info), 0);
  EXPECT_STREQ(info.name, "grown");
  EXPECT_STREQ(info.dims[0].symbol, "m");
  EXPECT_EQ(info.dims[0].maximum, 64);
  EXPECT_EQ(*sunmao_state_first_shape(model_.get(), 0), 3);
  EXPECT_EQ(*sunmao_state_first_shape(model_.get(), 2), 0);
  EXPECT_EQ(sunmao_state_info(model_.get(), 3, &info), 1);
  EXPECT_EQ(sunmao_state_first_shape(nullptr, 0), nullptr);
  EXPECT_EQ(sunmao_input_count(model_.get(), 0), 1u);
  EXPECT_EQ(sunmao_output_count(model_.get(), 0), 1u);
  const int64_t sizes[] = {3};
  sunmao_memory_info memory = {};
  EXPECT_EQ(sunmao_function_memory(model_.get(), 0, sizes, 1, &memory, &error_), 0) << error();
}

TEST_F(RunStates, live_from_run_to_run_and_are_reset) {
  EXPECT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
  EXPECT_THAT(add({1, 1, 1}), ElementsAre(4, 9, 16));
  EXPECT_THAT(state("sum"), ElementsAre(2, 3, 4));
  EXPECT_THAT(run("follow", {{{3}, {1, 1, 1}}}), ElementsAre(9, 16, 25));  // by another function
  EXPECT_THAT(run("peek", {}), ElementsAre(9, 16, 25));
  EXPECT_THAT(run("peek", {}), ElementsAre(9, 16, 25));
  EXPECT_THAT(state("sum"), ElementsAre(3, 4, 5));
  ASSERT_EQ(sunmao_session_reset(session_.get(), &error_), 0);
  EXPECT_THAT(state("sum"), ElementsAre(0, 0, 0));
  EXPECT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
}

TEST_F(RunStates, outputs_in_the_callers_memory_and_managed_ones) {
  Floats x({3}, {1, 2, 3}), y({3});
  const DLTensor input = x.tensor();
  DLTensor output = y.tensor();
  ASSERT_EQ(sunmao_run(session_.get(), "add", &input, 1, &output, 1, &error_), 0) << error();
  EXPECT_THAT(y.data, ElementsAre(1, 4, 9));
  DLManagedTensor* managed = nullptr;
  ASSERT_EQ(sunmao_run_managed(session_.get(), "add", &input, 1, &managed, 1, &error_), 0) << error();
  EXPECT_THAT(values(managed->dl_tensor), ElementsAre(4, 16, 36));
  managed->deleter(managed);
}

TEST_F(RunStates, may_be_weights_the_same_tensor_twice_or_what_the_caller_passed) {
  ASSERT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
  EXPECT_THAT(run("swap", {}), ElementsAre(10, 20, 30));
  EXPECT_THAT(state("row"), ElementsAre(1, 2, 3));
  EXPECT_THAT(add({1, 1, 1}), ElementsAre(4, 9, 16));
  EXPECT_THAT(state("row"), ElementsAre(1, 2, 3));  // memory of its own
  Floats a({3}, {7, 8, 9});
  EXPECT_THAT(run("take", {a}), ElementsAre(7, 8, 9));
  a.data = {0, 0, 0};
  EXPECT_THAT(state("row"), ElementsAre(7, 8, 9));
  ASSERT_EQ(sunmao_session_reset(session_.get(), &error_), 0);
  EXPECT_THAT(run("check", {{{1}, {5}}}), ElementsAre(5));  // a result that is the weight
  EXPECT_THAT(state("row"), ElementsAre(10, 20, 30));
}

TEST(States, are_changed_where_they_lie) {
  const std::string artifact = make_artifact({.program = state_program([](ProgramBuilder& b) {
                                                const uint32_t x = b.tensor(Opcode::Param, 0),
                                                               sum = b.own(b.tensor(Opcode::Param, 1), {});
                                                b.call(0, {sum, x, sum}, {1, 0});
                                                b.emit(Opcode::Deliver, {sum, 0, sum, 0});
                                              })});
  const ModelHandle model = load(artifact);
  const SessionHandle session = open(model);
  Floats x({3}, {1, 2, 3});
  const DLTensor input = x.tensor();
  const auto run = [&] {
    DLTensor output = {};
    EXPECT_EQ(sunmao_run(session.get(), "add", &input, 1, &output, 1, nullptr), 0);
    return output;
  };
  const void* first = run().data;
  const size_t memory = mallinfo2().uordblks;
  const DLTensor second = run(), third = run();
  EXPECT_EQ(mallinfo2().uordblks, memory);
  EXPECT_EQ(second.data, first);
  EXPECT_EQ(third.data, first);
  EXPECT_THAT(values(third), ElementsAre(3, 6, 9));
}

TEST_F(RunStates, change_their_sizes) {
  EXPECT_THAT(run("grow", {{{2}, {1, 2}}}), IsEmpty());
  EXPECT_EQ(error(), " ");
  EXPECT_THAT(run("grow", {{{3}, {3, 4, 5}}}), ElementsAre(1, 2));
  EXPECT_THAT(run("grow", {Floats({65})}), ElementsAre(3, 4, 5));
  EXPECT_THAT(run("grow", {{{1}, {1}}}), IsEmpty());
  EXPECT_THAT(error(), HasSubstr("E0906 function `grow`: dimension `m` (axis 0 of `grown`) is 65, expected 0 to 64"));
  EXPECT_EQ(state("grown").size(), 65u);
}

TEST_F(RunStates, E0925_after_a_run_that_had_changed_one) {
  ASSERT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
  ASSERT_THAT(run("take", {{{3}, {7, 8, 9}}}), ElementsAre(7, 8, 9));
  EXPECT_THAT(run("check", {Floats({13})}), IsEmpty());
  EXPECT_THAT(error(), HasSubstr("E0913"));
  EXPECT_THAT(state("row"), ElementsAre(7, 8, 9));  // as before: nothing changed it
  EXPECT_THAT(add({1, 1, 1}), IsEmpty());
  EXPECT_THAT(error(), HasSubstr("E0925 state `sum` is lost: a run that failed had changed it"));
  EXPECT_THAT(state("sum"), IsEmpty());
  EXPECT_THAT(error(), HasSubstr("E0925"));
  EXPECT_EQ(sunmao_session_save(session_.get(), "/nowhere/file", &error_), 1);
  EXPECT_THAT(error(), HasSubstr("E0925"));
  EXPECT_THAT(run("take", {{{3}, {1, 1, 1}}}), ElementsAre(1, 1, 1));  // does not read it

  sunmao_session* copy = nullptr;
  ASSERT_EQ(sunmao_session_copy(session_.get(), &copy, &error_), 0);
  const SessionHandle copied(copy);
  EXPECT_THAT(state("sum", copy), IsEmpty());
  EXPECT_THAT(state("row", copy), ElementsAre(1, 1, 1));

  Floats sum({3}, {1, 1, 1});
  const DLTensor value = sum.tensor();
  ASSERT_EQ(sunmao_session_set_state(session_.get(), 0, &value, &error_), 0) << error();
  EXPECT_THAT(add({1, 2, 3}), ElementsAre(4, 9, 16));
  EXPECT_THAT(run("check", {Floats({13})}), IsEmpty());
  ASSERT_EQ(sunmao_session_reset(session_.get(), &error_), 0);
  EXPECT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
}

TEST_F(RunStates, are_as_before_when_an_output_does_not_fit) {
  ASSERT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
  ASSERT_THAT(run("take", {{{3}, {7, 8, 9}}}), ElementsAre(7, 8, 9));
  Floats y({4});
  DLTensor output = y.tensor();
  EXPECT_EQ(sunmao_run(session_.get(), "swap", nullptr, 0, &output, 1, &error_), 1);
  EXPECT_THAT(error(), HasSubstr("E0909 function `swap`: output 0 `y` has room for (4), expected (3)"));
  EXPECT_THAT(state("sum"), ElementsAre(1, 2, 3));
  EXPECT_THAT(state("row"), ElementsAre(7, 8, 9));
  EXPECT_THAT(add({1, 1, 1}), ElementsAre(4, 9, 16));
}

TEST_F(RunStates, are_copied_with_the_session) {
  ASSERT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
  sunmao_session* copy = nullptr;
  ASSERT_EQ(sunmao_session_copy(session_.get(), &copy, &error_), 0) << error();
  const SessionHandle copied(copy);
  EXPECT_THAT(add({1, 1, 1}, copy), ElementsAre(4, 9, 16));
  EXPECT_THAT(add({2, 2, 2}), ElementsAre(9, 16, 25));
  EXPECT_THAT(state("sum", copy), ElementsAre(2, 3, 4));
  EXPECT_THAT(state("row", copy), ElementsAre(10, 20, 30));
}

TEST_F(RunStates, are_set_by_callers) {
  Floats grown({2}, {4, 5}), scalar({}, {1}), large({65});
  const DLTensor value = grown.tensor(), bad = scalar.tensor(), wide = large.tensor();
  ASSERT_EQ(sunmao_session_set_state(session_.get(), 2, &value, &error_), 0) << error();
  grown.data = {0, 0};
  EXPECT_THAT(run("grow", {{{1}, {1}}}), ElementsAre(4, 5));
  EXPECT_EQ(sunmao_session_set_state(session_.get(), 0, &value, &error_), 1);
  EXPECT_EQ(error(), "E0905 state `sum` has 2 on axis 0, expected 3");
  EXPECT_EQ(sunmao_session_set_state(session_.get(), 2, &wide, &error_), 1);
  EXPECT_EQ(error(), "E0906 state `grown` has 65 on axis 0, expected 0 to 64");
  EXPECT_EQ(sunmao_session_set_state(session_.get(), 0, &bad, &error_), 1);
  EXPECT_EQ(error(), "E0904 state `sum` has rank 0, expected 1");
  EXPECT_EQ(sunmao_session_set_state(session_.get(), 3, &value, &error_), 1);
  EXPECT_EQ(error(), "E0901 the model has no state 3: there are 3");
  EXPECT_THAT(state("sum"), ElementsAre(0, 0, 0));
}

TEST_F(RunStates, E0900_for_NULL) {
  EXPECT_EQ(sunmao_session_reset(nullptr, &error_), 1);
  EXPECT_EQ(error(), "E0900 `sunmao_session_reset`: `session` is NULL");
  EXPECT_EQ(sunmao_session_copy(session_.get(), nullptr, &error_), 1);
  EXPECT_EQ(sunmao_session_save(session_.get(), nullptr, &error_), 1);
  EXPECT_EQ(sunmao_session_load(nullptr, "x", &error_), 1);
  EXPECT_EQ(sunmao_session_get_state(session_.get(), 0, nullptr, &error_), 1);
  EXPECT_EQ(sunmao_session_set_state(session_.get(), 0, nullptr, &error_), 1);
  EXPECT_EQ(error(), "E0900 `sunmao_session_set_state`: `value` is NULL");
}

TEST_F(RunStates, are_separate_in_parallel_sessions) {
  constexpr size_t kSessions = 8;
  std::array<std::vector<float>, kSessions> sums;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kSessions; ++i)
    threads.emplace_back([&, i] {
      const SessionHandle own = open(model_);
      const auto step = static_cast<float>(i);
      for (int run_number = 0; run_number < 100; ++run_number) add({step, 1, 2 * step}, own.get());
      DLManagedTensor* value = nullptr;
      if (sunmao_session_get_state(own.get(), 0, &value, nullptr)) return;
      sums[i] = values(value->dl_tensor);
      value->deleter(value);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < kSessions; ++i) {
    const auto step = static_cast<float>(100 * i);
    EXPECT_THAT(sums[i], ElementsAre(step, 100, 2 * step));
  }
}

}  // namespace
}  // namespace sunmao::runtime::testing
