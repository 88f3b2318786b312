// DimRegisters: the registers of a bytecode function that hold symbolic sizes; each size is computed once.
#pragma once
#include <unordered_map>
#include <vector>

#include "abi/program_builder.h"
#include "ir/type.h"
#include "sym/analyzer.h"

namespace sunmao {

class DimRegisters {
 public:
  explicit DimRegisters(abi::ProgramBuilder& builder) : builder_(builder) {}

  bool is_bound(const Ref<SymVar>& symbol) const { return symbols_.contains(symbol); }
  void bind(const Ref<SymVar>& symbol, uint32_t reg) { symbols_.emplace(symbol, reg); }
  /// Returns the register that holds `s`; emits instructions when it is new. Fails with E1020 on unsupported
  /// operations, or E1021 for a symbol that has no register.
  uint32_t get(const Scalar& s);
  std::vector<uint32_t> get(const std::vector<Scalar>& dims);
  Analyzer& analyzer() { return analyzer_; }

 private:
  uint32_t compute(const Scalar& s);
  uint32_t truncated(const Binary& division);
  abi::ProgramBuilder& builder_;
  Analyzer analyzer_;
  std::unordered_map<Ref<SymVar>, uint32_t> symbols_;
  std::unordered_map<uint64_t, std::vector<std::pair<Scalar, uint32_t>>> known_;
};

}  // namespace sunmao
