// Converters of copies and other names of a tensor, which become the tensor itself, and of conversions of dtype.
#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr const char* kItself = "the input itself";

Results same(const NodeContext& n) { return n.tensor("self"); }

Results to_dtype(const NodeContext& n) {
  Expr x = n.tensor("self");
  return converted(n.builder, x, n.dtype("dtype").value_or(dtype_of(x)), n.span);
}
Results to_other(const NodeContext& n) {
  return converted(n.builder, n.tensor("self"), dtype_of(n.tensor("other")), n.span);
}

/// Converts `copy`, whose source is converted and broadcast to what it replaces.
Results copy(const NodeContext& n) {
  Expr self = n.tensor("self"), source = n.tensor("src");
  return broadcast(n.builder, converted(n.builder, source, dtype_of(self), n.span), n.dims(self), n.span);
}

}  // namespace

std::vector<Converter> copy_converters() {
  std::vector<Converter> rows;
  for (const char* target : {"aten.to.dtype", "aten.to.dtype_layout", "aten.to.device", "aten._to_copy.default"})
    rows.push_back({target, to_dtype, "`R.astype`"});
  for (const char* target : {"aten.to.other", "aten.type_as.default"}) rows.push_back({target, to_other, "`R.astype`"});
  for (const char* target :
       {"aten.clone.default", "aten.lift_fresh_copy.default", "aten.alias_copy.default", "aten.detach_copy.default"})
    rows.push_back({target, same, kItself});
  for (const char* target : {"aten.to_sparse.default", "aten.to_sparse.sparse_dim", "aten._to_sparse.default",
                             "aten._to_sparse.sparse_dim", "aten.to_dense.default", "aten._to_dense.default"})
    rows.push_back({target, same, kItself, "sparse tensors are dense ones"});
  for (const char* target : {"aten.alias.default", "aten.contiguous.default", "aten.detach.default",
                             "aten.detach_.default", "aten.resolve_conj.default", "aten.resolve_neg.default",
                             "aten.real.default", "aten.conj.default", "aten.conj_physical.default"})
    rows.push_back({target, same, kItself, "", Alias::Self});
  rows.push_back({"aten.conj_physical_.default", same, kItself, "", Alias::InPlace});
  rows.push_back({"aten.copy.default", copy, "`R.astype` and `R.broadcast_to`"});
  rows.push_back({"aten.copy_.default", copy, "`R.astype` and `R.broadcast_to`", "", Alias::InPlace});
  return rows;
}

}  // namespace sunmao::torch
