// ValueReader for attribute values that describe targets and reductions: T.target, T.comm_reducer.
#include <sstream>

#include "script/spelling.h"
#include "script/value_reader.h"

namespace sunmao::script {
namespace {

// Parses a target string such as "llvm -mcpu=skylake -num-cores=4" into its kind and options.
AttrMap target_options(const std::string& text) {
  std::istringstream words(text);
  std::string word;
  words >> word;
  AttrMap out{{"kind", AttrValue(word)}};
  while (words >> word) {
    size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    while (key.starts_with('-')) key.erase(0, 1);
    std::string value = equals == std::string::npos ? "1" : word.substr(equals + 1);
    std::optional<uint64_t> number = is_float_text(value) ? std::nullopt : read_integer(value);
    bool is_number = number && *number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    out.insert_or_assign(key, is_number ? AttrValue(static_cast<int64_t>(*number)) : AttrValue(value));
  }
  return out;
}

}  // namespace

// Reads `T.target("cuda", host="llvm")` and `T.target({"kind": "cuda"})` as a map of options.
AttrValue ValueReader::target(const PyExpr& call) {
  std::vector<const PyExpr*> given = bind(call, "T.target", {"target_config", "host"});
  if (!given[0]) error("E0108", call, "`T.target` needs a target", "write `T.target(\"llvm\")`");
  AttrMap options = target_map(*given[0]);
  if (given[1] && !given[1]->is_literal("None")) options.insert_or_assign("host", AttrValue(target_map(*given[1])));
  return AttrValue(std::move(options));
}

AttrMap ValueReader::target_map(const PyExpr& e) {
  AttrValue said = value(e);
  if (const std::string* name = said.find<std::string>()) return target_options(*name);
  if (const AttrMap* options = said.find<AttrMap>()) return *options;
  error("E0110", e, fmt::format("`{}` is no target", unparse(e)), "write \"cuda\" or `{\"kind\": \"cuda\"}`");
}

// Reads `T.comm_reducer(lambda x, y: x + y, [T.float32(0)])`: the combiner of a reduction and its identity.
AttrValue ValueReader::reducer(const PyExpr& call) {
  std::vector<const PyExpr*> given = bind(call, "T.comm_reducer", {"combiner", "identity"});
  if (!given[0] || !given[1] || given[0]->kind != PyKind::Lambda)
    error("E0108", call, "`T.comm_reducer` takes a lambda and a list", "write `lambda x, y: x + y, [T.float32(0)]`");
  std::vector<Scalar> identity = scalars(*given[1]);
  const PyExpr& lambda = *given[0];
  if (identity.empty() || lambda.keywords.size() != 2 * identity.size())
    error("E0108", call,
          fmt::format("{} values are reduced, the lambda has {} parameters", identity.size(), lambda.keywords.size()),
          "it takes each value twice: left ones, then right ones");
  ScopeLevel level(scope_);
  std::vector<Ref<SymVar>> inputs;
  for (size_t i = 0; i < lambda.keywords.size(); ++i) {
    const PyKeyword& p = lambda.keywords[i];
    inputs.push_back(SymVar::make(p.name, identity[i % identity.size()]->dtype, ctx_.span(p.place)));
    scope_.set(p.name, Scalar(inputs.back()));
  }
  std::vector<Scalar> results = scalars(*lambda.items[0]);
  if (results.size() != identity.size())
    error("E0108", lambda, fmt::format("{} values are reduced to {}", identity.size(), results.size()));
  AttrList neutral;
  for (const Scalar& s : identity) neutral.push_back(AttrValue(s));
  return AttrValue(AttrMap{{"combiner", AttrValue(IndexMap::make(std::move(inputs), std::move(results)))},
                           {"identity", AttrValue(std::move(neutral))}});
}

}  // namespace sunmao::script
