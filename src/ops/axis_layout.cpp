#include "ops/axis_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace sunmao {

AxisLayout AxisLayout::of_attr(const InferInput& in, const std::string& name, const std::string& canonical) {
  std::string text = in.string_attr(name);
  auto refuse = [&]() {
    in.error("E0203", fmt::format("`{}` cannot be \"{}\"", name, text),
             fmt::format("the letters of \"{}\" in any order, with blocks such as 16c", canonical));
  };
  AxisLayout out;
  out.canonical_ = canonical;
  int64_t number = 0;
  for (char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c))) {
      number = number * 10 + (c - '0');
      if (number > 1'000'000) refuse();
      continue;
    }
    char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    bool is_block = letter != c;
    bool twice =
        std::ranges::any_of(out.axes_, [&](const Axis& a) { return a.letter == letter && (a.block > 0) == is_block; });
    if (canonical.find(letter) == std::string::npos || is_block != (number > 0) || twice) refuse();
    out.axes_.push_back({letter, number});
    number = 0;
  }
  for (char letter : canonical)
    if (std::ranges::none_of(out.axes_, [&](const Axis& a) { return a.letter == letter && a.block == 0; })) refuse();
  return out;
}

std::vector<Scalar> AxisLayout::canonical_sizes(const std::vector<Scalar>& own) const {
  std::vector<Scalar> out;
  for (char letter : canonical_) {
    const int64_t block = block_of(letter);
    for (size_t i = 0; i < axes_.size(); ++i)
      if (axes_[i].letter == letter && !axes_[i].block) out.push_back(block == 1 ? own[i] : own[i] * int_imm(block));
  }
  return out;
}

Indices AxisLayout::canonical_indices(const Indices& own) const {
  Indices out = canonical_sizes(own);  // of the first in each block
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].block) {
      Scalar& index = out[canonical_.find(axes_[i].letter)];
      index = index + own[i];
    }
  return out;
}

std::vector<Scalar> AxisLayout::sizes(const std::vector<Scalar>& canonical, Analyzer& analyzer) const {
  std::vector<Scalar> out;
  for (const Axis& a : axes_) {
    const Scalar& size = canonical[canonical_.find(a.letter)];
    int64_t block = block_of(a.letter);
    if (a.block)
      out.push_back(int_imm(a.block));
    else
      out.push_back(block == 1 ? size : analyzer.simplify(floor_div(size, int_imm(block))));
  }
  return out;
}

Indices AxisLayout::indices(const Indices& canonical) const {
  Indices out;
  for (const Axis& a : axes_) {
    const Scalar& index = canonical[canonical_.find(a.letter)];
    int64_t block = block_of(a.letter);
    if (a.block)
      out.push_back(floor_mod(index, int_imm(block)));
    else
      out.push_back(block == 1 ? index : floor_div(index, int_imm(block)));
  }
  return out;
}

int64_t AxisLayout::block_of(char letter) const {
  for (const Axis& a : axes_)
    if (a.letter == letter && a.block) return a.block;
  return 1;
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
