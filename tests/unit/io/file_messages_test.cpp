// The exact messages for files that cannot be read or written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/file_descriptor.h"
#include "io/mapped_file.h"
#include "io/write_file.h"
#include "tests/unit/failing_calls.h"

namespace sunmao::io {
namespace {

class FileMessages : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "sunmao_messages_XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    std::filesystem::create_directories(folder_ + "/model/data");
    std::ofstream(folder_ + "/model/weights") << "weights";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string beneath(const std::string& path) const {
    return open_beneath(folder_ + "/model", path).status().to_string();
  }
  static std::string written(const std::string& path, const Chunks& chunks = {}) {
    return write_file_atomically(path, chunks).to_string();
  }

  std::string folder_;
};

TEST_F(FileMessages, of_files_that_are_read) {
  EXPECT_EQ(map_file(folder_ + "/none").status().to_string(),
            "E0801: cannot open `" + folder_ +
                "/none`: No such file or directory; check the path; it is relative to "
                "the current folder");
  EXPECT_EQ(map_file(folder_ + "/model/weights/x").status().to_string(),
            "E0801: cannot open `" + folder_ + "/model/weights/x`: Not a directory");
  EXPECT_EQ(map_file(folder_).status().to_string(),
            "E0802: `" + folder_ + "` is not a regular file; give a file, not a folder, a pipe or a device");
  EXPECT_EQ(MappedFile::map(FileDescriptor(), "closed").status().to_string(),
            "E0801: cannot read `closed`: Bad file descriptor");
  const int fd = ::open((folder_ + "/model/weights").c_str(), O_WRONLY | O_CLOEXEC);
  EXPECT_EQ(MappedFile::map(FileDescriptor(fd), "write-only").status().to_string(),
            "E0803: cannot map `write-only` (7 bytes): Permission denied");
}

TEST_F(FileMessages, of_external_data) {
  const std::string help =
      "; external data must stand beside the model or below, under a relative path; links may lead to what is there, "
      "or into the folder `blobs` of a hub's cache";
  EXPECT_EQ(beneath(""), "E0805: external data `` has an empty path" + help);
  EXPECT_EQ(beneath(std::string("a\0b", 3)), "E0805: external data `a\\x00b` has a zero byte in its path" + help);
  EXPECT_EQ(beneath("/a"), "E0805: external data `/a` has an absolute path" + help);
  EXPECT_EQ(beneath("../a"), "E0805: external data `../a` has `..` in its path" + help);
  std::filesystem::create_symlink("../out", folder_ + "/model/link");
  EXPECT_EQ(beneath("link"),
            "E0805: external data `link` is a symbolic link that leads out of the model's folder" + help);
  EXPECT_EQ(beneath("data"), "E0802: external data `data` is not a regular file");
  EXPECT_EQ(beneath("none"), "E0801: cannot open `" + folder_ +
                                 "/model/none`: No such file or directory; check the "
                                 "path; it is relative to the current folder");
  std::filesystem::create_hard_link(folder_ + "/model/weights", folder_ + "/model/hard");
  EXPECT_EQ(beneath("hard"),
            "E0806: external data `hard` has 2 names (hard links); a hard link can stand for any file of the machine; "
            "make a real copy of it beside the model");
}

TEST_F(FileMessages, of_files_that_are_written) {
  EXPECT_EQ(written(folder_), "E0802: cannot write `" + folder_ + "`: it is there and is not a regular file");
  EXPECT_EQ(written(folder_ + "/none/x"),
            "E0804: cannot write `" + folder_ + "/none/x`: creating a file beside it: No such file or directory");
  const std::byte* nowhere = nullptr;  // the kernel finds no data there
  EXPECT_EQ(written(folder_ + "/x", {Bytes::borrowed({nowhere, 4096})}),
            "E0804: cannot write `" + folder_ + "/x`: writing: Bad address");
}

TEST_F(FileMessages, of_files_that_the_system_does_not_write) {
  const std::string path = folder_ + "/model/weights", before = "E0804: cannot write `" + path + "`: ";
  constexpr uint32_t kSize = 1 << 20;  // of what is written; the child tells about it in less
  const auto with = [&](uint32_t number, uint32_t error, uint32_t argument = 0, uint32_t mask = 0xffffffff) {
    const system_calls::FailingCall calls[] = {{number, error, argument, mask}};
    return system_calls::text_of_child(calls, [&] { return written(path, {Bytes::from(std::string(kSize, 'x'))}); });
  };
  if (with(SYS_fsync, EIO) == system_calls::kNoFilters) GTEST_SKIP() << system_calls::kNoFilters;
  EXPECT_EQ(with(SYS_pwrite64, ENOSPC, 2, kSize),
            before + "writing: No space left on device; free some space; what stood there before is unchanged");
  EXPECT_EQ(with(SYS_fchmod, EPERM), before + "setting permissions: Operation not permitted");
  EXPECT_EQ(with(SYS_fsync, EIO), before + "syncing: Input/output error");
  EXPECT_EQ(with(SYS_rename, EACCES), before + "renaming: Permission denied");
}

TEST_F(FileMessages, of_files_that_do_not_fit_into_the_address_space) {
  constexpr uint32_t kSize = 1 << 28;  // of the file; nothing else is mapped in this size
  const std::string path = folder_ + "/model/large";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, kSize);
  const system_calls::FailingCall calls[] = {{SYS_mmap, ENOMEM, 1, kSize}};
  const std::string text = system_calls::text_of_child(calls, [&] { return map_file(path).status().to_string(); });
  if (text == system_calls::kNoFilters) GTEST_SKIP() << system_calls::kNoFilters;
  EXPECT_EQ(text, "E0910: no memory to map `" + path +
                      "` (268435456 bytes); allow the process a larger address space (`ulimit -v`)");
}

}  // namespace
}  // namespace sunmao::io
