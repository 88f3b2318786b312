// Means of dequantised bytes, of whole axes or of windows, as sums of the bytes.
#pragma once
#include <string>
#include <vector>

#include "ir/op.h"

namespace sunmao {

struct QuantisedMean {
  int64_t count = 0;        // of elements in each mean
  std::string convolution;  // that adds windows, of single channels by a filter of ones; empty where `sum` adds axes
  AttrMap attrs = {};       // of either
  std::vector<Scalar> filter = {};
  std::vector<int64_t> around = {};  // what a convolution needs around the data: before and behind each axis
  std::string reason = {};           // why integers do not compute it; empty where they do
};

/// Returns a mean or a pool of means; nullopt for other calls, and for means of rows, which norms are made of.
std::optional<QuantisedMean> read_mean(const Call& call);

/// Returns what is put before and behind each axis of an image whose axes have these letters.
std::vector<int64_t> around_image(const std::string& letters, const std::vector<int64_t>& padding);

}  // namespace sunmao
