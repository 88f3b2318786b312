#include "frontend/frontend.h"

#include "frontend/findings.h"
#include "io/concat.h"
#include "io/mapped_file.h"

namespace sunmao {
namespace {

/// True for the extension `.onnx`, and for text that begins as ONNX files usually do: with the version, field 1, a
/// varint.
bool looks_like_onnx(std::string_view text, const std::filesystem::path& path) {
  return text.starts_with('\x08') || path.extension() == ".onnx";
}

[[noreturn]] void not_a_model(const std::filesystem::path& path, std::string_view text) {
  std::string help = "a model is an ONNX file, or a .pt2 archive that torch.export.save wrote";
  if (text.starts_with('\x80'))
    help =
        "this is a Python pickle: load it in PyTorch, and save with torch.export.save(torch.export.export(model, "
        "args), path)";
  if (text.starts_with("GGUF") || path.extension() == ".safetensors")
    help = "this file holds weights alone; a model has its graph too: export it with torch.export or to ONNX";
  fail("E0601", nullptr,
       fmt::format("{} is no model that can be read: {}", io::quoted(path.string()),
                   text.empty() ? "it is empty" : "neither an ONNX model nor a torch.export archive"),
       help);
}

}  // namespace

Model read_model(const std::filesystem::path& path, const OpTable& ops, const ReadOptions& options) {
  io::Result<io::Bytes> file = io::map_file(path.string());
  check(file.status(), nullptr);
  const std::string name = path.filename().string();
  if (file->text().starts_with("PK")) return read_torch(*file, name, ops, options);
  if (file->empty() || !looks_like_onnx(file->text(), path)) not_a_model(path, file->text());
  const std::string folder = path.has_parent_path() ? path.parent_path().string() : ".";
  return read_onnx(*file, name, folder, ops, options);
}

}  // namespace sunmao
