// Epilogues: elementwise statements on the results of the statement before, which a schedule applies to each result
// while it is in a register.
#pragma once
#include "passes/loop/store_nest.h"

namespace sunmao {

/// Returns the statement `next`, rewritten to the spatial loops of `nest`, when it is elementwise on what `nest`
/// stores; else nullopt.
std::optional<StoreNest> match_epilogue(const StoreNest& nest, const Stmt& next);

/// True when a statement from index `first` on loads from the buffer.
bool is_read_after(const RootBody& root, size_t first, const Ref<Buffer>& buffer);

/// True when the epilogue needs registers for numbers of its own: beside all sums of a tile, these would go to memory
/// while the steps pass.
bool is_long_epilogue(const std::optional<StoreNest>& epilogue);

/// Integers that an epilogue adds to each result, which sums may as well begin with.
struct FirstAddend {
  Scalar value;
  StoreNest epilogue;  // without it
};
/// Returns what the epilogue adds to the result where that is a single load of integers, the result is used nowhere
/// else, and the sums begin with 0.
std::optional<FirstAddend> first_addend(const StoreNest& nest, const std::optional<StoreNest>& epilogue);

/// Returns the epilogue's store of a result; without an epilogue the store of `nest` itself.
Stmt store_result(const StoreNest& nest, const std::optional<StoreNest>& epilogue, const Scalar& result);

}  // namespace sunmao
