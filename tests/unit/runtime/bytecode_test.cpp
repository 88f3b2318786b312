// The bytecode verifier, rule by rule; and layouts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "runtime/disassemble.h"
#include "runtime/layout.h"
#include "runtime/program.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::HasSubstr;

std::span<const std::byte> bytes_of(const std::vector<uint8_t>& program) {
  return std::as_bytes(std::span<const uint8_t>(program));
}

/// Returns f(x: (n, 2)) -> y: (n, 2), with `entry` before `Layout` and `body` after it; dim 0 is n, dim 1 is 2, dim 3
/// is 8 n.
std::vector<uint8_t> program_with(const std::function<void(ProgramBuilder&)>& entry,
                                  const std::function<void(ProgramBuilder&)>& body) {
  ProgramBuilder b;
  b.add_kernel("copy", 2, 1);
  b.add_weight("w", kFloat32, {2});
  b.begin_function("f", {{"x", kFloat32, {b.symbol("n"), 2}}}, {{"y", kFloat32, {b.symbol("n"), 2}}});
  const uint32_t n = b.bind_dim(0, 0);
  const uint32_t two = b.constant_dim(2);
  b.emit(Opcode::CheckDim, {0, 1, two});
  b.compute_dim(Opcode::MulDim, {n, b.constant_dim(8)});
  entry(b);
  b.emit(Opcode::Layout);
  body(b);
  return b.finish();
}

void nothing(ProgramBuilder&) {}
void copy_and_return(ProgramBuilder& b) {
  const uint32_t x = b.tensor(Opcode::Param, 0);
  const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
  b.call(0, {x, y}, {0});
  b.emit(Opcode::Return);
}

std::string problem(const std::vector<uint8_t>& program) {
  const io::Result<Program> read = Program::read(bytes_of(program));
  return read.ok() ? "none" : std::string(read.code()) + " " + read.status().message();
}
std::string entry_problem(const std::function<void(ProgramBuilder&)>& entry) {
  return problem(program_with(entry, copy_and_return));
}
std::string body_problem(const std::function<void(ProgramBuilder&)>& body) {
  return problem(program_with(nothing, body));
}

TEST(Bytecode, sound_programs_pass) {
  EXPECT_EQ(problem(program_with(nothing, copy_and_return)), "none");
  EXPECT_EQ(problem(tiny_program()), "none");
}

TEST(Bytecode, E0855_entry_part) {
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0, 9}); }),
              HasSubstr("E0855 program: function `f`, word 20 (AddDim): there is no dim register 9"));
  EXPECT_THAT(entry_problem([](auto& b) {
                b.new_dim();
                b.emit(Opcode::AddDim, {b.new_dim(), 0, 4});
              }),
              HasSubstr("dim register 4 is not defined on every path"));
  EXPECT_THAT(entry_problem([](auto& b) {
                const uint32_t d = b.new_dim();
                b.emit(Opcode::AddDim, {d, 0, d});
              }),
              HasSubstr("not defined"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::ConstDim, {0, 1, 0}); }), HasSubstr("is defined twice"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::BindDim, {b.new_dim(), 1, 0}); }),
              HasSubstr("there is no parameter 1"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::BindDim, {b.new_dim(), 0, 2}); }),
              HasSubstr("parameter `x` has no axis 2"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::GuardRange, {0, 0, 0, 9, 0, 1u << 20, 1}); }),
              HasSubstr("outside the string pool"));
  EXPECT_THAT(entry_problem([](auto& b) { b.new_slot(); }), HasSubstr("slot 0 has no `Storage`"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::Storage, {b.storage(0), 0}); }),
              HasSubstr("a second `Storage`"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::Layout); }), HasSubstr("a second `Layout`"));
  EXPECT_THAT(entry_problem([](auto& b) { b.tensor(Opcode::Param, 0); }), HasSubstr("body before `Layout`"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0}); }), HasSubstr("too few words"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0, 0, 0}); }),
              HasSubstr("1 words too many"));
  EXPECT_THAT(entry_problem([](auto& b) { b.emit(static_cast<Opcode>(0x7777)); }), HasSubstr("unknown opcode"));
}

TEST(Bytecode, E0855_axes_that_nobody_checks) {
  ProgramBuilder b;
  b.begin_function("f", {{"x", kFloat32, {2}}}, {});
  b.bind_dim(0, 0);  // a static axis is bound but not checked
  b.emit(Opcode::Layout);
  b.emit(Opcode::Return);
  EXPECT_THAT(problem(b.finish()), HasSubstr("axis 0 of parameter `x` is not checked"));
}

TEST(Bytecode, E0855_body) {
  EXPECT_THAT(body_problem(nothing), HasSubstr("the last instruction is no `Return`"));
  EXPECT_THAT(body_problem([](auto& b) { b.emit(Opcode::Return); }), HasSubstr("result 0 is not produced"));
  EXPECT_THAT(body_problem([](auto& b) { b.constant_dim(1); }), HasSubstr("entry part after `Layout`"));
  EXPECT_THAT(body_problem([](auto& b) {
                copy_and_return(b);
                b.emit(Opcode::Return);
              }),
              HasSubstr("instructions after `Return`"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::Constant, 1); }), HasSubstr("there is no weight 1"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::Slot, 0, kFloat32, {}); }), HasSubstr("there is no slot 0"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::Result, 1, kFloat32, {}); }),
              HasSubstr("there is no result 1"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::Result, 0, kBool, {0, 1}); }),
              HasSubstr("element type bool, the result has float32"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::Result, 0, kFloat32, {0}); }),
              HasSubstr("its rank is not that of the result"));
  EXPECT_THAT(body_problem([](auto& b) {
                b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
                b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
              }),
              HasSubstr("a second `Result`"));
  EXPECT_THAT(body_problem([](auto& b) { b.tensor(Opcode::View, b.tensor(Opcode::Param, 0), {9, 9, 9}, {}); }),
              HasSubstr("unknown element type type(9, 9, 9)"));
  EXPECT_THAT(body_problem([](auto& b) { b.call(0, {b.tensor(Opcode::Param, 0)}, {0}); }),
              HasSubstr("1 buffers and 1 dims, kernel `copy` takes 2 and 1"));
  EXPECT_THAT(body_problem([](auto& b) { b.call(1, {}, {}); }), HasSubstr("there is no kernel 1"));
}

TEST(Bytecode, E0854_a_weight_is_no_handle) {
  constexpr abi::ElementType kHandle = {3, 64, 1};  // kDLOpaqueHandle
  ProgramBuilder passes;
  passes.begin_function("f", {{"x", kHandle, {}}}, {{"y", kHandle, {}}});
  passes.emit(Opcode::Layout);
  passes.emit(Opcode::Copy, {passes.tensor(Opcode::Result, 0, kHandle, {}), passes.tensor(Opcode::Param, 0)});
  passes.emit(Opcode::Return);
  EXPECT_EQ(problem(passes.finish()), "none");
  ProgramBuilder holds;
  holds.add_weight("w", kHandle, {});
  EXPECT_THAT(problem(holds.finish()), HasSubstr("weight `w`: a handle, which a program gives when it runs"));
}

TEST(Bytecode, E0855_jumps) {
  const auto with_jump = [](uint32_t target) {
    return body_problem([target](auto& b) {
      const uint32_t t = b.tensor(Opcode::Param, 0);
      b.emit(Opcode::JumpIfFalse, {t, target});
      copy_and_return(b);
    });
  };
  EXPECT_THAT(with_jump(0), HasSubstr("a jump to word 0"));
  EXPECT_THAT(with_jump(24), HasSubstr("a jump to word 24"));  // itself
  EXPECT_THAT(with_jump(28), HasSubstr("leads into its middle"));
  EXPECT_THAT(with_jump(10000), HasSubstr("a jump to word 10000"));
  EXPECT_EQ(with_jump(27), "none");  // the next instruction
}

TEST(Bytecode, E0855_a_tensor_of_one_branch_is_unknown_after_it) {
  const std::string text = body_problem([](auto& b) {
    const uint32_t x = b.tensor(Opcode::Param, 0);
    const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
    const uint32_t skip = b.emit(Opcode::JumpIfFalse, {x, 0});
    const uint32_t inner = b.tensor(Opcode::View, x, kFloat32, {0, 1});
    b.land(skip);
    b.emit(Opcode::Copy, {y, inner});
    b.emit(Opcode::Return);
  });
  EXPECT_THAT(text, HasSubstr("tensor register 2 is not defined on every path"));
}

TEST(Bytecode, E0855_a_result_of_one_branch_only) {
  EXPECT_THAT(body_problem([](auto& b) {
                const uint32_t skip = b.emit(Opcode::JumpIfFalse, {b.tensor(Opcode::Param, 0), 0});
                b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
                b.land(skip);
                b.emit(Opcode::Return);
              }),
              HasSubstr("result 0 is not produced on every path"));
}

TEST(Bytecode, E0855_code_that_nothing_reaches) {
  EXPECT_THAT(body_problem([](auto& b) {
                const uint32_t over = b.emit(Opcode::Jump, {0});
                b.tensor(Opcode::Param, 0);
                b.land(over);
                copy_and_return(b);
              }),
              HasSubstr("it cannot be reached"));
}

TEST(Bytecode, E0854_tables) {
  const std::vector<uint8_t> right = tiny_program();
  const auto patched = [&](size_t field, uint32_t value) {
    std::vector<uint8_t> program = right;
    std::memcpy(program.data() + field * 4, &value, 4);
    return problem(program);
  };
  EXPECT_THAT(patched(0, 1), HasSubstr("E0854 program: this is no Sunmao bytecode"));
  EXPECT_THAT(patched(1, abi::kBytecodeVersion + 1), HasSubstr("E0851"));
  EXPECT_THAT(patched(2, 7), HasSubstr("its header says 7"));
  for (size_t offset = 3; offset < 17; offset += 2) {
    EXPECT_THAT(patched(offset, UINT32_MAX), HasSubstr("does not lie inside the file"));
    EXPECT_THAT(patched(offset + 1, UINT32_MAX), HasSubstr("does not lie inside the file"));
  }
  EXPECT_THAT(patched(3, 2), HasSubstr("`functions` does not lie inside"));  // not aligned
  EXPECT_THAT(patched(16, 0), HasSubstr("outside the string pool"));
  EXPECT_THAT(patched(14, 0), HasSubstr("outside their tables"));
  EXPECT_THAT(patched(12, 0), HasSubstr("outside the dim pool"));
  EXPECT_THAT(problem({}), HasSubstr("0 bytes cannot be a program"));
}

TEST(Bytecode, E0854_functions_of_one_name) {
  ProgramBuilder b;
  for (int i = 0; i < 2; ++i) {
    b.begin_function("f", {}, {});
    b.emit(Opcode::Layout);
    b.emit(Opcode::Return);
  }
  EXPECT_THAT(problem(b.finish()), HasSubstr("two functions are called `f`"));
}

TEST(Bytecode, E0854_parameters_that_do_not_fit_their_weight) {
  ProgramBuilder b;
  b.add_weight("w", kFloat32, {3});
  b.begin_function("f", {{"w", kFloat32, {4}, 0}}, {});
  b.emit(Opcode::Layout);
  b.emit(Opcode::Return);
  EXPECT_THAT(problem(b.finish()), HasSubstr("value `w`: its type or shape is not that of its weight"));
}

/// The dominator computation for many consecutive branches must not be quadratic.
TEST(Bytecode, a_hundred_thousand_branches) {
  EXPECT_EQ(body_problem([](auto& b) {
              const uint32_t x = b.tensor(Opcode::Param, 0);
              const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
              std::vector<uint32_t> open;
              for (int i = 0; i < 100000; ++i) {
                open.push_back(b.emit(Opcode::JumpIfFalse, {x, 0}));
                if (i % 3 == 0) b.land(open.back()), open.pop_back();
              }
              for (const uint32_t jump : open) b.land(jump);
              b.emit(Opcode::Copy, {y, x});
              b.emit(Opcode::Return);
            }),
            "none");
}

io::Result<Layout> layout(const std::vector<uint8_t>& bytes, const std::vector<int64_t>& shapes) {
  const io::Result<Program> program = Program::read(bytes_of(bytes));
  EXPECT_TRUE(program.ok()) << program.status().message();
  return make_layout(program->tables(), program->function(0), shapes);
}

TEST(Layout, E0912_a_condition_that_compares_nothing) {
  const auto bytes = program_with(
      [](auto& b) {
        const abi::StringRef words = b.text("2 < n");
        b.emit(Opcode::CheckTrue, {b.compute_dim(Opcode::LessDim, {1, 0}), words.offset, words.size});
      },
      copy_and_return);
  EXPECT_TRUE(layout(bytes, {3, 2}).ok());
  EXPECT_STREQ(layout(bytes, {2, 2}).code(), "E0912");
  EXPECT_THAT(std::string(layout(bytes, {2, 2}).status().message()), HasSubstr("`2 < n` does not hold"));
}

TEST(Layout, slots_that_are_used_together_lie_apart_at_multiples_of_64) {
  const auto bytes = program_with(
      [](auto& b) {
        for (int i = 0; i < 3; ++i) b.storage(3);
      },
      [](auto& b) {
        const uint32_t first = b.tensor(Opcode::Slot, 0, kFloat32, {0, 1});
        const uint32_t second = b.tensor(Opcode::Slot, 1, kFloat32, {0, 1});
        b.emit(Opcode::Copy, {second, first});
        const uint32_t third = b.tensor(Opcode::Slot, 2, kFloat32, {0, 1});
        b.emit(Opcode::Copy, {third, second});
        copy_and_return(b);
      });
  const io::Result<Layout> made = layout(bytes, {10, 2});
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(made->slot_offsets, (std::vector<uint64_t>{0, 128, 0}));
  EXPECT_EQ(made->arena_bytes, 256u);
  EXPECT_EQ(made->results[0].shape, (std::vector<int64_t>{10, 2}));
  EXPECT_EQ(made->results[0].bytes, 80u);
}

TEST(Layout, arithmetic_of_dims) {
  const auto compute = [](Opcode opcode, int64_t a, int64_t c) {
    const auto bytes = program_with(
        [=](auto& b) {
          const uint32_t first = b.constant_dim(a);
          b.compute_dim(opcode, {first, b.constant_dim(c)});
        },
        copy_and_return);
    const io::Result<Layout> made = layout(bytes, {1, 2});
    return made.ok() ? std::to_string(made->dims[6]) : std::string(made.code());
  };
  EXPECT_EQ(compute(Opcode::AddDim, 7, -9), "-2");
  EXPECT_EQ(compute(Opcode::SubDim, 7, -9), "16");
  EXPECT_EQ(compute(Opcode::FloorDivDim, 7, 2), "3");
  EXPECT_EQ(compute(Opcode::FloorDivDim, -7, 2), "-4");
  EXPECT_EQ(compute(Opcode::FloorDivDim, 7, -2), "-4");
  EXPECT_EQ(compute(Opcode::FloorDivDim, -7, -2), "3");
  EXPECT_EQ(compute(Opcode::FloorModDim, -7, 2), "1");
  EXPECT_EQ(compute(Opcode::FloorModDim, 7, -2), "-1");
  EXPECT_EQ(compute(Opcode::FloorModDim, 8, 2), "0");
  EXPECT_EQ(compute(Opcode::MinDim, 3, 5), "3");
  EXPECT_EQ(compute(Opcode::MaxDim, 3, 5), "5");
  EXPECT_EQ(compute(Opcode::EqualDim, 3, 5), "0");
  EXPECT_EQ(compute(Opcode::LessDim, 3, 5), "1");
  EXPECT_EQ(compute(Opcode::AddDim, INT64_MAX, 1), "E0911");
  EXPECT_EQ(compute(Opcode::SubDim, INT64_MIN, 1), "E0911");
  EXPECT_EQ(compute(Opcode::MulDim, INT64_MAX, 2), "E0911");
  EXPECT_EQ(compute(Opcode::FloorDivDim, 1, 0), "E0911");
  EXPECT_EQ(compute(Opcode::FloorModDim, 1, 0), "E0911");
  EXPECT_EQ(compute(Opcode::FloorDivDim, INT64_MIN, -1), "E0911");
}

TEST(Layout, E0911_sizes_that_contradict) {
  const auto code = [](const std::function<void(ProgramBuilder&)>& entry,
                       const std::function<void(ProgramBuilder&)>& body) {
    const io::Result<Layout> made = layout(program_with(entry,
                                                        [&](auto& b) {
                                                          body(b);
                                                          copy_and_return(b);
                                                        }),
                                           {4, 2});
    return std::string(made.code());
  };
  EXPECT_EQ(code([](auto& b) { b.storage(b.constant_dim(-1)); }, nothing), "E0911");
  EXPECT_EQ(code([](auto& b) { b.storage(b.constant_dim(INT64_MAX)); }, nothing), "E0911");
  EXPECT_EQ(code([](auto& b) { b.storage(b.constant_dim(31)); },
                 [](auto& b) { b.tensor(Opcode::Slot, 0, kFloat32, {0, 1}); }),
            "E0911");
  EXPECT_EQ(code([](auto& b) { b.storage(b.constant_dim(32)); },
                 [](auto& b) { b.tensor(Opcode::Slot, 0, kFloat32, {0, 1}); }),
            "");
  EXPECT_EQ(code(nothing, [](auto& b) { b.tensor(Opcode::View, b.tensor(Opcode::Param, 0), kFloat32, {0}); }), "E0911");
  // A part of the parameter, which has 32 bytes: 8 bytes from `begin` on.
  const auto part_at = [&](int64_t begin) {
    uint32_t at = 0, two = 0;
    return code([&](auto& b) { at = b.constant_dim(begin), two = b.constant_dim(2); },
                [&](auto& b) { b.part(b.tensor(Opcode::Param, 0), at, kFloat32, {two}); });
  };
  for (const int64_t begin : {0, 4, 24}) EXPECT_EQ(part_at(begin), "") << begin;
  for (const int64_t begin : {-4, 2, 28, 32, 1 << 20}) EXPECT_EQ(part_at(begin), "E0911") << begin;
  EXPECT_EQ(part_at(INT64_MIN), "E0911");
  EXPECT_EQ(code(nothing,
                 [](auto& b) {
                   const uint32_t x = b.own(b.tensor(Opcode::Param, 0), {});
                   b.emit(Opcode::Copy, {x, b.tensor(Opcode::Constant, 0)});
                 }),
            "E0911");
  EXPECT_EQ(code(nothing, [](auto& b) { b.land(b.emit(Opcode::JumpIfFalse, {b.tensor(Opcode::Param, 0), 0})); }),
            "E0911");
}

}  // namespace
}  // namespace sunmao::runtime::testing
