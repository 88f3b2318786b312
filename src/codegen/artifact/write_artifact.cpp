#include "codegen/artifact/write_artifact.h"

#include <algorithm>

#include "abi/kernel.h"
#include "codegen/artifact/kernel_facts.h"
#include "codegen/artifact/weights_writer.h"
#include "io/json_writer.h"
#include "io/safetensors.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "support/diagnostic.h"
#include "support/version.h"

namespace sunmao {
namespace {

constexpr uint32_t kPage = 4096;

std::string digest(const io::Bytes& data) { return io::to_hex(io::sha256(data.span())); }

io::Bytes bytes_of(const std::vector<uint8_t>& data) { return io::Bytes::copy_of(std::as_bytes(std::span(data))); }

/// The entry of weights: the data that the program has, then what is prepared.
class WeightsEntry {
 public:
  WeightsEntry(const Program& program, WeightSource* source) : source_(source) {
    std::map<std::string, const ProgramWeight*> prepared;
    std::vector<std::string> names;
    for (const ProgramWeight& w : program.weights) {
      if (w.is_prepared) {
        prepared.emplace(w.name, &w);
        names.push_back(w.name);
      } else if (w.data) {
        add(w);
        tensors_.back().data = io::Bytes(w.data->bytes(), w.data->owner());
      }
    }
    given_ = tensors_.size();
    if (source_)
      for (const std::string& name : source_->order(names)) add(*prepared.at(name));
    if (tensors_.empty()) return;
    io::Result<io::SafetensorsPlan> plan = io::plan_safetensors(tensors_);
    check(plan.ok() ? io::Status() : plan.status());
    plan_ = plan.take();
  }

  bool empty() const { return tensors_.empty(); }
  uint64_t size() const { return plan_.size; }

  DataDigests write(ArtifactSink& sink, uint64_t offset) {
    WeightsWriter writer(sink, offset, plan_.size);
    writer.append(io::Bytes::from(plan_.head));
    size_t next = 0;
    const auto append = [&](io::Bytes data) {
      writer.pad_to(plan_.offsets[next++]);
      writer.append(std::move(data));
    };
    while (next < given_) append(std::move(tensors_[next].data));
    if (next < tensors_.size()) source_->give(append);
    return writer.finish();
  }

 private:
  void add(const ProgramWeight& w) {
    const abi::ElementType type{static_cast<uint8_t>(w.dtype.code), w.dtype.bits, w.dtype.lanes};
    io::StoredForm form = io::form_in_safetensors(type, w.shape);
    tensors_.push_back({w.name, form.type, std::move(form.shape), {}});
  }

  WeightSource* source_;
  std::vector<io::StoredTensor> tensors_;
  size_t given_ = 0;  // those that the program has come first
  io::SafetensorsPlan plan_ = {};
};

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

void write_weights(io::JsonWriter& manifest, const Program& program, const std::string& sha256) {
  manifest.key("weights").begin_object().key("sha256").value(sha256);
  if (const std::optional<WeightGrowth>& growth = program.weight_growth) {
    manifest.key("model_bytes").value(growth->model_bytes).key("bytes").value(growth->bytes);
    if (!growth->widened.empty()) manifest.key("widened").begin_array();
    for (const WidenedWeight& w : growth->widened) {
      manifest.begin_object().key("name").value(w.name).key("from").value(w.from.str()).key("to").value(w.to.str());
      manifest.key("bytes_more").value(w.bytes_more).end_object();
    }
    if (!growth->widened.empty()) manifest.end_array();
  }
  manifest.end_object();
}

std::string manifest_of(const Program& program, std::span<const CodeImage> images, const io::Bytes& code,
                        const std::string& weights_sha256) {
  io::JsonWriter manifest;
  manifest.begin_object().key("format").value(1).key("producer").value(std::string("sunmao ") + kVersion);
  manifest.key("kernel_abi").value(SUNMAO_KERNEL_ABI);
  manifest.key("program").begin_object().key("sha256").value(digest(code)).end_object();
  manifest.key("code").begin_array();
  for (const CodeImage& image : images) {
    manifest.begin_object().key("isa").value(image.isa).key("requires").begin_array();
    for (const std::string& f : image.required_features) manifest.value(f);
    manifest.end_array().key("sha256").value(digest(io::Bytes::borrowed(image.elf))).end_object();
  }
  manifest.end_array();
  if (!weights_sha256.empty()) write_weights(manifest, program, weights_sha256);
  if (!program.caller_prepares.empty()) {
    manifest.key("prepared_by").begin_object();
    for (const auto& [name, work] : program.caller_prepares) {
      manifest.key(name).begin_object().key("inputs").value(work.inputs).key("functions").begin_array();
      for (const std::string& f : work.functions) manifest.value(f);
      manifest.end_array().end_object();
    }
    manifest.end_object();
  }
  if (!program.own_ops.empty()) {
    manifest.key("ops").begin_array();
    for (const std::string& name : program.own_ops) manifest.value(name);
    manifest.end_array();
  }
  write_weight_names(manifest, program);
  write_identifiers(manifest, program);
  write_nesting(manifest, program);
  write_kernel_facts(manifest, program);
  manifest.end_object();
  return manifest.take();
}

}  // namespace

void check(const io::Status& status) {
  if (!status.ok()) fail(std::string(status.code()), {}, status.message(), status.help());
}

void write_artifact(const Program& program, std::span<const CodeImage> images, WeightSource* prepared,
                    ArtifactSink& sink) {
  const io::Bytes code = bytes_of(program.bytes);
  WeightsEntry weights(program, prepared);
  uint64_t weights_offset = 0;
  // Where everything lies depends on the size of the manifest, not on the digests in it.
  const auto archive = [&](const DataDigests& digests) {
    io::ZipWriter zip;
    check(zip.add("manifest.json", manifest_of(program, images, code, digests.sha256)));
    check(zip.add("program.bin", {code}, 64));
    for (const CodeImage& image : images) check(zip.add("code/" + image.isa, {io::Bytes::borrowed(image.elf)}, kPage));
    if (!weights.empty()) {
      const io::Result<uint64_t> offset =
          zip.add_elsewhere("weights.safetensors", weights.size(), digests.crc32, kPage);
      check(offset.ok() ? io::Status() : offset.status());
      weights_offset = *offset;
    }
    return std::move(zip).finish_in_places();
  };
  DataDigests digests;
  if (!weights.empty()) digests.sha256 = std::string(64, '0');
  std::vector<io::PlacedBytes> pieces = archive(digests);
  sink.begin(pieces.back().offset + pieces.back().data.size());
  if (!weights.empty()) {
    digests = weights.write(sink, weights_offset);
    pieces = archive(digests);
  }
  for (const io::PlacedBytes& piece : pieces) sink.write(piece.offset, piece.data.span());
}

}  // namespace sunmao
