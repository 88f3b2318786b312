// Layouts by `dot`, for which a script stands: its time is limited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "view/layout.h"

namespace sunmao::view {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// As long as it exists, `dot` is a script.
class ScriptAsDot {
 public:
  explicit ScriptAsDot(const std::string& script) {
    std::string folder = testing::TempDir() + "sunmao-dot-XXXXXX";
    folder_ = mkdtemp(folder.data());
    const std::filesystem::path dot = folder_ / "dot";
    std::ofstream(dot) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(dot, std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + before_).c_str(), 1);
  }
  ~ScriptAsDot() {
    setenv("PATH", before_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }
  ScriptAsDot(const ScriptAsDot&) = delete;
  ScriptAsDot& operator=(const ScriptAsDot&) = delete;

 private:
  const std::string before_ = getenv("PATH");
  std::filesystem::path folder_;
};

const std::vector<Drawing> kTwoBoxes{
    {.boxes = {{64, 26}, {64, 26}}, .members = 2, .inputs = 0, .outputs = 0, .edges = {{.from = 0, .to = 1}}}};

struct Told {
  std::vector<std::string> texts = {};
  LayoutOptions options(int limit, int told_after) {
    return {.on_notice = [this](const std::string& text) { texts.push_back(text); },
            .limit = std::chrono::milliseconds(limit),
            .told_after = std::chrono::milliseconds(told_after)};
  }
};

TEST(Graphviz, APlainLayoutTakesThePlaceOfOneThatIsNotDoneInTime) {
  const ScriptAsDot dot("exec sleep 100");
  Told told;
  size_t by_graphviz = 1;
  const std::vector<Layout> layouts = lay_out(kTwoBoxes, &by_graphviz, told.options(200, 50));
  ASSERT_EQ(layouts.size(), 1U);
  EXPECT_EQ(by_graphviz, 0U);
  EXPECT_LT(layouts[0].centers[0].y, layouts[0].centers[1].y);
  EXPECT_THAT(told.texts, ElementsAre(HasSubstr("after 0.2 s a plain layout takes its place"),
                                      HasSubstr("was not done in time: the layout is a plain one")));
}

TEST(Graphviz, WhatIsDoneInTimeIsTold) {
  const ScriptAsDot dot(
      "echo 'graph 1 2 2\nnode 0 1 1.5 1 1 a b c d e\nnode 1 1 0.5 1 1 a b c d e\n"
      "edge 0 1 4 1 1.2 1 1.1 1 0.9 1 0.8 solid \"#000000\"\nstop'");
  Told told;
  const std::vector<Layout> layouts = graphviz_layouts(kTwoBoxes, told.options(100'000, 100'000));
  ASSERT_EQ(layouts.size(), 1U);
  EXPECT_EQ(layouts[0].curves[0].size(), 4U);
  EXPECT_THAT(told.texts, ElementsAre());
}

}  // namespace
}  // namespace sunmao::view
