// RootRegisters: emits where the tensors of a function lie.
#pragma once
#include <deque>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "abi/program_builder.h"
#include "codegen/vm/dim_registers.h"
#include "codegen/vm/flat_function.h"

namespace sunmao {

abi::ElementType element_type(DType t);

/// The tensor registers of the roots of one function. All dims must be computed before `Layout`; other instructions are
/// collected, and emitted after it.
class RootRegisters {
 public:
  using NumberOfWeight = std::function<uint32_t(const ProgramWeight&)>;
  /// `flat`, `dims` and `builder` live as long.
  RootRegisters(const FlatFunction& flat, DimRegisters& dims, abi::ProgramBuilder& builder, NumberOfWeight weight);

  /// Collects an instruction.
  void later(std::function<void()> instruction) { body_.push_back(std::move(instruction)); }
  /// Defines the register of a root at its first use.
  void define(int root);
  /// Defines the register of a tensor, which may be one for a part of a root.
  void define(const FlatTensor& tensor);
  /// Notes that a call, which is collected next, defines the root.
  void expect(int root) { defined_.insert(root); }
  /// Copies a result that is not stored in its own memory: a parameter, a constant, memory of another result, or a view
  /// of an intermediate that does not cover it.
  void copy_result(size_t result);
  void give(const FlatGift& gift);
  /// Emits slots, `Layout`, and what was collected.
  void emit();

  /// For collected instructions: the register of a root.
  uint32_t at(int root) const { return registers_.at(root); }
  uint32_t at(const FlatTensor& tensor) const;
  void set(int root, uint32_t reg) { registers_[root] = reg; }

 private:
  /// A part of a root that has a register.
  struct Part {
    Scalar begin;
    Type type;
    uint32_t reg;
  };
  const Part* find_part(const FlatTensor& tensor) const;
  /// Returns the contents that a root has first.
  FlatTensor source_of(const Root& root) const;
  void define_own(int number);
  void give_memory(int number);
  std::vector<uint32_t> at(const std::vector<int>& roots) const;

  const FlatFunction& flat_;
  DimRegisters& dims_;
  abi::ProgramBuilder& builder_;
  const NumberOfWeight weight_;
  std::vector<std::function<void()>> body_;
  std::unordered_map<int, uint32_t> registers_;
  std::unordered_map<int, std::unordered_map<uint64_t, std::deque<Part>>> parts_;  // by root, and the hash of `begin`
  std::unordered_map<int, uint32_t> slot_of_root_;
  std::vector<uint32_t> slot_dims_;
  std::unordered_set<int> defined_;
};

}  // namespace sunmao
