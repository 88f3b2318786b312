// Matching of tensors to weights by own name and identifier.
#include "io/weight_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sunmao::io {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// `a.b` has identifier `a_b`, so the weight whose own name is `a_b` got another identifier.
const std::vector<WeightName> kWeights = {{"a_b", "a.b"}, {"a_b_1", "a_b"}, {"c", ""}};

TEST(WeightNames, OwnNamesAndIdentifiersBothWork) {
  EXPECT_THAT(match_weights(kWeights, {"a_b", "c", "a.b"}).tensor_of, ElementsAre(2, 0, 1));
  EXPECT_THAT(match_weights(kWeights, {"a_b", "a_b_1", "c"}).tensor_of, ElementsAre(0, 1, 2));
  EXPECT_THAT(match_weights(kWeights, {"a.b", "a_b_1"}).tensor_of, ElementsAre(0, 1, std::nullopt));
}

TEST(WeightNames, OneNameAloneIsTheOwnOne) {
  const MatchedWeights found = match_weights(kWeights, {"a_b"});
  EXPECT_THAT(found.tensor_of, ElementsAre(std::nullopt, 0, std::nullopt));
  EXPECT_THAT(found.missing, ElementsAre(0, 2));
}

TEST(WeightNames, SaysWhatIsUnknownAndWhatIsGivenTwice) {
  const MatchedWeights found = match_weights(kWeights, {"a.b", "a_b", "a_b_1", "d"});
  EXPECT_THAT(found.unknown, ElementsAre(3));
  EXPECT_THAT(found.twice, ElementsAre(Pair(1, 2)));
  EXPECT_THAT(match_weights({}, {}).unknown, IsEmpty());
}

TEST(WeightNames, HintsNameTheClosest) {
  EXPECT_EQ(closest_names({"fc1.weight"}, {"fc1.wieght", "x"}), "`fc1.weight`: did you mean `fc1.wieght`?");
  EXPECT_EQ(closest_names({"fc1.weight"}, {"x"}), "");
}

}  // namespace
}  // namespace sunmao::io
