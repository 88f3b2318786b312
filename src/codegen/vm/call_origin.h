// Where a kernel call comes from, for people: taken from its span.
#pragma once
#include <string>

#include "support/span.h"

namespace sunmao {

/// Texts that are empty when unknown.
struct CallOrigin {
  std::string node;    // of the model's graph: "conv2d_3"
  std::string module;  // path of the module in PyTorch: "layer1.0.conv1"
  std::string line;    // of the source: "resnet.py:98", without folders
};

CallOrigin origin_of(const Span& span);

}  // namespace sunmao
