// Layout: what the entry part of a function (its instructions before `Layout`) computes for given input shapes: dim
// values, sizes, and offsets in the arena. It depends on shapes alone, so a session caches it.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "io/status.h"
#include "runtime/program.h"

namespace sunmao::runtime {

struct ResultLayout {
  std::vector<int64_t> shape;
  uint64_t bytes = 0;
};

struct Layout {
  std::vector<int64_t> shapes;         // shapes of inputs and states, concatenated: the key of this layout
  std::vector<int64_t> dims;           // values of the dim registers
  std::vector<uint64_t> slot_offsets;  // offsets in the arena
  std::vector<uint64_t> tensor_bytes;  // per tensor register
  std::vector<uint8_t> unused_bits;    // of the last byte of the memory that a register names first; 0: none
  std::vector<ResultLayout> results;
  uint64_t arena_bytes = 0;  // total size of the arena
  uint64_t live_bytes = 0;   // the most of it that is in use at one time
  size_t body = 0;           // index of the first word after `Layout`
  uint32_t users = 0;        // running functions that have this layout
};

/// Executes the entry part. `shapes` are the shapes of the parameters that are passed or states, concatenated, with
/// ranks as in the signature. Errors name the function: E0905 (inconsistent sizes), E0906 (out of range), E0911 (a size
/// that is invalid or overflows), E0912 (a condition of the model).
io::Result<Layout> make_layout(const ProgramTables& tables, const FunctionView& function,
                               std::span<const int64_t> shapes);

}  // namespace sunmao::runtime
