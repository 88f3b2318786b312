// What the entry part of a function comes to for one set of input shapes: dims, sizes, and the place of everything in
// the arena. It depends on shapes alone, so a session keeps it.
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
  std::vector<int64_t> shapes;         // of the inputs, one after the other: what this layout is for
  std::vector<int64_t> dims;           // the dim registers
  std::vector<uint64_t> slot_offsets;  // in the arena
  std::vector<uint64_t> tensor_bytes;  // per tensor register
  std::vector<ResultLayout> results;
  uint64_t arena_bytes = 0;  // of all slots
  size_t body = 0;           // the word after `Layout`
};

/// Runs the entry part. `shapes` are those of the parameters that the caller passes, one after the other, each of the
/// rank that the signature says. Errors name the function, the parameter, the axis and the symbol: E0905 (sizes that
/// contradict), E0906 (out of range), E0911 (arithmetic), E0912 (a condition of the model).
io::Result<Layout> make_layout(const ProgramTables& tables, const FunctionView& function,
                               std::span<const int64_t> shapes);

}  // namespace sunmao::runtime
