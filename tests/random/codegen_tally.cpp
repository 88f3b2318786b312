#include "tests/random/codegen_tally.h"

#include <fmt/format.h>

#include <algorithm>

namespace sunmao {
namespace {

template <size_t N>
void count(std::array<uint64_t, N>& counts, unsigned bits) {
  for (size_t i = 0; i < N; ++i) counts[i] += bits >> i & 1;
}

template <size_t N>
std::string listed(const std::array<const char*, N>& names, const std::array<uint64_t, N>& counts) {
  std::string out;
  for (size_t i = 0; i < N; ++i) out += fmt::format("{}{}: {}", i ? ", " : "", names[i], counts[i]);
  return out;
}

}  // namespace

template <class Visit>
void CodegenTally::each_number(Visit visit) {
  for (uint64_t* n : {&seeds_, &faults_, &compared_, &large_, &pardoned_}) visit(*n);
  for (uint64_t& n : pardons_) visit(n);
  for (uint64_t& n : omissions_) visit(n);
  for (uint64_t& n : constructs_) visit(n);
}

CodegenTally::CodegenTally(const std::vector<uint64_t>& stored) {
  if (stored.size() != numbers().size()) return;
  size_t i = 0;
  each_number([&](uint64_t& n) { n = stored[i++]; });
}

std::vector<uint64_t> CodegenTally::numbers() const {
  std::vector<uint64_t> out;
  CodegenTally copy = *this;
  copy.each_number([&](uint64_t n) { out.push_back(n); });
  return out;
}

void CodegenTally::add(const CodegenVerdict& verdict) {
  ++seeds_;
  faults_ += verdict.is_fault;
  count(omissions_, verdict.omissions);
  if (verdict.is_fault || verdict.omissions != 0) return;
  ++compared_;
  large_ += verdict.is_large;
  pardoned_ += verdict.pardons != 0;
  count(pardons_, verdict.pardons);
  count(constructs_, verdict.constructs);
}

std::string CodegenTally::text() const {
  const double percent = compared_ == 0 ? 0 : 100.0 * static_cast<double>(pardoned_) / static_cast<double>(compared_);
  return fmt::format(
      "modules with {}\nof the rarest: {}\nlarge modules: {}\nnot compared in all ways, {}\npardoned, {}\n"
      "pardoned: {}, {:.2f} percent\n{} modules compared in {} ways each, {} faults\n",
      listed(kConstructs, constructs_), *std::ranges::min_element(constructs_), large_, listed(kOmissions, omissions_),
      listed(kPardons, pardons_), pardoned_, percent, compared_, kWays, faults_);
}

}  // namespace sunmao
