#include "ops/axis_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sunmao {

AxisLayout AxisLayout::of_attr(const InferInput& in, const std::string& name, const std::string& canonical) {
  std::string text = in.string_attr(name);
  std::optional<AxisLayout> out = parse(text, canonical);
  if (!out)
    in.error("E0203", fmt::format("`{}` cannot be \"{}\"", name, text),
             fmt::format("the letters of \"{}\" in any order, with blocks such as 16c", canonical));
  return *out;
}

std::optional<AxisLayout> AxisLayout::parse(const std::string& text, const std::string& canonical) {
  std::vector<AxisOrder::Part> parts;
  int64_t number = 0;
  for (char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c))) {
      number = number * 10 + (c - '0');
      if (number > 1'000'000) return std::nullopt;
      continue;
    }
    char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    size_t axis = canonical.find(letter);
    bool is_block = letter != c;
    if (axis == std::string::npos || is_block != (number > 0)) return std::nullopt;
    AxisOrder::Part part{static_cast<int>(axis), number};
    if (std::ranges::any_of(parts, [&](auto& p) { return p.axis == part.axis && (p.block > 0) == is_block; }))
      return std::nullopt;
    parts.push_back(part);
    number = 0;
  }
  AxisOrder order(std::move(parts));
  if (number > 0 || order.original_rank() != static_cast<int>(canonical.size())) return std::nullopt;
  return AxisLayout(std::move(order), canonical);
}

std::string AxisLayout::text() const {
  std::string out;
  for (const AxisOrder::Part& p : order_.parts()) {
    char letter = canonical_[static_cast<size_t>(p.axis)];
    if (p.block) out += std::to_string(p.block);
    out += p.block ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter))) : letter;
  }
  return out;
}

std::optional<AxisOrder> AxisLayout::order_to(const AxisLayout& other) const {
  if (other.canonical_ != canonical_) return std::nullopt;
  if (auto axes = order_.permutation_to(other.order_)) {
    std::vector<AxisOrder::Part> parts;
    for (int64_t a : *axes) parts.push_back({static_cast<int>(a)});
    return AxisOrder(std::move(parts));
  }
  if (order_.is_blocked()) return std::nullopt;
  std::vector<int> places;
  for (int axis = 0; axis < order_.rank(); ++axis) places.push_back(order_.position(axis));
  return other.order_.renamed(places);
}

std::optional<AxisLayout> AxisLayout::stored(const AxisOrder& order) const {
  if (order.original_rank() != rank() || (order_.is_blocked() && order.is_blocked())) return std::nullopt;
  std::vector<AxisOrder::Part> parts;
  for (const AxisOrder::Part& p : order.parts()) {
    AxisOrder::Part own = order_.parts()[static_cast<size_t>(p.axis)];
    parts.push_back({own.axis, p.block ? p.block : own.block});
  }
  return AxisLayout(AxisOrder(std::move(parts)), canonical_);
}

void need_layout_rank(const InferInput& in, size_t i, const AxisLayout& layout) {
  int rank = in.tensor(i).rank;
  if (rank != kUnknownRank && rank != layout.rank())
    in.error("E0307", fmt::format("`{}` must have rank {} in this layout, got {}", in.op.inputs()[i]->name,
                                  layout.rank(), rank));
}

void repeat_value(AttrMap& attrs, const char* name, size_t spatial) {
  auto it = attrs.find(name);
  const AttrList* list = it == attrs.end() ? nullptr : it->second.find<AttrList>();
  if (list && list->size() == 1 && spatial > 1) {
    AttrValue one = list->front();
    it->second = AttrValue(AttrList(spatial, one));
  }
}

void mirror_padding(AttrMap& attrs, size_t spatial) {
  auto it = attrs.find("padding");
  const AttrList* list = it == attrs.end() ? nullptr : it->second.find<AttrList>();
  if (!list) return;
  AttrList out = *list;
  if (out.size() == 1) out = AttrList(2 * spatial, list->front());
  if (list->size() == spatial && spatial > 1) out.insert(out.end(), list->begin(), list->end());
  it->second = AttrValue(std::move(out));
}

void default_layout(AttrMap& attrs, const char* out, const char* like) {
  AttrValue& value = attrs[out];
  const std::string* text = value.find<std::string>();
  if (value.is_none() || (text && text->empty())) value = attrs[like];
}

void need_sizes(const InferInput& in, const std::vector<Scalar>& sizes) {
  for (const Scalar& s : sizes)
    if (const int64_t* n = find_int(s); n && *n < 0)
      in.error("E0309", fmt::format("a dimension of the result would be {}", *n),
               "the window reaches beyond the data and its padding");
}

std::vector<int64_t> spatial_attr(const InferInput& in, const std::string& name, size_t count, int64_t least) {
  std::vector<int64_t> values = in.ints_attr(name).value_or(std::vector<int64_t>{});
  if (values.size() != count)
    in.error("E0203", fmt::format("`{}` takes {} values, got {}", name, count, values.size()));
  for (int64_t v : values)
    if (v < least)
      in.error("E0203", fmt::format("`{}` cannot hold {}", name, v), fmt::format("each is at least {}", least));
  return values;
}

}  // namespace sunmao
