// Layout rules of convolutions, pools and resizing, whose layout attributes name axes by letters.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ops/axis_layout.h"
#include "ops/layout_rule.h"
#include "support/diagnostic.h"

namespace sunmao {
namespace {

// A tensor of a call together with the attribute that names its layout.
struct Slot {
  std::string attr;
  Type type;
  std::string text;
  std::string letters;  // the letters of its axes, without blocks
};

Slot slot_of(const LayoutRequest& r, const char* attr, const Type& type) {
  Slot s{attr, type, *r.call.attrs.find<std::string>(attr), {}};
  for (char c : s.text)
    if (std::isupper(static_cast<unsigned char>(c))) s.letters += c;
  return s;
}

// The storage orders of a call's arguments and result, and the layout texts for its attributes.
struct Choice {
  std::vector<AxisOrder> orders;
  std::vector<std::string> texts;
};

std::optional<Choice> desired_choice(const LayoutRequest& r, const std::vector<Slot>& slots) {
  Choice out;
  for (size_t i = 0; i < slots.size(); ++i) {
    const std::string& text = r.desired[i < r.desired.size() ? i : 0];
    const Slot& s = slots[i];
    std::optional<AxisLayout> wanted = AxisLayout::parse(text, s.letters);
    if (!wanted)
      fail("E0514", r.call.span,
           fmt::format("convert-layout: `{}` cannot have its `{}` as \"{}\"", op_of(r.call)->name(), s.attr, text),
           fmt::format("the letters of \"{}\" in any order, with blocks such as 16c", s.letters));
    std::optional<AxisOrder> order = AxisLayout::parse(s.text, s.letters)->order_to(*wanted);
    if (!order || !r.fits(*order, s.type)) return std::nullopt;
    out.orders.push_back(std::move(*order));
    out.texts.push_back(text);
  }
  return out;
}

std::optional<Choice> followed_choice(const LayoutRequest& r, const std::vector<Slot>& slots) {
  Choice out;
  for (size_t i = 0; i < slots.size(); ++i) {
    const bool is_result = i + 1 == slots.size();
    const AxisOrder& order = r.order(is_result ? 0 : i);
    std::optional<AxisLayout> layout = AxisLayout::parse(slots[i].text, slots[i].letters)->stored(order);
    if (!layout || !r.fits(order, slots[i].type)) return std::nullopt;
    out.orders.push_back(order);
    out.texts.push_back(layout->text());
  }
  return out;
}

// `attrs` are the names of the layout attributes: those of the leading arguments, then that of the result.
std::optional<LayoutPlan> plan_windows(const LayoutRequest& r, const std::vector<const char*>& attrs) {
  std::vector<Slot> slots;
  for (size_t i = 0; i < attrs.size(); ++i)
    slots.push_back(slot_of(r, attrs[i], i + 1 == attrs.size() ? r.call.type : r.call.args[i]->type));
  const size_t least = attrs.size() - 1, most = std::string_view(attrs.front()) == attrs.back() ? least : attrs.size();
  if (!r.desired.empty() && (r.desired.size() < least || r.desired.size() > most))
    fail("E0514", r.call.span,
         fmt::format("convert-layout: `{}` takes {} layouts, got {}", op_of(r.call)->name(),
                     least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most), r.desired.size()),
         "one for each tensor that goes in, then one for the result; without it that of the first");
  auto choice = r.desired.empty() ? followed_choice(r, slots) : desired_choice(r, slots);
  if (!choice) return std::nullopt;
  LayoutPlan plan{{}, ValueLayout::of(choice->orders.back())};
  plan.follows_desired = true;
  for (size_t i = 0; i < attrs.size(); ++i) {
    plan.attrs[attrs[i]] = choice->texts[i];
    if (i + 1 < attrs.size()) plan.args.push_back(ValueLayout::of(choice->orders[i]));
  }
  return plan;
}

}  // namespace

std::optional<LayoutPlan> layout_convolution(const LayoutRequest& r) {
  return plan_windows(r, {"data_layout", "kernel_layout", "out_layout"});
}

std::optional<LayoutPlan> layout_pool(const LayoutRequest& r) { return plan_windows(r, {"layout", "out_layout"}); }

// Blocked layouts are meant for ops that compute over channels, so resizing does not adopt one unless it is requested.
std::optional<LayoutPlan> layout_resize(const LayoutRequest& r) {
  if (r.desired.empty() && r.order(0).is_blocked()) return std::nullopt;
  return plan_windows(r, {"layout", "layout"});
}

}  // namespace sunmao
