// Safetensors files of arrays: weights, recordings, the constants of a script.
#pragma once
#include <filesystem>

#include "io/bytes.h"
#include "ir/module.h"

namespace sunmao {

/// Every tensor by its name, in place in the mapped file where its alignment allows. Fails with the reader's codes.
Weights read_tensors(const std::filesystem::path& path);
/// Replaces the file, whole or not at all. The data is aligned to 64 bytes.
void write_tensors(const std::filesystem::path& path, const Weights& tensors);

/// The whole file, mapped; and the other way round. Fail with the codes of io/.
io::Bytes map_or_fail(const std::filesystem::path& path);
void write_or_fail(const std::filesystem::path& path, const io::Chunks& chunks);

}  // namespace sunmao
