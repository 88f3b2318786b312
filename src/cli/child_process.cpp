#include "cli/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "cli/reproducer.h"
#include "support/diagnostic.h"

extern char** environ;

namespace sunmao::cli {
namespace {

constexpr size_t kKept = size_t{64} << 10;  // bytes of the beginning and of the end of a text
constexpr int kPollMilliseconds = 20;

/// Keeps the beginning and the end of a text.
class ErrorText {
 public:
  void add(std::string_view part) {
    const size_t head = std::min(part.size(), kKept - std::min(kKept, head_.size()));
    head_ += part.substr(0, head);
    tail_ += part.substr(head);
    if (tail_.size() > 2 * kKept) tail_.erase(0, tail_.size() - kKept);
  }
  std::string text() const { return head_ + tail_; }

 private:
  std::string head_, tail_;
};

std::vector<std::string> child_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry; ++entry) out.emplace_back(*entry);
  out.push_back(fmt::format("{}=off", kReproducerVariable));
  return out;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& w : words) out.push_back(w.data());
  out.push_back(nullptr);
  return out;
}

/// A running child and the pipe from its standard error.
struct Running {
  pid_t process = 0;
  int errors = -1;
};

Running start(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail("E0050", {}, fmt::format("no pipe for a child: {}", std::strerror(errno)));
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  std::vector<std::string> environment = child_environment();
  const std::string program = words.empty() ? std::string() : words[0];
  Running child;
  const int error = posix_spawnp(&child.process, program.c_str(), &files, &attributes, pointers_to(words).data(),
                                 pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  close(ends[1]);
  child.errors = ends[0];
  if (error == 0) return child;
  close(ends[0]);
  fail("E0050", {}, fmt::format("`{}` cannot be started: {}", program, std::strerror(error)),
       "behind `--` stands a program and its arguments, with {} for the file of the model");
}

/// Reads what is there; waits a little for more.
void read_errors(int from, ErrorText& to) {
  pollfd waiting{from, POLLIN, 0};
  char buffer[4096];
  while (poll(&waiting, 1, kPollMilliseconds) > 0) {
    const ssize_t got = read(from, buffer, sizeof(buffer));
    if (got <= 0) {
      poll(nullptr, 0, 1);  // the pipe is closed; the child may go on
      return;
    }
    to.add({buffer, static_cast<size_t>(got)});
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words, double seconds, const volatile std::sig_atomic_t* stop) {
  const auto begin = std::chrono::steady_clock::now();
  const Running child = start(words);
  ChildResult result;
  ErrorText errors;
  int status = 0;
  while (waitpid(child.process, &status, WNOHANG) == 0) {
    read_errors(child.errors, errors);
    result.is_stopped = stop && *stop != 0;
    result.is_late = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds;
    if (!result.is_late && !result.is_stopped) continue;
    kill(-child.process, SIGKILL);
    waitpid(child.process, &status, 0);
    break;
  }
  kill(-child.process, SIGKILL);  // what it has started
  read_errors(child.errors, errors);
  close(child.errors);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  result.errors = errors.text();
  return result;
}

std::vector<std::string> own_program(const std::string& command) {
  std::vector<std::string> words;
  const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; file >= 0 && (got = read(file, buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  if (file >= 0) close(file);
  for (size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) words.emplace_back(text.c_str() + at);
  const auto begin = std::ranges::find(words, command);
  if (begin == words.begin() || begin == words.end()) return {"sunmao"};
  words.erase(begin, words.end());
  return words;
}

std::string shell_quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%{}";
  const bool is_plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
  return is_plain ? word : shell_quoted(word);
}

}  // namespace sunmao::cli
