// Layouts by Graphviz: all drawings go to one process of `dot` as text, and come back in its plain format.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <optional>
#include <string_view>
#include <thread>

#include "view/layout.h"

namespace sunmao::view {
namespace {

constexpr double kPixelsPerInch = 72, kAround = 8;

/// A file in memory.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int fd() const { return fd_; }

  bool write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::write(fd_, text.data(), text.size());
      if (count <= 0) return false;
      text.remove_prefix(static_cast<size_t>(count));
    }
    return lseek(fd_, 0, SEEK_SET) == 0;
  }

  std::string read_all() const {
    std::string out;
    char buffer[1 << 16];
    for (ssize_t count; (count = pread(fd_, buffer, sizeof(buffer), static_cast<off_t>(out.size()))) > 0;)
      out.append(buffer, static_cast<size_t>(count));
    return out;
  }

 private:
  const int fd_;
};

std::string description(const Drawing& d) {
  std::string out =
      "digraph {\ngraph [ranksep=0.42 nodesep=0.24 nslimit=4 nslimit1=4 mclimit=2]\n"
      "node [shape=box fixedsize=true label=\"\"]\nedge [arrowhead=none headport=n tailport=s]\n";
  for (size_t i = 0; i < d.boxes.size(); ++i)
    out += fmt::format("{} [width={:.3f} height={:.3f}]\n", i, d.boxes[i].width / kPixelsPerInch,
                       d.boxes[i].height / kPixelsPerInch);
  const auto same_rank = [&](const char* rank, size_t begin, size_t count) {
    if (count == 0) return;
    out += fmt::format("{{rank={};", rank);
    for (size_t i = 0; i < count; ++i) out += fmt::format(" {};", begin + i);
    out += "}\n";
  };
  same_rank("source", d.members, d.inputs);
  same_rank("sink", d.members + d.inputs, d.outputs);
  for (size_t e = 0; e < d.edges.size(); ++e)
    out += fmt::format("{} -> {} [label=\"\" color=\"#{:06x}\"]\n", d.edges[e].from, d.edges[e].to, e & 0xffffff);
  return out + "}\n";
}

/// What a process does to become `dot`, which ends with its parent. It calls nothing that could wait for a lock that
/// another thread had when the process was made.
[[noreturn]] void become_dot(pid_t parent, int in, int out, int errors) {
  char name[] = "dot", format[] = "-Tplain";
  char* const arguments[] = {name, format, nullptr};
  const bool is_ready = prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent && dup2(in, STDIN_FILENO) >= 0 &&
                        dup2(out, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0;
  if (is_ready) execvp(name, arguments);
  _exit(127);
}

/// Runs `dot`; nullopt where it is not there, fails, or takes too long.
std::optional<std::string> run_dot(const std::string& text, const LayoutOptions& options) {
  const MemoryFile in("drawings"), out("layouts");
  const int errors = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (in.fd() < 0 || out.fd() < 0 || errors < 0 || !in.write_all(text)) {
    if (errors >= 0) close(errors);
    return std::nullopt;
  }
  const pid_t self = getpid(), child = fork();
  if (child == 0) become_dot(self, in.fd(), out.fd(), errors);
  close(errors);
  if (child < 0) return std::nullopt;
  const auto begin = std::chrono::steady_clock::now();
  int status = 0;
  bool is_told = !options.on_notice;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const auto spent = std::chrono::steady_clock::now() - begin;
    if (spent > options.limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      if (options.on_notice) options.on_notice("Graphviz was not done in time: the layout is a plain one");
      return std::nullopt;
    }
    if (!is_told && spent > options.told_after) {
      const std::chrono::duration<double> limit = options.limit;
      options.on_notice(fmt::format(
          "Graphviz's `dot` is laying out the picture; after {:g} s a plain layout takes its place", limit.count()));
      is_told = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return std::nullopt;
  return out.read_all();
}

/// The words of a text, lines alike.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    const size_t begin = rest_.find_first_not_of(" \n\t\r");
    if (begin == std::string_view::npos) return rest_ = {};
    rest_.remove_prefix(begin);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" \n\t\r"));
    rest_.remove_prefix(word.size());
    return word;
  }
  template <class Number>
  Number number(int base) {
    std::string_view word = next();
    if (word.starts_with("\"#")) word = word.substr(2, word.size() - 3);
    if (word.starts_with("#")) word.remove_prefix(1);
    Number value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
    if (error != std::errc()) is_good_ = false;
    return value;
  }
  double real() {
    const std::string_view word = next();
    double value = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), value).ec != std::errc()) is_good_ = false;
    return value;
  }
  bool is_good() const { return is_good_; }

 private:
  std::string_view rest_;
  bool is_good_ = true;
};

/// Reads one graph of the plain format: `graph scale width height`, `node name x y …`, `edge tail head n x y … color`.
std::optional<Layout> read_plain(Words& words, const Drawing& d) {
  if (words.next() != "graph") return std::nullopt;
  words.real();
  const double width = words.real() * kPixelsPerInch, height = words.real() * kPixelsPerInch;
  Layout out{.size = {width + 2 * kAround, height + 2 * kAround},
             .centers = std::vector<Point>(d.boxes.size()),
             .curves = std::vector<std::vector<Point>>(d.edges.size())};
  const auto point = [&] {
    const double x = words.real() * kPixelsPerInch, y = words.real() * kPixelsPerInch;
    return Point{x + kAround, height - y + kAround};
  };
  for (std::string_view word = words.next(); word != "stop"; word = words.next()) {
    if (word == "node") {
      const auto box = words.number<size_t>(10);
      if (box >= d.boxes.size()) return std::nullopt;
      out.centers[box] = point();
      for (int i = 0; i < 7; ++i) words.next();  // width, height, label, style, shape, colour, fill
    } else if (word == "edge") {
      words.next();
      words.next();
      const auto count = words.number<size_t>(10);
      std::vector<Point> curve;
      for (size_t i = 0; i < count && words.is_good(); ++i) curve.push_back(point());
      words.next();  // style
      const auto edge = words.number<size_t>(16);
      if (edge >= d.edges.size()) return std::nullopt;
      out.curves[edge] = std::move(curve);
    } else {
      return std::nullopt;
    }
    if (!words.is_good()) return std::nullopt;
  }
  const auto is_curve = [](const std::vector<Point>& c) { return c.size() >= 4 && c.size() % 3 == 1; };
  if (!std::ranges::all_of(out.curves, is_curve)) return std::nullopt;
  return out;
}

}  // namespace

std::vector<Layout> graphviz_layouts(const std::vector<Drawing>& drawings, const LayoutOptions& options) {
  std::string text;
  for (const Drawing& d : drawings) text += description(d);
  const std::optional<std::string> plain = run_dot(text, options);
  if (!plain) return {};
  Words words(*plain);
  std::vector<Layout> out;
  for (const Drawing& d : drawings) {
    std::optional<Layout> layout = read_plain(words, d);
    if (!layout) return {};
    out.push_back(std::move(*layout));
  }
  return out;
}

}  // namespace sunmao::view
