// Seeds of random ops: constants, or mixed with a state.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "outline.h"
#include "pt2_writer.h"

namespace sunmao {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Model read_with(const std::vector<std::string>& nodes, bool keep_state) {
  return read_torch(archive_of(entries_of({.nodes = nodes})), "t.pt2", builtin_ops(), {.keep_state = keep_state});
}

std::string like_x(const std::string& op, const std::string& output) {
  return node_json("torch.ops.aten." + op, {tensor_input("self", "x")}, output);
}

/// Two draws of uniform numbers and a sum of them.
const std::vector<std::string> kTwoDraws{
    like_x("rand_like.default", "a"), like_x("rand_like.default", "b"),
    node_json("torch.ops.aten.add.Tensor", {tensor_input("self", "a"), tensor_input("other", "b")}, "y")};

int64_t seed_of(const Model& m, const std::string& name) {
  const auto* call = find<Call>(find_binding(m, name)->value);
  return find<Constant>(call->args[0])->data.as<int64_t>()[0];
}

TEST(RandomSeeds, EachOpHasItsOwnAndReadingAgainGivesTheSame) {
  const Model m = read_with(kTwoDraws, false), again = read_with(kTwoDraws, false);
  EXPECT_NE(seed_of(m, "a"), seed_of(m, "b"));
  EXPECT_EQ(seed_of(m, "a"), seed_of(again, "a"));
  EXPECT_EQ(seed_of(m, "b"), seed_of(again, "b"));
  EXPECT_TRUE(m.states.empty());
}

TEST(RandomSeeds, AreMixedWithTheStateThatEachRunChanges) {
  const Model m = read_with(kTwoDraws, true);
  EXPECT_EQ(findings_of(m), "");
  EXPECT_THAT(params_of(m), ElementsAre("x: Tensor((s0, 6), \"float32\")", "random_seed: Tensor((), \"int64\")"));
  EXPECT_THAT(body_of(m),
              ElementsAre(StartsWith("lv = bitwise_xor(random_seed, constant"), StartsWith("a = random.uniform(lv, "),
                          StartsWith("lv1 = bitwise_xor(random_seed, constant"), StartsWith("b = random.uniform(lv1, "),
                          StartsWith("y = add(a, b)"), StartsWith("lv2 = add(random_seed, constant"),
                          StartsWith("gv = lv2"), "return (y, gv)"));
  ASSERT_EQ(m.states.size(), 1U);
  EXPECT_EQ(m.states.at("random_seed").as<int64_t>()[0], 0);
}

TEST(RandomSeeds, WithoutRandomOpsThereIsNoState) {
  const Model m = read_with({like_x("relu.default", "y")}, true);
  EXPECT_TRUE(m.states.empty());
  EXPECT_THAT(body_of(m), ElementsAre(StartsWith("y = nn.relu(x)"), "return y"));
}

std::vector<std::string> notes_of(bool keep_state) {
  std::vector<std::string> notes;
  const Model m = read_torch(archive_of(entries_of({.nodes = kTwoDraws})), "t.pt2", builtin_ops(),
                             {.notes = &notes, .keep_state = keep_state});
  EXPECT_EQ(findings_of(m), "");
  return notes;
}

TEST(RandomSeeds, ANoteSaysThatRunsDrawTheSame) {
  EXPECT_THAT(notes_of(false), ElementsAre(HasSubstr("each run draws the same random numbers")));
  EXPECT_THAT(notes_of(true), ElementsAre());
}

}  // namespace
}  // namespace sunmao
