#include "codegen/artifact/write_artifact.h"

#include <algorithm>

#include "abi/kernel.h"
#include "codegen/artifact/kernel_facts.h"
#include "io/json_writer.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/version.h"

namespace sunmao {
namespace {

constexpr uint32_t kPage = 4096;

std::string digest(const io::Chunks& chunks) {
  io::Sha256 sha;
  for (const io::Bytes& c : chunks) sha.update(c.span());
  return io::to_hex(sha.finish());
}

io::Bytes bytes_of(const std::vector<uint8_t>& data) { return io::Bytes::copy_of(std::as_bytes(std::span(data))); }

io::Chunks weights_file(const Program& program) {
  std::vector<io::StoredTensor> tensors;
  for (const ProgramWeight& w : program.weights) {
    if (!w.data) continue;
    const abi::ElementType type{static_cast<uint8_t>(w.dtype.code), w.dtype.bits, w.dtype.lanes};
    io::StoredForm form = io::form_in_safetensors(type, w.shape);
    tensors.push_back({w.name, form.type, std::move(form.shape), io::Bytes(w.data->bytes(), w.data->owner())});
  }
  auto chunks = io::write_safetensors(tensors);
  check(chunks.ok() ? io::Status() : chunks.status());
  return chunks.value();
}

void write_identifiers(io::JsonWriter& manifest, const Program& program) {
  if (program.identifiers.empty()) return;
  manifest.key("identifiers").begin_object();
  for (const auto& [function, inputs] : program.identifiers) {
    manifest.key(function).begin_object();
    for (const auto& [name, identifier] : inputs) manifest.key(name).value(identifier);
    manifest.end_object();
  }
  manifest.end_object();
}

void write_nesting(io::JsonWriter& manifest, const Program& program) {
  if (program.nesting.empty()) return;
  manifest.key("nesting").begin_object();
  for (const auto& [function, text] : program.nesting) {
    const io::Result<io::JsonDocument> parsed = io::JsonDocument::parse(text);
    check(parsed.ok() ? io::Status() : parsed.status());
    manifest.key(function).value(parsed->root());
  }
  manifest.end_object();
}

void write_weight_names(io::JsonWriter& manifest, const Program& program) {
  const auto has_own = [](const ProgramWeight& w) { return !w.own_name.empty(); };
  if (std::ranges::none_of(program.weights, has_own)) return;
  manifest.key("weight_names").begin_object();
  for (const ProgramWeight& w : program.weights)
    if (has_own(w)) manifest.key(w.name).value(w.own_name);
  manifest.end_object();
}

}  // namespace

void check(const io::Status& status) {
  if (!status.ok()) fail(std::string(status.code()), {}, status.message(), status.help());
}

io::Chunks write_artifact(const Program& program, std::span<const CodeImage> images) {
  io::Bytes code = bytes_of(program.bytes);
  io::JsonWriter manifest;
  manifest.begin_object().key("format").value(1).key("producer").value(std::string("sunmao ") + kVersion);
  manifest.key("kernel_abi").value(SUNMAO_KERNEL_ABI);
  manifest.key("program").begin_object().key("sha256").value(digest({code})).end_object();
  manifest.key("code").begin_array();
  for (const CodeImage& image : images) {
    manifest.begin_object().key("isa").value(image.isa).key("requires").begin_array();
    for (const std::string& f : image.required_features) manifest.value(f);
    manifest.end_array().key("sha256").value(digest({io::Bytes::borrowed(image.elf)})).end_object();
  }
  manifest.end_array();
  io::Chunks weights;
  const bool has_weights =
      std::ranges::any_of(program.weights, [](const ProgramWeight& w) { return w.data.has_value(); });
  if (has_weights) {
    weights = weights_file(program);
    manifest.key("weights").begin_object().key("sha256").value(digest(weights)).end_object();
  }
  if (!program.caller_prepares.empty()) {
    manifest.key("prepared_by").begin_object();
    for (const auto& [name, work] : program.caller_prepares) {
      manifest.key(name).begin_object().key("inputs").value(work.inputs).key("functions").begin_array();
      for (const std::string& f : work.functions) manifest.value(f);
      manifest.end_array().end_object();
    }
    manifest.end_object();
  }
  write_weight_names(manifest, program);
  write_identifiers(manifest, program);
  write_nesting(manifest, program);
  write_kernel_facts(manifest, program);
  manifest.end_object();

  io::ZipWriter zip;
  check(zip.add("manifest.json", std::string_view(manifest.text())));
  check(zip.add("program.bin", {code}, 64));
  for (const CodeImage& image : images) check(zip.add("code/" + image.isa, {io::Bytes::copy_of(image.elf)}, kPage));
  if (!weights.empty()) check(zip.add("weights.safetensors", std::move(weights), kPage));
  return std::move(zip).finish();
}

}  // namespace sunmao
