// What a .pt2 says of tensors: their types, and where the data of weights lies. Sizes are hostile until checked.
#pragma once
#include "frontend/model_builder.h"
#include "frontend/torch/archive.h"

namespace sunmao::torch {

/// The dtype of the serialiser's ScalarType; void for the ones that are not read (complex numbers).
DType dtype_of_scalar_type(int64_t scalar_type);

/// {"as_int": 5} or {"as_expr": {"expr_str": …}}; E0704 for anything else.
Scalar parse_size(io::JsonValue size, ModelBuilder& builder, const Span& span);

/// The type that a TensorMeta describes; E0711 when it is none that is read.
Type parse_tensor_type(io::JsonValue meta, ModelBuilder& builder, const Span& span);

/// A weight by the entry of a payload config: in place when its elements stand in order, gathered once otherwise.
/// `folder` is "weights" or "constants". E0705 when it does not fit its storage, E0706 when it is pickled.
Array load_weight(const Archive& archive, const std::string& folder, io::JsonValue payload, const Span& span);

}  // namespace sunmao::torch
