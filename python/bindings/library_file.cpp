// Files of libraries: an artifact with further entries, which say what the library's functions are.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings/bindings.h"
#include "bindings/host_tensor.h"
#include "codegen/artifact/write_artifact.h"
#include "compiler/compile.h"
#include "compiler/stored_weights.h"
#include "io/concat.h"
#include "io/mapped_file.h"
#include "io/safetensors.h"
#include "io/write_file.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/shape_bytes.h"

namespace sunmao::python {
namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kWeights = "weights.safetensors";
constexpr const char* kConstants = "constants.safetensors";
constexpr uint32_t kPage = 4096;

template <class T>
T taken(io::Result<T> result) {
  check(result.ok() ? io::Status() : result.status());
  return result.take();
}

bool is_of_artifact(const std::string& name) {
  return name == kManifest || name == kWeights || name == "program.bin" || name.starts_with("code/");
}

/// Writes the entries of an artifact, if there is one, then the texts and the constants.
void write_library(const std::string& path, const Compiled* compiled, const std::map<std::string, std::string>& texts,
                   const std::map<std::string, HostTensor>& constants) {
  io::ZipWriter zip;
  if (compiled) {
    const io::ZipReader artifact = taken(io::ZipReader::open(compiled->artifact));
    for (const io::ZipEntry& e : artifact.entries())
      if (is_of_artifact(e.name))
        check(
            zip.add(e.name, {taken(artifact.read(e))}, e.name == kWeights || e.name.starts_with("code/") ? kPage : 64));
  }
  for (const auto& [name, text] : texts) check(zip.add(name, text));
  if (!constants.empty()) {
    std::vector<io::StoredTensor> stored;
    for (const auto& [name, tensor] : constants) {
      const Array array = tensor.array();
      const DType t = array.dtype();
      io::StoredForm form = io::form_in_safetensors({static_cast<uint8_t>(t.code), t.bits, t.lanes}, array.shape());
      stored.push_back({name, form.type, std::move(form.shape), io::Bytes(array.bytes(), array.owner())});
    }
    check(zip.add(kConstants, taken(io::write_safetensors(stored)), kPage));
  }
  check(io::write_file_atomically(path, std::move(zip).finish()));
}

/// A library on disk, mapped.
class LibraryFile {
 public:
  explicit LibraryFile(const std::string& path)
      : file_(taken(io::map_file(path))), zip_(taken(io::ZipReader::open(file_))) {
    for (const char* entry : {kWeights, kConstants})
      if (zip_.has(entry)) add_tensors(entry, taken(io::SafetensorsReader::open(taken(zip_.read(entry)))));
  }

  std::optional<nb::bytes> text(const std::string& name) const {
    if (!zip_.has(name)) return std::nullopt;
    const io::Bytes data = taken(zip_.read(name));
    check(zip_.check(*zip_.find(name)));
    return nb::bytes(data.data(), data.size());
  }
  bool has_artifact() const { return zip_.has(kManifest); }
  Compiled compiled(const Module& module) const { return {.artifact = file_, .module = module}; }

  /// Returns a tensor of the file, with the dtype and shape that the module says; its entry may have them as bytes.
  HostTensor tensor(const std::string& name, const std::string& dtype, const std::vector<int64_t>& shape) const {
    const auto found = tensors_.find(name);
    const std::optional<DType> type = DType::parse(dtype);
    if (found == tensors_.end()) fail("E0864", {}, fmt::format("the library has no tensor {}", io::quoted(name)));
    const std::optional<int64_t> bytes = type ? shape_bytes(shape, *type) : std::nullopt;
    if (!bytes || std::cmp_not_equal(*bytes, found->second.size()))
      fail("E0864", {}, fmt::format("the tensor {} is no {} of shape {}", io::quoted(name), dtype, shape_text(shape)));
    return HostTensor::fixed(Array::wrap(*type, shape, found->second.data(), found->second.owner()));
  }

 private:
  void add_tensors(const std::string& entry, const io::SafetensorsReader& reader) {
    for (const io::StoredTensor& t : reader.tensors()) tensors_.emplace(entry + ":" + t.name, t.data);
  }

  io::Bytes file_;
  io::ZipReader zip_;
  std::map<std::string, io::Bytes> tensors_;  // "<entry>:<name>"
};

}  // namespace

void bind_library_file(nb::module_& m) {
  nb::class_<LibraryFile>(m, "LibraryFile", "A library on disk: an artifact with texts and tensors beside it.")
      .def(nb::init<const std::string&>(), nb::arg("path"))
      .def("text", &LibraryFile::text, nb::arg("name"), nb::sig("def text(self, name: str) -> bytes | None"),
           "The content of an entry; None where there is none.")
      .def_prop_ro("has_artifact", &LibraryFile::has_artifact)
      .def("tensor", &LibraryFile::tensor, nb::arg("name"), nb::arg("dtype"), nb::arg("shape"),
           "A tensor of the file, `<entry>:<name>`.")
      .def("compiled", &LibraryFile::compiled, nb::arg("module"), "The artifact, compiled from this module.");
  m.def("write_library", &write_library, nb::arg("path"), nb::arg("compiled").none(), nb::arg("texts"),
        nb::arg("constants"),
        "Writes a library: the entries of an artifact, texts by name of their entry, and constants.");
}

}  // namespace sunmao::python
