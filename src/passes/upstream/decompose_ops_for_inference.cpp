#include <array>

#include "passes/passes.h"
#include "passes/upstream/decompose_ops.h"

namespace sunmao {

Module decompose_ops_for_inference(const Module& m, const PassContext& ctx) {
  static constexpr std::array kPurposes{Purpose::Inference};
  return decompose_ops(m, ctx, "decompose-ops-for-inference", kPurposes);
}

}  // namespace sunmao
