// What this machine can do, measured by kernels that are compiled for it.
#pragma once
#include <cstdint>

namespace sunmao {

struct MachinePeak {
  double flops;           // float32 operations a second, by multiply-adds on registers
  double int8_flops;      // the same of multiply-adds of bytes whose sums are int32
  double bfloat16_flops;  // the same of multiply-adds of bfloat16 whose sums are float32
  double bytes;           // bytes a second, read from memory
  double cache_bytes;     // bytes a second, read from the caches of the cores
  int64_t cache_size;     // the bytes of these caches together
};

/// Measures for less than a second on this number of threads.
MachinePeak measure_peak(uint32_t threads);

}  // namespace sunmao
