#include "sym/inverse_map.h"

#include <algorithm>
#include <optional>

#include "sym/analyzer.h"

namespace sunmao {
namespace {

// A part of an input index: (index / scale) % extent, or index / scale without `extent`. An output contains the part
// multiplied by `place`.
struct Part {
  size_t input;
  int64_t scale = 1;
  std::optional<int64_t> extent = {};
  int64_t place = 1;
  Scalar value = {};  // in terms of the map's outputs
};

std::optional<int64_t> known(const Scalar& s) {
  const int64_t* n = find_int(s);
  return n ? std::optional(*n) : std::nullopt;
}

class Inverter {
 public:
  Inverter(const IndexMap& map, std::span<const Scalar> extents) : map_(map), extents_(extents) {}

  Ref<IndexMap> invert() {
    std::vector<Ref<SymVar>> images;
    const DType dtype = map_.inputs.empty() ? DType::int_(64) : map_.inputs[0]->dtype;
    for (size_t j = 0; j < map_.outputs.size(); ++j) {
      images.push_back(SymVar::make("axis" + std::to_string(j), dtype));
      if (!take_apart(analyzer_.simplify(map_.outputs[j]), images.back())) return nullptr;
    }
    std::vector<Scalar> indices;
    for (size_t i = 0; i < map_.inputs.size(); ++i) {
      Scalar index = joined(i, dtype);
      if (!index) return nullptr;
      indices.push_back(index);
    }
    return IndexMap::make(std::move(images), std::move(indices));
  }

 private:
  std::optional<Part> part_of(const Scalar& s) const {
    for (size_t i = 0; i < map_.inputs.size(); ++i)
      if (s == Scalar(map_.inputs[i])) return Part{i};
    const auto* binary = find<Binary>(s);
    const auto by = binary ? known(binary->b) : std::nullopt;
    if (!by || *by <= 0) return std::nullopt;
    auto part = part_of(binary->a);
    if (!part || part->place != 1) return std::nullopt;
    if (binary->op == BinaryOp::Mul) {
      part->place = *by;
    } else if (binary->op == BinaryOp::FloorDiv) {
      if (part->extent && *part->extent % *by != 0) return std::nullopt;
      if (part->extent) part->extent = *part->extent / *by;
      part->scale *= *by;
    } else if (binary->op == BinaryOp::FloorMod) {
      if (part->extent && *part->extent % *by != 0) return std::nullopt;
      part->extent = *by;
    } else {
      return std::nullopt;
    }
    return part;
  }

  // Returns the number of values of a part, if known.
  std::optional<int64_t> count_of(const Part& part) const {
    const auto size = known(extents_[part.input]);
    if (part.extent) return part.extent;
    return size ? std::optional((*size + part.scale - 1) / part.scale) : std::nullopt;
  }

  bool take_apart(const Scalar& output, const Ref<SymVar>& image) {
    std::vector<Scalar> terms{output};
    std::vector<Part> parts;
    while (!terms.empty()) {
      const Scalar term = terms.back();
      terms.pop_back();
      const auto* sum = find<Binary>(term);
      if (sum && sum->op == BinaryOp::Add) {
        terms.push_back(sum->a);
        terms.push_back(sum->b);
      } else if (!known(term)) {
        auto part = part_of(term);
        if (!part) return false;
        parts.push_back(*part);
      } else if (*known(term) != 0) {
        return false;
      }
    }
    std::ranges::sort(parts, {}, &Part::place);
    int64_t place = 1;
    for (size_t k = 0; k < parts.size(); ++k) {
      if (parts[k].place != place) return false;
      const bool is_last = k + 1 == parts.size();
      Scalar digit = place == 1 ? Scalar(image) : floor_div(image, IntImm::make(image->dtype, place));
      if (!is_last) {
        const auto count = count_of(parts[k]);
        if (!count) return false;
        digit = floor_mod(digit, IntImm::make(image->dtype, *count));
        place *= *count;
      }
      parts[k].value = digit;
      parts_.push_back(parts[k]);
    }
    return true;
  }

  // Joins the parts of an index; null when they do not cover it exactly once.
  Scalar joined(size_t input, DType dtype) {
    std::vector<Part> own;
    for (const Part& p : parts_)
      if (p.input == input) own.push_back(p);
    std::ranges::sort(own, {}, &Part::scale);
    const auto size = known(extents_[input]);
    int64_t scale = 1;
    Scalar index;
    bool is_whole = size && *size == 1;
    for (const Part& p : own) {
      if (p.scale != scale) return nullptr;
      const Scalar digits = scale == 1 ? p.value : p.value * IntImm::make(dtype, scale);
      index = index ? digits + index : digits;
      is_whole = !p.extent || (size && scale * *p.extent >= *size);
      scale *= p.extent.value_or(1);
    }
    if (!is_whole) return nullptr;
    return index ? index : IntImm::make(dtype, 0);
  }

  const IndexMap& map_;
  std::span<const Scalar> extents_;
  std::vector<Part> parts_;
  Analyzer analyzer_;
};

}  // namespace

Ref<IndexMap> inverse_of(const IndexMap& map, std::span<const Scalar> extents) {
  return map.inputs.size() == extents.size() ? Inverter(map, extents).invert() : nullptr;
}

}  // namespace sunmao
