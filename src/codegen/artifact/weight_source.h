// WeightSource: gives the data of weights that are prepared one after another, while an artifact is written.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "io/bytes.h"

namespace sunmao {

class WeightSource {
 public:
  virtual ~WeightSource() = default;
  /// Returns these weights in the order in which `give` gives them.
  virtual std::vector<std::string> order(const std::vector<std::string>& weights) = 0;
  /// Hands the data of one weight after another to `take`, which may hold on to it.
  virtual void give(const std::function<void(io::Bytes)>& take) = 0;
};

}  // namespace sunmao
