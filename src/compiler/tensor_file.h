// Safetensors files: weights, recordings, constants of scripts.
#pragma once
#include <filesystem>

#include "io/write_file.h"
#include "ir/module.h"

namespace sunmao {

/// Returns all tensors by name; their data stays in the mapped file if it is aligned. Fails with the reader's codes.
Weights read_tensors(const std::filesystem::path& path);
/// Returns all tensors of a safetensors file in memory; `name` is for messages.
Weights tensors_of(const io::Bytes& file, const std::string& name);
/// Writes tensors to a file, which is replaced atomically. Data is aligned to 64 bytes.
void write_tensors(const std::filesystem::path& path, const Weights& tensors);
/// Returns the contents of such a file.
io::Chunks tensor_chunks(const Weights& tensors);

/// Map or write a file, or write files that belong together; failures are user errors with the codes of io/.
io::Bytes map_or_fail(const std::filesystem::path& path);
void write_or_fail(const std::filesystem::path& path, const io::Chunks& chunks);
void write_together_or_fail(const std::vector<io::FileContents>& files);

}  // namespace sunmao
