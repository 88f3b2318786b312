// Seeds of random ops. Each op has a number by its place among them, so that no two draw the same numbers. With a state
// the number is mixed with it, and each run leaves it another value; so does each step of a loop whose steps draw.
#include <algorithm>
#include <bit>

#include "frontend/model_builder.h"
#include "frontend/shapes.h"

namespace sunmao {
namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators"): steps of an odd number, close to
// 2^64 over the golden ratio, go through all 64-bit values, and its finaliser makes close values very different ones.
constexpr uint64_t kStep = 0x9E3779B97F4A7C15;

uint64_t finalised(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

Expr word(uint64_t value, const Span& span) {
  return integer_constant(DType::int_(64), std::bit_cast<int64_t>(value), span);
}

}  // namespace

Expr ModelBuilder::next_seed(const Span& span) {
  const Expr own = word(finalised(kStep * ++random_ops_), span);
  if (loop_ && loop_->seed_) return call("bitwise_xor", {loop_->seed_, own}, {}, span);
  if (loop_) {
    loop_->misses_seed_ = true;
    return own;
  }
  if (!keeps_random_state_) return own;
  if (!random_state_) {
    std::string name = "random.seed";
    while (std::ranges::find(weights_, name, &Weight::original) != weights_.end()) name += "_";
    random_state_ = add_weight(name, Array::from_ints({}, std::vector<int64_t>{0}), this->span(name), Content::Changes);
  }
  return call("bitwise_xor", {random_state_, own}, {}, span);
}

Expr ModelBuilder::seed_after(const Expr& seed) { return call("add", {seed, word(kStep, seed->span)}, {}, seed->span); }

void ModelBuilder::end_random_state(std::vector<std::string>* notes) {
  if (random_state_)
    add_state(random_state_, seed_after(random_state_));
  else if (random_ops_ > 0 && notes)
    notes->push_back(
        "each run draws the same random numbers, for dropout in training too; with `keep_state` (`--keep-state`) "
        "others");
}

}  // namespace sunmao
