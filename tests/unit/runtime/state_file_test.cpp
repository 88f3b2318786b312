// Files of states: what they hold, and that damaged and foreign ones change nothing.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/mapped_file.h"
#include "io/safetensors.h"
#include "io/write_file.h"
#include "tests/unit/runtime/run_states.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StateFiles : public RunStates {
 protected:
  const std::string path_ = ::testing::TempDir() + "sunmao_states_" + std::to_string(::getpid()) + ".safetensors";

  void SetUp() override {
    RunStates::SetUp();
    ASSERT_THAT(add({1, 2, 3}), ElementsAre(1, 4, 9));
    run("grow", {{{2}, {4, 5}}});
    ASSERT_EQ(sunmao_session_save(session_.get(), path_.c_str(), &error_), 0) << error();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  std::string load_error() {
    if (sunmao_session_load(session_.get(), path_.c_str(), &error_) == 0) return "none";
    std::string text = error();
    EXPECT_THAT(state("sum"), ElementsAre(1, 2, 3));
    EXPECT_THAT(state("row"), ElementsAre(10, 20, 30));
    EXPECT_THAT(state("grown"), ElementsAre(4, 5));
    return text;
  }
  /// Returns the error of loading a file with these tensors.
  std::string error_with(std::vector<std::pair<std::string, Floats>> tensors, const io::StringPairs& metadata = {}) {
    std::vector<io::StoredTensor> stored;
    for (const auto& [name, t] : tensors)
      stored.push_back({name, kFloat32, t.shape, io::Bytes::borrowed(std::as_bytes(std::span(t.data)))});
    EXPECT_TRUE(io::write_file_atomically(path_, *io::write_safetensors(stored, metadata)).ok());
    return load_error();
  }
  std::string content() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

TEST_F(StateFiles, hold_the_states_by_name) {
  const io::Result<io::SafetensorsReader> file = io::SafetensorsReader::open(*io::map_file(path_));
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->tensors().size(), 3u);
  EXPECT_EQ(file->find("grown")->shape, std::vector<int64_t>{2});
  const SessionHandle other = open(model_);
  ASSERT_EQ(sunmao_session_load(other.get(), path_.c_str(), &error_), 0) << error();
  EXPECT_THAT(state("sum", other.get()), ElementsAre(1, 2, 3));
  EXPECT_THAT(state("grown", other.get()), ElementsAre(4, 5));
  EXPECT_THAT(add({1, 1, 1}, other.get()), ElementsAre(4, 9, 16));
  EXPECT_THAT(state("sum"), ElementsAre(1, 2, 3));
}

TEST_F(StateFiles, heal_a_session_that_lost_a_state) {
  run("check", {Floats({13})});
  ASSERT_EQ(state("sum").size(), 0u);
  ASSERT_EQ(sunmao_session_load(session_.get(), path_.c_str(), &error_), 0) << error();
  EXPECT_THAT(state("sum"), ElementsAre(1, 2, 3));
}

TEST_F(StateFiles, of_other_tools_are_read) {
  EXPECT_EQ(error_with({{"row", {{3}, {1, 1, 1}}}, {"grown", {{1}, {2}}}, {"sum", {{3}, {4, 5, 6}}}}), "none");
  EXPECT_THAT(state("sum"), ElementsAre(4, 5, 6));
  EXPECT_THAT(state("grown"), ElementsAre(2));
}

TEST_F(StateFiles, E0926_of_another_model) {
  const Floats three({3}, {7, 7, 7}), four({4}, {7, 7, 7, 7}), square({1, 3}, {7, 7, 7}), wide({65});
  EXPECT_THAT(error_with({{"sum", three}, {"row", three}}), HasSubstr("it has no tensor for the state `grown`"));
  EXPECT_THAT(error_with({{"sum", three}, {"row", three}, {"grown", three}, {"x", three}}),
              HasSubstr("the model has no state for its tensor `x`"));
  EXPECT_THAT(error_with({{"sum", three}, {"row", four}, {"grown", three}}),
              HasSubstr("E0926 `" + path_ + "`: state `row` has 4 on axis 0, expected 3"));
  EXPECT_THAT(error_with({{"sum", square}, {"row", three}, {"grown", three}}),
              HasSubstr("`sum` has the shape (1, 3), expected rank 1"));
  EXPECT_THAT(error_with({{"sum", three}, {"row", three}, {"grown", wide}}),
              HasSubstr("state `grown` has 65 on axis 0, expected 0 to 64"));
  for (const char* shape : {"3,", "-3", "99999999999999999999", "x", "3 3"})
    EXPECT_THAT(error_with({{"sum", three}, {"row", three}, {"grown", three}}, {{"sunmao.shape.sum", shape}}),
                HasSubstr("the shape of `sum` is `" + std::string(shape) + "`, which is none"));
  EXPECT_THAT(error_with({{"sum", three}, {"row", three}, {"grown", three}}, {{"sunmao.sha256", "0"}}),
              HasSubstr("its SHA-256 is not that of its tensors"));
}

TEST_F(StateFiles, that_are_damaged_change_nothing) {
  const std::string whole = content();
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    std::ofstream(path_, std::ios::binary) << damaged;
    const std::string error = load_error();
    if (error == "none") {  // a byte of the header that says nothing, or of a gap
      EXPECT_THAT(state("sum"), ElementsAre(1, 2, 3)) << at;
      EXPECT_THAT(state("grown"), ElementsAre(4, 5)) << at;
    } else {
      EXPECT_EQ(error[0], 'E') << at;
    }
  }
  for (size_t size = 0; size < whole.size(); size += 7) {
    std::ofstream(path_, std::ios::binary) << whole.substr(0, size);
    EXPECT_NE(load_error(), "none") << size;
  }
  std::filesystem::remove(path_);
  EXPECT_THAT(load_error(), HasSubstr("E08"));
}

}  // namespace
}  // namespace sunmao::runtime::testing
