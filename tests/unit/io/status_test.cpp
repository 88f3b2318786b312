#include "io/status.h"

#include <gtest/gtest.h>

#include <memory>

#include "io/concat.h"

namespace sunmao::io {
namespace {

Status outer(bool fails) {
  SUNMAO_TRY(fails ? Status::error("E0801", "inner") : Status());
  return Status::error("E0802", "after");
}

TEST(Status, SuccessHasNoTextAndFailureKeepsAllOfIt) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().to_string(), "ok");
  EXPECT_TRUE(Status().message().empty());
  const Status error = Status::error("E0801", "gone", "look for it");
  EXPECT_FALSE(error.ok());
  EXPECT_STREQ(error.code(), "E0801");
  EXPECT_EQ(error.help(), "look for it");
  EXPECT_EQ(error.with_prefix("a: ").to_string(), "E0801: a: gone; look for it");
  EXPECT_TRUE(Status().with_prefix("a: ").ok());
}

TEST(Status, TryReturnsTheFirstErrorOnly) {
  EXPECT_EQ(outer(true).message(), "inner");
  EXPECT_EQ(outer(false).message(), "after");
}

TEST(Result, HoldsAValueOrAStatus) {
  Result<std::unique_ptr<int>> good = std::make_unique<int>(7);
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(**good, 7);
  const std::unique_ptr<int> taken = good.take();
  EXPECT_EQ(*taken, 7);
  const Result<int> bad = Status::error("E0801", "gone");
  EXPECT_FALSE(bad.ok());
  EXPECT_STREQ(bad.code(), "E0801");
  const Result<std::shared_ptr<const int>> converted = std::make_shared<int>(3);
  EXPECT_EQ(**converted, 3);
}

TEST(Concat, JoinsTextAndIntegers) {
  EXPECT_EQ(concat("a", 1, 'b', uint64_t{18446744073709551615u}, std::string("c"), int64_t{-5}),
            "a1b18446744073709551615c-5");
}

TEST(Concat, QuotedNamesAreShortAndPrintable) {
  EXPECT_EQ(quoted("conv.weight"), "`conv.weight`");
  EXPECT_EQ(quoted("a\n\xff"), "`a\\x0a\\xff`");
  EXPECT_EQ(quoted(std::string(500, 'x')).size(), 125u);
  EXPECT_EQ(quoted("输入 é"), "`输入 é`");
  EXPECT_EQ(quoted("a\u202e\u200b\u0085"), "`a\\xe2\\x80\\xae\\xe2\\x80\\x8b\\xc2\\x85`");
  EXPECT_EQ(quoted(std::string(119, 'x') + "é"), "`" + std::string(119, 'x') + "...`");
}

}  // namespace
}  // namespace sunmao::io
