#include "tests/random/progress.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "support/hash.h"

namespace sunmao {
namespace {

std::string hash_of_this_program() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return fmt::format("{:016x}", Hasher().add(text.str()).value());
}

}  // namespace

Progress::Progress(std::string file) : file_(std::move(file)), program_(file_.empty() ? "" : hash_of_this_program()) {}

std::vector<uint64_t> Progress::read() const {
  std::vector<uint64_t> numbers;
  std::ifstream file(file_);
  std::string program;
  if (file_.empty() || !(file >> program) || program != program_) return numbers;
  for (uint64_t n = 0; file >> n;) numbers.push_back(n);
  return numbers;
}

void Progress::write(const std::vector<uint64_t>& numbers) const {
  if (!file_.empty()) std::ofstream(file_) << program_ << '\n' << fmt::format("{}\n", fmt::join(numbers, "\n"));
}

}  // namespace sunmao
