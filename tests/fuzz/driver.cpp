// Driver that runs a fuzz harness without libFuzzer: on every corpus file unchanged, then on mutations generated from a
// seed. A seed gives the same inputs on every machine. It is not coverage-guided; the fuzz preset is. A file of the
// corpus that ends with `.pack` is a zip archive of inputs.
//
//   fuzz_x [--iterations=N] [--seed=S] [--resume=FILE] [--max-seconds=T] [--max-megabytes=M] [--max-seed=BYTES]
//          [file or folder ...]
//
// A child process runs the inputs and this process watches it. An input that ends the child is a failure: it is written
// to FILE.failed.<iteration> (to the program's own path in place of FILE without --resume), and another child continues
// after it. The last line gives the number of failures; with any, the exit status is 1. After 20 failures the run ends.
//
// --resume stores in FILE how many iterations are completed, reached what the harness tests, and failed; a later run
// continues after them, without the corpus; N counts all iterations. Another build of the program, another seed, other
// limits and another corpus start anew. An input that takes more than T seconds of CPU time, or after which the child
// has held more than M megabytes, is a failure; under sanitizers it may take ten times as long and hold twice as much.
// Files larger than --max-seed are no seeds.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/mapped_file.h"
#include "io/zip.h"
#include "support/hash.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/generated_input.h"
#include "tests/random/progress.h"

namespace {

using sunmao::fuzz::Bytes;
constexpr uint64_t kSaveEvery = 1000;   // iterations between two writes of the resume file
constexpr uint64_t kMostFailures = 20;  // a program that fails more often needs no further inputs

#ifdef SUNMAO_SANITIZED
extern "C" void __sanitizer_print_stack_trace();
constexpr uint64_t kSlower = 10, kLarger = 2;
#else
constexpr uint64_t kSlower = 1, kLarger = 1;
#endif

struct Options {
  uint64_t iterations = 1000;
  uint64_t seed = 1;
  std::string resume;
  uint64_t max_seconds = 0, max_megabytes = 0;  // 0: no limit
  uint64_t max_seed = sunmao::fuzz::kMaxInput;
  std::vector<std::filesystem::path> inputs;
};

uint64_t number(std::string_view argument, std::string_view digits) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error == std::errc() && end == digits.end()) return value;
  std::fprintf(stderr, "not a number: %s\n", std::string(argument).c_str());
  std::exit(2);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    const std::string_view value = arg.substr(std::min(arg.size(), arg.find('=') + 1));
    if (arg.starts_with("--iterations=")) {
      options.iterations = number(arg, value);
    } else if (arg.starts_with("--seed=")) {
      options.seed = number(arg, value);
    } else if (arg.starts_with("--resume=")) {
      options.resume = value;
    } else if (arg.starts_with("--max-seconds=")) {
      options.max_seconds = number(arg, value) * kSlower;
    } else if (arg.starts_with("--max-megabytes=")) {
      options.max_megabytes = number(arg, value) * kLarger;
    } else if (arg.starts_with("--max-seed=")) {
      options.max_seed = number(arg, value);
    } else {
      options.inputs.emplace_back(arg);
    }
  }
  return options;
}

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// Appends the entries of an archive.
void unpack(const std::filesystem::path& path, std::vector<Bytes>& corpus) {
  using namespace sunmao;
  const io::Result<io::Bytes> file = io::map_file(path.string());
  const io::Result<io::ZipReader> zip =
      file.ok() ? io::ZipReader::open(*file) : io::Result<io::ZipReader>(file.status());
  if (!zip.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), zip.status().to_string().c_str());
    std::exit(2);
  }
  for (const io::ZipEntry& entry : zip->entries()) {
    const io::Result<io::Bytes> data = zip->read(entry);
    const std::string_view text = data.ok() ? data->text() : std::string_view();
    corpus.emplace_back(text.begin(), text.end());
  }
}

/// Reads all files under the given paths, sorted by name.
std::vector<Bytes> read_corpus(const Options& options) {
  std::vector<std::filesystem::path> paths;
  for (const auto& input : options.inputs) {
    if (!std::filesystem::exists(input)) {
      std::fprintf(stderr, "no such corpus: %s\n", input.c_str());
      std::exit(2);
    }
    if (!std::filesystem::is_directory(input)) {
      paths.push_back(input);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(input)) {
      if (entry.is_regular_file()) paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    if (path.extension() == ".pack")
      unpack(path, corpus);
    else if (std::filesystem::file_size(path) <= options.max_seed)
      corpus.push_back(read_file(path));
  }
  return corpus;
}

/// How far the run has got. The child writes it, and the parent reads it after the child's end.
struct Account {
  uint64_t corpus_done = 0;  // of the empty input and the files of the corpus
  uint64_t done = 0, reached = 0, failed = 0;
  bool is_made = false;      // the next input is made and runs
  bool is_finished = false;  // no input is left
};

/// The stored part of an account. `inputs` identifies the sequence of inputs that it counts.
void save(const sunmao::Progress& progress, uint64_t inputs, const Account& account) {
  progress.write({inputs, account.done, account.reached, account.failed});
}

Account restore(const sunmao::Progress& progress, uint64_t inputs, uint64_t corpus_size) {
  const std::vector<uint64_t> numbers = progress.read();
  if (numbers.size() != 4 || numbers[0] != inputs) return {};
  return {.corpus_done = corpus_size, .done = numbers[1], .reached = numbers[2], .failed = numbers[3]};
}

uint64_t hash_of_inputs(const Options& options, const std::vector<Bytes>& corpus) {
  sunmao::Hasher hasher;
  hasher.add(options.seed).add(options.max_seconds).add(options.max_megabytes);
  for (const Bytes& bytes : corpus)
    hasher.add(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return hasher.value();
}

[[noreturn]] void end_child(const char* why) {
  std::fprintf(stderr, "%s\n", why);
#ifdef SUNMAO_SANITIZED
  __sanitizer_print_stack_trace();
#endif
  std::_Exit(1);
}

void out_of_time(int) { end_child("this input takes too long"); }
void aborted(int) { end_child("this input aborts the process"); }

uint64_t held_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) / 1024;
}

/// Runs the harness on an exactly sized copy, so that a sanitizer detects a read beyond its end.
void run(const Bytes& bytes, const Options& options) {
  const Bytes exact(bytes.begin(), bytes.end());
  const itimerval limit{{}, {static_cast<time_t>(options.max_seconds), 0}};
  setitimer(ITIMER_VIRTUAL, &limit, nullptr);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  const itimerval none{};
  setitimer(ITIMER_VIRTUAL, &none, nullptr);
  if (options.max_megabytes != 0 && held_megabytes() > options.max_megabytes)
    end_child("this input takes too much memory");
}

/// A run of the harness: what it runs, and where it keeps what it finds.
struct Fuzzing {
  const Options options;
  const std::vector<Bytes> corpus;
  const uint64_t inputs;
  const sunmao::Progress progress;
  const std::string kept;  // before `.failed.`
  Account& account;        // in memory that child and parent share

  uint64_t corpus_size() const { return corpus.size() + 1; }
  bool is_in_corpus() const { return account.corpus_done < corpus_size(); }
  /// The input after those that are done.
  Bytes next() const {
    if (!is_in_corpus()) return sunmao::fuzz::make_input(options.seed, account.done, corpus);
    return account.corpus_done == 0 ? Bytes{} : corpus[account.corpus_done - 1];
  }
  void pass_over() {
    ++(is_in_corpus() ? account.corpus_done : account.done);
    account.is_made = false;
  }

  void run_child() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGVTALRM, out_of_time);
    std::signal(SIGABRT, aborted);
    while (is_in_corpus() || account.done < options.iterations) {
      const Bytes input = next();
      account.is_made = true;
      run(input, options);
      if (!is_in_corpus() && fuzz_reached && fuzz_reached()) ++account.reached;
      pass_over();
      if (!is_in_corpus() && account.done % kSaveEvery == 0) save(progress, inputs, account);
    }
    account.is_finished = true;
    if (fuzz_report) fuzz_report();
  }

  /// Counts what ended the child and keeps the input.
  void keep_failure(int status) {
    ++account.failed;
    const std::string how =
        WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit status " + std::to_string(WEXITSTATUS(status));
    if (account.is_finished) {
      std::fprintf(stderr, "failure after the last input: %s\n", how.c_str());
      return;
    }
    const std::string place =
        is_in_corpus() ? "corpus." + std::to_string(account.corpus_done) : std::to_string(account.done);
    if (account.is_made) {
      const std::string file = kept + ".failed." + place;
      const Bytes input = next();
      std::ofstream(file, std::ios::binary)
          .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
      std::fprintf(stderr, "failure: %s: %s\n", file.c_str(), how.c_str());
    } else {
      std::fprintf(stderr, "failure: input %s cannot be made: %s\n", place.c_str(), how.c_str());
    }
    pass_over();
    save(progress, inputs, account);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  void* shared =
      mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  if (shared == MAP_FAILED) {
    std::perror("mmap");
    return 2;
  }
  const std::vector<Bytes> corpus = read_corpus(options);
  Fuzzing fuzzing{.options = options,
                  .corpus = corpus,
                  .inputs = hash_of_inputs(options, corpus),
                  .progress = sunmao::Progress(options.resume),
                  .kept = options.resume.empty() ? argv[0] : options.resume,
                  .account = *new (shared) Account};
  Account& account = fuzzing.account;
  account = restore(fuzzing.progress, fuzzing.inputs, fuzzing.corpus_size());
  const uint64_t done_before = account.done;

  while (!account.is_finished && account.failed < kMostFailures) {
    const pid_t child = fork();
    if (child == 0) {
      fuzzing.run_child();
      return 0;
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
      std::perror("fork");
      return 2;
    }
    if (status != 0) fuzzing.keep_failure(status);
  }
  save(fuzzing.progress, fuzzing.inputs, account);

  if (fuzz_reached && account.done > 0)
    std::printf("%llu (%.1f %%) reached what is tested\n", static_cast<unsigned long long>(account.reached),
                100.0 * static_cast<double>(account.reached) / static_cast<double>(account.done));
  if (done_before != 0)
    std::printf("%llu inputs are counted from earlier runs of this program\n",
                static_cast<unsigned long long>(done_before));
  const std::string failures = account.failed == 0 ? "no failure" : std::to_string(account.failed) + " failed";
  std::printf("%zu corpus inputs, %llu mutated inputs, seed %llu: %s\n", corpus.size(),
              static_cast<unsigned long long>(account.done), static_cast<unsigned long long>(options.seed),
              failures.c_str());
  return account.failed == 0 ? 0 : 1;
}
