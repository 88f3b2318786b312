#include "cli/artifact_entries.h"

#include "compiler/tensor_file.h"
#include "io/zip.h"
#include "support/diagnostic.h"

namespace sunmao::cli {
namespace {

template <class T>
T take(io::Result<T> result) {
  if (!result.ok()) fail(result.code(), {}, result.status().message(), result.status().help());
  return result.take();
}

}  // namespace

bool is_artifact(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".sunmao") return true;
  constexpr std::string_view kFirstEntry = "manifest.json";  // of what the compiler writes
  const io::Bytes file = map_or_fail(path);
  return file.text().starts_with("PK") && file.text().substr(0, 128).find(kFirstEntry) != std::string_view::npos;
}

std::vector<ArtifactEntry> artifact_entries(const io::Bytes& artifact) {
  const io::ZipReader zip = take(io::ZipReader::open(artifact));
  std::vector<ArtifactEntry> out;
  for (const io::ZipEntry& e : zip.entries()) out.push_back({e.name, e.size, take(zip.read(e))});
  return out;
}

const ArtifactEntry* find_entry(const std::vector<ArtifactEntry>& entries, std::string_view name) {
  for (const ArtifactEntry& e : entries)
    if (e.name == name) return &e;
  return nullptr;
}

void write_entries(io::JsonWriter& writer, const std::vector<ArtifactEntry>& entries) {
  writer.key("entries").begin_array();
  for (const ArtifactEntry& e : entries)
    writer.begin_object().key("name").value(e.name).key("bytes").value(e.size).end_object();
  writer.end_array();
}

}  // namespace sunmao::cli
