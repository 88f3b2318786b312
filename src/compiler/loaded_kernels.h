// LoadedKernels: the compiled kernels of an artifact as a KernelRunner, in one session of the runtime. KernelLibrary
// lends it to those whom bytecode does not serve. Not thread-safe.
#pragma once
#include <unordered_map>

#include "compiler/runtime_handles.h"
#include "eval/kernel_runner.h"
#include "ir/module.h"

namespace sunmao {

/// Immutable information about the kernels of an artifact.
class KernelTable {
 public:
  struct Entry {
    int64_t number;  // number of the kernel in the artifact
    std::vector<bool> written;
    std::vector<Ref<SymVar>> dims;
  };
  KernelTable(const Module& module, const ModelHandle& model);
  /// Returns null for a function that is not in the artifact.
  const Entry* find(const PrimFunc& func) const;

 private:
  std::unordered_map<const PrimFunc*, Entry> entries_;
};

/// Runs functions in the table as machine code, after checking shapes and dtypes (E0505, E0506), and interprets others.
/// Calls where a written buffer overlaps another are interpreted, because compiled code assumes that it does not.
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
