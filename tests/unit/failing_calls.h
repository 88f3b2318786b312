// System calls that fail in a child process, by a seccomp filter.
#pragma once
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace sunmao::system_calls {

/// A system call that fails with `error` when argument `argument` has one of the bits in `mask`.
struct FailingCall {
  uint32_t number;
  uint32_t error;
  uint32_t argument = 0;
  uint32_t mask = 0xffffffff;
};

/// From now on the call fails, in this process; false where the system allows no filters.
inline bool fail_from_now_on(const FailingCall& call) {
  const auto at = static_cast<uint32_t>(offsetof(seccomp_data, args) + call.argument * sizeof(uint64_t));
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call.number, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, call.mask, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call.error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// What a child says in which a filter could not be set.
inline constexpr const char* kNoFilters = "this system allows no seccomp filters";

/// Returns the text that `make` returns in a child process in which these calls fail.
template <class Calls, class Make>
std::string text_of_child(const Calls& calls, const Make& make) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    bool are_failing = true;
    for (const FailingCall& call : calls) are_failing = are_failing && fail_from_now_on(call);
    const std::string text = are_failing ? make() : std::string(kNoFilters);
    ::_exit(::write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char part[256];
  for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof(part))) > 0;)
    text.append(part, static_cast<size_t>(size));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace sunmao::system_calls
