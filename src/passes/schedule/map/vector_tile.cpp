#include "passes/schedule/map/vector_tile.h"

#include <algorithm>
#include <array>

#include "loop/calls.h"

namespace sunmao {
namespace {

/// Merges two vectors whose lanes come in segments of `width`: from each segment of both, granules of `granule` lanes
/// alternate. Takes the lower halves of all segments, or the upper ones.
Scalar interleave(const Scalar& a, const Scalar& b, int width, int granule, bool upper) {
  const int lanes = a->dtype.lanes;
  std::vector<int64_t> order;
  for (int segment = 0; segment < lanes; segment += width)
    for (int i = 0; i < width / 2; i += granule)
      for (const int of : {0, lanes})
        for (int j = 0; j < granule; ++j) order.push_back(of + segment + (upper ? width / 2 : 0) + i + j);
  return shuffle({.vectors = {a, b}, .lanes = std::move(order)});
}

/// Takes the segments of even numbers, or those of odd ones, from two vectors one after the other.
Scalar every_other(const Scalar& a, const Scalar& b, int width, bool odd) {
  std::vector<int64_t> order;
  for (int segment = odd ? width : 0; segment < 2 * a->dtype.lanes; segment += 2 * width)
    for (int j = 0; j < width; ++j) order.push_back(segment + j);
  return shuffle({.vectors = {a, b}, .lanes = std::move(order)});
}

/// Exchanges rows and columns in each `width` rows of `width` lanes.
void turn_segments(VectorBindings& bindings, std::vector<Scalar>& rows, int width) {
  for (int granule = 1; granule < width; granule *= 2) {
    std::vector<Scalar> next(rows.size());
    for (size_t first = 0; first < rows.size(); first += 2 * static_cast<size_t>(granule))
      for (size_t i = 0; i < static_cast<size_t>(granule); ++i)
        for (const bool upper : {false, true})
          next[first + 2 * i + (upper ? 1 : 0)] = bindings.bind(
              "pair",
              interleave(rows[first + i], rows[first + i + static_cast<size_t>(granule)], width, granule, upper));
    rows = std::move(next);
  }
}

/// Exchanges vectors and segments: segment i of vector j becomes segment j of vector i.
std::vector<Scalar> exchange_segments(VectorBindings& bindings, const std::vector<Scalar>& vectors, int width) {
  if (vectors.size() == 1) return vectors;
  std::array<std::vector<Scalar>, 2> halves;
  for (size_t i = 0; i < vectors.size(); i += 2)
    for (const bool odd : {false, true})
      halves[odd ? 1 : 0].push_back(bindings.bind("part", every_other(vectors[i], vectors[i + 1], width, odd)));
  const std::vector<Scalar> even = exchange_segments(bindings, halves[0], width);
  const std::vector<Scalar> odd = exchange_segments(bindings, halves[1], width);
  std::vector<Scalar> out;
  for (size_t i = 0; i < even.size(); ++i) {
    out.push_back(even[i]);
    out.push_back(odd[i]);
  }
  return out;
}

}  // namespace

Scalar VectorBindings::bind(const char* name, const Scalar& value) {
  all_.emplace_back(SymVar::make(name, value->dtype), value);
  return all_.back().first;
}

Stmt VectorBindings::around(Stmt body) const {
  for (size_t i = all_.size(); i-- > 0;) body = Bind::make(all_[i].first, all_[i].second, std::move(body));
  return body;
}

std::vector<Scalar> bind_columns(VectorBindings& bindings, std::vector<Scalar> rows, int bits) {
  constexpr int kSegmentBits = 128;
  const auto lanes = static_cast<int>(rows.size());
  const int width = std::min(lanes, kSegmentBits / bits);
  turn_segments(bindings, rows, width);
  std::vector<Scalar> columns(rows.size());
  for (size_t k = 0; k < static_cast<size_t>(width); ++k) {
    std::vector<Scalar> same;
    for (size_t i = k; i < rows.size(); i += static_cast<size_t>(width)) same.push_back(rows[i]);
    const std::vector<Scalar> turned = exchange_segments(bindings, same, width);
    for (size_t i = 0; i < turned.size(); ++i) columns[i * static_cast<size_t>(width) + k] = turned[i];
  }
  return columns;
}

std::vector<Scalar> bind_interleaved(VectorBindings& bindings, const std::vector<Scalar>& rows) {
  const auto count = static_cast<int64_t>(rows.size()), lanes = int64_t{rows[0]->dtype.lanes};
  std::vector<Scalar> out;
  for (int64_t v = 0; v < count; ++v) {
    Scalar mixed = rows[0];
    // Each step adds the lanes of one row to those of the rows before it.
    for (int64_t row = 1; row < count; ++row) {
      std::vector<int64_t> order;
      for (int64_t i = 0; i < lanes; ++i) {
        const int64_t from = (v * lanes + i) % count, lane = (v * lanes + i) / count;
        order.push_back(from == row ? lanes + lane : from == 0 && row == 1 ? lane : i);
      }
      mixed = shuffle({.vectors = {mixed, rows[static_cast<size_t>(row)]}, .lanes = std::move(order)});
    }
    out.push_back(bindings.bind("mixed", mixed));
  }
  return out;
}

}  // namespace sunmao
