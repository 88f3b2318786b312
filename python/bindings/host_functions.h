// HostFunctions: what a loaded model calls in the program that runs it, as functions of Python.
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bindings/host_run.h"

namespace sunmao::python {

class HostFunctions {
  struct Entry;

 public:
  /// A function as one session calls it.
  struct Bound {
    Entry& entry;
    HostRun& run;
  };

  explicit HostFunctions(const sunmao_model* model);

  /// Sets the function of that name for all sessions; E0901 when the model calls none. A kernel `op` is called in place
  /// of `function`, which keeps it alive.
  void set(const std::string& name, std::shared_ptr<const HostFunction> function, sunmao_op op = nullptr);
  /// Lets a session call them, with what `run` has of the run it is in; the session must end before what is returned.
  std::vector<std::unique_ptr<Bound>> give_to(sunmao_session* session, HostRun& run) const;
  /// Returns how often kernels have been set: a session that got its functions before gets them anew.
  uint64_t version() const { return version_; }
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string name;
    std::mutex lock = {};
    std::shared_ptr<const HostFunction> function = {};
    sunmao_op op = nullptr;
  };
  static int call(void* bound, const sunmao_host_call* call);

  std::vector<std::unique_ptr<Entry>> entries_;
  std::atomic<uint64_t> version_{0};
};

}  // namespace sunmao::python
