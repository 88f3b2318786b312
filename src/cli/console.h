// Terminal output; colour only if the stream is a terminal.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace sunmao::cli {

/// True when the stream is a terminal, TERM is not "dumb", and NO_COLOR is unset or empty.
bool has_color(std::FILE* stream);

/// Returns the columns of the terminal on standard output; 0 when it is no terminal.
size_t terminal_width();
/// Wraps `text` at spaces to lines of at most `width` columns (0: no limit), longer words excepted; all lines but the
/// first are indented.
std::string wrapped(std::string_view text, size_t width, std::string_view indent);

/// Writes to standard output; fails (E0804) on a write error.
void write_out(std::string_view text);
/// Writes to standard error; ignores write errors, since they could not be reported.
void write_err(std::string_view text);
/// Writes a line to standard error that tells of something that is no failure.
void write_note(const std::string& text);

/// Format `text` by escape sequences if standard output has colour.
std::string bold(std::string_view text);
std::string dim(std::string_view text);
std::string green(std::string_view text);
std::string red(std::string_view text);

/// True when standard error is a terminal that shows lines of progress.
bool has_progress_lines();

/// A line at the end of standard error that says what runs and how long it may take; nothing where that is no terminal,
/// in the first second, and more often than the eye sees. Destruction removes it.
class ProgressLine {
 public:
  ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  /// Says what runs now; without `all`, how much of it is left is unknown.
  void show(std::string_view what, size_t done = 0, size_t all = 0);
  /// Removes the line; `write_err` does so before it writes.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  const bool is_terminal_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point stage_begin_ = begin_, last_ = begin_;
  std::string stage_;
};

/// Returns text such as "271.4 KB", in units of 1000.
std::string byte_size(uint64_t bytes);
/// Returns text such as "85 ns", "12.3 us", "4.05 ms" or "1.20 s".
std::string duration(double seconds);

}  // namespace sunmao::cli
