// Tensor types and weight data of .pt2 files. All sizes are checked, since files may be malicious.
#pragma once
#include "frontend/model_builder.h"
#include "frontend/torch/archive.h"

namespace sunmao::torch {

/// Returns the dtype of the serializer's ScalarType; void for unsupported ones and complex numbers.
DType dtype_of_scalar_type(int64_t scalar_type);
/// Returns the dtype of the two parts of complex numbers; void for other ScalarTypes.
DType part_of_scalar_type(int64_t scalar_type);

/// Parses {"as_int": 5} or {"as_expr": {"expr_str": …}}. Fails with E0704 on other forms, or as parse_scalar.
Scalar parse_size(io::JsonValue size, ModelBuilder& builder, const Span& span);

/// Returns the type that a TensorMeta describes; of complex numbers the types of their real and imaginary parts, as a
/// tuple. Fails with E0711 when its dtype is not supported, E0704 when it is
/// malformed, or as parse_size.
Type parse_tensor_type(io::JsonValue meta, ModelBuilder& builder, const Span& span);

/// Returns a weight by its entry in a payload config: in place when its elements are contiguous in row-major order and
/// aligned, else copied; complex numbers with their two parts in a further, last dimension. `folder` is "weights" or
/// "constants". Fails with E0705 when it has no data or exceeds its storage, E0706 when it is pickled, E0711 when its
/// dtype or layout is not supported.
Array load_weight(const Archive& archive, const std::string& folder, io::JsonValue payload, const Span& span);

}  // namespace sunmao::torch
