// Family: kernels that one schedule writes, such as sums of products or passes over rows. A family recognises its
// statements by what loops and indices are, never by the name of an op, and writes them as loops for a target.
#pragma once
#include <span>
#include <string>
#include <variant>

#include "passes/schedule/contraction/contraction.h"
#include "passes/schedule/row/attention.h"
#include "passes/schedule/row/reduction.h"
#include "passes/schedule/row/rows.h"
#include "target/target.h"

namespace sunmao {

/// Neighbouring statements of a kernel's root block that a family takes together, and what they are.
struct StatementGroup {
  size_t first, count;
  std::variant<Attention, Contraction, RowGroup, Reduction, StoreNest> form;
  bool is_certain = true;  // whether the family writes it for every target
};

/// A group in its kernel.
struct GroupInKernel {
  const StatementGroup& group;
  const PrimFunc& func;
  const RootBody& root;
  size_t groups_of_family;  // of this kernel: they share what memory a thread has for temporaries
};

/// What stands in place of the first `count` statements of a group.
struct WrittenGroup {
  Stmt loops;
  size_t count;
  std::vector<Ref<Buffer>> temporaries = {};  // of the kernel, in addition
};

struct Family {
  /// Whether statements name the data of their buffers, so that loops may have views of these.
  bool has_views;
  /// Returns the group that begins with a statement; nullopt when the family has none there. No target is asked.
  std::optional<StatementGroup> (*recognise)(const PrimFunc& func, const RootBody& root, size_t first);
  /// Writes a group by the plan of that text, one of `plans`; by the first one when the text is empty. Returns nullopt
  /// when the family has no plan for the target that is better than another family's.
  std::optional<WrittenGroup> (*write)(const GroupInKernel& at, const Target& target, const std::string& plan);
  /// Returns texts of the first few plans of a group for a target: first the one that costs choose. Fewer than two
  /// where there is no choice. Null in a family without choices.
  std::vector<std::string> (*plans)(const GroupInKernel& at, const Target& target) = nullptr;
};

/// The families in the order in which they are asked: each one about all statements that are left.
std::span<const Family* const> families();

}  // namespace sunmao
