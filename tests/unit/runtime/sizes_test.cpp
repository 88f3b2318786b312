// Sizes that data decides: what the verifier demands, and how they reach functions and callers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/disassemble.h"
#include "runtime/program.h"
#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/sizes_program.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

io::Result<Program> read(const std::vector<uint8_t>& program) {
  return Program::read(std::as_bytes(std::span<const uint8_t>(program)));
}
std::string fault_of_head(const Body& head) { return fault_of(head_and_parts(head, chain)); }
std::string fault_of_chain(std::vector<uint32_t> operands) {
  return fault_of(head_and_parts(follow, [&](auto& b) { b.emit(Opcode::Chain, operands); }));
}

TEST(Sizes, are_disassembled) {
  const io::Result<Program> program = read(head_and_parts(follow, chain));
  ASSERT_TRUE(program.ok()) << program.status().to_string();
  const std::string text = disassemble(*program);
  EXPECT_THAT(text, HasSubstr("Follow `head_of`, [sizes in t0 (?), t1 (d0)]\n"));
  EXPECT_THAT(text, HasSubstr("Chain `head_of`, [sizes in t0 (?), t1 (d0)], `both`, [delivered 0 (?), t1 (d0)]\n"));
  EXPECT_THAT(text, HasSubstr("param p0 `m`: sizes (m)\n"));
}

TEST(Sizes, E0855_of_what_is_delivered) {
  EXPECT_THAT(fault_of_chain({3, 0, kNone, 1, 0, 4, kDelivered + 1, kNone, 1, 0}),
              HasSubstr("E0855 program: function `parts`, word 19 (Chain): result 1 was not delivered"));
  EXPECT_THAT(fault_of_chain({3, 0, kNone, 1, 0, 4, kDelivered, 0, 1, 0}), HasSubstr("a size for what data decides"));
  EXPECT_THAT(fault_of_chain({3, 0, kNone, kDelivered, kNone, 4, kDelivered, kNone, 1, 0}),
              HasSubstr("nothing was delivered"));
  EXPECT_THAT(fault_of_chain({4, 1, 0, 1, 0, 3, 0, kNone, kDelivered, kNone}),
              HasSubstr("the results are not those of the function that it ends"));
  EXPECT_THAT(fault_of_chain({3, kNone, kNone, 1, 0, 4, kDelivered, kNone, 1, 0}),
              HasSubstr("there is no dim register 4294967295"));
  EXPECT_THAT(fault_of_head([](auto& b) { b.emit(Opcode::Follow, {3, 0, kNone, kDelivered, kNone}); }),
              HasSubstr("nothing was delivered"));
}

TEST(Sizes, E0855_delivered_values_of_another_type) {
  ProgramBuilder b;
  begin_entry(b, "f", {{"head", kFloat32, {b.symbol("m")}}});
  b.emit(Opcode::Chain, {1, 0, kNone, 1, 0, 2, kDelivered, kNone});
  add_head_of(b);
  b.begin_inner_function("bools", {{"a", kBool, {b.symbol("m")}}}, {{"head", kFloat32, {b.symbol("m")}}});
  b.emit(Opcode::Deliver, {b.block(kFloat32, {b.bind_dim(0, 0)}), 0});
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("what was delivered as result 0 is of another type or rank"));
}

TEST(Sizes, E0855_results_are_delivered_or_written) {
  const auto write = [](ProgramBuilder& b) { b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), 1}); };
  EXPECT_THAT(fault_of_head([&](auto& b) {
                write(b);
                follow(b);
              }),
              HasSubstr("(Follow): results are delivered on one path and written on another"));
  EXPECT_THAT(fault_of_head([&](auto& b) { b.emit(Opcode::Deliver, {1, 0}); }), HasSubstr("is no inner one"));
  EXPECT_THAT(fault_of_head([&](auto& b) {
                const uint32_t jump = b.emit(Opcode::JumpIfFalse, {0, 0});
                follow(b);
                b.land(jump);
                write(b);
                b.emit(Opcode::Return);
              }),
              HasSubstr("(Result): results are delivered on one path and written on another"));
}

TEST(Sizes, E0855_weights_are_not_delivered) {
  ProgramBuilder b;
  const uint32_t weight = b.add_weight("w", kFloat32, {3});
  b.begin_function("maker", {}, {{"w", kFloat32, {3}, weight}});
  b.constant_dim(3);
  b.emit(Opcode::Layout);
  b.emit(Opcode::Follow, {1});
  b.begin_inner_function("made", {}, {{"w", kFloat32, {3}}});
  const uint32_t three = b.constant_dim(3);
  b.emit(Opcode::Layout);
  b.emit(Opcode::Deliver, {b.block(kFloat32, {three}), three});
  EXPECT_THAT(fault_of(b.finish()), HasSubstr("(Follow): the function makes weights"));
}

class RunSizes : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact({.program = head_and_parts(follow, chain), .weights = {}});
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = model_ ? open(model_) : nullptr;
  Floats x_{{4}, {1, 2, 3, 4}};

  std::vector<DLTensor> inputs(int64_t& size) {
    static int64_t one = 1;
    DLTensor sizes = {};
    sizes.data = &size;
    sizes.device = {kDLCPU, 0};
    sizes.ndim = 1;
    sizes.dtype = {kDLInt, 64, 1};
    sizes.shape = &one;
    return {sizes, x_.tensor()};
  }
  int run(const char* function, int64_t size, std::vector<DLTensor>& outputs) {
    const std::vector<DLTensor> given = inputs(size);
    return sunmao_run(session_.get(), function, given.data(), given.size(), outputs.data(), outputs.size(), &error_);
  }
};

TEST_F(RunSizes, are_those_that_data_says) {
  ASSERT_TRUE(session_) << error_.message;
  for (const int64_t size : {3, 0, 4, 1}) {
    std::vector<DLTensor> outputs(1);
    ASSERT_EQ(run("head", size, outputs), 0) << error_.message;
    ASSERT_EQ(outputs[0].ndim, 1);
    EXPECT_EQ(outputs[0].shape[0], size);
    EXPECT_EQ(values(outputs[0]), std::vector<float>(x_.data.begin(), x_.data.begin() + size));
  }
}

TEST_F(RunSizes, outputs_in_memory_of_the_session_share_none_with_inputs) {
  std::vector<DLTensor> outputs(2);
  ASSERT_EQ(run("parts", 2, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
  x_.data = {0, 0, 0, 0};
  EXPECT_THAT(values(outputs[0]), ElementsAre(1, 2));
  EXPECT_THAT(values(outputs[1]), ElementsAre(1, 2, 3, 4));
}

TEST_F(RunSizes, outputs_may_lie_where_inputs_do) {
  Floats head({2});
  std::vector<DLTensor> outputs = {head.tensor(), x_.tensor()};
  ASSERT_EQ(run("parts", 2, outputs), 0) << error_.message;
  EXPECT_THAT(head.data, ElementsAre(1, 2));
  EXPECT_THAT(x_.data, ElementsAre(1, 2, 3, 4));
  // The head is written to the place of x, of which it is a part.
  Floats copy({4});
  DLTensor first = x_.tensor();
  int64_t two = 2;
  first.shape = &two;
  first.data = x_.data.data() + 2;
  outputs = {first, copy.tensor()};
  ASSERT_EQ(run("parts", 2, outputs), 0) << error_.message;
  EXPECT_THAT(x_.data, ElementsAre(1, 2, 1, 2));
  EXPECT_THAT(copy.data, ElementsAre(1, 2, 3, 4));
}

TEST_F(RunSizes, outputs_of_their_own_are_as_large_as_needed) {
  int64_t size = 3;
  const std::vector<DLTensor> given = inputs(size);
  DLManagedTensor* outputs[2] = {};
  ASSERT_EQ(sunmao_run_managed(session_.get(), "parts", given.data(), 2, outputs, 2, &error_), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]->dl_tensor), ElementsAre(1, 2, 3));
  EXPECT_THAT(values(outputs[1]->dl_tensor), ElementsAre(1, 2, 3, 4));
  for (DLManagedTensor* output : outputs) output->deleter(output);
  size = 5;
  EXPECT_NE(sunmao_run_managed(session_.get(), "parts", given.data(), 2, outputs, 2, &error_), 0);
  EXPECT_EQ(outputs[0], nullptr);
}

TEST_F(RunSizes, E0909_outputs_of_other_sizes) {
  Floats head({3});
  std::vector<DLTensor> outputs = {head.tensor()};
  EXPECT_NE(run("head", 2, outputs), 0);
  EXPECT_STREQ(error_.code, "E0909");
  EXPECT_THAT(error_.message, HasSubstr("output 0 `head` has room for (3), expected (2)"));
  EXPECT_EQ(run("head", 3, outputs), 0) << error_.message;
  Floats matrix({3, 1});
  outputs = {matrix.tensor()};
  EXPECT_NE(run("head", 3, outputs), 0);
  EXPECT_THAT(error_.message, HasSubstr("output 0 `head` has rank 2, expected 1"));
}

TEST_F(RunSizes, E0911_sizes_that_are_none) {
  std::vector<DLTensor> outputs(1);
  EXPECT_NE(run("head", 5, outputs), 0);
  EXPECT_STREQ(error_.code, "E0911");
  EXPECT_THAT(error_.message, HasSubstr("a copy of 16 bytes as 20"));
  EXPECT_NE(run("head", -1, outputs), 0);
  EXPECT_STREQ(error_.code, "E0911");
  EXPECT_THAT(error_.message, HasSubstr("function `head_of`: data decides a size, and it is -1"));
  EXPECT_NE(run("head", int64_t{1} << 62, outputs), 0);
  EXPECT_STREQ(error_.code, "E0911");
  EXPECT_NE(run("three", 2, outputs), 0);
  EXPECT_STREQ(error_.code, "E0911");
  EXPECT_THAT(error_.message, HasSubstr("output 0 `head` has 2 elements along axis 0, expected 3"));
  EXPECT_EQ(run("three", 3, outputs), 0) << error_.message;
}

TEST_F(RunSizes, E0915_outputs_that_share_memory) {
  Floats head({2});
  DLTensor again = head.tensor();
  std::vector<DLTensor> outputs = {head.tensor(), again};
  EXPECT_NE(run("parts", 2, outputs), 0);
  EXPECT_STREQ(error_.code, "E0915");
}

}  // namespace
}  // namespace sunmao::runtime::testing
