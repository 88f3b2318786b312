// Verification of makers, the functions that compute weights at load time. Their results are tested with the compiler,
// which generates them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/disassemble.h"
#include "runtime/program.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::HasSubstr;

/// Adds a function `name`(x: (2,)) -> y: (2,) that copies; x and y may be bound to weights.
void add_copy(ProgramBuilder& b, const std::string& name, uint32_t x, uint32_t y, int64_t result_size = 2) {
  b.begin_function(name, {{"x", kFloat32, {2}, x}}, {{"y", kFloat32, {result_size}, y}});
  const uint32_t two = b.constant_dim(2);
  b.emit(Opcode::CheckDim, {0, 0, two});
  b.emit(Opcode::Layout);
  const uint32_t from = b.tensor(Opcode::Param, 0);
  const uint32_t to = b.tensor(Opcode::Result, 0, kFloat32, {two});
  b.emit(Opcode::Copy, {to, from});
  b.emit(Opcode::Return);
}

/// Returns a program with weights 0, 1 and 2, and main(x) = x.
ProgramBuilder program() {
  ProgramBuilder b;
  for (const char* name : {"raw", "half_way", "prepared"}) b.add_weight(name, kFloat32, {2});
  add_copy(b, "main", kNone, kNone);
  return b;
}

std::string builder_problem(const ProgramBuilder& builder) {
  const std::vector<uint8_t> bytes = builder.finish();
  const io::Result<Program> read = Program::read(std::as_bytes(std::span<const uint8_t>(bytes)));
  return read.ok() ? "none" : std::string(read.code()) + " " + read.status().message();
}

TEST(Makers, may_follow_one_another) {
  ProgramBuilder b = program();
  add_copy(b, "first", 0, 1);
  add_copy(b, "second", 1, 2);
  EXPECT_EQ(builder_problem(b), "none");
  const std::vector<uint8_t> bytes = b.finish();
  EXPECT_THAT(disassemble(*Program::read(std::as_bytes(std::span<const uint8_t>(bytes)))),
              HasSubstr("result r0 `y`: float32 (2) becomes w2"));
}

TEST(Makers, E0854_stand_behind_all_others) {
  ProgramBuilder b = program();
  add_copy(b, "first", 0, 1);
  add_copy(b, "other", kNone, kNone);
  EXPECT_THAT(builder_problem(b),
              HasSubstr("E0854 program: function `other`: it comes behind functions that make weights"));
}

TEST(Makers, E0854_take_weights_alone) {
  ProgramBuilder b = program();
  add_copy(b, "first", kNone, 1);
  EXPECT_THAT(builder_problem(b),
              HasSubstr("function `first`: it makes weights, and a parameter or result of it is none"));
}

TEST(Makers, E0854_make_each_weight_once_and_before_it_is_taken) {
  ProgramBuilder twice = program();
  add_copy(twice, "first", 0, 2);
  add_copy(twice, "second", 1, 2);
  EXPECT_THAT(builder_problem(twice),
              HasSubstr("function `second`: it makes the weight `prepared` that another function made"));
  ProgramBuilder late = program();
  add_copy(late, "first", 1, 2);
  add_copy(late, "second", 0, 1);
  EXPECT_THAT(builder_problem(late),
              HasSubstr("function `second`: it makes the weight `half_way` that another function"));
  ProgramBuilder itself = program();
  add_copy(itself, "first", 0, 0);
  EXPECT_THAT(builder_problem(itself), HasSubstr("function `first`: it makes the weight `raw`"));
}

TEST(Makers, E0854_make_weights_of_their_shape) {
  ProgramBuilder b = program();
  add_copy(b, "first", 0, 1, b.symbol("n"));
  EXPECT_THAT(builder_problem(b), HasSubstr("a size of its shape is a symbol"));
  ProgramBuilder other = program();
  add_copy(other, "first", 0, 7);
  EXPECT_THAT(builder_problem(other), HasSubstr("there is no weight 7"));
}

}  // namespace
}  // namespace sunmao::runtime::testing
