// What `sunmao inspect` says of a model file: signature, weights, and what became of each node.
#pragma once
#include <string>
#include <vector>

namespace sunmao::cli {

struct InspectModelSettings {
  bool nodes = false;  // list each node
  bool json = false;
  std::vector<std::string> ops = {};  // files with custom ops
};

int inspect_model(const std::string& path, const InspectModelSettings& settings);

}  // namespace sunmao::cli
