// NumPy's files: .npy, an array, and .npz, a zip archive of them.
#pragma once
#include <string>
#include <vector>

#include "cli/host_tensor.h"
#include "ir/module.h"

namespace sunmao::cli {

constexpr std::string_view kNpy = ".npy", kNpz = ".npz";

/// Reads an array. Fails with E0011 when the file holds none that a tensor can represent, or with a code of io/ when it
/// cannot be opened.
HostTensor read_npy(const std::string& path);
/// Reads an array of an archive. Fails (E0012) when it has none of this name, with those that it has; else as
/// `read_npy`.
HostTensor read_npz(const std::string& path, const std::string& name);
/// Returns the names of the arrays in an archive.
std::vector<std::string> npz_names(const std::string& path);

/// Writes an array, or arrays by name, atomically. Fail (E0002) for a dtype that NumPy's files lack.
void write_npy(const std::string& path, const Array& array);
void write_npz(const std::string& path, const Weights& arrays);

}  // namespace sunmao::cli
