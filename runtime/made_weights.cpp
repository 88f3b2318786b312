#include "runtime/made_weights.h"

#include <algorithm>

#include "io/mapped_file.h"
#include "io/sha256.h"
#include "io/write_file.h"
#include "runtime/element_type.h"
#include "runtime/session.h"
#include "runtime/weight_loader.h"

namespace sunmao::runtime {
namespace {

DLTensor view_of(const Tensor& tensor, abi::ElementType type, std::vector<int64_t>& shape) {
  DLTensor view = {};
  view.data = cpu_address(tensor.storage);
  view.device = {kDLCPU, 0};
  view.ndim = static_cast<int32_t>(shape.size());
  view.dtype = to_dlpack(type);
  view.shape = shape.data();
  return view;
}

constexpr std::string_view kDigestKey = "sunmao.sha256";

/// Returns the digest of the tensors' concatenated data.
std::string digest_of(const std::vector<io::StoredTensor>& tensors) {
  io::Sha256 sha;
  for (const io::StoredTensor& tensor : tensors) sha.update(tensor.data.span());
  return io::to_hex(sha.finish());
}

/// Returns views of the given weights of a model.
std::vector<io::StoredTensor> stored(const Model& model, const std::vector<uint32_t>& weights) {
  const ProgramTables& tables = model.program().tables();
  std::vector<io::StoredTensor> tensors;
  for (const uint32_t i : weights) {
    const abi::WeightRecord& weight = tables.weights[i];
    const Tensor& tensor = model.weights()->tensors()[i];
    const std::span<const int64_t> shape = tables.shape(weight);
    const auto* data = static_cast<const std::byte*>(cpu_address(tensor.storage));
    io::StoredForm form = io::form_in_safetensors(weight.type, shape);
    tensors.push_back({std::string(tables.text(weight.name)), form.type, std::move(form.shape),
                       io::Bytes::borrowed({data, tensor.bytes})});
  }
  return tensors;
}

io::Status write(const std::vector<io::StoredTensor>& tensors, const io::StringPairs& metadata,
                 const std::string& path) {
  io::Result<io::Chunks> file = io::write_safetensors(tensors, metadata);
  if (!file.ok()) return file.status();
  return io::write_file_atomically(path, *file);
}

}  // namespace

io::Status make_weights(const std::shared_ptr<const Model>& model, const std::vector<size_t>& makers) {
  if (makers.empty()) return {};
  io::Result<std::unique_ptr<Session>> session = Session::create(model);
  if (!session.ok()) return session.status();
  const ProgramTables& tables = model->program().tables();
  for (const size_t maker : makers) {
    const FunctionView f = model->program().function(maker);
    std::vector<std::vector<int64_t>> shapes;
    std::vector<DLTensor> outputs;
    for (const abi::ValueRecord& result : f.results) {
      const abi::WeightRecord& weight = tables.weights[result.weight];
      shapes.emplace_back(tables.shape(weight).begin(), tables.shape(weight).end());
      outputs.push_back(view_of(model->weights()->tensors()[result.weight], weight.type, shapes.back()));
    }
    SUNMAO_TRY((*session)->run(maker, {}, outputs));
  }
  return {};
}

io::Status keep_weights(const Model& model, const std::vector<uint32_t>& weights, const std::string& path) {
  const std::vector<io::StoredTensor> tensors = stored(model, weights);
  return write(tensors, {{std::string(kDigestKey), digest_of(tensors)}}, path);
}

io::Status write_weights(const Model& model, const std::string& path) {
  std::vector<uint32_t> taken;
  for (size_t i = 0; i < model.entries().size(); ++i)
    for (const abi::ValueRecord& param : model.program().function(i).params)
      if (binds_weight(param)) taken.push_back(param.weight);
  std::sort(taken.begin(), taken.end());
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  const auto is_absent = [&](uint32_t w) { return !model.weights() || !model.weights()->has(w); };
  if (std::any_of(taken.begin(), taken.end(), is_absent))
    return io::Status::error("E0914", "this model was loaded without code and cannot prepare its weights",
                             "load it again without the option `without_code`");
  return write(stored(model, taken), {}, path);
}

std::optional<io::SafetensorsReader> read_kept_weights(const ProgramTables& tables,
                                                       const std::vector<uint32_t>& weights, const std::string& path) {
  io::Result<io::Bytes> bytes = io::map_file(path);
  if (!bytes.ok()) return std::nullopt;
  io::Result<io::SafetensorsReader> file = io::SafetensorsReader::open(bytes.take());
  if (!file.ok()) return std::nullopt;
  std::vector<io::StoredTensor> tensors;
  for (const uint32_t i : weights) {
    const io::StoredTensor* tensor = file->find(tables.text(tables.weights[i].name));
    if (!tensor || !is_weight(*tensor, tables, i)) return std::nullopt;
    tensors.push_back(*tensor);
  }
  const io::StringPairs& metadata = file->metadata();
  const bool is_whole = std::any_of(metadata.begin(), metadata.end(), [&](const auto& entry) {
    return entry.first == kDigestKey && entry.second == digest_of(tensors);
  });
  if (!is_whole) return std::nullopt;
  return file.take();
}

}  // namespace sunmao::runtime
