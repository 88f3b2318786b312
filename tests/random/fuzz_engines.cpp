// Compares the evaluator with compiled code on large numbers of random cases:
//   fuzz_engines COUNT [--state=FILE] [--first=SEED] [--children=N] [--faults=N] [--show=SEED] [--mock]
// Cases of seeds up to COUNT run in child processes, so that a crash is reported like any other fault. FILE stores the
// progress for this build of the program; another build starts over. With --mock, code is for an instruction set that
// no schedule was written for (mock_isa.h).
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>

#include "support/diagnostic.h"
#include "tests/random/claims.h"
#include "tests/random/engine_fault.h"
#include "tests/random/mock_isa.h"
#include "tests/random/progress.h"

namespace sunmao {
namespace {

#ifdef SUNMAO_SANITIZED
constexpr unsigned kMostSeconds = 120;
#else
constexpr unsigned kMostSeconds = 10;
#endif
constexpr size_t kBatch = 200, kMostText = 1 << 16, kMostChildren = 16;

// Shared memory in which a child process reports progress and outcomes to its parent.
struct Board {
  uint64_t next;  // the seed being run, or the end of the range
  std::array<Outcome, kBatch> outcomes;
  bool is_symbolic[kBatch];
  char text[kMostText];  // the case and its fault

  void write(const std::string& s) {
    const size_t size = std::min(s.size(), kMostText - 1);
    std::memcpy(text, s.data(), size);
    text[size] = 0;
  }
};

struct Counts {
  uint64_t computed = 0, refused = 0, not_compiled = 0, symbolic = 0;
};

struct Options {
  uint64_t count = 0, first = 0;
  size_t children = 1, most_faults = 20;
  std::string state = {};
  bool shows = false;
  std::string target = "host";
};

// Limits CPU time, so that a busy machine does not cause failures, and wall time, for cases that wait forever.
void limit_time() {
  itimerval timer = {};
  timer.it_value.tv_sec = kMostSeconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
  alarm(20 * kMostSeconds);
}

// Runs the cases of seeds [begin, end) and stops at the first fault.
void run_batch(Board& board, uint64_t begin, uint64_t end, const std::string& target) {
  for (uint64_t seed = begin; seed < end; ++seed) {
    board.next = seed;
    board.write("while it is drawn");
    limit_time();
    EngineResult result;
    try {
      const EngineCase drawn = engine_case(seed);
      const std::string text = describe(drawn);
      board.write(text);
      board.is_symbolic[seed - begin] = drawn.is_symbolic;
      result = compare_engines(seed, drawn, target);
      if (result.outcome == Outcome::Fault) board.write(result.fault + "\n" + text);
    } catch (const std::exception& e) {
      board.write(std::string("it is not drawn: ") + e.what());
      result.outcome = Outcome::Fault;
    }
    board.outcomes[seed - begin] = result.outcome;
    if (result.outcome == Outcome::Fault) return;
  }
  board.next = end;
}

class Fuzzer {
 public:
  explicit Fuzzer(Options options)
      : options_(std::move(options)), progress_(options_.state), done_(options_.first), counts_(claims().size()) {
    read_state();
    for (size_t i = 0; i < options_.children; ++i) {
      void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) fail("E0501", {}, "no memory to share with a child");
      boards_.push_back(static_cast<Board*>(memory));
    }
  }

  int run() {
    while (done_ < options_.count && faults_ < options_.most_faults) {
      std::vector<std::pair<uint64_t, uint64_t>> ranges;
      for (uint64_t at = done_; at < options_.count && ranges.size() < options_.children; at += kBatch)
        ranges.emplace_back(at, std::min<uint64_t>(at + kBatch, options_.count));
      run_ranges(ranges);
      done_ = ranges.back().second;
      write_state();
    }
    summarise();
    return faults_before_ + faults_ == 0 ? 0 : 1;
  }

 private:
  // A child process ends at its first fault; a new child continues with the next seed.
  void run_ranges(std::vector<std::pair<uint64_t, uint64_t>> ranges) {
    std::map<pid_t, size_t> running;
    auto start = [&](size_t i) {
      std::fflush(nullptr);
      const pid_t child = fork();
      if (child == 0) {
        run_batch(*boards_[i], ranges[i].first, ranges[i].second, options_.target);
        _exit(0);
      }
      if (child < 0) fail("E0501", {}, "no child process can be started");
      running.emplace(child, i);
    };
    for (size_t i = 0; i < ranges.size(); ++i) start(i);
    while (!running.empty()) {
      int status = 0;
      const pid_t child = wait(&status);
      const auto found = running.find(child);
      if (found == running.end()) continue;
      const size_t i = found->second;
      running.erase(found);
      if (collect(*boards_[i], ranges[i], status)) start(i);
    }
  }

  // Adds the counts of a child process to the total. When seeds are left in its range, lets the range begin after the
  // fault and returns true.
  bool collect(const Board& board, std::pair<uint64_t, uint64_t>& range, int status) {
    for (uint64_t seed = range.first; seed < board.next; ++seed) count(seed, board, seed - range.first);
    if (board.next == range.second) return false;
    const std::string end = !WIFSIGNALED(status)          ? ""
                            : WTERMSIG(status) == SIGPROF ? fmt::format("it runs for more than {} s\n", kMostSeconds)
                            : WTERMSIG(status) == SIGALRM ? "it waits without end\n"
                                                          : fmt::format("signal {}\n", WTERMSIG(status));
    const std::string ended =
        end.empty() && WEXITSTATUS(status) ? fmt::format("it exits with {}\n", WEXITSTATUS(status)) : end;
    const Claim& claim = claims()[claim_of(board.next)];
    fmt::print(stderr, "seed {}, {} of {}: {}{}\n", board.next, claim.op,
               claim.dtype.is_void() ? "any dtype" : claim.dtype.str(), ended, static_cast<const char*>(board.text));
    ++faults_;
    range.first = board.next + 1;
    return range.first < range.second && faults_ < options_.most_faults;
  }

  void count(uint64_t seed, const Board& board, size_t place) {
    Counts& c = counts_[claim_of(seed)];
    const Outcome outcome = board.outcomes[place];
    c.computed += outcome == Outcome::Computed;
    c.refused += outcome == Outcome::Refused;
    c.not_compiled += outcome == Outcome::NotCompiled;
    c.symbolic += board.is_symbolic[place];
  }

  void read_state() {
    const std::vector<uint64_t> kept = progress_.read();
    if (kept.size() != 2 + 4 * counts_.size()) return;
    done_ = kept[0];
    faults_before_ = kept[1];
    for (size_t i = 0; i < counts_.size(); ++i) {
      const uint64_t* at = &kept[2 + 4 * i];
      counts_[i] = {at[0], at[1], at[2], at[3]};
    }
  }
  void write_state() const {
    std::vector<uint64_t> kept{done_, faults_before_ + faults_};
    for (const Counts& c : counts_) kept.insert(kept.end(), {c.computed, c.refused, c.not_compiled, c.symbolic});
    progress_.write(kept);
  }

  void summarise() const {
    std::map<std::string, Counts> by_op;
    Counts all;
    auto add = [](Counts& to, const Counts& c) {
      to.computed += c.computed;
      to.refused += c.refused;
      to.not_compiled += c.not_compiled;
      to.symbolic += c.symbolic;
    };
    for (size_t i = 0; i < counts_.size(); ++i) {
      add(by_op[claims()[i].op], counts_[i]);
      add(all, counts_[i]);
    }
    // Finds the op, and the pair of op and dtype, with the fewest runs; those that never compile have none.
    auto ran = [](const Counts& c) { return c.computed + c.refused; };
    uint64_t least_op = UINT64_MAX, least_pair = UINT64_MAX;
    std::string op, pair, never;
    for (const auto& [name, c] : by_op) {
      if (ran(c) == 0) never += " " + name;
      if (ran(c) < least_op) least_op = ran(c), op = name;
    }
    for (size_t i = 0; i < counts_.size(); ++i) {
      const Claim& claim = claims()[i];
      if (ran(counts_[i]) >= least_pair) continue;
      least_pair = ran(counts_[i]);
      pair = claim.op + " of " + (claim.dtype.is_void() ? "any dtype" : claim.dtype.str());
    }
    fmt::print(
        "{} modules of {} ops in {} dtypes of an op: {} computed alike, {} refused alike, {} not compiled; {} with "
        "sizes of the run; at least {} per op ({}), {} per op and dtype ({}); {} faults\n",
        done_ - options_.first, by_op.size(), counts_.size(), all.computed, all.refused, all.not_compiled, all.symbolic,
        op.empty() ? 0 : least_op, op, pair.empty() ? 0 : least_pair, pair, faults_before_ + faults_);
    if (!never.empty()) fmt::print("never compiled:{}\n", never);
  }

  const Options options_;
  const Progress progress_;
  uint64_t done_;
  uint64_t faults_ = 0, faults_before_ = 0;
  std::vector<Counts> counts_;
  std::vector<Board*> boards_;
};

Options parse(int argc, char** argv) {
  Options out;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i], value = arg.substr(std::min(arg.size(), arg.find('=') + 1));
    auto number = [&] { return std::strtoull(value.c_str(), nullptr, 10); };
    if (arg.starts_with("--state="))
      out.state = value;
    else if (arg.starts_with("--first="))
      out.first = number();
    else if (arg.starts_with("--children="))
      out.children = std::clamp<size_t>(number(), 1, kMostChildren);
    else if (arg.starts_with("--faults="))
      out.most_faults = std::max<size_t>(number(), 1);
    else if (arg.starts_with("--show="))
      out.first = number(), out.shows = true;
    else if (arg == "--mock")
      out.target = kMockIsa;
    else if (!arg.empty() && arg.find_first_not_of("0123456789") == std::string::npos)
      out.count = std::strtoull(arg.c_str(), nullptr, 10);
    else
      fail("E0501", {}, fmt::format("`{}` is no option", arg));
  }
  return out;
}

int run(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::optional<AddedIsa> mock;
  if (options.target == kMockIsa) mock.emplace(mock_isa());
  if (!options.shows) return Fuzzer(options).run();
  const EngineCase drawn = engine_case(options.first);
  fmt::print("{}", describe(drawn));
  std::fflush(nullptr);
  const EngineResult result = compare_engines(options.first, drawn, options.target);
  fmt::print("{}\n", result.outcome == Outcome::Fault ? result.fault : "no fault");
  return result.outcome == Outcome::Fault ? 1 : 0;
}

}  // namespace
}  // namespace sunmao

int main(int argc, char** argv) {
  try {
    return sunmao::run(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  }
}
