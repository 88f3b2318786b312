// The exact messages for instructions of programs that are wrong.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "runtime/program.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;

// The functions of the program: `f`, then inner ones, of which the last is the host's.
constexpr uint32_t kSame = 1, kTwo = 2, kAny = 3, kFlag = 4, kHost = 5;

void no_code(ProgramBuilder&) {}
void copy_x(ProgramBuilder& b) {
  const uint32_t x = b.tensor(Opcode::Param, 0);
  const uint32_t y = b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
  b.call(0, {x, y}, {0});
  b.emit(Opcode::Return);
}

std::string status_of_code(std::vector<uint8_t> program) {
  return Program::read(std::as_bytes(std::span<const uint8_t>(program))).status().to_string();
}
std::string code_message(const char* problem) {
  return std::string("E0855: program: function ") + problem +
         "; the file is damaged or was not written by Sunmao; compile the model again";
}

struct WrongCode {
  const char* problem;
  Body entry = no_code;
  Body body = copy_x;
};

/// f(x: (n, 2)) -> y: (n, 2), with dims n, 2, 8 and 8 n, and inner functions of such an x: `same` gives x, `two` x
/// twice; `any` takes an x of any size, `flag` a bool.
std::vector<uint8_t> program_of(const WrongCode& wrong) {
  ProgramBuilder b;
  b.add_kernel("copy", 2, 1, {1});
  b.add_weight("w", kFloat32, {2});
  const int64_t n = b.symbol("n");
  const std::vector<ProgramBuilder::Value> x = {{"x", kFloat32, {n, 2}}}, y = {{"y", kFloat32, {n, 2}}};
  b.begin_function("f", x, y);
  b.bind_dim(0, 0);
  const uint32_t two = b.constant_dim(2);
  b.emit(Opcode::CheckDim, {0, 1, two});
  b.compute_dim(Opcode::MulDim, {0, b.constant_dim(8)});
  wrong.entry(b);
  b.emit(Opcode::Layout);
  wrong.body(b);
  const auto inner = [&](const char* name, const ProgramBuilder::Value& param, size_t results) {
    b.begin_inner_function(name, {param}, std::vector<ProgramBuilder::Value>(results, {"y", param.type, param.dims}));
    for (uint32_t axis = 0; axis < param.dims.size(); ++axis) b.bind_dim(0, axis);
    b.emit(Opcode::Layout);
    const uint32_t given = b.tensor(Opcode::Param, 0);
    std::vector<uint32_t> words;
    for (size_t r = 0; r < results; ++r) {
      words.push_back(given);
      for (uint32_t axis = 0; axis < param.dims.size(); ++axis) words.push_back(axis);
    }
    b.emit(Opcode::Deliver, words);
  };
  const int64_t m = b.symbol("m");
  inner("same", {"x", kFloat32, {n, m}}, 1);
  inner("two", {"x", kFloat32, {n, m}}, 2);
  inner("any", {"x", kFloat32, {m, n}}, 1);
  inner("flag", {"x", kBool, {}}, 1);
  b.add_host_function("scale(float32[2]) -> float32[2]", {{"0", kFloat32, {n, m}}}, {{"0", kFloat32, {n, m}}});
  return b.finish();
}

void expect_code_messages(const std::vector<WrongCode>& all) {
  ASSERT_EQ(status_of_code(program_of({.problem = ""})), "ok");
  for (const WrongCode& wrong : all) EXPECT_EQ(status_of_code(program_of(wrong)), code_message(wrong.problem));
}

TEST(CodeMessages, E0855_as_a_whole) {
  const WrongCode wrong = {.problem = "", .entry = [](auto& b) { b.emit(Opcode::Storage, {0, 0}); }};
  EXPECT_EQ(status_of_code(program_of(wrong)),
            "E0855: program: function `f`, word 20 (Storage): there is no slot 0; the file is damaged or was not "
            "written by Sunmao; compile the model again");
}

TEST(CodeMessages, E0855_of_the_entry_part) {
  expect_code_messages({
      {"`f`, word 20 (AddDim): there is no dim register 9",
       [](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0, 9}); }},
      {"`f`, word 20 (AddDim): dim register 4 is not defined on every path to here",
       [](auto& b) {
         b.new_dim();
         b.emit(Opcode::AddDim, {b.new_dim(), 0, 4});
       }},
      {"`f`, word 20 (ConstDim): dim register 0 is defined twice",
       [](auto& b) { b.emit(Opcode::ConstDim, {0, 1, 0}); }},
      {"`f`, word 20 (ConstDim): there is no dim register 9", [](auto& b) { b.emit(Opcode::ConstDim, {9, 1, 0}); }},
      {"`f`, word 20 (BindDim): there is no parameter 1",
       [](auto& b) { b.emit(Opcode::BindDim, {b.new_dim(), 1, 0}); }},
      {"`f`, word 20 (BindDim): parameter `x` has no axis 2",
       [](auto& b) { b.emit(Opcode::BindDim, {b.new_dim(), 0, 2}); }},
      {"`f`, word 20 (GuardRange): a text outside the string pool",
       [](auto& b) { b.emit(Opcode::GuardRange, {0, 0, 0, 9, 0, 1u << 20, 1}); }},
      {"`f`, word 20 (Layout): slot 0 has no `Storage`", [](auto& b) { b.new_slot(); }},
      {"`f`, word 20 (Storage): there is no slot 0", [](auto& b) { b.emit(Opcode::Storage, {0, 0}); }},
      {"`f`, word 23 (Storage): a second `Storage` for slot 0",
       [](auto& b) { b.emit(Opcode::Storage, {b.storage(0), 0}); }},
      {"`f`, word 21 (Layout): a second `Layout`", [](auto& b) { b.emit(Opcode::Layout); }},
      {"`f`, word 20 (Param): an instruction of the body before `Layout`", [](auto& b) { b.tensor(Opcode::Param, 0); }},
      {"`f`, word 20 (AddDim): it has too few words", [](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0}); }},
      {"`f`, word 20 (AddDim): it has 1 words too many",
       [](auto& b) { b.emit(Opcode::AddDim, {b.new_dim(), 0, 0, 0}); }},
      {"`f`, word 20: unknown opcode 30583", [](auto& b) { b.emit(static_cast<Opcode>(0x7777)); }},
  });
}

TEST(CodeMessages, E0855_of_the_body) {
  expect_code_messages({
      {"`f`, word 21: the last instruction is no `Return`", no_code, no_code},
      {"`f`, word 21 (Return): result 0 is not produced on every path", no_code,
       [](auto& b) { b.emit(Opcode::Return); }},
      {"`f`, word 21 (ConstDim): an instruction of the entry part after `Layout`", no_code,
       [](auto& b) { b.constant_dim(1); }},
      {"`f`, word 39 (Return): instructions after `Return`", no_code,
       [](auto& b) {
         copy_x(b);
         b.emit(Opcode::Return);
       }},
      {"`f`, word 21 (Constant): there is no weight 1", no_code, [](auto& b) { b.tensor(Opcode::Constant, 1); }},
      {"`f`, word 21 (Slot): there is no slot 0", no_code, [](auto& b) { b.tensor(Opcode::Slot, 0, kFloat32, {}); }},
      {"`f`, word 21 (Result): there is no result 1", no_code,
       [](auto& b) { b.tensor(Opcode::Result, 1, kFloat32, {}); }},
      {"`f`, word 21 (Result): element type bool, the result has float32", no_code,
       [](auto& b) { b.tensor(Opcode::Result, 0, kBool, {0, 1}); }},
      {"`f`, word 21 (Result): its rank is not that of the result", no_code,
       [](auto& b) { b.tensor(Opcode::Result, 0, kFloat32, {0}); }},
      {"`f`, word 28 (Result): a second `Result` for result 0", no_code,
       [](auto& b) {
         b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
         b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
       }},
      {"`f`, word 24 (View): unknown element type type(9, 9, 9)", no_code,
       [](auto& b) { b.tensor(Opcode::View, b.tensor(Opcode::Param, 0), {9, 9, 9}, {}); }},
      {"`f`, word 24 (View): a rank of 65; 64 is the most", no_code,
       [](auto& b) { b.tensor(Opcode::View, b.tensor(Opcode::Param, 0), kFloat32, std::vector<uint32_t>(65)); }},
      {"`f`, word 24 (Call): 1 buffers and 1 dims, kernel `copy` takes 2 and 1", no_code,
       [](auto& b) { b.call(0, {b.tensor(Opcode::Param, 0)}, {0}); }},
      {"`f`, word 21 (Call): there is no kernel 1", no_code, [](auto& b) { b.call(1, {}, {}); }},
      {"`f`, word 24 (Call): kernel `copy` writes tensor register 0, a constant or parameter", no_code,
       [](auto& b) {
         const uint32_t x = b.tensor(Opcode::Param, 0);
         b.call(0, {x, x}, {0});
       }},
      {"`f`, word 37 (Call): kernel `copy` writes tensor register 2, a constant or parameter", no_code,
       [](auto& b) {
         const uint32_t w = b.part(b.tensor(Opcode::Constant, 0), 0, kFloat32, {1});
         b.call(0, {w, b.tensor(Opcode::View, w, kFloat32, {1})}, {0});
       }},
      {"`f`, word 24 (Copy): it writes tensor register 0, a constant or parameter", no_code,
       [](auto& b) { b.emit(Opcode::Copy, {b.tensor(Opcode::Param, 0), 9}); }},
      {"`f`, word 21 (Copy): there is no tensor register 9", no_code, [](auto& b) { b.emit(Opcode::Copy, {9, 9}); }},
      {"`f`, word 21 (Param): there is no tensor register 0", no_code, [](auto& b) { b.emit(Opcode::Param, {0, 0}); }},
      {"`f`, word 32 (Own): tensor register 1 is a part of another", no_code,
       [](auto& b) {
         const uint32_t part = b.part(b.tensor(Opcode::Param, 0), 0, kFloat32, {0, 1});
         b.own(part, {});
       }},
  });
}

TEST(CodeMessages, E0855_of_jumps) {
  const auto jump = [](uint32_t target) {
    return [target](ProgramBuilder& b) {
      b.emit(Opcode::JumpIfFalse, {b.tensor(Opcode::Param, 0), target});
      copy_x(b);
    };
  };
  expect_code_messages({
      {"`f`, word 24 (JumpIfFalse): a jump to word 0, expected 25 to 44", no_code, jump(0)},
      {"`f`, word 24 (JumpIfFalse): a jump to word 24, expected 25 to 44", no_code, jump(24)},  // itself
      {"`f`, word 24 (JumpIfFalse): a jump to word 10000, expected 25 to 44", no_code, jump(10000)},
      {"`f`, word 27 (Param): a jump leads into its middle, to word 28", no_code, jump(28)},
      {"`f`, word 23 (Param): it cannot be reached", no_code,
       [](auto& b) {
         const uint32_t over = b.emit(Opcode::Jump, {0});
         b.tensor(Opcode::Param, 0);
         b.land(over);
         copy_x(b);
       }},
      {"`f`, word 41 (Copy): tensor register 2 is not defined on every path to here", no_code,
       [](auto& b) {
         const uint32_t x = b.tensor(Opcode::Param, 0), y = b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
         const uint32_t skip = b.emit(Opcode::JumpIfFalse, {x, 0});
         const uint32_t inside = b.tensor(Opcode::View, x, kFloat32, {0, 1});
         b.land(skip);
         b.emit(Opcode::Copy, {y, inside});
         b.emit(Opcode::Return);
       }},
      {"`f`, word 34 (Return): result 0 is not produced on every path", no_code,
       [](auto& b) {
         const uint32_t skip = b.emit(Opcode::JumpIfFalse, {b.tensor(Opcode::Param, 0), 0});
         b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
         b.land(skip);
         b.emit(Opcode::Return);
       }},
  });
}

TEST(CodeMessages, E0855_of_calls) {
  const auto with_x = [](Opcode opcode, const std::vector<uint32_t>& operands) {
    return [=](ProgramBuilder& b) {
      b.tensor(Opcode::Param, 0);
      b.new_tensor();
      b.emit(opcode, operands);
    };
  };
  expect_code_messages({
      {"`f`, word 24 (Invoke): there is no inner function 9", no_code, with_x(Opcode::Invoke, {9})},
      {"`f`, word 24 (Invoke): there is no inner function 0", no_code, with_x(Opcode::Invoke, {0})},
      {"`f`, word 24 (Invoke): there is no tensor register 99", no_code,
       with_x(Opcode::Invoke, {kSame, 0, 0, 1, 99, 0, 1})},
      {"`f`, word 24 (Invoke): tensor register 0 is defined twice", no_code,
       with_x(Opcode::Invoke, {kSame, 0, 0, 1, 0, 0, 1})},
      {"`f`, word 24 (Invoke): tensor register 1 is defined twice", no_code,
       with_x(Opcode::Invoke, {kTwo, 0, 0, 1, 1, 0, 1, 1, 0, 1})},
      {"`f`, word 24 (Invoke): nothing was delivered", no_code,
       with_x(Opcode::Invoke, {kSame, kDelivered, 0, 1, 1, 0, 1})},
      {"`f`, word 24 (Follow): a function of the host in place of another, or in a choice", no_code,
       with_x(Opcode::Follow, {kHost, 0, 0, 1})},
      {"`f`, word 24 (InvokeIf): a function of the host in place of another, or in a choice", no_code,
       with_x(Opcode::InvokeIf, {0, kHost, 0, 0, 1, kSame, 0, 0, 1, 1, 0, 1})},
      {"`f`, word 24 (InvokeIf): its functions have different results", no_code,
       with_x(Opcode::InvokeIf, {0, kSame, 0, 0, 1, kTwo, 0, 0, 1, 1, 0, 1})},
      {"`f`, word 24 (Follow): the results are not those of the function that it ends", no_code,
       with_x(Opcode::Follow, {kTwo, 0, 0, 1})},
      {"`f`, word 24 (Chain): result 5 was not delivered", no_code,
       with_x(Opcode::Chain, {kSame, 0, 0, 1, kAny, kDelivered + 5, kNone, kNone})},
      {"`f`, word 24 (Chain): what was delivered as result 0 is of another type or rank", no_code,
       with_x(Opcode::Chain, {kFlag, 0, kAny, kDelivered, kNone, kNone})},
      {"`f`, word 24 (Chain): a size for what data decides", no_code,
       with_x(Opcode::Chain, {kSame, 0, 0, 1, kAny, kDelivered, 0, 1})},
      {"`f`, word 31 (Invoke): tensor register 0 lies in a slot", [](auto& b) { b.storage(3); },
       [](auto& b) {
         const uint32_t t = b.tensor(Opcode::Slot, 0, kFloat32, {0, 1});
         b.emit(Opcode::Invoke, {kSame, t, 0, 1, b.new_tensor(), 0, 1});
       }},
      {"`f`, word 32 (Invoke): tensor register 1 is a part of another", no_code,
       [](auto& b) {
         const uint32_t part = b.part(b.tensor(Opcode::Param, 0), 0, kFloat32, {0, 1});
         b.emit(Opcode::Invoke, {kSame, part, 0, 1, b.new_tensor(), 0, 1});
       }},
      {"`f`, word 24 (Deliver): the function is no inner one and has no state", no_code,
       with_x(Opcode::Deliver, {0, 0, 1})},
      {"`f`, word 31 (Follow): results are delivered on one path and written on another", no_code,
       [](auto& b) {
         const uint32_t x = b.tensor(Opcode::Param, 0);
         b.tensor(Opcode::Result, 0, kFloat32, {0, 1});
         b.emit(Opcode::Follow, {kSame, x, 0, 1});
       }},
  });
}

/// Returns the message for a program with one function, whose dim 0 is 3.
std::string message_of_function(const std::vector<ProgramBuilder::Value>& params,
                                const std::vector<ProgramBuilder::Value>& results, const Body& body,
                                bool is_inner = false) {
  ProgramBuilder b;
  b.add_weight("w", kFloat32, {3});
  b.add_weight("made", kFloat32, {3});
  b.add_state("s", kFloat32, {3});
  is_inner ? b.begin_inner_function("f", params, results) : b.begin_function("f", params, results);
  if (body) {
    b.constant_dim(3);
    body(b);
  }
  b.begin_inner_function("g", {{"x", kFloat32, {3}}}, {{"y", kFloat32, {3}}});
  const uint32_t three = b.constant_dim(3);
  b.emit(Opcode::CheckDim, {0, 0, three});
  b.emit(Opcode::Layout);
  b.emit(Opcode::Deliver, {b.tensor(Opcode::Param, 0), three});
  return status_of_code(b.finish());
}

TEST(CodeMessages, E0855_of_kinds_of_functions) {
  using Values = std::vector<ProgramBuilder::Value>;
  const Values sizes = {{"sizes", abi::kSizes, {3}}}, x = {{"x", kFloat32, {3}}};
  const Values state = {{"s", kFloat32, {3}, abi::kState}}, weight = {{"w", kFloat32, {3}, 0}},
               made = {{"m", kFloat32, {3}, 1}};
  const auto layout = [](ProgramBuilder& b) {
    b.emit(Opcode::CheckDim, {0, 0, 0});
    b.emit(Opcode::Layout);
  };
  const auto param = [&](ProgramBuilder& b) {
    layout(b);
    return b.tensor(Opcode::Param, 0);
  };
  EXPECT_EQ(message_of_function(sizes, {}, param), code_message("`f`, word 9 (Param): a parameter without a tensor"));
  EXPECT_EQ(message_of_function(x, {},
                                [](auto& b) {
                                  b.bind_dim(0, 0);  // a static axis is bound but not checked
                                  b.emit(Opcode::Layout);
                                }),
            code_message("`f`, word 8 (Layout): axis 0 of parameter `x` is not checked"));
  EXPECT_EQ(message_of_function(
                {}, {}, [](auto& b) { b.emit(Opcode::Layout), b.emit(Opcode::Return); }, true),
            code_message("`f`, word 5 (Return): an inner function delivers its results"));
  EXPECT_EQ(message_of_function(state, {}, [&](auto& b) { layout(b), b.emit(Opcode::Return); }),
            code_message("`f`, word 9 (Return): a function with state delivers its results"));
  EXPECT_EQ(message_of_function(weight, made, [&](auto& b) { b.emit(Opcode::Follow, {1, param(b), 0}); }),
            code_message("`f`, word 12 (Follow): the function makes weights"));
  EXPECT_EQ(message_of_function({}, {}, nullptr, true),
            code_message("`f`, word 0: it has no instructions, and is no function of the host"));
}

TEST(CodeMessages, E0855_of_instructions_without_end) {
  for (const auto& [head, problem] : std::initializer_list<std::pair<uint32_t, const char*>>{
           {static_cast<uint32_t>(Opcode::BindDim),
            "`f`, word 0 (BindDim): its length of 0 words is outside the function"},
           {static_cast<uint32_t>(Opcode::BindDim) | 0xffffu << 16,
            "`f`, word 0 (BindDim): its length of 65535 words is outside the function"}}) {
    std::vector<uint8_t> program = program_of({.problem = ""});
    abi::ProgramHeader header;
    std::memcpy(&header, program.data(), sizeof(header));
    std::memcpy(program.data() + header.word_offset, &head, sizeof(head));
    EXPECT_EQ(status_of_code(std::move(program)), code_message(problem));
  }
}

}  // namespace
}  // namespace sunmao::runtime::testing
