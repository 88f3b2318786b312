// Child processes: a command with a time limit, whose standard error is kept.
#pragma once
#include <csignal>
#include <string>
#include <vector>

namespace sunmao::cli {

struct ChildResult {
  int status = 0;  // exit status, when no signal ended it
  int signal = 0;
  bool is_late = false;     // it was ended at the time limit
  bool is_stopped = false;  // it was ended because `*stop` became true
  std::string errors;       // what it wrote to standard error: the beginning and the end of a long text
};

/// Runs a command, found by PATH, in a process group of its own, with nothing on standard input and standard output
/// dropped; the group is ended with it. Compilers that it runs write no reproducers. Fails (E0050) when it cannot be
/// started.
ChildResult run_child(const std::vector<std::string>& words, double seconds, const volatile std::sig_atomic_t* stop);

/// Returns the words that start this program: the binary, or Python with what stands before `command`, the word of the
/// command line that this process runs.
std::vector<std::string> own_program(const std::string& command);

/// Return a word for a shell: in quotes always, and where they are needed.
std::string shell_quoted(const std::string& word);
std::string shell_word(const std::string& word);

}  // namespace sunmao::cli
