// Checks large numbers of random modules:
//   fuzz_modules COUNT [FILE | --first=SEED]
// checks the modules of seeds up to COUNT, from SEED on, or stores the progress in FILE and resumes from it. It ends at
// the first fault.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/random/module_fault.h"
#include "tests/random/progress.h"

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::fprintf(stderr, "usage: fuzz_modules COUNT [FILE | --first=SEED]\n");
    return 2;
  }
  constexpr std::string_view kFirst = "--first=";
  const char* place = argc == 3 ? argv[2] : "";
  const bool has_first = std::string_view(place).starts_with(kFirst);
  const uint64_t count = std::strtoull(argv[1], nullptr, 10);
  const uint64_t first = has_first ? std::strtoull(place + kFirst.size(), nullptr, 10) : 0;
  const sunmao::Progress progress(has_first ? "" : place);
  const std::vector<uint64_t> before = progress.read();
  uint64_t done = before.empty() ? first : before[0];
  for (; done < count; ++done) {
    if (std::string fault = sunmao::find_fault(done); !fault.empty()) {
      std::fprintf(stderr, "seed %llu: %s\n", static_cast<unsigned long long>(done), fault.c_str());
      progress.write({done});
      return 1;
    }
    if (done % 100 == 99) progress.write({done + 1});
  }
  progress.write({done});
  std::printf("%llu modules: no fault\n", static_cast<unsigned long long>(done - first));
  return 0;
}
