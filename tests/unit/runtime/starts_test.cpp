// Starts of functions: what is passed reaches the parameters, the first time and when the machine knows the start.
#include <gtest/gtest.h>

#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using abi::Opcode;
using abi::ProgramBuilder;

using Value = ProgramBuilder::Value;

/// How a function of three parameters comes to them.
enum class Reads { First, LateAndTwice };

/// Begins a function of a, b: (3,) and row: (3,); its dims are 3 and 1, its tensors a, b and row if it reads them
/// first.
void begin_turning(ProgramBuilder& p, const char* name, bool is_inner, Reads reads) {
  const std::vector<Value> params = {{"a", kFloat32, {3}}, {"b", kFloat32, {3}}, {"row", kFloat32, {3}}};
  const std::vector<Value> results = {{"y", kFloat32, {3}}, {"z", kFloat32, {3}}};
  if (is_inner)
    p.begin_inner_function(name, params, results);
  else
    p.begin_function(name, params, results);
  const uint32_t three = p.constant_dim(3);
  for (uint32_t i = 0; i < params.size(); ++i) p.emit(Opcode::CheckDim, {i, 0, three});
  p.storage(p.constant_dim(1));
  p.emit(Opcode::Layout);
  if (reads == Reads::First)
    for (uint32_t i = 0; i < params.size(); ++i) p.tensor(Opcode::Param, i);
}

/// Returns `turns(a, b, row)`: while the first element of a is positive, a becomes b, and b a + row.
std::vector<uint8_t> turning_program(Reads reads) {
  ProgramBuilder p;
  const uint32_t add_row = p.add_kernel("add_row", 3, 2);
  p.add_kernel("square_rows", 2, 2);
  p.add_kernel("refuse_thirteen", 0, 1);
  const uint32_t is_positive = p.add_kernel("is_positive", 2, 0);
  begin_turning(p, "turns", false, Reads::First);
  const uint32_t loop = 1, step = 2, done = 3, y = p.new_tensor(), z = p.new_tensor();
  p.emit(Opcode::Invoke, {loop, 0, 0, 1, 0, 2, 0, y, 0, z, 0});
  p.emit(Opcode::Copy, {p.tensor(Opcode::Result, 0, kFloat32, {0}), y});
  p.emit(Opcode::Copy, {p.tensor(Opcode::Result, 1, kFloat32, {0}), z});
  p.emit(Opcode::Return);

  begin_turning(p, "loop", true, Reads::First);
  const uint32_t flag = p.tensor(Opcode::Slot, 0, kBool, {});
  p.call(is_positive, {0, flag}, {});
  p.emit(Opcode::FollowIf, {flag, step, 0, 0, 1, 0, 2, 0, done, 0, 0, 1, 0, 2, 0});

  begin_turning(p, "step", true, reads);
  const bool is_late = reads == Reads::LateAndTwice;
  const uint32_t row = is_late ? p.tensor(Opcode::Param, 2) : 2, sum = p.block(kFloat32, {0});
  p.call(add_row, {is_late ? p.tensor(Opcode::Param, 0) : 0, row, sum}, {1, 0});
  const uint32_t b = is_late ? p.tensor(Opcode::Param, 1) : 1;
  p.emit(Opcode::Follow, {loop, b, 0, sum, 0, is_late ? p.tensor(Opcode::Param, 2) : row, 0});

  begin_turning(p, "done", true, Reads::First);
  p.emit(Opcode::Deliver, {1, 0, 0, 0});
  return p.finish();
}

class Starts : public ::testing::TestWithParam<Reads> {};

TEST_P(Starts, pass_what_changes_places) {
  sunmao_error error = {};
  const std::string artifact = make_artifact({.program = turning_program(GetParam())});
  const ModelHandle model = load(artifact, &error);
  ASSERT_TRUE(model) << error.message;
  const SessionHandle session = open(model);
  for (const float first : {5.0f, 0.0f, 6.0f}) {
    Floats a({3}, {first, 10, 20}), b({3}, {2, 30, 40}), row({3}, {-1, 1, 2});
    std::vector<float> want_a = a.data, want_b = b.data;
    while (want_a[0] > 0) {
      for (size_t i = 0; i < 3; ++i) want_a[i] += row.data[i];
      std::swap(want_a, want_b);
    }
    const DLTensor inputs[] = {a.tensor(), b.tensor(), row.tensor()};
    DLTensor outputs[2] = {};
    ASSERT_EQ(sunmao_run(session.get(), "turns", inputs, 3, outputs, 2, &error), 0) << error.message;
    EXPECT_EQ(values(outputs[0]), want_b);
    EXPECT_EQ(values(outputs[1]), want_a);
    EXPECT_EQ(a.data[0], first) << "of the caller";
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Starts, ::testing::Values(Reads::First, Reads::LateAndTwice));

}  // namespace
}  // namespace sunmao::runtime::testing
