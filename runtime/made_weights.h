// Weights that a program makes itself when it is loaded, and files that keep them.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "runtime/model.h"

namespace sunmao::runtime {

/// Runs the makers, in this order. What they read is there, and memory for what they make.
io::Status make_weights(const std::shared_ptr<const Model>& model, const std::vector<size_t>& makers);

/// Writes what functions of the caller's take; constants of the program are not among it.
io::Status write_weights(const Model& model, const std::string& path);

/// Writes weights to a file of a cache, with their digest.
io::Status keep_weights(const Model& model, const std::vector<uint32_t>& weights, const std::string& path);
/// A file that keeps `weights`; nothing when there is none, it does not have them all, or it is damaged. Reads all of
/// it.
std::optional<io::SafetensorsReader> read_kept_weights(const ProgramTables& tables,
                                                       const std::vector<uint32_t>& weights, const std::string& path);

}  // namespace sunmao::runtime
