// Builds a Model from the bytes of an artifact. docs/artifact.md specifies the format.
#include <algorithm>

#include <sys/stat.h>

#include "io/concat.h"
#include "io/mapped_file.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "runtime/made_weights.h"
#include "runtime/manifest.h"
#include "runtime/op_form.h"
#include "runtime/thread_pool.h"
#include "runtime/weight_loader.h"

namespace sunmao::runtime {

using io::Bytes;
using io::concat;
using io::quoted;
using io::Status;

namespace {

std::vector<std::string> names_of_host_functions(const Program& program) {
  std::vector<std::string> names;
  for (size_t i = program.tables().first_inner; i < program.function_count(); ++i) {
    const FunctionView f = program.function(i);
    if (f.is_host() && std::find(names.begin(), names.end(), f.host_name()) == names.end())
      names.emplace_back(f.host_name());
  }
  return names;
}

}  // namespace

class ArtifactLoader {
 public:
  ArtifactLoader(io::ZipReader zip, const LoadOptions& options, int fd)
      : zip_(std::move(zip)), options_(options), fd_(fd) {}

  io::Result<std::shared_ptr<const Model>> run() {
    if (!options_.without_code) SUNMAO_TRY(check_thread_count());
    SUNMAO_TRY(read_manifest_entry());
    io::Result<Bytes> program_bytes = read(kProgramEntry);
    if (!program_bytes.ok()) return program_bytes.status();
    SUNMAO_TRY(check_digest(kProgramEntry, *program_bytes, manifest_.program_sha256));
    io::Result<Program> program = Program::read(program_bytes->span());
    if (!program.ok()) return program.status();

    std::shared_ptr<Model> model(new Model(program.take()));
    for (size_t i = 0; i < model->program_.function_count(); ++i)
      model->signatures_.push_back(make_signature(model->program_.tables(), model->program_.function(i)));
    model->states_ = describe_states(model->program_);
    while (model->entry_count_ < model->program_.tables().first_inner &&
           !model->program_.function(model->entry_count_).makes_weights())
      ++model->entry_count_;
    model->host_functions_ = names_of_host_functions(model->program_);
    SUNMAO_TRY(take_own_ops(*model));
    model->manifest_text_ = manifest_text_;
    model->thread_limit_ = options_.threads;
    if (!options_.without_code) SUNMAO_TRY(load_code(*model));
    if (wants_weights(model->program_)) SUNMAO_TRY(load_weights(model));
    return std::shared_ptr<const Model>(std::move(model));
  }

 private:
  /// Kernels of ops that the artifact has are no functions of the host.
  Status take_own_ops(Model& model) const {
    for (const std::string& op : manifest_.ops) {
      const auto known = std::find(model.host_functions_.begin(), model.host_functions_.end(), op);
      bool is_op = known != model.host_functions_.end();
      for (size_t i = 0; i < model.program_.function_count(); ++i)
        if (const FunctionView f = model.program_.function(i); f.is_host() && f.host_name() == op)
          is_op = is_op && OpForm::read(f);
      if (!is_op)
        return Status::error(
            "E0850", concat("manifest.json: `ops` names ", quoted(op), ", which the program does not call as an op"),
            "the file is damaged or was not written by Sunmao; compile the model again");
      model.host_functions_.erase(known);
    }
    model.own_ops_ = manifest_.ops;
    return {};
  }

  io::Result<Bytes> read(const std::string& name) const {
    if (zip_.has(name)) return zip_.read(name);
    return Status::error("E0853", concat("the artifact has no entry ", quoted(name)),
                         "the file is no Sunmao artifact, or an entry was taken out of it");
  }

  Status read_manifest_entry() {
    io::Result<Bytes> bytes = read(kManifestEntry);
    if (!bytes.ok()) return bytes.status();
    SUNMAO_TRY(zip_.check(*zip_.find(kManifestEntry)));
    manifest_text_ = bytes->text();
    io::Result<Manifest> manifest = read_manifest(manifest_text_);
    if (!manifest.ok()) return manifest.status();
    manifest_ = manifest.take();
    return {};
  }

  static Status check_digest(const std::string& name, const Bytes& bytes, const std::string& expected) {
    const std::string got = io::to_hex(io::sha256(bytes.span()));
    if (got == expected) return {};
    return Status::error("E0852", concat(quoted(name), ": its SHA-256 is ", got, ", manifest.json says ", expected),
                         "the file was changed or damaged after it was written; copy or compile it again");
  }

  /// True when `given` can be weights of this program: some parameter is bound to a weight, a weight has the name of a
  /// tensor in the file, or the file has no tensors (written for a program without weights).
  static bool takes_from(const Program& program, const io::SafetensorsReader& given) {
    if (given.tensors().empty()) return true;
    const ProgramTables& tables = program.tables();
    for (size_t i = 0; i < program.function_count(); ++i)
      for (const abi::ValueRecord& param : program.function(i).params)
        if (binds_weight(param)) return true;
    return std::any_of(tables.weights.begin(), tables.weights.end(),
                       [&](const abi::WeightRecord& w) { return given.find(tables.text(w.name)) != nullptr; });
  }

  /// True when weights have to be loaded: they are given in a file, or the program has weights. With `without_code`
  /// (inspection only) the program's own are loaded only if the artifact contains them.
  bool wants_weights(const Program& program) const {
    if (!options_.weights_path.empty()) return true;
    return !program.tables().weights.empty() && (!options_.without_code || zip_.has(kWeightsEntry));
  }

  Status load_code(Model& model) const {
    io::Result<CodeRecord> code = choose_code(manifest_, options_.isa);
    if (!code.ok()) return code.status();
    const std::string name = kCodeFolder + code->isa;
    io::Result<Bytes> bytes = read(name);
    if (!bytes.ok()) return bytes.status();
    SUNMAO_TRY(check_digest(name, *bytes, code->sha256));
    const ProgramTables& tables = model.program_.tables();
    io::Result<std::shared_ptr<const CodeImage>> image =
        CodeImage::load(bytes->span(), static_cast<uint32_t>(tables.kernels.size() + manifest_.ops.size()),
                        {fd_, zip_.find(name)->offset});
    if (!image.ok()) return image.status();
    model.code_ = image.take();
    model.isa_ = code->isa;
    std::vector<std::string_view> names;
    for (const abi::KernelRecord& kernel : tables.kernels) names.push_back(tables.text(kernel.name));
    write_perf_map(*model.code_, names);
    return {};
  }

  /// Fails (E0804) unless the cache folder exists; called before any weight is computed.
  static Status check_folder(const std::string& path) {
    struct stat found{};
    if (::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) return {};
    return Status::error("E0804", concat("prepared weights cannot be kept in ", quoted(path), ": it is no folder"),
                         "make the folder first, or load without a cache");
  }

  Status load_weights(const std::shared_ptr<Model>& model) {
    const ProgramTables& tables = model->program_.tables();
    WeightSources sources;
    sources.names = &manifest_.weight_names;
    SUNMAO_TRY(open_sources(sources));
    if (sources.given && !takes_from(model->program_, *sources.given))
      return Status::error("E0863", concat("the artifact takes no weights from ", quoted(options_.weights_path)),
                           "its functions take them as arguments, or have none; load it without");
    std::optional<WeightLoader> loader(std::in_place, model->program_, sources);
    std::string cache;
    const std::vector<uint32_t> kept = loader->made_to_keep();
    if (!options_.cache_folder.empty() && !loader->makers().empty()) {
      SUNMAO_TRY(check_folder(options_.cache_folder));
      cache = concat(options_.cache_folder, "/", key_of_made(*model, sources), ".safetensors");
      sources.cached = read_kept_weights(tables, kept, cache);
      if (sources.cached) loader.emplace(model->program_, sources);
    }
    SUNMAO_TRY(take_weights(model, *loader));
    if (cache.empty() || loader->makers().empty() || options_.without_code) return {};
    // Reloads the weights from the cache file, so that their pages are shared between processes as after any later
    // load.
    SUNMAO_TRY(keep_weights(*model, kept, cache));
    sources.cached = read_kept_weights(tables, kept, cache);
    if (!sources.cached) return {};
    loader.emplace(model->program_, sources);
    return take_weights(model, *loader);
  }

  Status open_sources(WeightSources& sources) {
    const auto open = [](io::Result<Bytes> bytes, std::optional<io::SafetensorsReader>& out) -> Status {
      if (!bytes.ok()) return bytes.status();
      io::Result<io::SafetensorsReader> reader = io::SafetensorsReader::open(bytes.take());
      if (!reader.ok()) return reader.status();
      out = reader.take();
      return {};
    };
    if (!options_.weights_path.empty()) {
      io::Result<Bytes> file = io::map_file(options_.weights_path);
      if (!file.ok()) return file.status();
      given_ = *file;
      const Status opened = open(std::move(file), sources.given);
      if (!opened.ok()) return opened.with_prefix(quoted(options_.weights_path) + ": ");
    }
    if (!manifest_.has_weights || !zip_.has(kWeightsEntry)) return {};
    return open(own_weights(), sources.own);
  }

  Status take_weights(const std::shared_ptr<Model>& model, const WeightLoader& loader) const {
    auto weights = std::make_shared<Weights>(model->program_.tables().weights.size());
    SUNMAO_TRY(loader.load(*weights));
    model->weights_ = weights;
    if (options_.without_code) return {};
    SUNMAO_TRY(weights->reserve(model->program_.tables(), loader.made()));
    SUNMAO_TRY(make_weights(model, loader.makers()));
    for (const uint32_t weight : loader.passing()) weights->drop(weight);
    return {};
  }

  /// Returns the cache key of the made weights: a digest of the program, the code image and the weight files.
  std::string key_of_made(const Model& model, const WeightSources& sources) const {
    std::string text = concat("made weights 1\n", manifest_.program_sha256, "\n");
    for (const CodeRecord& code : manifest_.code)
      if (code.isa == model.isa_) text += concat(code.sha256, "\n");
    if (sources.own) text += concat(manifest_.weights_sha256, "\n");
    if (sources.given) text += io::to_hex(io::sha256(given_.span()));
    return io::to_hex(io::sha256(std::as_bytes(std::span(text))));
  }

  io::Result<Bytes> own_weights() const {
    io::Result<Bytes> bytes = read(kWeightsEntry);
    if (bytes.ok() && options_.verify_weights)
      SUNMAO_TRY(check_digest(kWeightsEntry, *bytes, manifest_.weights_sha256));
    return bytes;
  }

  const io::ZipReader zip_;
  const LoadOptions& options_;
  const int fd_;  // descriptor of the file that holds the artifact at offset 0; -1: the artifact is in memory
  std::string manifest_text_;
  Manifest manifest_;
  Bytes given_;  // the safetensors file at `weights_path`
};

namespace {

io::Result<std::shared_ptr<const Model>> load_artifact(Bytes bytes, const LoadOptions& options, int fd) {
  io::Result<io::ZipReader> zip = io::ZipReader::open(std::move(bytes));
  if (!zip.ok()) return zip.status();
  return ArtifactLoader(zip.take(), options, fd).run();
}

}  // namespace

io::Result<std::shared_ptr<const Model>> Model::load(const std::string& path, const LoadOptions& options) {
  io::Result<std::shared_ptr<const io::MappedFile>> file = io::MappedFile::open(path);
  if (!file.ok()) return file.status();
  io::Result<std::shared_ptr<const Model>> model = load_artifact(io::bytes_of(*file), options, (*file)->fd());
  if (!model.ok()) return model.status().with_prefix(quoted(path) + ": ");
  return model;
}

io::Result<std::shared_ptr<const Model>> Model::load(Bytes bytes, const LoadOptions& options) {
  return load_artifact(std::move(bytes), options, -1);
}

}  // namespace sunmao::runtime
