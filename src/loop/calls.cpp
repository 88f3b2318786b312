#include "loop/calls.h"

#include <algorithm>

#include "loop/walk.h"

namespace sunmao {
namespace {

// Returns the name of the called module function; null when `s` is no such call.
const StringImm* called_name(const Scalar& s) {
  const auto* call = find<ScalarCall>(s);
  return call && call->name == "call_function" && !call->args.empty() ? find<StringImm>(call->args[0]) : nullptr;
}

class Collector final : public StmtVisitor {
 public:
  std::vector<std::string> names;
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (const StringImm* name = called_name(node)) names.push_back(name->value);
    });
  }
};

class CallRenamer final : public StmtRewriter {
 public:
  explicit CallRenamer(const std::map<std::string, std::string>& names) : names_(names) {}

  Scalar visit_scalar(const Scalar& s) override {
    return rewrite(StmtRewriter::visit_scalar(s), [&](const Scalar& node) -> Scalar {
      const StringImm* name = called_name(node);
      auto it = name ? names_.find(name->value) : names_.end();
      if (it == names_.end()) return nullptr;
      const auto& call = *find<ScalarCall>(node);
      std::vector<Scalar> args = call.args;
      args[0] = StringImm::make(it->second, name->span);
      return ScalarCall::make(call.name, call.dtype, std::move(args), call.span);
    });
  }

 private:
  const std::map<std::string, std::string>& names_;
};

}  // namespace

std::vector<std::string> called_functions(const PrimFunc& f) {
  Collector calls;
  if (f.body) calls.visit(f.body);
  return std::move(calls.names);
}

Ref<PrimFunc> rename_called_functions(const Ref<PrimFunc>& f, const std::map<std::string, std::string>& names) {
  if (!f->body) return f;
  Stmt body = CallRenamer(names).visit(f->body);
  return body == f->body ? f : f->with_body(body);
}

bool is_index_check(const ScalarCall& call) {
  return call.name == "checked_index" && call.args.size() == 4 && find<StringImm>(call.args[3]) &&
         call.dtype.is_integral();
}

bool checks_indices(const Scalar& s) {
  bool found = false;
  visit_all(s, [&](const Scalar& node) {
    const auto* call = find<ScalarCall>(node);
    found = found || (call && is_index_check(*call));
  });
  return found;
}

IndexCheck index_check(const ScalarCall& call) {
  return {call.args[0], call.args[1], call.args[2], find<StringImm>(call.args[3])->value};
}

Scalar checked_index(IndexCheck check) {
  const DType dtype = check.place->dtype;
  return ScalarCall::make(
      "checked_index", dtype,
      {std::move(check.place), std::move(check.size), std::move(check.given), StringImm::make(std::move(check.what))});
}

Scalar checked_number(const Scalar& value, const Scalar& is_refused, std::string what) {
  const DType index = DType::int_(64, value->dtype.lanes);
  const auto number = [&](int64_t n) { return IntImm::make(index, n); };
  const Scalar check = checked_index(
      {Select::make(is_refused, number(-1), number(0)), number(-1), Cast::make(index, value), std::move(what)});
  return value + Cast::make(value->dtype, check);
}

std::optional<Shuffle> find_shuffle(const ScalarCall& call) {
  const int64_t* count = call.name == "Shuffle" && !call.args.empty() ? find_int(call.args[0]) : nullptr;
  if (!count || *count < 1 || static_cast<size_t>(*count) + 1 >= call.args.size()) return std::nullopt;
  const auto border = call.args.begin() + 1 + static_cast<std::ptrdiff_t>(*count);
  Shuffle parts{.vectors = {call.args.begin() + 1, border}, .lanes = {}};
  int64_t total = 0;
  for (const Scalar& v : parts.vectors) {
    if (v->dtype.is_scalable || v->dtype.with_lanes(1) != call.dtype.with_lanes(1)) return std::nullopt;
    total += v->dtype.lanes;
  }
  for (auto it = border; it != call.args.end(); ++it) {
    const int64_t* lane = find_int(*it);
    if (!lane || *lane < 0 || *lane >= total) return std::nullopt;
    parts.lanes.push_back(*lane);
  }
  return static_cast<size_t>(call.dtype.lanes) == parts.lanes.size() ? std::optional(parts) : std::nullopt;
}

std::optional<ByteDots> find_byte_dots(const ScalarCall& call) {
  if (call.name != "dp4a" || call.args.size() != 3) return std::nullopt;
  ByteDots parts{.a = call.args[0], .b = call.args[1], .sum = call.args[2]};
  const DType sum = parts.sum->dtype;
  if (sum.is_scalable || sum.with_lanes(1) != DType::int_(32) || call.dtype != sum) return std::nullopt;
  for (const Scalar& x : {parts.a, parts.b}) {
    const DType t = x->dtype;
    const bool is_byte = t.with_lanes(1) == DType::int_(8) || t.with_lanes(1) == DType::uint(8);
    if (!is_byte || t.is_scalable || (t.lanes != kBytesOfDot && t.lanes != kBytesOfDot * sum.lanes))
      return std::nullopt;
  }
  return parts;
}

Scalar byte_dots(ByteDots parts) {
  const DType dtype = parts.sum->dtype;
  return ScalarCall::make("dp4a", dtype, {std::move(parts.a), std::move(parts.b), std::move(parts.sum)});
}

std::optional<ShortDots> find_short_dots(const ScalarCall& call) {
  if (call.name != "dp2a" || call.args.size() != 3) return std::nullopt;
  ShortDots parts{.a = call.args[0], .b = call.args[1], .sum = call.args[2]};
  const DType sum = parts.sum->dtype;
  if (sum.is_scalable || sum.with_lanes(1) != DType::int_(32) || call.dtype != sum) return std::nullopt;
  for (const Scalar& x : {parts.a, parts.b}) {
    const DType t = x->dtype;
    if (t.is_scalable || t.with_lanes(1) != DType::int_(16)) return std::nullopt;
    if (t.lanes % kShortsOfDot != 0 || kShortsOfDot * sum.lanes % t.lanes != 0) return std::nullopt;
  }
  return parts;
}

Scalar short_dots(ShortDots parts) {
  const DType dtype = parts.sum->dtype;
  return ScalarCall::make("dp2a", dtype, {std::move(parts.a), std::move(parts.b), std::move(parts.sum)});
}

std::optional<PairDots> find_pair_dots(const ScalarCall& call) {
  if (call.name != "dp2a" || call.args.size() != 3) return std::nullopt;
  PairDots parts{.a = call.args[0], .b = call.args[1], .sum = call.args[2]};
  const DType sum = parts.sum->dtype, words = DType::uint(32).with_lanes(sum.lanes);
  const bool fits = !sum.is_scalable && sum.with_lanes(1) == DType::float_(32) && call.dtype == sum;
  return fits && parts.a->dtype == words && parts.b->dtype == words ? std::optional(parts) : std::nullopt;
}

Scalar pair_dots(PairDots parts) {
  const DType dtype = parts.sum->dtype;
  return ScalarCall::make("dp2a", dtype, {std::move(parts.a), std::move(parts.b), std::move(parts.sum)});
}

Scalar shuffle(Shuffle parts) {
  const DType dtype = parts.vectors.front()->dtype.with_lanes(static_cast<int>(parts.lanes.size()));
  std::vector<Scalar> args{IntImm::make(DType::int_(32), static_cast<int64_t>(parts.vectors.size()))};
  std::ranges::move(parts.vectors, std::back_inserter(args));
  for (const int64_t lane : parts.lanes) args.push_back(IntImm::make(DType::int_(32), lane));
  return ScalarCall::make("Shuffle", dtype, std::move(args));
}

}  // namespace sunmao
