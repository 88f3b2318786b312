// PrimReader for blocks: iterators, regions, allocations, the initial value of a reduction.
#include <algorithm>

#include "ir/equal.h"
#include "script/access_region.h"
#include "script/prim_reader.h"
#include "sym/walk.h"

namespace sunmao::script {

void PrimReader::block(const PyStmt& s, const PyExpr& call, Items& out) {
  if (s.with_items.size() != 1 || s.with_items[0].target)
    error("E0105", call, "a block stands alone in its `with`", "write `with T.sblock(\"name\"):`");
  std::vector<std::string> names{"name", "no_realize"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T.sblock", names);
  BlockFrame frame;
  frame.parts.name = given[0] ? text(*given[0], "the name of a block") + block_suffix_ : "";
  frame.parts.span = ctx_.span(s.place);
  frame.predicate = IntImm::make(DType::bool_(), 1);
  bool no_realize = given[1] && flag(*given[1], "`no_realize`");
  has_blocks_ = true;
  frame.parts.body = sequence(s.body, &frame);
  bool bound = frame.values.size() == frame.parts.iters.size();
  if (!no_realize && !bound)
    error("E0116", call, "every axis of a block needs a value", "write `vi = T.axis.spatial(128, i)`");
  // Regions are not inferred for an explicit root block of the function.
  const bool is_root = block_ && block_->is_function && frame.parts.iters.empty() && is_alone_;
  if (!is_root && (!frame.has_reads || !frame.has_writes)) {
    Accesses found = find_accesses(frame.parts);
    if (!frame.has_reads) frame.parts.reads = std::move(found.reads);
    if (!frame.has_writes) frame.parts.writes = std::move(found.writes);
  }
  Ref<Block> result = Block::make(std::move(frame.parts));
  if (no_realize)
    out.push_back({result, {}});
  else
    out.push_back(
        {BlockRealize::make(std::move(frame.values), std::move(frame.predicate), result, ctx_.span(s.place)), {}});
}

void PrimReader::require_head(const PyExpr& e, const std::string& name) const {
  if (block_->has_bindings)
    error("E0116", e, fmt::format("`{}` follows a binding of the body", name), "move it up: it belongs to the head");
}

PrimReader::BlockFrame& PrimReader::require_block(const PyExpr& e, const std::string& name) {
  if (!block_ || block_->is_function)
    error("E0116", e, fmt::format("`{}` stands directly in a block", name), "write it inside `with T.sblock(…):`");
  require_head(e, name);
  return *block_;
}

void PrimReader::init(const PyStmt& s) {
  BlockFrame& frame = require_block(*s.with_items[0].value, "T.init");
  if (frame.parts.init) ctx_.error("E0111", s.place, "a block has one `T.init`");
  frame.parts.init = sequence(s.body, nullptr);
}

// Reads T.reads, T.writes, T.where and T.sblock_attr, which describe the block itself. False for other calls.
bool PrimReader::block_statement(const PyExpr& call, const std::string& name) {
  bool is_reads = name == "reads", is_writes = name == "writes";
  if (is_reads || is_writes) {
    BlockFrame& frame = require_block(call, "T." + name);
    std::vector<BufferRegion>& list = is_reads ? frame.parts.reads : frame.parts.writes;
    bool& given = is_reads ? frame.has_reads : frame.has_writes;
    if (given) error("E0111", call, fmt::format("`T.{}` is given twice", name));
    given = true;
    for (size_t i = 0; i < call.arg_count(); ++i)
      for (const PyExpr* e :
           call.arg(i).kind == PyKind::List ? elements(call.arg(i)) : std::vector<const PyExpr*>{&call.arg(i)})
        list.push_back(region(*e));
    return true;
  }
  if (name == "where") {
    check_arity(call, "T.where", 1, 1);
    require_block(call, "T.where").predicate = boolean(call.arg(0));
    return true;
  }
  if (name == "sblock_attr" || name == "block_attr") {
    check_arity(call, "T." + name, 1, 1);
    BlockFrame& frame = require_block(call, "T." + name);
    AttrMap merged = frame.parts.annotations.values();
    for (const auto& [key, v] : map(call.arg(0))) merge(merged, key, v, call);
    frame.parts.annotations = Attrs(std::move(merged));
    return true;
  }
  return false;
}

// Adds an annotation to a block. Maps are merged; a key that is given twice must have equal values.
void PrimReader::merge(AttrMap& into, const std::string& key, const AttrValue& v, const PyExpr& at) const {
  auto [known, is_new] = into.emplace(key, v);
  if (is_new) return;
  const AttrMap *before = known->second.find<AttrMap>(), *more = v.find<AttrMap>();
  if (before && more) {
    AttrMap both = *before;
    for (const auto& [name, item] : *more) merge(both, name, item, at);
    known->second = AttrValue(std::move(both));
    return;
  }
  Equality equality;
  if (!equal(Attrs({{key, known->second}}), Attrs({{key, v}}), equality))
    error("E0109", at, fmt::format("`{}` is given twice, and differently", key));
}

Range PrimReader::domain(const PyExpr& e) {
  if (e.is_sequence()) {
    if (e.items.size() != 2) error("E0110", e, "a domain is an extent, or its two ends");
    return loop_range(e.items[0].get(), e.items[1].get(), e);
  }
  return loop_range(nullptr, &e, e);
}

void PrimReader::add_axis(const PyExpr& target, IterKind kind, Range domain, Scalar value, DType type) {
  if (target.kind != PyKind::Name)
    error("E0105", target, fmt::format("`{}` is no name", unparse(target)), "an axis is bound to a name");
  // Iterator values are evaluated before the block is entered, so they cannot depend on its other axes.
  for (const Ref<SymVar>& read : value ? free_symbols(value) : std::vector<Ref<SymVar>>())
    for (const IterVar& other : block_->parts.iters)
      if (other.var == read)
        error("E0116", target,
              fmt::format("axis `{}` is bound to what reads axis `{}` of its own block", target.text, read->name),
              "write it over the loops around the block");
  Ref<SymVar> var = SymVar::make(target.text, type, span(target));
  block_->parts.iters.push_back({var, std::move(domain), kind});
  if (value) block_->values.push_back(std::move(value));
  scope_.set(target.text, Scalar(var));
}

// Reads `vi = T.axis.spatial(128, i)`, an axis of another kind, or `T.axis.remap(…)`.
bool PrimReader::axis_assignment(const PyStmt& s, const PyExpr& call, const std::string& function) {
  require_block(call, "T.axis." + function);
  if (function == "remap") {
    remap(s, call);
    return true;
  }
  static const std::unordered_map<std::string, IterKind> kKinds{
      {"spatial", IterKind::Spatial}, {"S", IterKind::Spatial}, {"reduce", IterKind::Reduce},
      {"R", IterKind::Reduce},        {"scan", IterKind::Scan}, {"opaque", IterKind::Opaque}};
  auto kind = kKinds.find(function);
  if (kind == kKinds.end())
    error("E0107", call, fmt::format("`T.axis.{}` is no kind of axis", function),
          "axes are spatial, reduce, scan, opaque, or several by remap");
  std::vector<std::string> names{"dom", "binding", "dtype"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T.axis." + function, names);
  if (!given[0]) error("E0108", call, "an axis needs a domain", "write `vi = T.axis.spatial(128, i)`");
  Range range = domain(*given[0]);
  Scalar value = given[1] ? scalar(*given[1]) : nullptr;
  if (value && (!value->dtype.is_integral() || value->dtype.lanes != 1))
    error("E0110", *given[1],
          fmt::format("an axis takes integers, `{}` is of type {}", unparse(*given[1]), value->dtype.str()));
  DType type = given[2] ? dtype(*given[2]) : value && !find<IntImm>(value) ? value->dtype : range.extent->dtype;
  if (!type.is_integral() || type.lanes != 1)
    error("E0110", call, fmt::format("an axis is an integer, not {}", type.str()));
  if (!given[2]) {  // literals take the dtype of the axis
    if (find<IntImm>(range.extent)) range.extent = integer_of(type, *find_int(range.extent), span(*given[0]));
    if (find<IntImm>(range.min)) range.min = integer_of(range.extent->dtype, *find_int(range.min), span(*given[0]));
    if (value && find<IntImm>(value) && number(*given[1])) value = integer_of(type, *find_int(value), value->span);
  }
  add_axis(*s.target, kind->second, std::move(range), std::move(value), type);
  return true;
}

// Reads `vi, vk = T.axis.remap("SR", [i, k])`: axes that each have the domain of a loop.
void PrimReader::remap(const PyStmt& s, const PyExpr& call) {
  std::vector<std::string> names{"kinds", "bindings", "dtype"};
  std::vector<const PyExpr*> given = bind_arguments(ctx_, call, "T.axis.remap", names);
  if (!given[0] || !given[1])
    error("E0108", call, "`T.axis.remap` takes kinds and loop variables", "write `T.axis.remap(\"SR\", [i, k])`");
  std::string kinds = text(*given[0], "the kinds of axes");
  std::vector<Scalar> values = scalars(*given[1]);
  std::vector<const PyExpr*> targets = elements(*s.target);
  auto star = std::ranges::find_if(targets, [](const PyExpr* t) { return t->kind == PyKind::Starred; });
  bool together = targets.size() == 1 && kinds.size() > 1;
  if (star != targets.end() || together) return remap_several(kinds, values, targets, call);
  if (kinds.size() != values.size() || targets.size() != values.size())
    error("E0108", call,
          fmt::format("{} axes, {} kinds, {} loop variables", targets.size(), kinds.size(), values.size()));
  for (size_t i = 0; i < kinds.size(); ++i) remap_one(*targets[i], kinds[i], values[i], call);
}

// Reads `*vs, vr = T.axis.remap(…)` and `vs = T.axis.remap(…)`: one name for several axes.
void PrimReader::remap_several(const std::string& kinds, const std::vector<Scalar>& values,
                               const std::vector<const PyExpr*>& targets, const PyExpr& call) {
  if (kinds.size() != values.size() || targets.size() - 1 > kinds.size())
    error("E0108", call,
          fmt::format("{} axes, {} kinds, {} loop variables", targets.size(), kinds.size(), values.size()));
  size_t at = 0;
  for (const PyExpr* target : targets) {
    bool takes_rest = target->kind == PyKind::Starred || targets.size() == 1;
    const PyExpr& name = target->kind == PyKind::Starred ? *target->items[0] : *target;
    std::vector<Scalar> several;
    for (size_t count = takes_rest ? kinds.size() - (targets.size() - 1) : 1; count > 0 && at < kinds.size(); --count) {
      remap_one(name, kinds[at], values[at], call);
      several.push_back(block_->parts.iters.back().var);
      ++at;
    }
    if (takes_rest) scope_.set(name.text, std::move(several));
  }
}

void PrimReader::remap_one(const PyExpr& target, char letter, const Scalar& value, const PyExpr& call) {
  auto loop = loops_.find(value.get());
  if (loop == loops_.end())
    error("E0116", call.arg_count() > 1 ? call.arg(1) : call, "`T.axis.remap` takes variables of loops",
          "use `T.axis.spatial(extent, value)` for other values");
  static const std::unordered_map<char, IterKind> kKinds{
      {'S', IterKind::Spatial}, {'R', IterKind::Reduce}, {'C', IterKind::Scan}, {'O', IterKind::Opaque}};
  auto kind = kKinds.find(letter);
  if (kind == kKinds.end())
    error("E0110", call.arg_count() > 0 ? call.arg(0) : call, fmt::format("`{}` is no kind of axis", letter),
          "S is spatial, R is reduce");
  add_axis(target, kind->second, loop->second, value, value->dtype);
}

// Reads `V = T.match_buffer(A[0:4, 0:4], (4, 4))` inside a block; false when the source is no buffer or region.
bool PrimReader::match_region(const PyStmt& s, const PyExpr& call) {
  const PyExpr* source = call.arg_count() > 0 ? &call.arg(0) : call.find_keyword("param");
  bool is_region = source && (source->kind == PyKind::Subscript ||
                              (source->kind == PyKind::Name && scope_.find_as<Ref<Buffer>>(source->text)));
  if (!is_region) return false;
  BlockFrame& frame = require_block(call, "T.match_buffer");
  BufferRegion whole = region(*source);
  Ref<Buffer> view = make_buffer(s.target->text, call, "match_buffer", true, &whole);
  frame.parts.match_buffers.push_back({view, std::move(whole)});
  scope_.set(s.target->text, view);
  return true;
}

}  // namespace sunmao::script
