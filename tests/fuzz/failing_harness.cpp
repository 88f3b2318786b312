// A harness that fails on some inputs, to test the driver: it aborts on those that begin with `a`, raises a signal on
// those that begin with `z`, and runs without end on `slow`.
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/driver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const uint8_t first = size == 0 ? 0 : data[0];
  if (first == 'a') std::abort();
  if (first == 'z') std::raise(SIGSEGV);
  volatile bool runs = std::string_view(reinterpret_cast<const char*>(data), size) == "slow";
  while (runs) {
  }
  return 0;
}
