// The exact messages for files of states that do not fit.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/safetensors.h"
#include "io/write_file.h"
#include "tests/unit/runtime/run_states.h"
#include "tests/unit/runtime/whole_message.h"

namespace sunmao::runtime::testing {
namespace {

using Tensors = std::vector<io::StoredTensor>;

class StateFileMessages : public RunStates {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

  std::string loaded() {
    sunmao_session_load(session_.get(), path_.c_str(), &error_);
    return whole(error_);
  }
  std::string with(const Tensors& tensors, const io::StringPairs& metadata = {}) {
    EXPECT_TRUE(io::write_file_atomically(path_, *io::write_safetensors(tensors, metadata)).ok());
    return loaded();
  }
  /// A tensor of bytes that are zero, in which each element has 4.
  static io::StoredTensor tensor(const char* name, std::vector<int64_t> shape, abi::ElementType type = kFloat32) {
    size_t bytes = 4;
    for (const int64_t size : shape) bytes *= static_cast<size_t>(size);
    return {name, type, std::move(shape), io::Bytes::from(std::string(bytes, '\0'))};
  }
  static std::string message(const std::string& path, const std::string& problem) {
    return "E0926 `" + path + "`: " + problem + "; load a file that was saved by a session of this model";
  }

  const std::string path_ =
      ::testing::TempDir() + "sunmao_state_messages_" + std::to_string(::getpid()) + ".safetensors";
};

TEST_F(StateFileMessages, E0926_tensors) {
  const io::StoredTensor sum = tensor("sum", {3}), row = tensor("row", {3}), grown = tensor("grown", {2});
  ASSERT_EQ(with({sum, row, grown}), "ok");
  const std::pair<Tensors, const char*> all[] = {
      {{sum, row}, "it has no tensor for the state `grown`"},
      {{sum, row, grown, tensor("x", {1})}, "the model has no state for its tensor `x`"},
      {{tensor("sum", {1, 3}), row, grown}, "`sum` has the shape (1, 3), expected rank 1"},
      {{tensor("sum", {3}, {0, 32, 1}), row, grown}, "`sum` is int32 (3) there, float32 (3) in the model"},
      {{sum, tensor("row", {4}), grown}, "state `row` has 4 on axis 0, expected 3"},
      {{sum, row, tensor("grown", {65})}, "state `grown` has 65 on axis 0, expected 0 to 64"},
  };
  for (const auto& [tensors, problem] : all) EXPECT_EQ(with(tensors), message(path_, problem));
}

TEST_F(StateFileMessages, E0926_metadata) {
  const Tensors fitting = {tensor("sum", {3}), tensor("row", {3}), tensor("grown", {2})};
  EXPECT_EQ(with(fitting, {{"sunmao.sha256", "0"}}),
            message(path_, "its SHA-256 is not that of its tensors: the file was changed or damaged"));
  for (const char* shape : {"3,", "-3", "99999999999999999999", "x"})
    EXPECT_EQ(with(fitting, {{"sunmao.shape.sum", shape}}),
              message(path_, "the shape of `sum` is `" + std::string(shape) + "`, which is none"));
  EXPECT_EQ(with(fitting, {{"sunmao.shape.sum", "9223372036854775807"}}),
            message(path_, "`sum` has the shape (9223372036854775807), which is none"));
  EXPECT_EQ(with(fitting, {{"sunmao.shape.sum", "2"}}),
            message(path_, "`sum` is float32 (3) there, float32 (2) in the model"));
}

TEST_F(StateFileMessages, E0801_and_E0830_of_other_files) {
  EXPECT_EQ(loaded(), "E0801 cannot open `" + path_ +
                          "`: No such file or directory; check the path; it is relative to the current folder");
  std::ofstream(path_) << "abc";
  EXPECT_EQ(loaded(), "E0830 `" + path_ +
                          "`: safetensors: the file has 3 bytes; a length of 8 comes first; the file is no "
                          "safetensors file, or was cut short");
}

}  // namespace
}  // namespace sunmao::runtime::testing
