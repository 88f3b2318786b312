// Checks of compiled code on random quantised graphs.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace sunmao {

inline constexpr std::array kQuantiserStyles = {"onnx", "torch", "nncf", "tensorrt", "dynamic"};

/// What is found of one graph, as numbers: processes share it.
struct QuantisedRun {
  bool is_fault = true;
  bool is_symbolic = false, differs_by_target = false;
  uint64_t style = 0;                        // place in kQuantiserStyles
  uint64_t in_integers = 0, in_float32 = 0;  // convolutions and products
  uint64_t bytes = 0, off_by_one = 0;        // bytes that were compared, and those that are one step from the nearest
};

/// Compiles the graph of a seed for two instruction sets and compares what each computes with real arithmetic, one step
/// after the other, and with the other one bit by bit. Returns the first fault in one line; empty when there is none.
std::string quantised_fault(uint64_t seed, QuantisedRun& run);
/// Returns the scripts of the graph of a seed, and of the reference.
std::string quantised_text(uint64_t seed);

}  // namespace sunmao
