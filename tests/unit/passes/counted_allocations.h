// How much memory the program of these tests has asked for: a measure of work that does not depend on the machine.
#pragma once
#include <cstdint>

namespace sunmao {

/// Returns how many pieces of memory this thread has got by `operator new` so far.
uint64_t counted_allocations();

}  // namespace sunmao
