// Inputs of a fuzz harness that are made from a corpus and a seed: by the harness's own mutator where it has one,
// otherwise by changes of bytes, numbers, words and lines.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sunmao::fuzz {

using Bytes = std::vector<uint8_t>;
constexpr size_t kMaxInput = 1u << 20;

/// Generates input number `index` for a seed. No input depends on another, so that a run can resume at any index.
Bytes make_input(uint64_t seed, uint64_t index, const std::vector<Bytes>& corpus);

}  // namespace sunmao::fuzz
