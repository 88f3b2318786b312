// LoadedKernels: the compiled kernels of an artifact in memory, for a walk of the graph level. Called by one thread.
#pragma once
#include <memory>
#include <mutex>
#include <unordered_map>

#include "compiler/runtime_handles.h"
#include "eval/kernel_runner.h"
#include "ir/module.h"

namespace sunmao {

/// What is known of the kernels of an artifact. It never changes.
class KernelTable {
 public:
  struct Entry {
    int64_t number;  // in the artifact
    std::vector<bool> written;
    std::vector<Ref<SymVar>> dims;
  };
  KernelTable(const Module& module, const ModelHandle& model);
  /// Null for a function that is not in the artifact.
  const Entry* find(const PrimFunc& func) const;

 private:
  std::unordered_map<const PrimFunc*, Entry> entries_;
};

/// Runs what the table has as machine code, and interprets the rest. Shapes and dtypes are checked first (E0505,
/// E0506); a call whose buffers overlap is interpreted too, since compiled code takes them to be apart.
class LoadedKernels final : public KernelRunner {
 public:
  LoadedKernels(const KernelTable& table, sunmao_session* session) : table_(table), session_(session) {}
  std::optional<Number> run(const PrimFunc& func, std::span<const KernelArgument> args) override;
  bool may_write(const PrimFunc& func, size_t param) const override;

 private:
  const KernelTable& table_;
  sunmao_session* const session_;
};

}  // namespace sunmao
