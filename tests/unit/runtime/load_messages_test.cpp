// The exact messages of loads that fail.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "abi/kernel.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "tests/unit/runtime/handles.h"
#include "tests/unit/runtime/sizes_program.h"
#include "tests/unit/runtime/whole_message.h"

namespace sunmao::runtime::testing {
namespace {

std::string message_of(const ArtifactParts& parts, const sunmao_load_options* options = nullptr) {
  const std::string artifact = make_artifact(parts);
  sunmao_error error = {};
  EXPECT_FALSE(load(artifact, &error, options));
  return whole(error);
}

std::string message_of_file(const char* path) {
  sunmao_model* model = nullptr;
  sunmao_error error = {};
  EXPECT_NE(sunmao_load(path, nullptr, &model, &error), 0);
  return whole(error);
}

/// Returns the message for a manifest with another text in place of `from`.
std::string message_with(const std::string& from, const std::string& to) {
  ArtifactParts parts;
  parts.manifest = make_manifest({});
  const size_t at = parts.manifest.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  parts.manifest.replace(at, from.size(), to);
  return message_of(parts);
}

/// Returns the message for the tiny program after a change.
std::string message_of_program(const std::function<void(std::vector<uint8_t>&)>& change) {
  ArtifactParts parts;
  change(parts.program);
  return message_of(parts);
}

TEST(LoadMessages, of_files) {
  EXPECT_EQ(message_of_file("no/such/model.sunmao"),
            "E0801 cannot open `no/such/model.sunmao`: No such file or directory; check the path; it is relative to "
            "the current folder");
  EXPECT_EQ(message_of_file("tests"),
            "E0802 `tests` is not a regular file; give a file, not a folder, a pipe or a device");
  EXPECT_EQ(message_of_file("README.md"),
            "E0810 `README.md`: not a zip archive, or its end is missing; a download or copy may have stopped early; "
            "compare the size with the original's");
  sunmao_error error = {};
  EXPECT_FALSE(load("PK", &error));
  EXPECT_EQ(whole(error),
            "E0810 not a zip archive, or its end is missing; a download or copy may have stopped early; compare the "
            "size with the original's");
}

TEST(LoadMessages, E0850_keys_of_manifests) {
  const std::pair<const char*, const char*> changes[] = {{"\"program\"", "\"prog\""},
                                                         {"\"requires\"", "\"needs\""},
                                                         {"\"x86-64\"", "\"../x\""},
                                                         {"\"sse2\"", "2"},
                                                         {"\"code\": [", "\"code\": 1, \"x\": ["},
                                                         {"\"code\": [", "\"ops\": [1], \"code\": ["},
                                                         {"\"format\": 1", "\"format\": \"1\""}};
  const char* const messages[] = {"`program.sha256` is missing or is not 64 lower-case hexadecimal digits",
                                  "`code[0].requires` is missing or is not a list",
                                  "`code[0].isa` is missing or is not a name",
                                  "`code[0].requires` is missing or is not a list of strings",
                                  "`code` is missing or is not a list",
                                  "`ops` is missing or is not a list of names",
                                  "`format` is missing or is not an integer"};
  for (size_t i = 0; i < std::size(changes); ++i)
    EXPECT_EQ(message_with(changes[i].first, changes[i].second),
              std::string("E0850 manifest.json: ") + messages[i] +
                  "; the file is damaged or was not written by Sunmao; docs/artifact.md lists the keys");
  ArtifactParts list;
  list.manifest = "[]";
  EXPECT_EQ(message_of(list),
            "E0850 manifest.json: `` is missing or is not an object; the file is damaged or was not written by Sunmao; "
            "docs/artifact.md lists the keys");
}

TEST(LoadMessages, E0850_ops_that_the_program_does_not_call) {
  EXPECT_EQ(
      message_with("\"code\": [", "\"ops\": [\"gate\"], \"code\": ["),
      "E0850 manifest.json: `ops` names `gate`, which the program does not call as an op; the file is damaged or was "
      "not written by Sunmao; compile the model again");
}

TEST(LoadMessages, E0851_versions) {
  EXPECT_EQ(message_with("\"format\": 1", "\"format\": 2"),
            "E0851 manifest.json: `format` is 2, this runtime reads 1; compile the model with the Sunmao that this "
            "runtime belongs to");
  EXPECT_EQ(message_with("\"kernel_abi\": 1", "\"kernel_abi\": 99"),
            "E0851 manifest.json: `kernel_abi` is 99, this runtime reads " + std::to_string(SUNMAO_KERNEL_ABI) +
                "; compile the model with the Sunmao that this runtime belongs to");
  EXPECT_EQ(message_of_program([](auto& p) { p[4] = 99; }),
            "E0851 program: bytecode version 99, this runtime reads versions 2 to " +
                std::to_string(abi::kBytecodeVersion) +
                "; compile the model with the Sunmao that this runtime belongs to");
}

TEST(LoadMessages, E0852_and_E0853_entries) {
  const auto digest = [](const std::vector<uint8_t>& bytes) {
    return io::to_hex(io::sha256(std::as_bytes(std::span<const uint8_t>(bytes))));
  };
  ArtifactParts parts;
  const std::string before = digest(parts.program);
  parts.manifest = make_manifest(parts);
  parts.program.back() ^= 1;
  EXPECT_EQ(message_of(parts), "E0852 `program.bin`: its SHA-256 is " + digest(parts.program) +
                                   ", manifest.json says " + before +
                                   "; the file was changed or damaged after it was written; copy or compile it again");
  for (const char* entry : {"manifest.json", "program.bin", "code/x86-64"}) {
    ArtifactParts less;
    less.left_out = entry;
    EXPECT_EQ(message_of(less), std::string("E0853 the artifact has no entry `") + entry +
                                    "`; the file is no Sunmao artifact, or an entry was taken out of it");
  }
}

TEST(LoadMessages, E0854_programs) {
  const std::string help = "; the file is damaged or was not written by Sunmao; compile the model again";
  const std::string size = std::to_string(tiny_program().size());
  EXPECT_EQ(message_of_program([](auto& p) { p.resize(10); }),
            "E0854 program: 10 bytes cannot be a program; the file is damaged or was not written by Sunmao; compile "
            "the model again");
  EXPECT_EQ(message_of_program([](auto& p) { p[0] ^= 1; }),
            "E0854 program: this is no Sunmao bytecode (wrong magic number); the file is damaged or was not written by "
            "Sunmao; compile the model again");
  EXPECT_EQ(message_of_program([](auto& p) { p.push_back(0); }), "E0854 program: the file has " +
                                                                     std::to_string(tiny_program().size() + 1) +
                                                                     " bytes, its header says " + size + help);
  const auto with_header = [](uint32_t abi::ProgramHeader::* field) {
    return message_of_program([field](auto& p) {
      abi::ProgramHeader header;
      std::memcpy(&header, p.data(), sizeof(header));
      header.*field = 0x7ffffff8;
      std::memcpy(p.data(), &header, sizeof(header));
    });
  };
  using Header = abi::ProgramHeader;
  const std::pair<uint32_t Header::*, const char*> sections[] = {
      {&Header::function_offset, "functions"}, {&Header::value_offset, "values"},   {&Header::weight_offset, "weights"},
      {&Header::kernel_offset, "kernels"},     {&Header::dim_offset, "dims"},       {&Header::word_offset, "words"},
      {&Header::string_offset, "strings"},     {&Header::written_offset, "written"}};
  for (const auto& [offset, name] : sections)
    EXPECT_EQ(with_header(offset),
              std::string("E0854 program: section `") + name + "` does not lie inside the file" + help);
  EXPECT_EQ(message_of_program([](auto& p) {
              abi::ProgramHeader header;
              std::memcpy(&header, p.data(), sizeof(header));
              --header.written_count;
              std::memcpy(p.data(), &header, sizeof(header));
            }),
            "E0854 program: section `written` does not say of each kernel which buffers it writes" + help);
  EXPECT_EQ(with_header(&Header::inner_function_count),
            "E0854 program: 2147483640 inner functions of 11; the file is damaged or was not written by Sunmao; "
            "compile the model again");
}

TEST(LoadMessages, code) {
  ArtifactParts parts;
  parts.code[0].requires_features = {"sse2", "warp-drive"};
  EXPECT_EQ(message_of(parts),
            "E0856 the code for `x86-64` needs what this processor lacks: `warp-drive`; compile the model for this "
            "machine (`--target`)");
  parts.code.clear();
  sunmao_load_options other = SUNMAO_LOAD_OPTIONS_INIT;
  other.isa = "x86-64-v9";
  EXPECT_EQ(message_of(parts, &other), "E0861 the artifact has no code for `x86-64-v9`; it has none at all");
  EXPECT_EQ(message_of(parts),
            "E0856 the artifact has no code at all; compile the model for this machine (`--target`)");
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.isa = "x86-64-v9";
  EXPECT_EQ(message_of({}, &options), "E0861 the artifact has no code for `x86-64-v9`; it has `x86-64`");
  abi::ProgramBuilder none;
  none.begin_function("f", {}, {});
  none.emit(abi::Opcode::Layout);
  none.emit(abi::Opcode::Return);
  EXPECT_EQ(message_of({.program = none.finish(), .weights = {}}),
            "E0858 code image: 4 kernels, the program has 0; program and code are of different models; compile the "
            "model again");
}

TEST(LoadMessages, weights) {
  EXPECT_EQ(message_of({.weights = {}}),
            "E0862 the artifact was made without weights; give a safetensors file with the weights when loading it");
  const float data[4] = {1, 2, 3, 4};
  const auto file = [&](const char* name, int64_t size) {
    const auto bytes = std::as_bytes(std::span<const float>(data, static_cast<size_t>(size)));
    const io::Chunks chunks = *io::write_safetensors({{name, kFloat32, {size}, io::Bytes::borrowed(bytes)}});
    const std::string text(io::join(chunks).text());
    return std::vector<uint8_t>(text.begin(), text.end());
  };
  EXPECT_EQ(message_of({.weights = file("bias", 3)}),
            "E0860 weights: there is no `row`, expected float32 (3); these are the weights of another model, or of "
            "another version of this one");
  EXPECT_EQ(message_of({.weights = file("row", 4)}),
            "E0860 weights: `row` is float32 (4), expected float32 (3); these are the weights of another model, or of "
            "another version of this one");
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.weights_path = "no/such/weights";
  EXPECT_EQ(message_of({}, &options),
            "E0801 cannot open `no/such/weights`: No such file or directory; check the path; it is relative to the "
            "current folder");
  const std::string path = ::testing::TempDir() + "sunmao_load_messages_" + std::to_string(::getpid());
  options.weights_path = path.c_str();
  std::ofstream(path, std::ios::binary) << "abc";
  EXPECT_EQ(message_of({}, &options), "E0830 `" + path +
                                          "`: safetensors: the file has 3 bytes; a length of 8 comes first; the file "
                                          "is no safetensors file, or was cut short");
  const std::vector<uint8_t> row = tiny_weights();
  std::ofstream(path, std::ios::binary) << std::string(row.begin(), row.end());
  EXPECT_EQ(message_of({.program = head_and_parts(follow, chain), .weights = {}}, &options),
            "E0863 the artifact takes no weights from `" + path +
                "`; its functions take them as arguments, or have none; load it without");
  std::remove(path.c_str());
  options.weights_path = nullptr;
  options.cache_folder = "no/such/folder";
  EXPECT_EQ(message_of({.program = preparing_program()}, &options),
            "E0804 prepared weights cannot be kept in `no/such/folder`: it is no folder; make the folder first, or "
            "load without a cache");
}

TEST(LoadMessages, threads) {
  ::setenv("SUNMAO_NUM_THREADS", "many", 1);
  EXPECT_EQ(message_of({}),
            "E0920 SUNMAO_NUM_THREADS is `many`, expected a number from 1 to 256; set it to the number of threads that "
            "a run may use, or unset it");
  ::unsetenv("SUNMAO_NUM_THREADS");
}

}  // namespace
}  // namespace sunmao::runtime::testing
