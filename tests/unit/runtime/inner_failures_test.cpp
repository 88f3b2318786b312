// Failures inside branches, loops and recursion: exact messages, and a session that goes on.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/sizes_program.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;

constexpr uint32_t kLoop = 3, kDown = 4, kFaulty = 5, kDone = 6, kSized = 7, kHost = 8;
constexpr uint32_t kRefuseThirteen = 2, kIsPositive = 3;

uint32_t flag_of_x(ProgramBuilder& b) {
  const uint32_t flag = b.tensor(Opcode::Slot, 0, kBool, {});
  b.call(kIsPositive, {0, flag}, {});
  return flag;
}

/// Starts a function of x: (n) to y: (n), with the dim n, a slot of a byte and the tensor x.
void begin_of_x(ProgramBuilder& b, const char* name, bool is_inner) {
  const int64_t n = b.symbol("n");
  const std::vector<ProgramBuilder::Value> x = {{"x", kFloat32, {n}}}, y = {{"y", kFloat32, {n}}};
  is_inner ? b.begin_inner_function(name, x, y) : b.begin_function(name, x, y);
  b.bind_dim(0, 0);
  b.storage(b.constant_dim(1));
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
}

void end_entry(ProgramBuilder& b, uint32_t y) {
  b.emit(Opcode::Copy, {b.tensor(Opcode::Result, 0, kFloat32, {0}), y});
  b.emit(Opcode::Return);
}

/// What `faulty` does: `sizes` before `Layout`, where dim 0 is n, then `body`, where tensor 0 is x. It delivers x,
/// unless its body ends otherwise.
struct Faulty {
  const char* message;
  Body sizes = [](ProgramBuilder&) {};
  Body body = [](ProgramBuilder&) {};
  bool ends = false;
};

/// branch(x), loop(x) and recursion(x): x if its first element is not positive, else what `faulty` makes of it.
std::vector<uint8_t> failing_program(const Faulty& faulty) {
  ProgramBuilder b;
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
  begin_of_x(b, "branch", false);
  const uint32_t flag = flag_of_x(b), chosen = b.new_tensor();
  b.emit(Opcode::InvokeIf, {flag, kFaulty, 0, 0, kDone, 0, 0, chosen, 0});
  end_entry(b, chosen);
  for (const uint32_t callee : {kLoop, kDown}) {
    begin_of_x(b, callee == kLoop ? "loop" : "recursion", false);
    const uint32_t y = b.new_tensor();
    b.emit(Opcode::Invoke, {callee, 0, 0, y, 0});
    end_entry(b, y);
  }
  begin_of_x(b, "loop_on", true);
  b.emit(Opcode::FollowIf, {flag_of_x(b), kFaulty, 0, 0, kDone, 0, 0});
  begin_of_x(b, "down", true);
  const uint32_t below = flag_of_x(b), y = b.new_tensor();
  b.emit(Opcode::InvokeIf, {below, kFaulty, 0, 0, kDone, 0, 0, y, 0});
  b.emit(Opcode::Deliver, {y, 0});
  const int64_t n = b.symbol("n");
  b.begin_inner_function("faulty", {{"x", kFloat32, {n}}}, {{"y", kFloat32, {n}}});
  b.bind_dim(0, 0);
  faulty.sizes(b);
  b.emit(Opcode::Layout);
  b.tensor(Opcode::Param, 0);
  faulty.body(b);
  if (!faulty.ends) b.emit(Opcode::Deliver, {0, 0});
  begin_of_x(b, "done", true);
  b.emit(Opcode::Deliver, {0, 0});
  b.begin_inner_function("sized", {{"m", abi::kSizes, {b.symbol("m")}}}, {{"y", kFloat32, {b.symbol("m")}}});
  const uint32_t m = b.bind_dim(0, 0);
  b.emit(Opcode::Layout);
  b.emit(Opcode::Deliver, {b.block(kFloat32, {m}), m});
  b.add_host_function("scale(float32[1]) -> float32[1]", {{"0", kFloat32, {n}}}, {{"0", kFloat32, {n}}});
  return b.finish();
}

void expect_failure(const ModelHandle& model, const char* function, const char* message) {
  const SessionHandle session = open(model);
  Floats x({13}, std::vector<float>(13, 1.0f));
  const DLTensor input = x.tensor();
  DLTensor output = {};
  sunmao_error error = {};
  EXPECT_NE(sunmao_run(session.get(), function, &input, 1, &output, 1, &error), 0) << function << ": " << message;
  EXPECT_EQ(std::string(error.code) + " " + error.message, message) << function;
  EXPECT_STRNE(error.code, "");
  x.data[0] = -1;
  ASSERT_EQ(sunmao_run(session.get(), function, &input, 1, &output, 1, &error), 0) << error.message;
  EXPECT_EQ(values(output), x.data);
}

void expect_failures(const std::vector<Faulty>& all) {
  for (const Faulty& faulty : all) {
    const std::string artifact = make_artifact({.program = failing_program(faulty), .weights = {}});
    sunmao_error error = {};
    const ModelHandle model = load(artifact, &error);
    ASSERT_TRUE(model) << faulty.message << ": " << error.message;
    for (const char* function : {"branch", "loop", "recursion"}) expect_failure(model, function, faulty.message);
  }
}

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(InnerFailures, of_kernels_checks_and_the_host) {
  expect_failures({
      {.message = "E0913 function `faulty`: kernel `refuse_thirteen` failed with status 1: thirteen rows are too many",
       .body = [](auto& b) { b.call(kRefuseThirteen, {}, {0}); }},
      {.message = "E0906 function `faulty`: dimension `n` (axis 0 of `x`) is 13, expected 1 to 8",
       .sizes = [](auto& b) { b.guard_range(0, 1, 8, "n"); }},
      {.message = "E0905 function `faulty`: input `x` has 13 on axis 0, expected `n` = 4",
       .sizes = [](auto& b) { b.emit(Opcode::CheckDim, {0, 0, b.constant_dim(4)}); }},
      {.message = "E0905 function `faulty`: n == 7, got 13 (axis 0 of `x`) and 7",
       .sizes = [](auto& b) { b.check_equal(0, b.constant_dim(7), "n == 7"); }},
      {.message = "E0912 function `faulty`: `n < 5` does not hold",
       .sizes =
           [](auto& b) {
             const abi::StringRef text = b.text("n < 5");
             b.emit(Opcode::CheckTrue,
                    {b.compute_dim(Opcode::LessDim, {0, b.constant_dim(5)}), text.offset, text.size});
           }},
      {.message = "E0905 function `faulty`: size 0 of a result of a call is 13, expected 2",
       .sizes = [](auto& b) { b.constant_dim(2); },
       .body = [](auto& b) { b.check_values(b.values({0}), {1}); }},
      {.message = "E0924 function `faulty`: it calls `scale`, a function of the host, and there is none",
       .body = [](auto& b) { b.emit(Opcode::Invoke, {kHost, 0, 0, b.new_tensor(), 0}); }},
  });
}

TEST(InnerFailures, E0911_sizes_that_overflow) {
  expect_failures({
      {.message = "E0911 function `faulty`: sizes do not work out: AddDim of 13 and 9223372036854775807 has no 64-bit "
                  "value",
       .sizes = [](auto& b) { b.compute_dim(Opcode::AddDim, {0, b.constant_dim(kMost)}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: FloorDivDim of 13 and 0 has no 64-bit value",
       .sizes = [](auto& b) { b.compute_dim(Opcode::FloorDivDim, {0, b.constant_dim(0)}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: slot 0 has -1 bytes",
       .sizes = [](auto& b) { b.storage(b.constant_dim(-1)); }},
      {.message = "E0911 function `faulty`: sizes do not work out: slot 0 has 9223372036854775807 bytes",
       .sizes = [](auto& b) { b.storage(b.constant_dim(kMost)); }},
      {.message = "E0911 function `faulty`: sizes do not work out: all slots together exceed 2^47 bytes",
       .sizes =
           [](auto& b) {
             const uint32_t half = b.constant_dim(int64_t{1} << 47);
             b.storage(half);
             b.storage(half);
           },
       .body =
           [](auto& b) {
             const uint32_t first = b.tensor(Opcode::Slot, 0, kFloat32, {});
             const uint32_t second = b.tensor(Opcode::Slot, 1, kBool, {});
             b.call(kIsPositive, {first, second}, {});
           }},
      {.message = "E0911 function `faulty`: sizes do not work out: a tensor of type float32 and shape "
                  "(9223372036854775807)",
       .sizes = [](auto& b) { b.constant_dim(kMost); },
       .body = [](auto& b) { b.block(kFloat32, {1}); }},
  });
}

TEST(InnerFailures, E0911_results_of_calls_that_overflow) {
  expect_failures({
      {.message = "E0911 function `faulty`: sizes do not work out: a tensor of type float32 and shape "
                  "(9223372036854775807)",
       .sizes = [](auto& b) { b.constant_dim(kMost); },
       .body = [](auto& b) { b.emit(Opcode::Invoke, {kDone, 0, 0, b.new_tensor(), 1}); }},
  });
}

TEST(InnerFailures, E0911_sizes_that_contradict) {
  const auto five = [](ProgramBuilder& b) { b.constant_dim(5); };
  expect_failures({
      {.message = "E0911 function `faulty`: sizes do not work out: a tensor of 52 bytes in a slot of 4",
       .sizes = [](auto& b) { b.storage(b.constant_dim(4)); },
       .body = [](auto& b) { b.tensor(Opcode::Slot, 0, kFloat32, {0}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: a part of 20 bytes, aligned to 4, at byte 36 of a "
                  "tensor of 52",
       .sizes = [](auto& b) { b.constant_dim(5), b.constant_dim(36); },
       .body = [](auto& b) { b.part(0, 2, kFloat32, {1}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: a view of 52 bytes as 20",
       .sizes = five,
       .body = [](auto& b) { b.tensor(Opcode::View, 0, kFloat32, {1}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: a copy of 20 bytes as 52",
       .sizes = five,
       .body =
           [](auto& b) {
             const uint32_t large = b.block(kFloat32, {0}), small = b.block(kFloat32, {1});
             b.emit(Opcode::Copy, {large, small});
           }},
      {.message = "E0911 function `faulty`: sizes do not work out: a condition of 52 bytes",
       .body = [](auto& b) { b.land(b.emit(Opcode::JumpIfFalse, {0, 0})); }},
      {.message = "E0911 function `faulty`: sizes do not work out: a result of 52 bytes as 20",
       .sizes = five,
       .body = [](auto& b) { b.emit(Opcode::Deliver, {0, 1}); },
       .ends = true},
      {.message = "E0911 function `faulty`: sizes do not work out: an argument of 52 bytes as 20",
       .sizes = five,
       .body = [](auto& b) { b.emit(Opcode::Follow, {kDone, 0, 1}); },
       .ends = true},
      {.message = "E0911 function `faulty`: sizes do not work out: 2 sizes in a tensor of 8 bytes",
       .body = [](auto& b) { b.check_values(b.values({0}), {0, 0}); }},
      {.message = "E0911 function `faulty`: sizes do not work out: 1 sizes in a tensor of 16 bytes",
       .body = [](auto& b) { b.emit(Opcode::Follow, {kSized, b.values({0, 0}), kNone}); },
       .ends = true},
      {.message = "E0911 function `done`: result 0 has 52 bytes, its caller expects 20",
       .sizes = five,
       .body = [](auto& b) { b.emit(Opcode::Invoke, {kDone, 0, 0, b.new_tensor(), 1}); }},
      {.message = "E0911 function `sized`: data decides a size, and it is -3",
       .sizes = [](auto& b) { b.constant_dim(-3); },
       .body = [](auto& b) { b.emit(Opcode::Follow, {kSized, b.values({1}), kNone}); },
       .ends = true},
  });
}

}  // namespace
}  // namespace sunmao::runtime::testing
