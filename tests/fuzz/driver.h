// What a harness may define beside LLVMFuzzerTestOneInput. The mutator and the crossover are libFuzzer's.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
/// Changes the input in place and returns its new size.
[[gnu::weak]] size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed);
/// Writes an input made of two into `out` and returns its size; 0 for none.
[[gnu::weak]] size_t LLVMFuzzerCustomCrossOver(const uint8_t* data, size_t size, const uint8_t* other,
                                               size_t other_size, uint8_t* out, size_t max_out_size, unsigned seed);
/// Returns whether the last input reached what the harness is meant to test.
[[gnu::weak]] bool fuzz_reached();
/// Prints what the harness counted of all inputs of this process.
[[gnu::weak]] void fuzz_report();
}
