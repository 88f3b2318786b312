#include "ops/axis_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/diagnostic.h"

namespace sunmao {

AxisOrder AxisOrder::original(int rank) {
  std::vector<Part> parts;
  for (int i = 0; i < rank; ++i) parts.push_back({i});
  return AxisOrder(std::move(parts));
}

int AxisOrder::original_rank() const { return static_cast<int>(std::ranges::count(parts_, 0, &Part::block)); }

bool AxisOrder::is_blocked() const { return original_rank() != rank(); }

bool AxisOrder::is_original() const { return *this == original(rank()); }

int64_t AxisOrder::block_of(int axis) const {
  for (const Part& p : parts_)
    if (p.axis == axis && p.block) return p.block;
  return 1;
}

int AxisOrder::position(int axis) const {
  auto it = std::ranges::find(parts_, Part{axis});
  SUNMAO_CHECK(it != parts_.end(), "an order of axes lacks axis {}", axis);
  return static_cast<int>(it - parts_.begin());
}

std::optional<int> AxisOrder::whole_position(int64_t axis) const {
  const int64_t rank = original_rank();
  const int own = static_cast<int>(axis < 0 ? axis + rank : axis);
  if (block_of(own) != 1) return std::nullopt;
  return position(own);
}

AxisOrder AxisOrder::behind(int count) const {
  std::vector<Part> parts = original(count).parts_;
  for (const Part& p : parts_) parts.push_back({p.axis + count, p.block});
  return AxisOrder(std::move(parts));
}

std::optional<AxisOrder> AxisOrder::without_first(int count) const {
  std::vector<Part> parts;
  for (int i = 0; i < rank(); ++i) {
    const Part& p = parts_[static_cast<size_t>(i)];
    if (i < count && p != Part{i}) return std::nullopt;
    if (i >= count && p.axis < count) return std::nullopt;
    if (i >= count) parts.push_back({p.axis - count, p.block});
  }
  return AxisOrder(std::move(parts));
}

AxisOrder AxisOrder::renamed(const std::vector<int>& names) const {
  std::vector<Part> parts;
  for (const Part& p : parts_)
    if (int name = names[static_cast<size_t>(p.axis)]; name >= 0) parts.push_back({name, p.block});
  return AxisOrder(std::move(parts));
}

std::vector<Scalar> AxisOrder::original_sizes(const std::vector<Scalar>& own) const {
  std::vector<Scalar> out(static_cast<size_t>(original_rank()));
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (parts_[i].block) continue;
    int64_t block = block_of(parts_[i].axis);
    out[static_cast<size_t>(parts_[i].axis)] = block == 1 ? own[i] : own[i] * IntImm::make(own[i]->dtype, block);
  }
  return out;
}

std::vector<Scalar> AxisOrder::original_indices(const std::vector<Scalar>& own) const {
  std::vector<Scalar> out = original_sizes(own);
  for (size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].block) {
      Scalar& index = out[static_cast<size_t>(parts_[i].axis)];
      index = index + own[i];
    }
  return out;
}

std::vector<Scalar> AxisOrder::sizes(const std::vector<Scalar>& original, Analyzer& analyzer) const {
  std::vector<Scalar> out;
  for (const Part& p : parts_) {
    const Scalar& size = original[static_cast<size_t>(p.axis)];
    int64_t block = block_of(p.axis);
    if (p.block)
      out.push_back(IntImm::make(size->dtype, block));
    else
      out.push_back(block == 1 ? size : analyzer.simplify(floor_div(size, IntImm::make(size->dtype, block))));
  }
  return out;
}

std::vector<Scalar> AxisOrder::indices(const std::vector<Scalar>& original) const {
  std::vector<Scalar> out;
  for (const Part& p : parts_) {
    const Scalar& index = original[static_cast<size_t>(p.axis)];
    int64_t block = block_of(p.axis);
    Scalar size = IntImm::make(index->dtype, block);
    if (p.block)
      out.push_back(floor_mod(index, size));
    else
      out.push_back(block == 1 ? index : floor_div(index, size));
  }
  return out;
}

bool AxisOrder::divides(const std::vector<Scalar>& original, Analyzer& analyzer) const {
  return std::ranges::all_of(parts_, [&](const Part& p) {
    const Scalar& size = original[static_cast<size_t>(p.axis)];
    return !p.block ||
           analyzer.can_prove_equal(floor_mod(size, IntImm::make(size->dtype, p.block)), IntImm::make(size->dtype, 0));
  });
}

std::optional<std::vector<int64_t>> AxisOrder::permutation_to(const AxisOrder& to) const {
  if (to.rank() != rank()) return std::nullopt;
  std::vector<int64_t> out;
  for (const Part& p : to.parts_) {
    auto it = std::ranges::find(parts_, p);
    if (it == parts_.end()) return std::nullopt;
    out.push_back(it - parts_.begin());
  }
  return out;
}

Ref<IndexMap> AxisOrder::map_to(const AxisOrder& to) const {
  std::vector<Ref<SymVar>> inputs;
  std::vector<Scalar> own;
  for (int i = 0; i < rank(); ++i) {
    inputs.push_back(SymVar::make(fmt::format("i{}", i), DType::int_(32)));
    own.push_back(Scalar(inputs.back()));
  }
  std::vector<Scalar> outputs;
  Analyzer analyzer;
  for (const Scalar& s : to.indices(original_indices(own))) outputs.push_back(is_blocked() ? analyzer.simplify(s) : s);
  return IndexMap::make(std::move(inputs), std::move(outputs));
}

}  // namespace sunmao
