// Dot products of bytes and of int16 for every instruction set, compared with plain loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "loop/calls.h"
#include "tests/unit/codegen/run_kernel.h"

namespace sunmao::testing {
namespace {

constexpr int kMostLanes = 32;

/// Returns the targets whose code runs on this machine.
std::vector<Target> targets() {
  std::vector<Target> out;
  for (const char* text : {"x86-64-v2", "x86-64-v3", "llvm -mcpu=x86-64-v3 -mattr=+avxvnni", "x86-64-v4",
                           "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni"}) {
    Target target = Target::parse(text);
    if (target.isa.runs_here()) out.push_back(std::move(target));
  }
  return out;
}

Scalar ramp(int lanes) { return lanes == 1 ? int_imm(0) : Ramp::make(int_imm(0), int_imm(1), lanes); }

struct Bytes {
  std::vector<uint8_t> codes;
  bool is_signed;
  int at(int i) const {
    const uint8_t code = codes[static_cast<size_t>(i)];
    return is_signed ? static_cast<int8_t>(code) : code;
  }
};

/// Every fourth number or so is an extreme one.
Bytes some_bytes(bool is_signed, unsigned seed) {
  std::mt19937 random(seed);
  Bytes out{std::vector<uint8_t>(kMostLanes * kBytesOfDot), is_signed};
  for (uint8_t& code : out.codes)
    code = static_cast<uint8_t>(random() % 4 == 0 ? (random() % 2 ? 0x80 : 0xff) : random());
  return out;
}

/// Computes sums of `lanes` lanes; the left operand has four lanes where it is shared.
void check_dots(const Target& target, int lanes, const Bytes& x, const Bytes& y, bool is_shared) {
  const auto type = [](const Bytes& b) { return b.is_signed ? DType::int_(8) : DType::uint(8); };
  const Scalar size = int_imm(kMostLanes * kBytesOfDot);
  const Ref<Buffer> a = Buffer::make("a", type(x), {size}), b = Buffer::make("b", type(y), {size}),
                    out = Buffer::make("out", DType::int_(32), {int_imm(kMostLanes)});
  const int all = lanes * kBytesOfDot;
  const Scalar dots = byte_dots({.a = BufferLoad::make(a, {ramp(is_shared ? kBytesOfDot : all)}),
                                 .b = BufferLoad::make(b, {ramp(all)}),
                                 .sum = BufferLoad::make(out, {ramp(lanes)})});
  const auto param = [](const Ref<Buffer>& p) { return PrimParam{SymVar::make_handle(p->name, {}), p}; };
  const Program program(
      lower_kernel(PrimFunc::make({param(a), param(b), param(out)}, BufferStore::make(out, dots, {ramp(lanes)})),
                   target),
      target);
  std::vector<int32_t> sums(kMostLanes, 2'147'483'000), want = sums;
  for (int i = 0; i < lanes; ++i)
    for (int j = 0; j < kBytesOfDot; ++j) {
      const int product = x.at(is_shared ? j : kBytesOfDot * i + j) * y.at(kBytesOfDot * i + j);
      auto& sum = want[static_cast<size_t>(i)];
      sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(product));
    }
  Bytes own_x = x, own_y = y;
  ASSERT_EQ(program({own_x.codes.data(), own_y.codes.data(), sums.data()}), 0);
  ASSERT_EQ(sums, want) << target.text() << ", " << lanes << " lanes";
}

TEST(ByteDots, are_exact) {
  for (const Target& target : targets())
    for (const int lanes : {1, 2, 3, 4, 8, 16, 32})
      for (const bool x : {false, true})
        for (const bool y : {false, true})
          for (const bool is_shared : {false, true})
            check_dots(target, lanes, some_bytes(x, 1), some_bytes(y, 2), is_shared);
}

TEST(ByteDots, do_not_saturate) {
  const auto all = [](uint8_t code, bool is_signed) {
    return Bytes{std::vector<uint8_t>(kMostLanes * kBytesOfDot, code), is_signed};
  };
  for (const Target& target : targets())
    for (const int lanes : {1, 4, 8, 16}) {
      check_dots(target, lanes, all(255, false), all(0x80, true), true);
      check_dots(target, lanes, all(255, false), all(0x7f, true), false);
      check_dots(target, lanes, all(0x80, true), all(0x80, true), false);
      check_dots(target, lanes, all(255, false), all(255, false), true);
    }
}

TEST(ByteDots, of_other_types_are_other_calls) {
  const Ref<Buffer> a = Buffer::make("a", DType::int_(8), {int_imm(8)}),
                    out = Buffer::make("out", DType::int_(32), {int_imm(1)});
  const Scalar bytes = BufferLoad::make(a, {ramp(4)}), two = BufferLoad::make(a, {ramp(2)}),
               sum = BufferLoad::make(out, {int_imm(0)});
  const auto is_known = [&](const Scalar& other, const Scalar& to) {
    const Scalar call = byte_dots({.a = bytes, .b = other, .sum = to});
    return find_byte_dots(*find<ScalarCall>(call)).has_value();
  };
  EXPECT_TRUE(is_known(bytes, sum));
  EXPECT_FALSE(is_known(two, sum));
  EXPECT_FALSE(is_known(Cast::make(DType::int_(16).with_lanes(4), bytes), sum));
  EXPECT_FALSE(is_known(bytes, constant(DType::float_(32), 0)));
}

/// Computes sums of `lanes` lanes; the left operand has `given` lanes, which are repeated.
void check_shorts(const Target& target, int lanes, int given) {
  constexpr int16_t kGreatest = 255, kLeast = -255;
  const int all = lanes * kShortsOfDot;
  const Scalar size = int_imm(kMostLanes * kShortsOfDot);
  const Ref<Buffer> a = Buffer::make("a", DType::int_(16), {size}), b = Buffer::make("b", DType::int_(16), {size}),
                    out = Buffer::make("out", DType::int_(32), {int_imm(kMostLanes)});
  const Scalar dots = short_dots({.a = BufferLoad::make(a, {ramp(given)}),
                                  .b = BufferLoad::make(b, {ramp(all)}),
                                  .sum = BufferLoad::make(out, {ramp(lanes)})});
  const auto param = [](const Ref<Buffer>& p) { return PrimParam{SymVar::make_handle(p->name, {}), p}; };
  const Program program(
      lower_kernel(PrimFunc::make({param(a), param(b), param(out)}, BufferStore::make(out, dots, {ramp(lanes)})),
                   target),
      target);
  std::mt19937 random(3);
  const auto some = [&] {
    std::vector<int16_t> numbers(kMostLanes * kShortsOfDot);
    for (int16_t& n : numbers)
      n = random() % 4 == 0 ? (random() % 2 ? kGreatest : kLeast) : static_cast<int16_t>(random() % 511 - 255);
    return numbers;
  };
  std::vector<int16_t> x = some(), y = some();
  std::vector<int32_t> sums(kMostLanes, 2'147'483'000), want = sums;
  for (int i = 0; i < all; ++i) {
    auto& sum = want[static_cast<size_t>(i / kShortsOfDot)];
    const int product = x[static_cast<size_t>(i % given)] * y[static_cast<size_t>(i)];
    sum = static_cast<int32_t>(static_cast<uint32_t>(sum) + static_cast<uint32_t>(product));
  }
  ASSERT_EQ(program({x.data(), y.data(), sums.data()}), 0);
  ASSERT_EQ(sums, want) << target.text() << ", " << lanes << " lanes of " << given;
}

TEST(ShortDots, add_pairs) {
  for (const Target& target : targets())
    for (const int lanes : {1, 2, 3, 4, 6, 8, 12, 16, 32})
      for (const int given : {2, 4, 6, 8, 16, 24, 2 * lanes})
        if (2 * lanes % given == 0) check_shorts(target, lanes, given);
}

}  // namespace
}  // namespace sunmao::testing
