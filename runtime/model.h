// Model: a loaded artifact with its program, code and weights. Immutable, so that sessions on any thread share it.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.h"
#include "io/status.h"
#include "runtime/code_image.h"
#include "runtime/program.h"
#include "runtime/signature.h"
#include "runtime/thread_pool.h"
#include "runtime/weights.h"

namespace sunmao::runtime {

struct LoadOptions {
  uint32_t threads = 0;  // 0: as many as the process allows
  bool verify_weights = false;
  bool without_code = false;
  std::string isa;           // empty: the best one
  std::string weights_path;  // empty: the weights in the artifact
  std::string cache_folder;  // caches made weights; empty: no cache
};

class Model {
 public:
  static io::Result<std::shared_ptr<const Model>> load(const std::string& path, const LoadOptions& options);
  /// `bytes` may be borrowed if the lender keeps them alive as long as the model and its sessions.
  static io::Result<std::shared_ptr<const Model>> load(io::Bytes bytes, const LoadOptions& options);

  const Program& program() const { return program_; }
  /// Signatures of all functions: first `entry_count` entry functions, then the makers, then the inner functions.
  const std::vector<Signature>& signatures() const { return signatures_; }
  std::span<const Signature> entries() const { return {signatures_.data(), entry_count_}; }
  /// What sessions keep between runs.
  const std::vector<SignatureValue>& states() const { return states_; }
  /// Returns nullptr when the model was loaded without code.
  const CodeImage* code() const { return code_.get(); }
  /// Returns nullptr when none were loaded: the program has no weights, or the model was loaded without code from an
  /// artifact that does not contain them.
  const Weights* weights() const { return weights_.get(); }
  /// Returns the names of the functions of the host that it calls.
  const std::vector<std::string>& host_functions() const { return host_functions_; }
  /// Returns the names of the kernels of ops that its code has, in the order of its table, behind the program's
  /// kernels.
  const std::vector<std::string>& own_ops() const { return own_ops_; }
  const std::string& isa() const { return isa_; }
  const std::string& manifest_text() const { return manifest_text_; }
  uint32_t thread_limit() const { return thread_limit_; }

 private:
  friend class ArtifactLoader;
  explicit Model(Program program) : program_(std::move(program)) {}

  Program program_;
  std::vector<Signature> signatures_;
  std::vector<SignatureValue> states_;
  size_t entry_count_ = 0;
  std::vector<std::string> host_functions_;
  std::vector<std::string> own_ops_;
  std::shared_ptr<const CodeImage> code_;
  std::shared_ptr<const Weights> weights_;
  std::string isa_;
  std::string manifest_text_;
  uint32_t thread_limit_ = 0;
  ThreadPoolUser pool_user_;
};

}  // namespace sunmao::runtime
