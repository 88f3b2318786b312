#include "tests/fuzz/generated_input.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "tests/fuzz/driver.h"
#include "tests/fuzz/random.h"

namespace sunmao::fuzz {
namespace {

void overwrite_number(Bytes& bytes, Random& random) {
  static constexpr uint64_t kValues[] = {0,      1,          0x7f,       0x80,       0xff,  0x7fff,
                                         0xffff, 0x7fffffff, 0x80000000, 0xffffffff, ~0ull, 0x7fffffffffffffff};
  const uint64_t value = kValues[random.below(std::size(kValues))];
  const size_t width = size_t{1} << random.below(4);
  if (bytes.size() < width) return;
  const size_t at = random.below(bytes.size() - width + 1);
  for (size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<uint8_t>(value >> (8 * i));
}

/// Inserts a slice of `other` into `bytes`, or overwrites bytes with it.
void splice(Bytes& bytes, const Bytes& other, Random& random) {
  if (other.empty()) return;
  const size_t from = random.below(other.size());
  const size_t count = 1 + random.below(std::min<size_t>(other.size() - from, 64));
  const size_t at = random.below(bytes.size() + 1);
  const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
  if (random.below(2) == 0) {
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), begin, begin + static_cast<std::ptrdiff_t>(count));
  } else {
    bytes.resize(std::max(bytes.size(), at + count));
    std::copy_n(begin, count, bytes.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

/// Replaces a number written in digits by another one.
void rewrite_number(Bytes& bytes, Random& random) {
  static constexpr std::string_view kNumbers[] = {"0",
                                                  "-1",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "7",
                                                  "16",
                                                  "65",
                                                  "2147483647",
                                                  "2147483648",
                                                  "3000000000",
                                                  "4611686018427387904",
                                                  "9223372036854775807"};
  const auto first =
      std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size())), bytes.end(), is_digit);
  if (first == bytes.end()) return;
  const auto at = bytes.erase(first, std::find_if_not(first, bytes.end(), is_digit));
  const std::string_view number = kNumbers[random.below(std::size(kNumbers))];
  bytes.insert(at, number.begin(), number.end());
}

/// Returns the range of the line around `place`, including its line end.
std::pair<size_t, size_t> line_at(const Bytes& bytes, size_t place) {
  size_t begin = place, end = place;
  while (begin > 0 && bytes[begin - 1] != '\n') --begin;
  while (end < bytes.size() && bytes[end] != '\n') ++end;
  return {begin, std::min(end + 1, bytes.size())};
}

/// Copies a line of the input to another place, or over another line.
void move_line(Bytes& bytes, Random& random) {
  const auto [from, from_end] = line_at(bytes, random.below(bytes.size()));
  const Bytes line(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                   bytes.begin() + static_cast<std::ptrdiff_t>(from_end));
  const auto [to, to_end] = line_at(bytes, random.below(bytes.size()));
  if (random.below(2) == 0)
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(to), bytes.begin() + static_cast<std::ptrdiff_t>(to_end));
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(to), line.begin(), line.end());
}

/// Replaces a word of the input by another word of the same input.
void swap_word(Bytes& bytes, Random& random) {
  const auto is_word = [](uint8_t c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
  };
  const auto word = [&] {
    const auto first =
        std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size())), bytes.end(), is_word);
    return std::pair(first, std::find_if_not(first, bytes.end(), is_word));
  };
  const auto [from, from_end] = word();
  const Bytes taken(from, from_end);
  const auto [to, to_end] = word();
  const auto at = bytes.erase(to, to_end);
  bytes.insert(at, taken.begin(), taken.end());
}

void mutate_once(Bytes& bytes, const std::vector<Bytes>& corpus, Random& random) {
  const auto position = [&] { return bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size())); };
  switch (random.below(bytes.empty() ? 2 : 13)) {
    case 0:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() + 1)),
                   static_cast<uint8_t>(random.below(256)));
      break;
    case 1:
      if (!corpus.empty()) splice(bytes, Bytes(corpus[random.below(corpus.size())]), random);
      break;
    case 2: *position() ^= static_cast<uint8_t>(1u << random.below(8)); break;
    case 3: *position() = static_cast<uint8_t>(random.below(256)); break;
    case 4: bytes.erase(position()); break;
    case 5: bytes.resize(random.below(bytes.size())); break;
    case 6: overwrite_number(bytes, random); break;
    case 7:
    case 8: rewrite_number(bytes, random); break;
    case 9:
    case 10: move_line(bytes, random); break;
    default: swap_word(bytes, random);
  }
}

/// Changes an input by the harness's own mutator, or puts a part of another input into it.
void mutate_by_harness(Bytes& bytes, const std::vector<Bytes>& corpus, Random& random) {
  const auto seed = static_cast<unsigned>(random.bits());
  if (LLVMFuzzerCustomCrossOver && random.once_in(4)) {
    const Bytes& other = random.of(corpus);
    Bytes made(kMaxInput);
    made.resize(LLVMFuzzerCustomCrossOver(bytes.data(), bytes.size(), other.data(), other.size(), made.data(),
                                          made.size(), seed));
    if (!made.empty()) bytes = std::move(made);
    return;
  }
  const size_t size = bytes.size();
  bytes.resize(kMaxInput);
  bytes.resize(LLVMFuzzerCustomMutator(bytes.data(), size, bytes.size(), seed));
}

}  // namespace

Bytes make_input(uint64_t seed, uint64_t index, const std::vector<Bytes>& corpus) {
  Random random(seed * 0x9e3779b97f4a7c15ull + index);
  Bytes bytes = corpus.empty() ? Bytes{} : corpus[random.below(corpus.size())];
  const size_t count = 1 + random.below(corpus.empty() ? 64 : 8);
  const bool is_by_harness = LLVMFuzzerCustomMutator && !corpus.empty() && !random.once_in(32);
  for (size_t i = 0; i < count; ++i)
    is_by_harness ? mutate_by_harness(bytes, corpus, random) : mutate_once(bytes, corpus, random);
  if (bytes.size() > kMaxInput) bytes.resize(kMaxInput);
  return bytes;
}

}  // namespace sunmao::fuzz
