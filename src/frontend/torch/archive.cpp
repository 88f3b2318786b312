#include "frontend/torch/archive.h"

#include "frontend/findings.h"
#include "io/concat.h"

namespace sunmao::torch {
namespace {

constexpr std::string_view kFormat = "/archive_format";

bool is_metadata_nobody_reads(std::string_view parent, std::string_view key) {
  return parent == "metadata" && key != "stack_trace" && key != "nn_module_stack";
}

}  // namespace

io::JsonDocument parse_graph(const io::Bytes& json, const std::string& name, const Span& whole) {
  io::Result<io::JsonDocument> document = io::JsonDocument::parse(json, {.skip = is_metadata_nobody_reads});
  check(document.status().with_prefix(name + ": "), whole);
  return document.take();
}

Archive Archive::open(const io::Bytes& file, const Span& whole) {
  io::Result<io::ZipReader> zip = io::ZipReader::open(file);
  if (!zip.ok())
    fail(zip.code(), whole, zip.status().message(),
         "an export that failed leaves a broken file behind: look for its error, and save again");
  Archive archive(zip.take(), whole);
  archive.find_root();
  archive.check_versions();
  archive.find_model();
  return archive;
}

void Archive::find_root() {
  for (const io::ZipEntry& e : zip_.entries()) {
    const std::string_view name = e.name;
    if (name.ends_with(kFormat) && name.find('/') == name.size() - kFormat.size()) {
      root_ = name.substr(0, name.size() - kFormat.size() + 1);
      return;
    }
  }
  const bool is_old = zip_.has("serialized_exported_program.json");
  std::string help = "save with torch.export.save(torch.export.export(model, args), path)";
  if (is_old) help = "it was written by PyTorch 2.7 or older: load it there, and save it with a newer one";
  for (const io::ZipEntry& e : zip_.entries())
    if (e.name.ends_with("/data.pkl"))
      help = "it is a file of torch.save or TorchScript, which needs Python to read: " + help;
  fail("E0701", whole_,
       is_old ? "the archive has the layout of before PyTorch 2.8" : "the zip archive is not one of torch.export",
       help);
}

std::string Archive::text(const std::string& name) const {
  io::Result<io::Bytes> bytes = zip_.read(root_ + name);
  check(bytes.status(), whole_);
  std::string_view text = bytes->text();
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text);
}

void Archive::check_versions() const {
  const std::string format = text("archive_format"), version = text("archive_version");
  if (format != "pt2" || version != "0")
    fail("E0702", whole_,
         fmt::format("the archive has format {} version {}, expected `pt2` version `0`", io::quoted(format),
                     io::quoted(version)),
         "save it with PyTorch 2.8 or newer; 2.13 is what this reader knows");
  if (zip_.has(root_ + "byteorder") && text("byteorder") != "little")
    fail("E0702", whole_,
         fmt::format("the archive's byte order is {}, expected `little`", io::quoted(text("byteorder"))),
         "save it on a little-endian machine");
}

void Archive::find_model() {
  std::vector<std::string> models;
  bool is_compiled = false;
  const std::string folder = root_ + "models/";
  for (const io::ZipEntry& e : zip_.entries()) {
    is_compiled |= e.name.starts_with(root_ + "data/aotinductor/");
    if (e.name.starts_with(folder) && e.name.ends_with(".json"))
      models.push_back(e.name.substr(folder.size(), e.name.size() - folder.size() - 5));
  }
  if (models.size() == 1) {
    model_ = models[0];
    return;
  }
  if (models.empty() && is_compiled)
    fail("E0703", whole_, "the archive holds code that AOTInductor compiled, and no graph",
         "save the exported program itself: torch.export.save(ep, path)");
  fail("E0703", whole_, fmt::format("the archive holds {} models, expected one", models.size()),
       "save each model into a file of its own with torch.export.save");
}

io::JsonDocument Archive::json(const std::string& name) const {
  io::Result<io::Bytes> bytes = zip_.read(root_ + name);
  check(bytes.status(), whole_);
  return parse_graph(*bytes, name, whole_);
}

io::JsonDocument Archive::graph() const { return json("models/" + model_ + ".json"); }
io::JsonDocument Archive::weights_config() const { return json("data/weights/" + model_ + "_weights_config.json"); }
io::JsonDocument Archive::constants_config() const {
  return json("data/constants/" + model_ + "_constants_config.json");
}

io::Bytes Archive::data(const std::string& folder, std::string_view path, const Span& span) const {
  io::Result<io::Bytes> bytes = zip_.read(root_ + "data/" + folder + "/" + std::string(path));
  check(bytes.status(), span);
  return *bytes;
}

}  // namespace sunmao::torch
