#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "io/file_descriptor.h"
#include "io/mapped_file.h"
#include "io/output_file.h"
#include "io/write_file.h"

namespace sunmao::io {
namespace {

namespace fs = std::filesystem;

/// Provides an empty folder for each test and removes it afterwards.
class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "sunmao-io-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  std::string get(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  size_t file_count() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(FileTest, SliceKeepsTheMappingAlive) {
  put("a", "hello mapped world");
  Bytes slice;
  {
    Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path("a"));
    ASSERT_TRUE(file.ok());
    slice = bytes_of(*file).slice(6, 6);
    EXPECT_EQ((*file)->offset_of(slice.span()), 6u);
    EXPECT_EQ((*file)->offset_of(as_bytes("elsewhere")), std::nullopt);
    EXPECT_GE((*file)->fd(), 0);
  }
  fs::remove(path("a"));
  EXPECT_EQ(slice.text(), "mapped");
}

TEST_F(FileTest, EmptyFileMapsToNothing) {
  put("empty", "");
  const Result<Bytes> bytes = map_file(path("empty"));
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(bytes->empty());
}

TEST_F(FileTest, E0801MissingFile) {
  const Result<Bytes> bytes = map_file(path("nowhere"));
  EXPECT_STREQ(bytes.code(), "E0801");
  EXPECT_NE(bytes.status().message().find("nowhere"), std::string::npos);
}

TEST_F(FileTest, E0802FolderAndPipeAreNoFiles) {
  EXPECT_STREQ(map_file(folder_.string()).code(), "E0802");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_STREQ(map_file(path("pipe")).code(), "E0802") << "and opening it does not wait for a writer";
}

TEST_F(FileTest, E0803WhatCannotBeMapped) {
  const int fd = open(path("write-only").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(write(fd, "x", 1), 1);
  EXPECT_STREQ(MappedFile::map(FileDescriptor(fd), "write-only").code(), "E0803");
}

TEST_F(FileTest, E0910NoMemoryToMapAFile) {
  put("large", "");
  constexpr rlim_t kMore = rlim_t{64} << 20;
  ASSERT_EQ(truncate(path("large").c_str(), 2 * kMore), 0);
  rlim_t pages = 0;
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  const rlimit tight{pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + kMore, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const Result<Bytes> bytes = map_file(path("large"));
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_STREQ(bytes.code(), "E0910");
  EXPECT_NE(bytes.status().message().find("large"), std::string::npos);
}

TEST_F(FileTest, WriteReplacesTheWholeFileAndLeavesNothingElse) {
  put("model", "old and longer");
  ASSERT_EQ(chmod(path("model").c_str(), 0640), 0);
  Chunks chunks = {Bytes::from(std::string("new ")), Bytes::from(std::string("text"))};
  append_zeros(chunks, 5000);
  ASSERT_TRUE(write_file_atomically(path("model"), chunks).ok());
  EXPECT_EQ(get("model"), "new text" + std::string(5000, '\0'));
  EXPECT_EQ(fs::status(path("model")).permissions(), fs::perms(0640));
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(FileTest, MappingOutlivesReplacement) {
  put("model", "first");
  const Result<Bytes> before = map_file(path("model"));
  ASSERT_TRUE(write_file_atomically(path("model"), {Bytes::from(std::string("second"))}).ok());
  EXPECT_EQ(before->text(), "first");
  EXPECT_EQ(map_file(path("model"))->text(), "second");
}

TEST_F(FileTest, WriteFollowsALink) {
  put("target", "old");
  fs::create_symlink("target", path("link"));
  ASSERT_TRUE(write_file_atomically(path("link"), {Bytes::from(std::string("new"))}).ok());
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(get("target"), "new");
}

TEST_F(FileTest, E0804FailedWriteKeepsTheOldFile) {
  EXPECT_STREQ(write_file_atomically(path("missing/model"), {}).code(), "E0804");
  put("model", "old");
  // Writing from an unmapped address fails in the kernel, half way through the file.
  const std::byte* nowhere = nullptr;
  const Chunks chunks = {Bytes::from(std::string("new")), Bytes::borrowed({nowhere, 4096})};
  EXPECT_STREQ(write_file_atomically(path("model"), chunks).code(), "E0804");
  EXPECT_EQ(get("model"), "old");
  EXPECT_EQ(file_count(), 1u);
}

TEST_F(FileTest, a_large_file_is_the_same_as_a_small_one) {
  std::string text;
  for (size_t i = 0; i < 10'000'000; ++i) text += static_cast<char>('a' + i * 7 % 26 + i / 4096 % 3);
  for (const uint64_t size : {uint64_t{0}, UINT64_MAX}) {
    Result<OutputFile> file = OutputFile::create(path("large"), {.size = size});
    ASSERT_TRUE(file.ok());
    // In pieces that end anywhere; the beginning comes last.
    uint64_t offset = 100;
    for (const uint64_t end : {uint64_t{5000}, uint64_t{8192}, uint64_t{9'000'001}, uint64_t{text.size()}}) {
      ASSERT_TRUE(file->write_at(offset, as_bytes(text).subspan(offset, end - offset)).ok());
      offset = end;
    }
    ASSERT_TRUE(file->write_at(0, as_bytes(text).first(100)).ok());
    EXPECT_STREQ(map_file(path("large")).code(), "E0801") << "it is not there before the end";
    ASSERT_TRUE(file->commit({.sync = false}).ok());
    EXPECT_EQ(map_file(path("large"))->text(), text);
    std::filesystem::remove(path("large"));
  }
}

TEST_F(FileTest, a_file_that_is_not_committed_is_gone) {
  {
    Result<OutputFile> file = OutputFile::create(path("never"));
    ASSERT_TRUE(file.ok());
    ASSERT_TRUE(file->write_at(0, as_bytes("text")).ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(FileTest, files_that_belong_together_are_written_together) {
  put("old", "before");
  const std::vector<FileContents> files{{path("old"), {Bytes::from(std::string("one"))}},
                                        {path("new"), {Bytes::from(std::string("two"))}}};
  ASSERT_TRUE(write_files_atomically(files).ok());
  EXPECT_EQ(get("old") + get("new"), "onetwo");
  EXPECT_EQ(file_count(), 2U);
}

TEST_F(FileTest, E0804OfTwoFilesNoneIsWrittenWithoutTheOther) {
  put("old", "before");
  const std::vector<FileContents> files{{path("old"), {Bytes::from(std::string("one"))}},
                                        {path("missing/new"), {Bytes::from(std::string("two"))}}};
  EXPECT_STREQ(write_files_atomically(files).code(), "E0804");
  EXPECT_EQ(get("old"), "before");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(FileTest, E0804FilesBeforeOneThatCannotTakeItsPlaceGiveTheirsBack) {
  put("old", "before");
  ASSERT_EQ(chmod(path("old").c_str(), 0640), 0);
  std::vector<OutputFile> files;
  for (const char* name : {"old", "new", "blocked", "behind"}) {
    Result<OutputFile> file = OutputFile::create(path(name));
    ASSERT_TRUE(file.ok() && file->write_at(0, as_bytes("text")).ok());
    files.push_back(file.take());
  }
  fs::create_directories(folder_ / "blocked" / "inside");
  const Status status = OutputFile::commit_together(files);
  EXPECT_STREQ(status.code(), "E0804");
  EXPECT_NE(status.message().find("blocked"), std::string::npos);
  files.clear();
  EXPECT_EQ(get("old"), "before");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms(0640));
  EXPECT_EQ(file_count(), 2U) << "the old file, and the folder in the way";
}

TEST_F(FileTest, unfinished_files_can_be_removed) {
  put("old", "before");
  Result<OutputFile> first = OutputFile::create(path("old"));
  ASSERT_TRUE(first.ok() && first->write_at(0, as_bytes("text")).ok());
  Result<OutputFile> second = OutputFile::create(path("done"));
  ASSERT_TRUE(second.ok() && second->commit({.sync = false}).ok());
  {
    const Result<OutputFile> gone = OutputFile::create(path("gone"));
    ASSERT_TRUE(gone.ok());
  }
  EXPECT_EQ(file_count(), 3U);
  remove_unfinished_files();
  EXPECT_EQ(file_count(), 2U);
  EXPECT_EQ(get("old"), "before");
  EXPECT_TRUE(fs::exists(path("done")));
}

TEST_F(FileTest, more_files_than_are_noted_can_be_written) {
  std::vector<OutputFile> files;
  for (int i = 0; i < 100; ++i) {
    Result<OutputFile> file = OutputFile::create(path(std::to_string(i)));
    ASSERT_TRUE(file.ok());
    files.push_back(file.take());
  }
  for (OutputFile& file : files) ASSERT_TRUE(file.commit({.sync = false}).ok());
  remove_unfinished_files();
  EXPECT_EQ(file_count(), 100U);
}

TEST_F(FileTest, E0802WriteOverAFolder) { EXPECT_STREQ(write_file_atomically(folder_.string(), {}).code(), "E0802"); }

class OpenBeneath : public FileTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    FileTest::SetUp();
    fs::create_directories(folder_ / "model" / "data");
    put("secret", "secret");
    put("model/data/weights", "weights");
  }
  std::string open_code(const std::string& relative) const {
    return open_beneath(path("model"), relative, {.use_openat2 = GetParam()}).code();
  }
};

TEST_P(OpenBeneath, OpensPlainRelativePaths) {
  for (const char* name : {"data/weights", "./data/weights", "data//./weights"}) {
    Result<FileDescriptor> file = open_beneath(path("model"), name, {.use_openat2 = GetParam()});
    ASSERT_TRUE(file.ok()) << name << ": " << file.status().to_string();
    EXPECT_EQ(bytes_of(*MappedFile::map(file.take(), name)).text(), "weights");
  }
}

TEST_P(OpenBeneath, E0805PathsThatLeave) {
  EXPECT_EQ(open_code("../secret"), "E0805");
  EXPECT_EQ(open_code("data/../../secret"), "E0805");
  EXPECT_EQ(open_code("data/.."), "E0805");
  EXPECT_EQ(open_code(path("secret")), "E0805");
  EXPECT_EQ(open_code(""), "E0805");
  EXPECT_EQ(open_code(std::string("data/weights\0x", 14)), "E0805");
}

TEST_P(OpenBeneath, E0805Links) {
  fs::create_symlink("../secret", path("model/link"));
  fs::create_symlink(path("model/data/weights"), path("model/absolute"));
  fs::create_directory_symlink("..", path("model/up"));
  fs::create_symlink("round", path("model/round"));
  fs::create_symlink("up/secret", path("model/twice"));
  for (const char* name : {"link", "absolute", "up/secret", "round", "twice"})
    EXPECT_EQ(open_code(name), "E0805") << name;
}

TEST_P(OpenBeneath, LinksWithinTheFolder) {
  fs::create_symlink("data/weights", path("model/inner"));
  fs::create_directory_symlink("data", path("model/same"));
  fs::create_symlink("../inner", path("model/data/back"));
  for (const char* name : {"inner", "same/weights", "data/back", "same/back"}) EXPECT_EQ(open_code(name), "") << name;
}

TEST_P(OpenBeneath, LinksWithinTheCacheOfAHub) {
  fs::create_directories(folder_ / "hub" / "models--x" / "blobs");
  fs::create_directories(folder_ / "hub" / "models--x" / "snapshots" / "abc" / "onnx");
  put("hub/models--x/blobs/0123", "weights");
  put("hub/secret", "secret");
  const std::string snapshot = "hub/models--x/snapshots/abc";
  fs::create_symlink("../../blobs/0123", path(snapshot + "/data"));
  fs::create_symlink("../../../blobs/0123", path(snapshot + "/onnx/data"));
  fs::create_symlink("../../../secret", path(snapshot + "/out"));
  const auto code = [&](const std::string& folder, const char* name) {
    return std::string(open_beneath(path(folder), name, {.use_openat2 = GetParam()}).code());
  };
  EXPECT_EQ(code(snapshot, "data"), "");
  EXPECT_EQ(code(snapshot, "onnx/data"), "");
  EXPECT_EQ(code(snapshot + "/onnx", "data"), "");
  EXPECT_EQ(code(snapshot, "out"), "E0805");
  EXPECT_EQ(code(snapshot, "../../blobs/0123"), "E0805");
  fs::remove_all(folder_ / "hub" / "models--x" / "blobs");
  fs::create_directory_symlink("..", path("hub/models--x/blobs"));  // a link does not count as the folder of blobs
  fs::create_symlink("../../blobs/secret", path(snapshot + "/through"));
  EXPECT_EQ(code(snapshot, "through"), "E0805");
}

TEST_P(OpenBeneath, E0806HardLinks) {
  fs::create_hard_link(path("secret"), path("model/hard"));
  EXPECT_EQ(open_code("hard"), "E0806");
}

TEST_P(OpenBeneath, OtherThingsThatAreNoFile) {
  EXPECT_EQ(open_code("data"), "E0802");
  EXPECT_EQ(open_code("."), "E0802");
  EXPECT_EQ(open_code("nowhere"), "E0801");
  EXPECT_EQ(open_code("data/weights/below"), "E0801");
  EXPECT_STREQ(open_beneath(path("no-folder"), "x").code(), "E0801");
}

INSTANTIATE_TEST_SUITE_P(AtOnceAndStepByStep, OpenBeneath, testing::Bool());

}  // namespace
}  // namespace sunmao::io
