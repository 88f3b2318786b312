// Loading artifacts: valid ones through each function, and damaged ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "io/safetensors.h"
#include "tests/unit/runtime/handles.h"

namespace sunmao::runtime::testing {
namespace {

using ::testing::HasSubstr;

/// A file that is deleted with its owner.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content) {
    const int fd = ::mkstemp(path_.data());
    EXPECT_GE(fd, 0);
    EXPECT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(fd);
  }
  ~TemporaryFile() { ::unlink(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_ = ::testing::TempDir() + "sunmao_load_XXXXXX";
};

std::string failure(const ArtifactParts& parts, sunmao_error* error, const sunmao_load_options* options = nullptr) {
  const std::string artifact = make_artifact(parts);
  EXPECT_FALSE(load(artifact, error, options));
  return error->code;
}

float run_main(const ModelHandle& model) {
  const SessionHandle session = open(model);
  Floats x({1, 3});
  const DLTensor input = x.tensor();
  DLTensor outputs[2] = {};
  sunmao_error error = {};
  EXPECT_EQ(sunmao_run(session.get(), "main", &input, 1, outputs, 2, &error), 0) << error.message;
  return outputs[1].data ? values(outputs[1])[2] : -1;
}

TEST(Load, from_a_file) {
  const TemporaryFile file(make_artifact());
  sunmao_error error = {};
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.verify_weights = 1;
  options.threads = 1;
  sunmao_model* model = nullptr;
  ASSERT_EQ(sunmao_load(file.path(), &options, &model, &error), 0) << error.message;
  const ModelHandle owner(model);
  EXPECT_STREQ(sunmao_model_isa(model), "x86-64");
  EXPECT_THAT(sunmao_model_manifest(model), HasSubstr("sunmao tests"));
  EXPECT_EQ(run_main(owner), 30);
}

TEST(Load, from_memory_at_any_alignment) {
  const std::string artifact = make_artifact();
  for (size_t shift = 0; shift < 65; shift += 13) {
    std::vector<char> memory(artifact.size() + 65);
    std::memcpy(memory.data() + shift, artifact.data(), artifact.size());
    sunmao_model* model = nullptr;
    sunmao_error error = {};
    ASSERT_EQ(sunmao_load_memory(memory.data() + shift, artifact.size(), nullptr, &model, &error), 0) << error.message;
    EXPECT_EQ(run_main(ModelHandle(model)), 30);
  }
}

TEST(Load, code_that_is_not_page_aligned_is_copied) {
  ArtifactParts parts;
  parts.code_alignment = 64;
  const TemporaryFile file(make_artifact(parts));
  sunmao_model* model = nullptr;
  sunmao_error error = {};
  ASSERT_EQ(sunmao_load(file.path(), nullptr, &model, &error), 0) << error.message;
  EXPECT_EQ(run_main(ModelHandle(model)), 30);
}

TEST(Load, options_of_an_older_program) {
  const std::string artifact = make_artifact();
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.struct_size = offsetof(sunmao_load_options, isa);
  options.isa = "beyond what the older program knows";
  EXPECT_TRUE(load(artifact, nullptr, &options));
}

TEST(Load, a_missing_file) {
  sunmao_model* model = nullptr;
  sunmao_error error = {};
  EXPECT_NE(sunmao_load("no/such/model.sunmao", nullptr, &model, &error), 0);
  EXPECT_EQ(model, nullptr);
  EXPECT_STREQ(error.code, "E0801");
}

TEST(Load, E0850_manifests) {
  const std::string right = make_manifest({});
  const auto replaced = [&](const std::string& from, const std::string& to) {
    ArtifactParts parts;
    parts.manifest = right;
    const size_t at = parts.manifest.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    parts.manifest.replace(at, from.size(), to);
    return parts;
  };
  sunmao_error error = {};
  EXPECT_EQ(failure(replaced("\"program\"", "\"prog\""), &error), "E0850");
  EXPECT_THAT(error.message, HasSubstr("`program.sha256`"));
  EXPECT_EQ(failure(replaced("\"requires\"", "\"needs\""), &error), "E0850");
  EXPECT_EQ(failure(replaced("\"x86-64\"", "\"../x\""), &error), "E0850");
  EXPECT_EQ(failure(replaced("\"sse2\"", "2"), &error), "E0850");
  EXPECT_EQ(failure(replaced("\"code\": [", "\"code\": 1, \"x\": ["), &error), "E0850");
  ArtifactParts list;
  list.manifest = "[]";
  EXPECT_EQ(failure(list, &error), "E0850");
}

TEST(Load, E0851_other_versions) {
  ArtifactParts parts;
  parts.manifest = make_manifest({});
  parts.manifest.replace(parts.manifest.find("\"format\": 1"), 11, "\"format\": 2");
  sunmao_error error = {};
  EXPECT_EQ(failure(parts, &error), "E0851");
  EXPECT_THAT(error.message, HasSubstr("`format` is 2, this runtime reads 1"));
  ArtifactParts newer;
  newer.program[4] = 9;
  EXPECT_EQ(failure(newer, &error), "E0851");
  ArtifactParts unpacked;
  unpacked.program[4] = 1;  // an element of less than a byte took a byte
  EXPECT_EQ(failure(unpacked, &error), "E0851");
}

TEST(Load, E0852_digests) {
  sunmao_error error = {};
  ArtifactParts parts;
  parts.manifest = make_manifest(parts);
  parts.program.back() ^= 1;
  EXPECT_EQ(failure(parts, &error), "E0852");
  EXPECT_THAT(error.message, HasSubstr("`program.bin`"));
  parts = {};
  parts.manifest = make_manifest(parts);
  parts.code[0].bytes.back() ^= 1;
  EXPECT_EQ(failure(parts, &error), "E0852");
  EXPECT_THAT(error.message, HasSubstr("`code/x86-64`"));
  parts = {};
  parts.manifest = make_manifest(parts);
  parts.weights.back() ^= 1;
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.verify_weights = 1;
  EXPECT_EQ(failure(parts, &error, &options), "E0852");
  EXPECT_THAT(error.message, HasSubstr("`weights.safetensors`"));
}

TEST(Load, E0853_missing_entries) {
  sunmao_error error = {};
  for (const char* entry : {"manifest.json", "program.bin", "code/x86-64"}) {
    ArtifactParts parts;
    parts.left_out = entry;
    EXPECT_EQ(failure(parts, &error), "E0853");
    EXPECT_THAT(error.message, HasSubstr(entry));
  }
}

TEST(Load, E0856_a_processor_that_lacks_something) {
  ArtifactParts parts;
  parts.code[0].requires_features = {"sse2", "warp-drive"};
  sunmao_error error = {};
  EXPECT_EQ(failure(parts, &error), "E0856");
  EXPECT_THAT(error.message, HasSubstr("`x86-64` needs what this processor lacks: `warp-drive`"));
  parts.code.clear();
  EXPECT_EQ(failure(parts, &error), "E0856");
}

TEST(Load, the_best_image_that_fits_is_used_whatever_the_order) {
  ArtifactParts parts;
  parts.code = {{"second", {}, tiny_code()},
                {"future", {"sse2", "cmov", "warp-drive"}, tiny_code()},
                {"best", {"cmov", "sse2"}, tiny_code()},
                {"equal", {"cx8", "sse2"}, tiny_code()},
                {"third", {"sse2"}, tiny_code()}};
  const std::string artifact = make_artifact(parts);
  EXPECT_STREQ(sunmao_model_isa(load(artifact).get()), "best");
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.isa = "second";
  EXPECT_STREQ(sunmao_model_isa(load(artifact, nullptr, &options).get()), "second");
  options.isa = "future";
  sunmao_error error = {};
  EXPECT_FALSE(load(artifact, &error, &options));
  EXPECT_STREQ(error.code, "E0856");
}

TEST(Load, E0861_an_image_that_is_not_there) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.isa = "x86-64-v9";
  sunmao_error error = {};
  EXPECT_EQ(failure({}, &error, &options), "E0861");
  EXPECT_THAT(error.help, HasSubstr("`x86-64`"));
}

TEST(Load, E0860_weights_of_another_model) {
  const float data[4] = {1, 2, 3, 4};
  const auto weights = [&](const char* name, abi::ElementType type, std::vector<int64_t> shape) {
    const auto bytes = std::as_bytes(std::span<const float>(data, static_cast<size_t>(shape[0])));
    io::Result<io::Chunks> chunks = io::write_safetensors({{name, type, shape, io::Bytes::copy_of(bytes)}});
    const std::string text(io::join(*chunks).text());
    ArtifactParts parts;
    parts.weights.assign(text.begin(), text.end());
    return parts;
  };
  sunmao_error error = {};
  EXPECT_EQ(failure(weights("bias", kFloat32, {3}), &error), "E0860");
  EXPECT_THAT(error.message, HasSubstr("there is no `row`, expected float32 (3)"));
  EXPECT_EQ(failure(weights("row", kFloat32, {4}), &error), "E0860");
  EXPECT_THAT(error.message, HasSubstr("`row` is float32 (4), expected float32 (3)"));
  EXPECT_EQ(failure(weights("row", {0, 32, 1}, {3}), &error), "E0860");
  EXPECT_THAT(error.message, HasSubstr("`row` is int32 (3)"));
}

TEST(Load, E0862_no_weights_and_weights_from_a_file) {
  ArtifactParts parts;
  parts.weights.clear();
  sunmao_error error = {};
  EXPECT_EQ(failure(parts, &error), "E0862");
  const std::vector<uint8_t> weights = tiny_weights();
  const TemporaryFile file(std::string(weights.begin(), weights.end()));
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.weights_path = file.path();
  const std::string artifact = make_artifact(parts);
  EXPECT_EQ(run_main(load(artifact, &error, &options)), 30) << error.message;
}

TEST(Load, E0914_a_model_without_code_can_be_looked_at) {
  ArtifactParts parts;
  parts.code.clear();
  parts.weights.clear();
  const std::string artifact = make_artifact(parts);
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  sunmao_error error = {};
  const ModelHandle model = load(artifact, &error, &options);
  ASSERT_TRUE(model) << error.message;
  EXPECT_EQ(sunmao_function_count(model.get()), 6u);
  sunmao_session* session = nullptr;
  EXPECT_NE(sunmao_session_create(model.get(), &session, &error), 0);
  EXPECT_STREQ(error.code, "E0914");
}

TEST(Load, an_artifact_cut_at_every_length_is_an_error) {
  ArtifactParts parts;
  parts.code_alignment = 64;
  const std::string artifact = make_artifact(parts);
  for (size_t size = 0; size < artifact.size(); ++size) {
    // The copy has exactly `size` bytes, so that sanitizers detect a read beyond its end.
    const std::vector<char> cut(artifact.begin(), artifact.begin() + static_cast<std::ptrdiff_t>(size));
    sunmao_model* model = nullptr;
    sunmao_error error = {};
    const char nothing = 0;
    EXPECT_NE(sunmao_load_memory(size ? cut.data() : &nothing, size, nullptr, &model, &error), 0) << size;
    EXPECT_EQ(error.code[0], 'E') << size;
  }
}

TEST(Load, a_file_cut_at_a_page_is_an_error) {
  const std::string artifact = make_artifact();
  for (size_t size = 0; size < artifact.size(); size += 1024) {
    const TemporaryFile file(artifact.substr(0, size));
    sunmao_model* model = nullptr;
    EXPECT_NE(sunmao_load(file.path(), nullptr, &model, nullptr), 0) << size;
  }
}

TEST(Load, flipped_bytes_never_crash) {
  ArtifactParts parts;
  parts.code_alignment = 64;
  const std::string artifact = make_artifact(parts);
  std::mt19937 random(1);
  for (int round = 0; round < 4000; ++round) {
    std::string damaged = artifact;
    for (auto flips = random() % 3 + 1; flips > 0; --flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(random() % 255 + 1);
    sunmao_error error = {};
    const ModelHandle model = load(damaged, &error);
    if (model)
      EXPECT_EQ(sunmao_function_count(model.get()), 6u);  // the damage is in padding, entry names or weights
    else
      EXPECT_EQ(error.code[0], 'E');
  }
}

}  // namespace
}  // namespace sunmao::runtime::testing
