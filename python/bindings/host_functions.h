// HostFunctions: what a loaded model calls in the program that runs it, as functions of Python.
#pragma once
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

  /// Sets the function of that name for all sessions; E0901 when the model calls none.
  void set(const std::string& name, std::shared_ptr<const HostFunction> function);
  /// Lets a session call them, with what `run` has of the run it is in; the session must end before what is returned.
  std::vector<std::unique_ptr<Bound>> give_to(sunmao_session* session, HostRun& run) const;
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string name;
    std::mutex lock = {};
    std::shared_ptr<const HostFunction> function = {};
  };
  static int call(void* bound, const sunmao_host_call* call);

  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace sunmao::python
