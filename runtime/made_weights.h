// Made weights: weights that a program computes at load time with its makers, and files that cache them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "runtime/model.h"

namespace sunmao::runtime {

/// Runs the makers in the given order. Their inputs must be loaded and memory for their results reserved.
io::Status make_weights(const std::shared_ptr<const Model>& model, const std::vector<size_t>& makers);

/// Writes the weights that are bound to parameters of entry functions, in safetensors form; constants of the program
/// are not included. E0914 when one of them is not loaded.
io::Status write_weights(const Model& model, const std::string& path);

/// Writes weights to a cache file, with their digest.
io::Status keep_weights(const Model& model, const std::vector<uint32_t>& weights, const std::string& path);
/// Opens a cache file that holds `weights`; absent when it cannot be read, lacks one of them in its type and shape, or
/// fails its digest. Reads the data of all of them.
std::optional<io::SafetensorsReader> read_kept_weights(const ProgramTables& tables,
                                                       const std::vector<uint32_t>& weights, const std::string& path);

}  // namespace sunmao::runtime
