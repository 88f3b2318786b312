// ValueReader for attribute values: in `R.func_attr({...})`, in attributes of ops, in annotations of loops and blocks.
#include <cmath>

#include "script/spelling.h"
#include "script/value_reader.h"

namespace sunmao::script {
namespace {

std::string json_string(const std::string& text) { return quote(text); }

std::string json_number(const ScriptContext& ctx, const PyExpr& e) {
  if (const std::optional<uint64_t> integer = read_integer(e.text)) return std::to_string(*integer);
  const std::optional<double> real = read_double(e.text);
  if (!real || !std::isfinite(*real))
    ctx.error("E0110", e.place, fmt::format("`{}` does not belong in a target", e.text));
  return fmt::format("{}", *real);
}

// Converts a dict literal to JSON text, as which the target of `I.vdevice({…})` is stored.
std::string to_json(const ScriptContext& ctx, const PyExpr& e) {
  switch (e.kind) {
    case PyKind::String: return json_string(e.text);
    case PyKind::Number: return json_number(ctx, e);
    case PyKind::Literal: return e.text == "True" ? "true" : e.text == "False" ? "false" : "null";
    case PyKind::List:
    case PyKind::Tuple: {
      std::string out = "[";
      for (const PyExprPtr& item : e.items) out += (out.size() > 1 ? ", " : "") + to_json(ctx, *item);
      return out + "]";
    }
    case PyKind::Dict: {
      std::string out = "{";
      for (size_t i = 0; i + 1 < e.items.size(); i += 2)
        out += (i ? ", " : "") + to_json(ctx, *e.items[i]) + ": " + to_json(ctx, *e.items[i + 1]);
      return out + "}";
    }
    default: ctx.error("E0110", e.place, fmt::format("`{}` does not belong in a target", unparse(e)));
  }
}

AttrValue from_number(const PlainNumber& n) {
  switch (n.kind) {
    case PlainNumber::Kind::Bool: return AttrValue(n.integer != 0);
    case PlainNumber::Kind::Int: return AttrValue(n.integer);
    case PlainNumber::Kind::Float: return AttrValue(n.real);
  }
  return {};
}

}  // namespace

AttrValue ValueReader::value(const PyExpr& e) {
  if (e.is_literal("None")) return {};
  if (std::optional<PlainNumber> n = number(e)) return from_number(*n);
  if (e.kind == PyKind::String) return AttrValue(e.text);
  if (e.is_sequence()) {
    AttrList list;
    for (const PyExprPtr& item : e.items) list.push_back(value(*item));
    return AttrValue(std::move(list));
  }
  if (e.kind == PyKind::Dict) return AttrValue(map(e));
  if (e.kind == PyKind::Lambda) return AttrValue(index_map(e, DType::int_(64)));
  if (e.kind == PyKind::Name) {
    if (const AttrValue* named = scope_.find_as<AttrValue>(e.text)) return *named;
    const Named* bound = scope_.find(e.text);
    const Ref<Buffer>* whole = bound ? std::get_if<Ref<Buffer>>(bound) : nullptr;
    if (whole && (*whole)->data) return AttrValue(Scalar((*whole)->data));
    if (whole)
      error("E0110", e, fmt::format("the buffer `{}` is no attribute", e.text), "name its memory with `.data`");
  }
  if (is_type(e)) return AttrValue(type(e));
  if (Expr data = constant(e)) return AttrValue(std::move(data));
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (dialect != 0 && e.kind == PyKind::Call) return dialect_value(e, dialect, name);
  std::optional<HostValue> host = ask_host(e);
  if (!host && e.kind == PyKind::Call && dotted_name(*e.items[0]) == "tvm.target.Target") return target(e);
  if (host) {
    if (const AttrValue* attr = std::get_if<AttrValue>(&*host)) return *attr;
    error("E0110", e, fmt::format("`{}` is an array, not an attribute", unparse(e)),
          "arrays are constants: `R.const(…)`");
  }
  if (Expr known = expr_value(e)) return AttrValue(std::move(known));
  return AttrValue(scalar(e));
}

Expr ValueReader::constant(const PyExpr& e) {
  if (e.kind == PyKind::Call && dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "const"))
    return Constant::make(constant_data(e), span(e));
  bool is_entry = e.kind == PyKind::Subscript && e.items[0]->kind == PyKind::Subscript;
  if (!is_entry || !e.items[0]->items[0]->is_name("metadata") || scope_.find("metadata")) return nullptr;
  const PyExpr& table = *e.items[0]->items[1];
  if (table.kind != PyKind::String || !table.text.ends_with("Constant"))
    error("E0118", e, fmt::format("`{}` is no table of constants", unparse(*e.items[0])),
          "constants are `metadata[\"relax.expr.Constant\"][0]`");
  return Constant::make(ctx_.constant(integer(*e.items[1], "the number of a constant"), e.place), span(e));
}

// Reads `R.device(1, 0)`, whose first argument is DLPack's device type as a number or a name, or `R.cpu(0)`; returns
// a virtual device.
Ref<GlobalInfo> ValueReader::host_device(const PyExpr& e, const std::string& name) {
  static const std::unordered_map<std::string, const char*> kTargets{
      {"1", "llvm"},    {"cpu", "llvm"}, {"llvm", "llvm"},    {"2", "cuda"},
      {"cuda", "cuda"}, {"4", "opencl"}, {"opencl", "opencl"}};
  bool names_kind = name == "device";
  std::vector<const PyExpr*> given =
      names_kind ? bind(e, "R.device", {"dev_type", "dev_id"}) : bind(e, "R." + name, {"dev_id"});
  std::string kind = name;
  if (names_kind && !given[0]) error("E0108", e, "`R.device` needs a kind", "write `R.device(\"cpu\", 0)`");
  if (names_kind)
    kind = given[0]->kind == PyKind::String ? given[0]->text : std::to_string(integer(*given[0], "a kind"));
  auto target = kTargets.find(kind);
  if (target == kTargets.end())
    error("E0110", e, fmt::format("`{}` is no kind of device", kind), "write \"cpu\" or \"cuda\"");
  int64_t index = given.back() ? integer(*given.back(), "the number of a device") : 0;
  if (index < 0 || index > std::numeric_limits<int>::max()) error("E0110", e, "devices are numbered from 0");
  return VDevice::make(target->second, static_cast<int>(index));
}

AttrValue ValueReader::dialect_value(const PyExpr& e, char dialect, const std::string& name) {
  if (dialect == 'I') return AttrValue(global_info(e));
  if (dialect == 'T' && name == "dtype") return AttrValue(dtype(e));
  if (dialect == 'T' && name == "target") return target(e);
  if (dialect == 'T' && name == "comm_reducer") return reducer(e);
  if (dialect == 'T' && (name == "index_map" || name == "IndexMap")) {
    std::vector<const PyExpr*> given = bind(e, "T.index_map", {"mapping", "inverse_index_map", "index_dtype"});
    if (!given[0] || given[0]->kind != PyKind::Lambda) error("E0108", e, "`T.index_map` takes a lambda");
    return AttrValue(index_map(*given[0], given[2] ? dtype(*given[2]) : DType::int_(64)));
  }
  if (dialect == 'R' && (name == "device" || name == "cpu" || name == "cuda" || name == "opencl"))
    return AttrValue(host_device(e, name));
  if (dialect == 'R') {
    if (Expr known = expr_value(e)) return AttrValue(std::move(known));
  }
  return AttrValue(scalar(e));
}

AttrValue ValueReader::named_value(const std::string& name, const PyExpr& e) {
  if (name.ends_with("dtype") && e.kind == PyKind::String) {
    if (std::optional<DType> known = DType::parse(e.text)) return AttrValue(*known);
  }
  if (name.ends_with("vdevice") && e.kind == PyKind::String)
    return AttrValue(Ref<GlobalInfo>(ctx_.device(e.text, e.place)));
  if (e.kind == PyKind::Call && dialect_name(*e.items[0]) == std::pair<char, std::string>('R', "str") &&
      e.arg_count() == 1)
    return AttrValue(text(e.arg(0), "the text"));
  if (name == "index_map" && is_of_host(e)) {
    std::optional<HostValue> host = ctx_.host_index_map(e, scalar_names(e));
    if (const AttrValue* map = host ? std::get_if<AttrValue>(&*host) : nullptr) return *map;
  }
  AttrValue v = value(e);
  if (const std::string* s = v.find<std::string>(); s && name.ends_with("dtype")) {
    if (std::optional<DType> known = DType::parse(*s)) return AttrValue(*known);
  }
  return v;
}

AttrMap ValueReader::map(const PyExpr& e) {
  if (e.kind == PyKind::Dict) {
    AttrMap out;
    for (size_t i = 0; i + 1 < e.items.size(); i += 2) {
      std::string key = text(*e.items[i], "a key");
      if (!out.emplace(key, value(*e.items[i + 1])).second)
        error("E0109", *e.items[i], fmt::format("`{}` is given twice", key));
    }
    return out;
  }
  std::optional<HostValue> host = ask_host(e);
  const AttrValue* attr = host ? std::get_if<AttrValue>(&*host) : nullptr;
  if (const AttrMap* known = attr ? attr->find<AttrMap>() : nullptr) return *known;
  error("E0110", e, fmt::format("`{}` is no dict", unparse(e)), "write `{\"key\": value}`");
}

Ref<GlobalInfo> ValueReader::global_info(const PyExpr& e) {
  auto [dialect, name] = dialect_name(e.kind == PyKind::Call ? *e.items[0] : e);
  if (e.kind != PyKind::Call || dialect != 'I') {
    std::optional<HostValue> host = ask_host(e);
    const AttrValue* attr = host ? std::get_if<AttrValue>(&*host) : nullptr;
    if (const auto* info = attr ? attr->find<Ref<GlobalInfo>>() : nullptr) return *info;
    error("E0110", e, fmt::format("`{}` is no global info", unparse(e)),
          "write `I.vdevice(…)` or `I.dummy_global_info()`");
  }
  if (name == "dummy_global_info") {
    bind(e, "I.dummy_global_info", {});
    return DummyGlobalInfo::make();
  }
  if (name != "vdevice")
    error("E0107", e, fmt::format("`I.{}` is no global info", name), "write `I.vdevice(…)` or `I.dummy_global_info()`");
  std::vector<const PyExpr*> given = bind(e, "I.vdevice", {"target", "vdevice_id", "memory_scope"});
  if (!given[0]) error("E0108", e, "`I.vdevice` needs a target", "write `I.vdevice(\"llvm\")`");
  std::string target = given[0]->kind == PyKind::Dict ? to_json(ctx_, *given[0]) : text(*given[0], "a target");
  int64_t id = given[1] ? integer(*given[1], "`vdevice_id`") : 0;
  if (id < 0 || id > 1'000'000) error("E0110", *given[1], fmt::format("`vdevice_id` counts from 0, got {}", id));
  return VDevice::make(std::move(target), static_cast<int>(id),
                       given[2] ? text(*given[2], "`memory_scope`") : "global");
}

Ref<IndexMap> ValueReader::index_map(const PyExpr& lambda, DType dtype) {
  if (!dtype.is_int() || dtype.lanes != 1)
    error("E0110", lambda, fmt::format("indices are integers, not {}", dtype.str()));
  ScopeLevel level(scope_);
  std::vector<Ref<SymVar>> inputs;
  for (const PyKeyword& p : lambda.keywords) {
    if (p.name.starts_with('*')) ctx_.error("E0105", p.place, "an index map names its indices one by one");
    inputs.push_back(SymVar::make(p.name, dtype, ctx_.span(p.place)));
    scope_.set(p.name, Scalar(inputs.back()));
  }
  std::vector<Scalar> outputs;
  for (const PyExpr* e : elements(*lambda.items[0])) {
    Scalar s = scalar(*e);
    if (find<IntImm>(s)) s = IntImm::make(dtype, *find_int(s), s->span);
    if (!s->dtype.is_integral())
      error("E0110", *e, fmt::format("an index is an integer, `{}` is of type {}", unparse(*e), s->dtype.str()));
    outputs.push_back(std::move(s));
  }
  return IndexMap::make(std::move(inputs), std::move(outputs));
}

}  // namespace sunmao::script
