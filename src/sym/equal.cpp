#include "sym/equal.h"

#include <bit>

#include <fmt/format.h>

#include "sym/walk.h"

namespace sunmao {

bool Equality::define(const Node* a, const Node* b) {
  auto left = to_right_.find(a);
  auto right = to_left_.find(b);
  if (left != to_right_.end() || right != to_left_.end())
    return left != to_right_.end() && right != to_left_.end() && left->second == b && right->second == a;
  to_right_.emplace(a, b);
  to_left_.emplace(b, a);
  return true;
}

void Equality::bind(const Node* a, const Node* b) {
  if (auto before = to_right_.find(a); before != to_right_.end()) to_left_.erase(before->second);
  if (auto before = to_left_.find(b); before != to_left_.end()) to_right_.erase(before->second);
  to_right_[a] = b;
  to_left_[b] = a;
}

bool Equality::same(const Node* a, const Node* b) {
  auto left = to_right_.find(a);
  if (left != to_right_.end()) return left->second == b;
  if (to_left_.contains(b)) return false;
  return options_.map_free ? define(a, b) : a == b;
}

bool Equality::differ(std::string why) {
  if (difference_.empty()) {
    for (const std::string& step : path_) difference_ += step;
    difference_ += (path_.empty() ? "" : ": ") + why;
  }
  return false;
}

bool Equality::scalars(std::span<const Scalar> a, std::span<const Scalar> b) {
  if (a.size() != b.size()) return differ(fmt::format("{} entries against {}", a.size(), b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    Step step(*this, fmt::format("[{}]", i));
    if (!scalar(a[i], b[i])) return false;
  }
  return true;
}

bool Equality::scalar(const Scalar& a, const Scalar& b) {
  if (!a || !b) return (!a && !b) || differ("one side is missing");
  if (a->kind != b->kind) return differ("different kinds of expression");
  if (a->dtype != b->dtype) return differ(fmt::format("{} against {}", a->dtype.str(), b->dtype.str()));
  auto part = [&](const char* name, const Scalar& x, const Scalar& y) {
    Step step(*this, name);
    return scalar(x, y);
  };
  switch (a->kind) {
    case ScalarKind::IntImm: {
      Step step(*this, ".value");
      int64_t x = find<IntImm>(a)->value, y = find<IntImm>(b)->value;
      return x == y || differ(fmt::format("{} against {}", x, y));
    }
    case ScalarKind::FloatImm: {
      Step step(*this, ".value");
      double x = find<FloatImm>(a)->value, y = find<FloatImm>(b)->value;
      return std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y) || differ(fmt::format("{} against {}", x, y));
    }
    case ScalarKind::StringImm:
      return find<StringImm>(a)->value == find<StringImm>(b)->value || differ("different text");
    case ScalarKind::SymVar:
      return same(a.get(), b.get()) ||
             differ(fmt::format("`{}` against `{}`", find<SymVar>(a)->name, find<SymVar>(b)->name));
    case ScalarKind::Binary:
      if (find<Binary>(a)->op != find<Binary>(b)->op)
        return differ(fmt::format("{} against {}", name_of(find<Binary>(a)->op), name_of(find<Binary>(b)->op)));
      break;
    case ScalarKind::ScalarCall:
      if (find<ScalarCall>(a)->name != find<ScalarCall>(b)->name) return differ("different intrinsics");
      {
        Step step(*this, ".args");
        return scalars(find<ScalarCall>(a)->args, find<ScalarCall>(b)->args);
      }
    case ScalarKind::Extern: {
      const auto &x = *find<ExternScalar>(a), &y = *find<ExternScalar>(b);
      return (x.same_head(y, *this) || differ("different heads")) && scalars(x.operands(), y.operands());
    }
    case ScalarKind::Let: {
      const auto &x = *find<Let>(a), &y = *find<Let>(b);
      if (!scalar(x.value, y.value)) return false;
      bind(x.var.get(), y.var.get());
      return scalar(x.body, y.body);
    }
    case ScalarKind::Select: {
      const auto &x = *find<Select>(a), &y = *find<Select>(b);
      return part(".condition", x.condition, y.condition) && part(".true_value", x.then_value, y.then_value) &&
             part(".false_value", x.else_value, y.else_value);
    }
    case ScalarKind::Not: return part(".a", find<Not>(a)->a, find<Not>(b)->a);
    case ScalarKind::Cast: return part(".value", find<Cast>(a)->value, find<Cast>(b)->value);
    case ScalarKind::Ramp:
      return part(".base", find<Ramp>(a)->base, find<Ramp>(b)->base) &&
             part(".stride", find<Ramp>(a)->stride, find<Ramp>(b)->stride);
    case ScalarKind::Broadcast: return part(".value", find<Broadcast>(a)->value, find<Broadcast>(b)->value);
  }
  return part(".a", find<Binary>(a)->a, find<Binary>(b)->a) && part(".b", find<Binary>(a)->b, find<Binary>(b)->b);
}

bool structural_equal(const Scalar& a, const Scalar& b) { return Equality().scalar(a, b); }

void StructuralHasher::define(const Node* node) {
  if (numbers_.try_emplace(node, count_ + 1).second) ++count_;
}

void StructuralHasher::name(const Node* node, std::string_view free_name) {
  if (options_.map_free) define(node);
  auto it = numbers_.find(node);
  if (it != numbers_.end())
    add(it->second);
  else
    add(free_name);
}

void StructuralHasher::scalar(const Scalar& s) {
  if (!s) {
    add(uint64_t{0xff});
    return;
  }
  add(static_cast<uint64_t>(s->kind))
      .add((uint64_t{static_cast<uint8_t>(s->dtype.code)} << 32) | (uint64_t{s->dtype.bits} << 16) | s->dtype.lanes |
           (uint64_t{s->dtype.is_scalable} << 48));
  switch (s->kind) {
    case ScalarKind::IntImm: add(static_cast<uint64_t>(find<IntImm>(s)->value)); return;
    case ScalarKind::FloatImm: add(find<FloatImm>(s)->value); return;
    case ScalarKind::StringImm: add(find<StringImm>(s)->value); return;
    case ScalarKind::SymVar: name(s.get(), find<SymVar>(s)->name); return;
    case ScalarKind::Let: {
      const auto& n = *find<Let>(s);
      scalar(n.value);
      bind(n.var.get());
      scalar(n.body);
      return;
    }
    case ScalarKind::Binary: add(static_cast<uint64_t>(find<Binary>(s)->op)); break;
    case ScalarKind::ScalarCall: add(find<ScalarCall>(s)->name).add(find<ScalarCall>(s)->args.size()); break;
    case ScalarKind::Extern: find<ExternScalar>(s)->hash_head(*this); break;
    case ScalarKind::Not:
    case ScalarKind::Cast:
    case ScalarKind::Select:
    case ScalarKind::Ramp:
    case ScalarKind::Broadcast: break;
  }
  for_each_child(s, [this](const Scalar& child) { scalar(child); });
}

uint64_t structural_hash(const Scalar& s) {
  StructuralHasher h;
  h.scalar(s);
  return h.value();
}

}  // namespace sunmao
