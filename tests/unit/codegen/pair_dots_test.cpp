// Dot products of pairs of bfloat16 for every instruction set, compared with plain loops.
#include <gtest/gtest.h>

#include <random>

#include "loop/calls.h"
#include "support/half.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

constexpr int kMostWords = 32;
using Words = std::vector<uint32_t>;

/// Returns the targets whose code runs on this machine.
std::vector<Target> pair_targets() {
  std::vector<Target> out;
  for (const char* text : {"x86-64-v2", "x86-64-v3", "x86-64-v4", "llvm -mcpu=x86-64-v4 -mattr=+avx512bf16"}) {
    Target target = Target::parse(text);
    if (target.isa.runs_here()) out.push_back(std::move(target));
  }
  return out;
}

Scalar words_from_first(int lanes) { return lanes == 1 ? int_imm(0) : Ramp::make(int_imm(0), int_imm(1), lanes); }

/// Halves of integers up to 256, whose products and sums are exact.
Words some_words(unsigned seed) {
  std::mt19937 random(seed);
  Words out(kMostWords);
  const auto half = [&] { return uint32_t{to_bfloat16(static_cast<float>(static_cast<int>(random() % 513) - 256))}; };
  for (uint32_t& word : out) word = half() << 16 | half();
  return out;
}

float half_of(uint32_t word, int from) { return from_bfloat16(static_cast<uint16_t>(word >> from)); }

TEST(PairDots, add_both_products) {
  const Words x = some_words(1), y = some_words(2);
  for (const Target& target : pair_targets())
    for (const int lanes : {1, 2, 3, 4, 8, 16, 32})
      for (const bool is_shared : {false, true}) {
        const auto buffer = [](const char* name, DType dtype) {
          return Buffer::make(name, dtype, {int_imm(kMostWords)});
        };
        const Ref<Buffer> a = buffer("a", DType::uint(32)), b = buffer("b", DType::uint(32)),
                          out = buffer("out", DType::float_(32));
        const Scalar one = BufferLoad::make(a, {int_imm(0)});
        const Scalar left = !is_shared   ? BufferLoad::make(a, {words_from_first(lanes)})
                            : lanes == 1 ? one
                                         : Broadcast::make(one, lanes);
        const Scalar dots = pair_dots({.a = left,
                                       .b = BufferLoad::make(b, {words_from_first(lanes)}),
                                       .sum = BufferLoad::make(out, {words_from_first(lanes)})});
        const auto param = [](const Ref<Buffer>& p) { return PrimParam{SymVar::make_handle(p->name, {}), p}; };
        const Program program(lower_kernel(PrimFunc::make({param(a), param(b), param(out)},
                                                          BufferStore::make(out, dots, {words_from_first(lanes)})),
                                           target),
                              target);
        std::vector<float> sums(kMostWords, 0.5F), want = sums;
        for (int i = 0; i < lanes; ++i) {
          const uint32_t l = x[is_shared ? 0 : static_cast<size_t>(i)], r = y[static_cast<size_t>(i)];
          want[static_cast<size_t>(i)] += half_of(l, 16) * half_of(r, 16) + half_of(l, 0) * half_of(r, 0);
        }
        Words own_x = x, own_y = y;
        ASSERT_EQ(program({own_x.data(), own_y.data(), sums.data()}), 0);
        ASSERT_EQ(sums, want) << target.text() << ", " << lanes << " lanes";
      }
}

TEST(PairDots, of_other_types_are_other_calls) {
  const auto is_known = [](DType left, DType right, DType sum) {
    const Scalar call = pair_dots({.a = constant(left, 0), .b = constant(right, 0), .sum = constant(sum, 0)});
    return find_pair_dots(*find<ScalarCall>(call)).has_value();
  };
  const DType word = DType::uint(32), real = DType::float_(32);
  EXPECT_TRUE(is_known(word, word, real));
  EXPECT_FALSE(is_known(word, DType::int_(32), real));
  EXPECT_FALSE(is_known(word, word, DType::float_(64)));
}

}  // namespace
}  // namespace sunmao::testing
