// Runs commands in-process on bad input, so that sanitizers observe them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "cli/command_line.h"
#include "compiler/tensor_file.h"

namespace sunmao::cli {
namespace {

constexpr int kFailure = 1, kUsage = 2;
constexpr size_t kCuts = 200;  // number of lengths tried for each file

int run(std::vector<std::string> words) {
  words.insert(words.begin(), "sunmao");
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  const int status = run_command_line(static_cast<int>(argv.size()), argv.data());
  testing::internal::GetCapturedStdout();
  const std::string errors = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(status == 0 || errors.starts_with("error[E")) << errors;
  return status;
}

class BadInput : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("sunmao-cli-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  // Runs the command on truncations of the file at many lengths, including all near its start and end.
  void expect_cuts_refused(const std::string& file, const std::string& command) {
    const io::Bytes whole = map_or_fail(file);
    const std::string cut = path("cut" + std::filesystem::path(file).extension().string());
    const size_t step = std::max<size_t>(1, whole.size() / kCuts);
    for (size_t length = 0; length < whole.size(); length += length < 16 || length + 16 > whole.size() ? 1 : step) {
      std::ofstream(cut, std::ios::binary) << whole.text().substr(0, length);
      EXPECT_EQ(run({command, cut}), kFailure) << length << " of " << whole.size() << " bytes";
    }
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(BadInput, CutModels) {
  expect_cuts_refused("tests/models/mlp.onnx", "opt");
  expect_cuts_refused("tests/models/mlp.pt2", "opt");
}

TEST_F(BadInput, CutArtifact) {
  const std::string artifact = path("mlp.sunmao");
  ASSERT_EQ(run({"compile", "tests/models/mlp.onnx", "-o", artifact}), 0);
  ASSERT_EQ(run({"run", artifact, "--expect", "tests/models/mlp.onnx.safetensors"}), 0);
  expect_cuts_refused(artifact, "run");
  expect_cuts_refused(artifact, "inspect");
}

TEST_F(BadInput, WrongCommandLine) {
  EXPECT_EQ(run({}), kUsage);
  EXPECT_EQ(run({"complie"}), kUsage);
  EXPECT_EQ(run({"run", "tests/models/mlp.onnx", "--dim", "batch"}), kUsage);
  EXPECT_EQ(run({"run", "tests/models/mlp.onnx", "--input", "z=zeros"}), kUsage);
}

TEST_F(BadInput, WeightsOfAnotherModel) {
  EXPECT_EQ(
      run({"compile", "tests/models/mlp.py", "--weights", "tests/models/mlp.py.safetensors", "-o", path("m.sunmao")}),
      kFailure);
}

}  // namespace
}  // namespace sunmao::cli
