#include "passes/schedule/contraction/contraction_sizes.h"

#include "loop/walk.h"

namespace sunmao {

int64_t elements(const Contraction& c, const Scalar& value) {
  int64_t out = 1;
  for (size_t i = 0; i < c.nest.loops.size(); ++i)
    if (uses(value, *c.loop(i)) || (i == c.column && c.panels && value == c.right)) out *= c.known_extent(i);
  return out;
}

int64_t elements_at_least(const Contraction& c, const Scalar& value) {
  int64_t out = 1;
  for (size_t i = 0; i < c.nest.loops.size(); ++i)
    if (uses(value, *c.loop(i)) && find_int(c.extent(i))) out *= c.known_extent(i);
  return out;
}

int64_t left_bytes(const Contraction& c) {
  int64_t bytes = 0;
  for_each_load(c.left, [&](const BufferLoad& load) {
    int64_t of_one = load.buffer->dtype.bytes();
    for (const Scalar& size : load.buffer->shape)
      if (const int64_t* n = find_int(size)) of_one *= *n;
    bytes = std::max(bytes, of_one);
  });
  return bytes;
}

int64_t step_count(const Contraction& c) {
  int64_t out = 1;
  for (size_t i : c.steps) out *= c.known_extent(i);
  return out;
}

bool has_unknown_steps(const Contraction& c) { return c.steps.size() == 1 && !find_int(c.extent(c.steps[0])); }

}  // namespace sunmao
