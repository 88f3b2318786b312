// Attention over heads, of which the ops of ONNX and of ONNX Runtime consist, and rotary embeddings.
#pragma once
#include <limits>
#include <optional>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Tensors lie as (batch, sequence, heads, width). Keys and values may have fewer heads, which queries share.
struct Heads {
  Expr query, key, value;
  std::vector<Expr> biases;      // added to scores: of rank 4, broadcast to (batch, heads, sequence, keys)
  std::optional<double> scale;   // nullopt: 1 / sqrt(width)
  double softcap = 0;            // 0: none
  const char* causal = nullptr;  // null, "TopLeft" or "BottomRight": where the diagonal begins
  bool may_hide_all = false;     // biases may hide all keys from a query, which then gives 0
};

/// What is computed on the way, as (batch, heads, sequence, keys).
struct Scores {
  Expr product, capped, biased, weights;
};

/// Returns (batch, sequence, heads, width of values).
Expr attention(const NodeContext& n, const Heads& heads);
/// The same in single steps, which `scores` receives.
Expr attention_in_steps(const NodeContext& n, const Heads& heads, Scores& scores);

/// Returns (batch, sequence, heads * width) as (batch, sequence, heads, width), and back.
Expr heads_apart(const NodeContext& n, const Expr& x, int64_t heads);
Expr heads_together(const NodeContext& n, const Expr& x);
/// Exchanges the axes of the sequence and of the heads.
Expr turned(const NodeContext& n, const Expr& x);

/// Returns 0 where the mask holds, else `hidden`.
Expr bias_of_mask(const NodeContext& n, const Expr& mask, DType dtype, double hidden);

/// Which keys a query sees by its distance from them: at most `left` before it, and `right` behind it.
struct SeenKeys {
  std::optional<int64_t> left, right;
};
/// Returns where queries see keys. Query i stands at place i + offset; `offset` is an integer, or one for each of the
/// batch.
Expr seen_keys(const NodeContext& n, const Expr& offset, const Scalar& queries, const Scalar& keys,
               const SeenKeys& seen);

/// Where a rotation takes place: `cosine` and `sine` broadcast against all but the last axis of x.
struct Rotation {
  Expr cosine, sine;
  bool is_interleaved = false;  // pairs lie side by side, not in two halves
};
/// Rotates the first elements of the last axis, twice as many as the angles, in pairs.
Expr rotated(const NodeContext& n, const Expr& x, const Rotation& rotation);

}  // namespace sunmao::onnx
