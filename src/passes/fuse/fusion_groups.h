// fuse-ops: the analysis that groups kernel calls by their patterns.
#pragma once
#include "ir/module.h"
#include "passes/analysis/op_pattern.h"
#include "passes/pattern/binding_order.h"

namespace sunmao {

struct FusionLimits {
  size_t max_members;   // of one group
  size_t max_operands;  // tensors that a kernel of a group reads
  /// Tuples whose fields are computed by no group, so that fetching parameters does not order the groups.
  std::vector<Ref<Var>> packed;
  /// What uses a symbol stays behind the cast that defines it, so no group contains what stands before and behind it.
  SymbolDefiners definers;
  /// Whether a kernel that computes places of elements from floats, as resizing does, keeps apart from other injective
  /// ones: the element that it reads several times would lie, or be stored, along another axis than the vectors.
  bool keeps_computed_places_apart = false;
};

/// Returns the pattern that the kernel which `call` names states; Opaque where there is none.
OpPattern pattern_of_call(const Module& module, const Expr& call);

/// Returns the groups of at least two bindings that the block's kernel calls and tuple fields form, each in the order
/// of the block. A binding joins the group of its immediate post-dominator, together with all bindings between them,
/// when the patterns on all paths allow it: an output-fusible kernel is followed by elementwise and broadcast ones
/// alone; an elementwise or broadcast one by anything that is not opaque; an injective one by injective ones. No group
/// has two output-fusible kernels. Opaque bindings are in no group, and neither are kernels of too many operands.
std::vector<std::vector<Binding>> fusion_groups(const Module& module, const BindingBlock& block,
                                                const FusionLimits& limits);

}  // namespace sunmao
