// Entries of artifact files, as listed in the zip directory.
#pragma once
#include <string>
#include <vector>

#include "io/bytes.h"
#include "io/json.h"
#include "io/json_writer.h"

namespace sunmao::cli {

/// True when the file is named `*.sunmao`, or begins like a zip archive with `manifest.json` in its first 128 bytes.
bool is_artifact(const std::string& path);

struct ArtifactEntry {
  std::string name;
  uint64_t size;
  io::Bytes data;
};

/// Returns the entries in file order. Fails with the reader's codes (E08xx) when the archive is not valid.
std::vector<ArtifactEntry> artifact_entries(const io::Bytes& artifact);
/// Checks the checksums of all entries (E0817), and the digests of code and weights in the manifest (E0852). The digest
/// of the program is checked when the model is opened.
void check_artifact(const io::Bytes& artifact, const io::JsonValue& manifest);
/// Returns the entry of that name, or null.
const ArtifactEntry* find_entry(const std::vector<ArtifactEntry>& entries, std::string_view name);
/// Writes the key `entries` and a list of names and sizes.
void write_entries(io::JsonWriter& writer, const std::vector<ArtifactEntry>& entries);

}  // namespace sunmao::cli
