// Manifest: `manifest.json` of an artifact, as specified in docs/artifact.md.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::runtime {

inline constexpr int64_t kArtifactFormat = 1;
inline constexpr const char* kManifestEntry = "manifest.json";
inline constexpr const char* kProgramEntry = "program.bin";
inline constexpr const char* kWeightsEntry = "weights.safetensors";
inline constexpr const char* kCodeFolder = "code/";

struct CodeRecord {
  std::string isa;
  std::vector<std::string> required_features;
  std::string sha256;
};

/// Maps a weight's name in the program to its name in the model's file, where they differ.
using WeightNames = std::map<std::string, std::string, std::less<>>;

struct Manifest {
  std::string producer;
  std::string program_sha256;
  std::vector<CodeRecord> code;
  bool has_weights = false;
  std::string weights_sha256;
  WeightNames weight_names;
  std::vector<std::string> ops;  // kernels of ops that the code images have, behind the program's kernels
};

/// Parses a manifest. E0850 names the key that is missing or wrong; E0851 is for another format or kernel ABI.
io::Result<Manifest> read_manifest(std::string_view text);

/// Returns the image `isa` or, when that is empty, the best that this processor can run: the one that requires most
/// features, and the first of equals. E0856 lists missing CPU features; E0861 lists the available images.
io::Result<CodeRecord> choose_code(const Manifest& manifest, std::string_view isa);

}  // namespace sunmao::runtime
