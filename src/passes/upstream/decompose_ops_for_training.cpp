#include <array>

#include "passes/passes.h"
#include "passes/upstream/decompose_ops.h"

namespace sunmao {

Module decompose_ops_for_training(const Module& m, const PassContext& ctx) {
  static constexpr std::array kPurposes{Purpose::Training, Purpose::Inference};
  return decompose_ops(m, ctx, "decompose-ops-for-training", kPurposes);
}

}  // namespace sunmao
