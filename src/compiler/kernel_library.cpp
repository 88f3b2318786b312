#include "compiler/kernel_library.h"

#include <mutex>

#include "compiler/loaded_kernels.h"

namespace sunmao {
namespace {

sunmao_load_options with_threads(uint32_t threads) {
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.threads = threads;
  return options;
}

}  // namespace

// The loaded artifact and a pool of idle sessions.
class KernelLibrary::Loaded {
 public:
  Loaded(const Module& module, io::Bytes artifact, uint32_t threads)
      : artifact_(std::move(artifact)), model_(load_model(artifact_, with_threads(threads))), table_(module, model_) {}

  Value lend(const std::function<Value(KernelRunner&)>& use) {
    const Lease lease(*this);
    LoadedKernels kernels(table_, lease.session());
    return use(kernels);
  }

 private:
  class Lease {
   public:
    explicit Lease(Loaded& loaded) : loaded_(loaded), session_(loaded.take()) {}
    ~Lease() { loaded_.give_back(std::move(session_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    sunmao_session* session() const { return session_.get(); }

   private:
    Loaded& loaded_;
    SessionHandle session_;
  };

  SessionHandle take() {
    const std::lock_guard guard(lock_);
    if (idle_.empty()) return create_session(model_);
    SessionHandle session = std::move(idle_.back());
    idle_.pop_back();
    return session;
  }
  void give_back(SessionHandle session) {
    const std::lock_guard guard(lock_);
    idle_.push_back(std::move(session));
  }

  const io::Bytes artifact_;
  const ModelHandle model_;
  const KernelTable table_;
  std::mutex lock_;
  std::vector<SessionHandle> idle_;
};

KernelLibrary::KernelLibrary(Module module, io::Bytes artifact, uint32_t threads)
    : module_(std::move(module)), loaded_(std::make_unique<Loaded>(module_, std::move(artifact), threads)) {}

KernelLibrary::~KernelLibrary() = default;

Value KernelLibrary::lend(const std::function<Value(KernelRunner&)>& use) const { return loaded_->lend(use); }

}  // namespace sunmao
