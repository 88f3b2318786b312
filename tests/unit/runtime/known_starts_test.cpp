// Starts of functions that the machine knows: how arguments move, and what must be the same as when they became known.
#include "runtime/known_starts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "abi/program_builder.h"
#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/sizes_program.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

using abi::kDelivered;
using abi::kNone;
using abi::Opcode;
using abi::ProgramBuilder;
using ::testing::ElementsAre;

void add_kernels(ProgramBuilder& b) {
  b.add_kernel("add_row", 3, 2);
  b.add_kernel("square_rows", 2, 2);
  b.add_kernel("refuse_thirteen", 0, 1);
  b.add_kernel("is_positive", 2, 0);
}

std::vector<uint32_t> order_of(std::initializer_list<KnownStarts::Move> moves, bool is_circle) {
  KnownStarts::Moves ordered;
  for (const KnownStarts::Move& m : moves) EXPECT_TRUE(ordered.add(m));
  ordered.moving = ordered.all;
  ordered.order();
  EXPECT_EQ(ordered.is_circle, is_circle);
  std::vector<uint32_t> from;
  for (size_t m = 0; m < ordered.moving; ++m) from.push_back(ordered.move[m].from);
  return from;
}

TEST(KnownStarts, moves_write_what_is_read_no_more) {
  EXPECT_THAT(order_of({{0, 1}, {1, 2}, {2, 3}}, false), ElementsAre(2, 1, 0));
  EXPECT_THAT(order_of({{5, 0}, {5, 1}, {0, 2}}, false), ElementsAre(5, 0, 5));
  EXPECT_THAT(order_of({{1, 0}, {2, 1}}, false), ElementsAre(1, 2));
  order_of({{0, 1}, {1, 0}}, true);
  order_of({{0, 1}, {1, 2}, {2, 0}, {0, 3}}, true);
}

TEST(KnownStarts, there_is_room_for_so_many_moves) {
  KnownStarts::Moves moves;
  for (uint32_t m = 0; m < KnownStarts::kMostMoves; ++m) EXPECT_TRUE(moves.add({m, m}));
  EXPECT_FALSE(moves.add({8, 8}));
}

class RunStarts : public ::testing::Test {
 protected:
  /// Returns output 0 of the only function that callers see.
  std::vector<float> run(const std::vector<DLTensor>& inputs) {
    std::vector<DLTensor> outputs(1);
    sunmao_error error = {};
    EXPECT_EQ(sunmao_run(session_.get(), "f", inputs.data(), inputs.size(), outputs.data(), 1, &error), 0)
        << error.message;
    return outputs[0].data ? values(outputs[0]) : std::vector<float>();
  }
  void open_program(ProgramBuilder& b) {
    sunmao_error error = {};
    artifact_ = make_artifact({.program = b.finish(), .weights = {}});
    model_ = load(artifact_, &error);
    ASSERT_TRUE(model_) << error.message;
    session_ = open(model_);
  }
  std::string artifact_;
  ModelHandle model_;
  SessionHandle session_;
};

/// f(a, b, count, minus) = a if count is even, b if it is odd: each step of its loop lets a and b trade places.
void build_trade(ProgramBuilder& b) {
  add_kernels(b);
  const std::vector<ProgramBuilder::Value> params = {
      {"a", kFloat32, {3}}, {"b", kFloat32, {3}}, {"count", kFloat32, {1, 3}}, {"minus", kFloat32, {3}}};
  const auto begin = [&](const char* name, bool is_entry, bool has_flag) {
    if (is_entry)
      b.begin_function(name, params, {{"y", kFloat32, {3}}});
    else
      b.begin_inner_function(name, params, {{"y", kFloat32, {3}}});
    const uint32_t three = b.constant_dim(3), one = b.constant_dim(1);
    for (const uint32_t p : {0u, 1u, 3u}) b.emit(Opcode::CheckDim, {p, 0, three});
    b.emit(Opcode::CheckDim, {2, 0, one});
    b.emit(Opcode::CheckDim, {2, 1, three});
    if (has_flag) b.storage(one);
    b.emit(Opcode::Layout);
    for (uint32_t p = 0; p < 4; ++p) b.tensor(Opcode::Param, p);
  };
  begin("f", true, false);
  b.emit(Opcode::Follow, {1, 0, 0, 1, 0, 2, 1, 0, 3, 0});
  begin("loop", false, true);
  const uint32_t flag = b.tensor(Opcode::Slot, 0, kBool, {});
  b.call(3, {2, flag}, {});
  b.emit(Opcode::FollowIf, {flag, 2, 0, 0, 1, 0, 2, 1, 0, 3, 0, 3, 0, 0, 1, 0, 2, 1, 0, 3, 0});
  begin("step", false, false);
  const uint32_t rest = b.block(kFloat32, {1, 0});
  b.call(0, {2, 3, rest}, {1, 0});
  b.emit(Opcode::Follow, {1, 1, 0, 0, 0, rest, 1, 0, 3, 0});
  begin("done", false, false);
  b.emit(Opcode::Deliver, {0, 0});
}

TEST_F(RunStarts, arguments_may_trade_places) {
  ProgramBuilder b;
  build_trade(b);
  ASSERT_NO_FATAL_FAILURE(open_program(b));
  Floats first({3}, {1, 2, 3}), second({3}, {4, 5, 6}), minus({3}, {-1, 0, 0});
  for (const float count : {0.0f, 1.0f, 6.0f, 7.0f}) {
    Floats steps({1, 3}, {count, 0, 0});
    const bool is_odd = static_cast<int>(count) % 2 == 1;
    EXPECT_EQ(run({first.tensor(), second.tensor(), steps.tensor(), minus.tensor()}), (is_odd ? second : first).data);
  }
}

/// f(sizes, x): a function that is passed the head of x, and asks for its size alone, delivers as many elements of x.
TEST_F(RunStarts, sizes_of_what_was_delivered_count_where_it_is_not_read) {
  ProgramBuilder b;
  add_kernels(b);
  begin_entry(b, "f", {{"y", kFloat32, {b.symbol("m")}}});
  b.emit(Opcode::Chain, {1, 0, kNone, 1, 0, 2, kDelivered, kNone, 1, 0});
  add_head_of(b);
  const int64_t m = b.symbol("m");
  b.begin_inner_function("as_many", {{"a", kFloat32, {m}}, {"x", kFloat32, {b.symbol("n")}}}, {{"y", kFloat32, {m}}});
  const uint32_t size = b.bind_dim(0, 0);
  b.bind_dim(1, 0);
  b.emit(Opcode::Layout);
  const uint32_t x = b.tensor(Opcode::Param, 1), y = b.block(kFloat32, {size});
  b.emit(Opcode::Copy, {y, x});
  b.emit(Opcode::Deliver, {y, size});
  ASSERT_NO_FATAL_FAILURE(open_program(b));
  Floats x_of({4}, {1, 2, 3, 4});
  for (int64_t count : {3, 3, 2, 3, 1}) {
    int64_t one = 1;
    DLTensor sizes = x_of.tensor();
    sizes.data = &count;
    sizes.dtype = {kDLInt, 64, 1};
    sizes.shape = &one;
    EXPECT_EQ(run({sizes, x_of.tensor()}), std::vector<float>(x_of.data.begin(), x_of.data.begin() + count));
  }
}

}  // namespace
}  // namespace sunmao::runtime::testing
