// The pass `channels-last`: convolutions compute on tensors whose channels are the last dimension, and what lies
// between them follows, so that vectors of channels are runs of memory.
#include "ops/ops.h"
#include "passes/layout/convert_layout.h"
#include "passes/passes.h"

namespace sunmao {

Module channels_last(const Module& m, const PassContext&) {
  static const DesiredLayouts layouts{
      {"nn.conv1d", {"NWC", "WIO"}},
      {"nn.conv2d", {"NHWC", "HWIO"}},
      {"nn.conv3d", {"NDHWC", "DHWIO"}},
      {"nn.conv1d_transpose", {"NWC", "WIO"}},
      {"nn.conv2d_transpose", {"NHWC", "HWIO"}},
      {"nn.conv3d_transpose", {"NDHWC", "DHWIO"}},
  };
  return convert_layout(m, layouts);
}

}  // namespace sunmao
