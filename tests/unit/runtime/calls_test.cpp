// Functions that call functions: what the verifier demands of them, loops, recursion, and the memory that they leave.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <thread>
#include <utility>

#include "runtime/blocks.h"
#include "runtime/disassemble.h"
#include "runtime/program.h"
#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string fault(const std::vector<uint8_t>& program) {
  const io::Result<Program> read = Program::read(std::as_bytes(std::span<const uint8_t>(program)));
  return read.ok() ? "none" : std::string(read.code()) + " " + read.status().message();
}

/// Starts an inner function of x: (n), and of sizes m, to y: (n), with dims n and m and the slots s0 of n bytes.
void begin_callee(ProgramBuilder& b, const char* name, abi::ElementType result = kFloat32) {
  const int64_t n = b.symbol("n");
  b.begin_inner_function(name, {{"x", kFloat32, {n}}, {"m", abi::kSizes, {b.symbol("m")}}}, {{"y", result, {n}}});
  const uint32_t rows = b.bind_dim(0, 0);
  b.bind_dim(1, 0);
  b.storage(rows);
  b.emit(Opcode::Layout);
}

void deliver_x(ProgramBuilder& b) { b.emit(Opcode::Deliver, {b.tensor(Opcode::Param, 0), 0}); }

/// Returns f(x: (n)) -> y: (n), which does `outer` after `Layout`, and the inner functions 1, which does `inner`,
/// and 2.
std::vector<uint8_t> callers_with(const Body& outer, const Body& inner) {
  ProgramBuilder b;
  const int64_t n = b.symbol("n");
  b.begin_function("f", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {n}}});
  b.bind_dim(0, 0);
  b.emit(Opcode::Layout);
  outer(b);
  begin_callee(b, "first");
  inner(b);
  begin_callee(b, "second");
  deliver_x(b);
  return b.finish();
}

void call_first(ProgramBuilder& b) {
  const uint32_t x = b.tensor(Opcode::Param, 0), y = b.new_tensor();
  b.emit(Opcode::Invoke, {1, x, 0, kNone, 0, y, 0});
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), y});
  b.emit(Opcode::Return);
}

std::string inner_fault(const Body& inner) { return fault(callers_with(call_first, inner)); }
std::string outer_fault(const Body& outer) { return fault(callers_with(outer, deliver_x)); }

TEST(Calls, sound_programs_pass) {
  EXPECT_EQ(inner_fault(deliver_x), "none");
  EXPECT_EQ(inner_fault([](auto& b) {
              const uint32_t x = b.tensor(Opcode::Param, 0), flag = b.tensor(Opcode::Slot, 0, kBool, {});
              const uint32_t view = b.tensor(Opcode::View, b.block(kFloat32, {0}), kFloat32, {0});
              b.emit(Opcode::FollowIf, {flag, 1, x, 0, kNone, 1, 2, view, 0, kNone, 1});
            }),
            "none");
}

TEST(Calls, E0855_what_lies_in_slots_is_not_passed) {
  const auto with_slot = [](Opcode opcode) {
    return inner_fault([opcode](auto& b) {
      const uint32_t s = b.tensor(Opcode::View, b.tensor(Opcode::Slot, 0, kBool, {0}), kBool, {0});
      if (opcode == Opcode::Deliver)
        b.emit(opcode, {s, 0});
      else
        b.emit(opcode, {2, s, 0, kNone, 1, b.new_tensor(), 0});
    });
  };
  EXPECT_THAT(with_slot(Opcode::Deliver), HasSubstr("E0855 program: function `first`, word"));
  EXPECT_THAT(with_slot(Opcode::Deliver), HasSubstr("(Deliver): tensor register 1 lies in a slot"));
  EXPECT_THAT(with_slot(Opcode::Follow), HasSubstr("(Follow): tensor register 1 lies in a slot"));
  EXPECT_THAT(with_slot(Opcode::Invoke), HasSubstr("(Invoke): tensor register 1 lies in a slot"));
}

TEST(Calls, E0855_parts_are_not_passed_given_or_taken) {
  const auto with_part = [](Opcode opcode) {
    return inner_fault([opcode](auto& b) {
      const uint32_t x = b.block(kFloat32, {0});
      const uint32_t part = b.tensor(Opcode::View, b.part(x, 0, kFloat32, {0}), kFloat32, {0});
      if (opcode == Opcode::Deliver)
        b.emit(opcode, {part, 0});
      else if (opcode == Opcode::Own)
        b.own(part, {});
      else if (opcode == Opcode::Give)
        b.give(part, {});
      else
        b.emit(opcode, {2, part, 0, kNone, 1, b.new_tensor(), 0});
      b.emit(Opcode::Deliver, {x, 0});
    });
  };
  for (const auto& [opcode, name] : {std::pair(Opcode::Deliver, "Deliver"),
                                     {Opcode::Own, "Own"},
                                     {Opcode::Give, "Give"},
                                     {Opcode::Invoke, "Invoke"}})
    EXPECT_THAT(with_part(opcode), HasSubstr(std::string("(") + name + "): tensor register 2 is a part of another"));
}

TEST(Calls, E0855_callees) {
  const auto calling = [](uint32_t function) {
    return outer_fault([function](auto& b) {
      const uint32_t x = b.tensor(Opcode::Param, 0);
      b.emit(Opcode::Invoke, {function, x, 0, kNone, 0, b.new_tensor(), 0});
    });
  };
  EXPECT_THAT(calling(0), HasSubstr("there is no inner function 0"));  // f is one that callers see
  EXPECT_THAT(calling(3), HasSubstr("there is no inner function 3"));
}

TEST(Calls, E0855_arguments_and_results) {
  const auto calling = [](std::vector<uint32_t> operands) {
    return outer_fault([&](auto& b) {
      b.tensor(Opcode::Param, 0);
      b.new_tensor();
      b.emit(Opcode::Invoke, operands);
    });
  };
  EXPECT_THAT(calling({1, 0, 0, 0, 0, 1, 0}), HasSubstr("a size for what data decides"));
  EXPECT_THAT(calling({1, kNone, 0, kNone, 0, 1, 0}), HasSubstr("there is no tensor register 4294967295"));
  EXPECT_THAT(calling({1, 1, 0, kNone, 0, 1, 0}), HasSubstr("tensor register 1 is not defined on every path"));
  EXPECT_THAT(calling({1, 0, 7, kNone, 0, 1, 0}), HasSubstr("there is no dim register 7"));
  EXPECT_THAT(calling({1, 0, 0, kNone, 0, 0, 0}), HasSubstr("tensor register 0 is defined twice"));
  EXPECT_THAT(calling({1, 0, 0, kNone, 0, 9, 0}), HasSubstr("there is no tensor register 9"));
  EXPECT_THAT(calling({1, 0, 0, kNone, 0, 1}), HasSubstr("too few words"));
  EXPECT_THAT(calling({1, 0, 0, kNone, 0, 1, 0, 0}), HasSubstr("1 words too many"));
}

TEST(Calls, E0855_ends_of_functions) {
  EXPECT_THAT(outer_fault(deliver_x), HasSubstr("(Deliver): the function is no inner one"));
  EXPECT_THAT(inner_fault([](auto& b) { b.emit(Opcode::Return); }),
              HasSubstr("an inner function delivers its results"));
  EXPECT_THAT(inner_fault([](auto& b) { b.tensor(Opcode::Param, 0); }), HasSubstr("the last instruction is no"));
  EXPECT_THAT(inner_fault([](auto& b) { b.tensor(Opcode::Param, 1); }), HasSubstr("a parameter without a tensor"));
  EXPECT_THAT(inner_fault([](auto& b) {
                deliver_x(b);
                b.emit(Opcode::Deliver, {0, 0});
              }),
              HasSubstr("it cannot be reached"));
}

TEST(Calls, E0855_functions_with_other_results) {
  ProgramBuilder b;
  begin_callee(b, "first");
  b.emit(Opcode::Follow, {1, b.tensor(Opcode::Param, 0), 0, kNone, 1});
  begin_callee(b, "second", kBool);
  b.emit(Opcode::Deliver, {b.block(kBool, {0}), 0});
  EXPECT_THAT(fault(b.finish()), HasSubstr("the results are not those of the function that it ends"));
}

TEST(Calls, E0854_sizes_and_weights_where_they_cannot_be) {
  ProgramBuilder sizes;
  sizes.begin_function("f", {}, {{"m", abi::kSizes, {sizes.symbol("m")}}});
  sizes.emit(Opcode::Layout);
  sizes.emit(Opcode::Return);
  EXPECT_THAT(fault(sizes.finish()), HasSubstr("E0854 program: function `f`: sizes in place of a tensor"));
  ProgramBuilder weight;
  weight.add_weight("w", kFloat32, {3});
  weight.begin_inner_function("f", {{"w", kFloat32, {3}, 0}}, {});
  weight.emit(Opcode::Layout);
  weight.emit(Opcode::Deliver);
  EXPECT_THAT(fault(weight.finish()), HasSubstr("an inner function with a weight"));
}

TEST(Calls, programs_of_version_2_have_no_inner_functions) {
  ProgramBuilder b;
  begin_callee(b, "first");
  deliver_x(b);
  std::vector<uint8_t> program = b.finish();
  program[4] = 2;
  EXPECT_THAT(fault(program), HasSubstr("(Deliver): the function is no inner one"));
  ProgramBuilder plain;
  plain.begin_function("f", {}, {});
  plain.emit(Opcode::Layout);
  plain.emit(Opcode::Return);
  program = plain.finish();
  program[4] = 2;
  EXPECT_EQ(fault(program), "none");
}

TEST(Calls, are_disassembled) {
  const std::vector<uint8_t> program = tiny_program();
  const io::Result<Program> read = Program::read(std::as_bytes(std::span<const uint8_t>(program)));
  ASSERT_TRUE(read.ok()) << read.status().to_string();
  const std::string text = disassemble(*read);
  EXPECT_THAT(text, HasSubstr("inner function `loop`: 3 dims, 3 tensors, 1 slots"));
  EXPECT_THAT(text, HasSubstr("FollowIf t2, `step`, [t0 (d0, d1), t1 (d1)], `done`, [t0 (d0, d1), t1 (d1)]"));
  EXPECT_THAT(text, HasSubstr("Invoke `climber`, [t2 (d0, d1), t1 (d1)], [t3 (d0, d1)]"));
  EXPECT_THAT(text, HasSubstr("Deliver [t4 (d0, d1)]"));
}

TEST(Blocks, are_used_again_and_handed_over) {
  Blocks blocks;
  uint32_t mine = kNoBlock, heir = kNoBlock;
  const uint32_t a = *blocks.take(1000, {mine, 2}), b = *blocks.take(1000, {mine, 2});
  EXPECT_NE(blocks.storage(a).handle, blocks.storage(b).handle);
  blocks.keep(a);
  EXPECT_TRUE(blocks.is_of(a, 2));
  blocks.end(mine, {heir, 1});
  EXPECT_EQ(mine, kNoBlock);
  EXPECT_EQ(heir, a);
  EXPECT_TRUE(blocks.is_of(a, 1));
  EXPECT_FALSE(blocks.is_of(a, 2));
  EXPECT_FALSE(blocks.is_of(kNoBlock, 1));
  EXPECT_EQ(*blocks.take(900, {mine, 2}), b);
  EXPECT_EQ(blocks.count(), 2u);
  // What is kept is not kept beyond the next end.
  blocks.keep(a);
  blocks.end(mine, {heir, 1});
  uint32_t nobody = kNoBlock;
  blocks.end(heir, {nobody, 0});
  EXPECT_EQ(nobody, kNoBlock);
  EXPECT_EQ(blocks.count(), 2u);
}

TEST(Blocks, E0910_more_than_the_machine_has) {
  Blocks blocks;
  uint32_t list = kNoBlock;
  EXPECT_STREQ(blocks.take(uint64_t{1} << 47, {list, 1}).code(), "E0910");
  EXPECT_STREQ(blocks.take(uint64_t{1} << 60, {list, 1}).code(), "E0910");
  EXPECT_EQ(list, kNoBlock);
  EXPECT_TRUE(blocks.take(0, {list, 1}).ok());
}

TEST(Blocks, free_ones_make_room_for_others) {
  Blocks blocks;
  uint32_t list = kNoBlock, nobody = kNoBlock;
  uint64_t most = uint64_t{1} << 20;
  while (blocks.take(most, {list, 1}).ok() && most < uint64_t{1} << 46) {
    blocks.end(list, {nobody, 0});
    most *= 2;
  }
  // The machine has memory for a half of `most`, and for no more beside it; a half of that is of another size.
  blocks.end(list, {nobody, 0});
  EXPECT_TRUE(blocks.take(most / 2, {list, 1}).ok());
  blocks.end(list, {nobody, 0});
  EXPECT_TRUE(blocks.take(most / 4, {list, 1}).ok());
}

class RunCalls : public ::testing::Test {
 protected:
  const std::string artifact_ = make_artifact();
  sunmao_error error_ = {};
  const ModelHandle model_ = load(artifact_, &error_);
  const SessionHandle session_ = open(model_);

  int run(const char* function, Floats& x, Floats& row, std::vector<DLTensor>& outputs) {
    const std::vector<DLTensor> inputs = {x.tensor(), row.tensor()};
    return sunmao_run(session_.get(), function, inputs.data(), inputs.size(), outputs.data(), outputs.size(), &error_);
  }
};

TEST_F(RunCalls, a_loop_goes_on_as_long_as_its_condition_holds) {
  for (const float first : {-1.0f, 1.0f, 5.0f}) {
    Floats x({2, 3}, {first, 2, 3, 4, 5, 6}), row({3}, {-1, 0, 1});
    std::vector<DLTensor> outputs(1);
    ASSERT_EQ(run("walk", x, row, outputs), 0) << error_.message;
    const float steps = std::max(first, 0.0f);
    EXPECT_THAT(values(outputs[0]), ElementsAre(first - steps, 2, 3 + steps, 4 - steps, 5, 6 + steps));
  }
}

TEST_F(RunCalls, what_a_function_delivers_outlives_it) {
  Floats x({2, 3}, {3, 2, 3, 4, 5, 6}), row({3}, {-1, 10, 1});
  std::vector<DLTensor> outputs(1);
  ASSERT_EQ(run("climb", x, row, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(-3, 62, 9, -2, 65, 12));
}

TEST_F(RunCalls, a_loop_needs_no_more_memory_with_more_steps) {
  Floats x({1, 3}, {1000, 0, 0}), row({3}, {-1, 0, 0});
  std::vector<DLTensor> outputs(1);
  ASSERT_EQ(run("walk", x, row, outputs), 0) << error_.message;
  // Blocks are mapped, which malloc does not count.
  const auto in_use = [] {
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    return std::pair(pages, mallinfo2().uordblks + mallinfo2().hblkhd);
  };
  const auto before = in_use();
  x.data[0] = 100000;
  ASSERT_EQ(run("walk", x, row, outputs), 0) << error_.message;
  EXPECT_EQ(in_use(), before);
  EXPECT_THAT(values(outputs[0]), ElementsAre(0, 0, 0));
}

TEST_F(RunCalls, sizes_of_a_run_are_its_own_when_layouts_come_and_go) {
  // More sizes than layouts are kept, in an order that finds layouts again and that makes others where old ones were.
  for (const int64_t turn : {0, 1, 2})
    for (int64_t n = 1; n <= 300 + 50 * turn; n += 1 + turn) {
      Floats x({n, 3}, std::vector<float>(static_cast<size_t>(3 * n), 2)), row({3}, {-1, 0, 1});
      for (size_t f = 0; f < 2; ++f) {
        std::vector<DLTensor> output(1);
        ASSERT_EQ(run(f == 0 ? "walk" : "climb", x, row, output), 0) << error_.message;
        const std::vector<float> got = values(output[0]);
        ASSERT_EQ(got.size(), x.data.size());
        EXPECT_EQ(got.back(), f == 0 ? 4 : 6) << n;
        EXPECT_EQ(got[got.size() - 3], f == 0 ? 0 : -2) << n;
      }
    }
}

TEST_F(RunCalls, eight_sessions_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> failures(8);
  for (size_t i = 0; i < failures.size(); ++i)
    threads.emplace_back([&, i] {
      const SessionHandle session = open(model_);
      for (int round = 0; round < 50; ++round) {
        const float first = static_cast<float>((static_cast<size_t>(round) + i) % 7);
        const auto n = static_cast<int64_t>(1 + i);
        Floats x({n, 3}, std::vector<float>(static_cast<size_t>(3 * n), first)), row({3}, {-1, 0, 1});
        const DLTensor inputs[] = {x.tensor(), row.tensor()};
        for (const char* function : {"walk", "climb"}) {
          DLTensor output = {};
          if (sunmao_run(session.get(), function, inputs, 2, &output, 1, nullptr) != 0) ++failures[i];
          if (std::string(function) == "walk" && values(output)[0] != 0) ++failures[i];
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(failures, ElementsAre(0, 0, 0, 0, 0, 0, 0, 0));
}

TEST_F(RunCalls, E0922_a_loop_without_end_is_stopped) {
  int questions = 0;
  const auto third = [](void* count) { return ++*static_cast<int*>(count) == 3 ? 1 : 0; };
  ASSERT_EQ(sunmao_session_set_stop(session_.get(), third, &questions, &error_), 0);
  Floats x({1, 3}, {1, 0, 0}), row({3}, {0, 0, 0});
  std::vector<DLTensor> outputs(1);
  EXPECT_NE(run("walk", x, row, outputs), 0);
  EXPECT_STREQ(error_.code, "E0922");
  EXPECT_EQ(questions, 3);
  ASSERT_EQ(sunmao_session_set_stop(session_.get(), nullptr, nullptr, &error_), 0);
  row.data[0] = -1;
  EXPECT_EQ(run("walk", x, row, outputs), 0) << error_.message;
  EXPECT_NE(sunmao_session_set_stop(nullptr, nullptr, nullptr, &error_), 0);
}

TEST_F(RunCalls, E0921_recursion_without_end) {
  Floats x({1, 3}, {1e6, 0, 0}), row({3}, {-1, 0, 0});
  std::vector<DLTensor> outputs(1);
  EXPECT_NE(run("climb", x, row, outputs), 0);
  EXPECT_STREQ(error_.code, "E0921");
  EXPECT_THAT(error_.message, HasSubstr("50000 calls are nested"));
  // The session is as good as before.
  x.data[0] = 2;
  ASSERT_EQ(run("climb", x, row, outputs), 0) << error_.message;
  EXPECT_THAT(values(outputs[0]), ElementsAre(-2, 0, 0));
}

}  // namespace
}  // namespace sunmao::runtime::testing
