// Loading code images on a system that forbids one or both ways of making memory executable, simulated by a seccomp
// filter in a child process.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "runtime/code_image.h"
#include "tests/unit/runtime/tiny_model.h"

namespace sunmao::runtime::testing {
namespace {

/// Makes the system call `number` fail with EPERM from now on when it requests executable memory.
bool forbid(uint32_t number) {
  constexpr uint32_t kProtectionArgument = offsetof(seccomp_data, args) + 2 * sizeof(uint64_t);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kProtectionArgument),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

enum Outcome { kMapped, kCopied, kNoExecutableMemory, kOther, kNoFilter };

/// Loads the test image from a file in a child process that must not use the system calls in `forbidden`.
Outcome load_without(std::initializer_list<uint32_t> forbidden) {
  std::string path = ::testing::TempDir() + "sunmao_forbidden_XXXXXX";
  const int fd = ::mkstemp(path.data());
  ::unlink(path.c_str());
  const std::vector<uint8_t> image = tiny_code();
  EXPECT_EQ(::write(fd, image.data(), image.size()), static_cast<ssize_t>(image.size()));
  const pid_t child = ::fork();
  if (child == 0) {
    for (const uint32_t number : forbidden)
      if (!forbid(number)) ::_exit(kNoFilter);
    const auto loaded = CodeImage::load(std::as_bytes(std::span<const uint8_t>(image)), 4, {fd, 0});
    if (loaded.ok()) ::_exit((*loaded)->source() == CodeImage::Source::Mapped ? kMapped : kCopied);
    ::_exit(std::strcmp(loaded.code(), "E0859") == 0 ? kNoExecutableMemory : kOther);
  }
  ::close(fd);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? static_cast<Outcome>(WEXITSTATUS(status)) : kOther;
}

class ForbiddenCode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (load_without({SYS_mprotect}) == kNoFilter) GTEST_SKIP() << "this system allows no seccomp filters";
  }
};

TEST_F(ForbiddenCode, files_only) { EXPECT_EQ(load_without({SYS_mprotect}), kMapped); }
TEST_F(ForbiddenCode, no_executable_files) { EXPECT_EQ(load_without({SYS_mmap}), kCopied); }
TEST_F(ForbiddenCode, E0859_nothing_at_all) { EXPECT_EQ(load_without({SYS_mmap, SYS_mprotect}), kNoExecutableMemory); }

}  // namespace
}  // namespace sunmao::runtime::testing
