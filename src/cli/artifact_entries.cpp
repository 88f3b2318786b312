#include "cli/artifact_entries.h"

#include "compiler/tensor_file.h"
#include "io/concat.h"
#include "io/sha256.h"
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
  constexpr std::string_view kFirstEntry = "manifest.json";  // the first entry in artifacts of this compiler
  const io::Bytes file = map_or_fail(path);
  return file.text().starts_with("PK") && file.text().substr(0, 128).find(kFirstEntry) != std::string_view::npos;
}

std::vector<ArtifactEntry> artifact_entries(const io::Bytes& artifact) {
  const io::ZipReader zip = take(io::ZipReader::open(artifact));
  std::vector<ArtifactEntry> out;
  for (const io::ZipEntry& e : zip.entries()) out.push_back({e.name, e.size, take(zip.read(e))});
  return out;
}

void check_artifact(const io::Bytes& artifact, const io::JsonValue& manifest) {
  const io::ZipReader zip = take(io::ZipReader::open(artifact));
  for (const io::ZipEntry& e : zip.entries())
    if (const io::Status status = zip.check(e); !status.ok()) fail(status.code(), {}, status.message(), status.help());
  const auto check = [&](const std::string& name, const io::JsonValue& record) {
    const std::string expected(record["sha256"].as_string().value_or("")),
        got = io::to_hex(io::sha256(take(zip.read(name)).span()));
    if (got != expected)
      fail("E0852", {}, fmt::format("{}: its SHA-256 is {}, manifest.json says {}", io::quoted(name), got, expected),
           "the file was changed or damaged after it was written; copy or compile it again");
  };
  for (const io::JsonValue code : manifest["code"].elements())
    check(fmt::format("code/{}", code["isa"].as_string().value_or("")), code);
  if (manifest["weights"].exists()) check("weights.safetensors", manifest["weights"]);
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
