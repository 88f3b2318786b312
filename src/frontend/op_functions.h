// Custom ops that are functions of a module: a node of such an op is read as the function's body.
#pragma once
#include "frontend/custom_converter.h"
#include "frontend/model_builder.h"
#include "ir/module.h"

namespace sunmao {

/// Returns `given` and a converter for each op of the format ("onnx" or "torch") that functions of the modules stand
/// for. Where several of a module do, it is the first whose parameters take the node; E0610 when none does. Parameters
/// that are called as attributes of the node take these, the others its inputs, in order. E0611 unless each module has
/// custom ops, which are pure and well-formed.
///
/// The body of a function is read in place of the node, so kernels are compiled for the node's attributes and sizes;
/// functions with branches, or with more than pure bindings, are called. Functions that it uses join the model's.
/// `builder` outlives what is returned.
CustomConverters with_op_functions(CustomConverters given, const std::vector<Module>& ops, const std::string& format,
                                   ModelBuilder& builder);

}  // namespace sunmao
