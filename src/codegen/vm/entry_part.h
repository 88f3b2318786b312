// The begin of a function's entry part: what it takes from the sizes of its parameters.
#pragma once
#include "codegen/vm/dim_registers.h"
#include "codegen/vm/flat_function.h"

namespace sunmao {

/// Binds the symbols that are whole dimensions of parameters, checks the other dimensions, then the ranges that `attrs`
/// declare, then the relations that casts state.
void emit_entry(const FlatFunction& flat, const Attrs& attrs, abi::ProgramBuilder& builder, DimRegisters& dims);

}  // namespace sunmao
