// Which files are artifacts, and where their bytes are: its entries as the zip directory has them.
#pragma once
#include <string>
#include <vector>

#include "io/bytes.h"
#include "io/json.h"
#include "io/json_writer.h"

namespace sunmao::cli {

/// By its name or its content.
bool is_artifact(const std::string& path);

struct ArtifactEntry {
  std::string name;
  uint64_t size;
  io::Bytes data;
};

/// In the order of the file. Fails with the reader's codes (E08xx) on anything but a sound archive.
std::vector<ArtifactEntry> artifact_entries(const io::Bytes& artifact);
/// Reads all entries, and compares their checksums, and the digests that the manifest says. Fails with E0817 or E0852.
void check_artifact(const io::Bytes& artifact, const io::JsonValue& manifest);
/// The entry of that name, null when there is none.
const ArtifactEntry* find_entry(const std::vector<ArtifactEntry>& entries, std::string_view name);
/// Writes the key `entries` and a list of names and sizes.
void write_entries(io::JsonWriter& writer, const std::vector<ArtifactEntry>& entries);

}  // namespace sunmao::cli
