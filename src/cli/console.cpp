#include "cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "support/diagnostic.h"
#include "support/quantity_text.h"

namespace sunmao::cli {
namespace {

std::string styled(const char* code, std::string_view text) {
  return has_color(stdout) ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

bool write_all(std::FILE* stream, std::string_view text) {
  const bool is_written = std::fwrite(text.data(), 1, text.size(), stream) == text.size();
  return std::fflush(stream) == 0 && is_written;
}

bool is_dumb() {
  const char* terminal = std::getenv("TERM");
  return terminal && std::string_view(terminal) == "dumb";
}

ProgressLine* shown_line = nullptr;  // the one that ends standard error

}  // namespace

bool has_color(std::FILE* stream) {
  const char* off = std::getenv("NO_COLOR");
  return !(off && *off) && !is_dumb() && isatty(fileno(stream));
}

size_t terminal_width() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

std::string wrapped(std::string_view text, size_t width, std::string_view indent) {
  // UTF-8 continuation bytes and escape sequences occupy no column.
  const auto columns = [](std::string_view word) {
    size_t count = 0;
    bool is_escape = false;
    for (const char c : word) {
      is_escape |= c == '\x1b';
      count += !is_escape && (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      is_escape &= c != 'm';
    }
    return count;
  };
  std::string out;
  size_t at = 0;  // current column
  while (!text.empty()) {
    const size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(0, end);
    if (width && at > indent.size() && at + columns(word) > width) {
      out += fmt::format("\n{}{}", indent, word.substr(begin));
      at = indent.size() + columns(word.substr(begin));
    } else {
      out += word;
      at += columns(word);
    }
    text.remove_prefix(end);
  }
  return out;
}

void write_out(std::string_view text) {
  if (!write_all(stdout, text))
    fail("E0804", {}, fmt::format("cannot write to standard output: {}", std::strerror(errno)),
         "what is printed there is not complete");
}

void write_err(std::string_view text) {
  if (shown_line) shown_line->clear();
  write_all(stderr, text);
}

void write_note(const std::string& text) { write_err("note: " + text + "\n"); }

std::string bold(std::string_view text) { return styled("1", text); }
std::string dim(std::string_view text) { return styled("2", text); }
std::string green(std::string_view text) { return styled("32", text); }
std::string red(std::string_view text) { return styled("31", text); }

bool has_progress_lines() { return isatty(STDERR_FILENO) != 0 && !is_dumb(); }

ProgressLine::ProgressLine() : is_terminal_(has_progress_lines()) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  if (shown_line == this) write_all(stderr, "\r\x1b[K");
  if (shown_line == this) shown_line = nullptr;
}

void ProgressLine::show(std::string_view what, size_t done, size_t all) {
  constexpr std::chrono::milliseconds kFirst{1000}, kBetween{100};
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (what != stage_) {
    stage_ = what;
    stage_begin_ = now;
  }
  if (now - begin_ < kFirst || now - last_ < kBetween) return;
  last_ = now;
  const auto seconds = [&](Clock::time_point from) { return std::chrono::duration<double>(now - from).count(); };
  std::string text = fmt::format("{:.0f} s  {}", seconds(begin_), what);
  if (all > 0) text += fmt::format(", {} of {}", done, all);
  if (done > 0)
    text += fmt::format(", about {:.0f} s left",
                        seconds(stage_begin_) / static_cast<double>(done) * static_cast<double>(all - done));
  write_all(stderr, "\r\x1b[K" + text);
  shown_line = this;
}

std::string byte_size(uint64_t bytes) { return bytes_text(bytes); }

std::string duration(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.0f} ns", seconds * 1e9);
  if (seconds < 1e-3) return fmt::format("{:.1f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

}  // namespace sunmao::cli
