// HostFunctions: what a loaded model calls in the program that runs it, as functions of Python.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "eval/host_function.h"
#include "sunmao/runtime.h"

namespace sunmao::python {

class HostFunctions {
 public:
  explicit HostFunctions(const sunmao_model* model);

  /// Sets the function of that name for all sessions; E0901 when the model calls none.
  void set(const std::string& name, std::shared_ptr<const HostFunction> function);
  /// Lets a session call them. They live as long as the session.
  void give_to(sunmao_session* session) const;
  std::vector<std::string> names() const;

 private:
  struct Entry {
    std::string name;
    std::mutex lock = {};
    std::shared_ptr<const HostFunction> function = {};
  };
  static int call(void* entry, const sunmao_host_call* call);

  std::vector<std::unique_ptr<Entry>> entries_;
};

}  // namespace sunmao::python
