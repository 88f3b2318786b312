// From the bytes of an artifact to a Model. docs/artifact.md is the contract.
#include "io/concat.h"
#include "io/mapped_file.h"
#include "io/sha256.h"
#include "io/zip.h"
#include "runtime/manifest.h"
#include "runtime/model.h"

namespace sunmao::runtime {

using io::Bytes;
using io::concat;
using io::quoted;
using io::Status;

class ArtifactLoader {
 public:
  ArtifactLoader(io::ZipReader zip, const LoadOptions& options, int fd)
      : zip_(std::move(zip)), options_(options), fd_(fd) {}

  io::Result<std::shared_ptr<const Model>> run() {
    SUNMAO_TRY(read_manifest_entry());
    io::Result<Bytes> program_bytes = read(kProgramEntry);
    if (!program_bytes.ok()) return program_bytes.status();
    SUNMAO_TRY(check_digest(kProgramEntry, *program_bytes, manifest_.program_sha256));
    io::Result<Program> program = Program::read(program_bytes->span());
    if (!program.ok()) return program.status();

    std::shared_ptr<Model> model(new Model(program.take()));
    for (size_t i = 0; i < model->program_.function_count(); ++i)
      model->signatures_.push_back(make_signature(model->program_.tables(), model->program_.function(i)));
    model->manifest_text_ = manifest_text_;
    model->thread_limit_ = options_.threads;
    if (!options_.without_code) SUNMAO_TRY(load_code(*model));
    if (wants_weights(model->program_)) SUNMAO_TRY(load_weights(*model));
    return std::shared_ptr<const Model>(std::move(model));
  }

 private:
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

  /// To be looked at, a model needs no weights.
  bool wants_weights(const Program& program) const {
    if (program.tables().weights.empty()) return false;
    return !options_.without_code || !options_.weights_path.empty() || zip_.has(kWeightsEntry);
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
        CodeImage::load(bytes->span(), static_cast<uint32_t>(tables.kernels.size()), {fd_, zip_.find(name)->offset});
    if (!image.ok()) return image.status();
    model.code_ = image.take();
    model.isa_ = code->isa;
    std::vector<std::string_view> names;
    for (const abi::KernelRecord& kernel : tables.kernels) names.push_back(tables.text(kernel.name));
    write_perf_map(*model.code_, names);
    return {};
  }

  Status load_weights(Model& model) const {
    io::Result<Bytes> bytes = options_.weights_path.empty() ? own_weights() : io::map_file(options_.weights_path);
    if (!bytes.ok()) return bytes.status();
    io::Result<std::shared_ptr<const Weights>> weights = Weights::open(model.program_.tables(), bytes.take());
    if (!weights.ok()) return weights.status();
    model.weights_ = weights.take();
    return {};
  }

  io::Result<Bytes> own_weights() const {
    if (!manifest_.has_weights || !zip_.has(kWeightsEntry))
      return Status::error("E0862", "the artifact was made without weights",
                           "give a safetensors file with the weights when loading it");
    io::Result<Bytes> bytes = read(kWeightsEntry);
    if (bytes.ok() && options_.verify_weights)
      SUNMAO_TRY(check_digest(kWeightsEntry, *bytes, manifest_.weights_sha256));
    return bytes;
  }

  const io::ZipReader zip_;
  const LoadOptions& options_;
  const int fd_;  // of the file that the artifact stands in from its first byte on; -1: it is in memory
  std::string manifest_text_;
  Manifest manifest_;
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
