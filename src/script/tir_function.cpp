// PrimReader for loop-level functions: parameters, attributes, the implicit root block.
#include <algorithm>
#include <unordered_set>

#include "loop/builder.h"
#include "script/decorator.h"
#include "script/prim_reader.h"
#include "sym/walk.h"

namespace sunmao::script {

PrimReader::PrimReader(ScriptContext& context) : PrimReader(context, std::make_unique<Scope>()) {}

PrimReader::PrimReader(ScriptContext& context, std::unique_ptr<Scope> scope)
    : MacroReader(context, *scope, {.integer = DType::int_(32), .real = DType::float_(32)}),
      owned_scope_(std::move(scope)) {}

// Scans the body for what must be known before reading it: declared symbols, buffers whose memory is used by name, the
// older `T.block` dialect.
void PrimReader::declare_names(const PyStmt& def) {
  for (const std::string& name : ctx_.type_vars) scope_.declare_symbol(name, DType::int_(64));
  for (const std::string& name : def.type_params) scope_.declare_symbol(name, DType::int_(64));
  for (const PyStmt& s : def.body) {
    if (s.kind != PyStmtKind::Assign) continue;
    for (const Assigned& part : assigned_parts(s)) {
      std::optional<DType> type = declared_scalar(*part.value);
      if (type && type->code != TypeCode::Handle && part.target->kind == PyKind::Name)
        scope_.declare_symbol(part.target->text, *type);
    }
  }
  visit_exprs(def.body, [&](const PyExpr& e) {
    bool wants_data = e.kind == PyKind::Attribute && (e.text == "data" || e.text == "access_ptr" || e.text == "view");
    if (wants_data && e.items[0]->kind == PyKind::Name) data_names_.insert(e.items[0]->text);
    if (e.kind == PyKind::Call) add_data_arguments(e);
    if (e.kind == PyKind::Attribute && e.text == "block" && e.items[0]->is_name("T")) old_blocks_ = true;
    if (const PyExpr* data = e.find_keyword("data"); data && data->kind == PyKind::Name) data_names_.insert(data->text);
  });
}

// Marks the names in the arguments of calls of `Module.f`, `T.attr`, `T.sblock_attr` and `T.call_tir`: a buffer among
// them stands for its memory.
void PrimReader::add_data_arguments(const PyExpr& call) {
  auto [dialect, name] = dialect_name(*call.items[0]);
  bool is_own = call.items[0]->kind == PyKind::Attribute && is_module(*call.items[0]->items[0]);
  bool is_remark =
      dialect == 'T' && (name == "attr" || name == "sblock_attr" || name == "block_attr" || name == "call_tir");
  if (!is_own && !is_remark) return;
  for (size_t i = 0; i < call.arg_count(); ++i)
    visit_exprs(call.arg(i), [&](const PyExpr& e) {
      if (e.kind == PyKind::Name) data_names_.insert(e.text);
    });
}

void PrimReader::read_params(const PyStmt& def) {
  std::unordered_set<std::string_view> names;
  for (const PyParam& p : def.params) {
    if (!names.insert(p.name).second)
      ctx_.error("E0111", p.place, fmt::format("parameter `{}` is named twice", p.name));
    if (!p.annotation)
      ctx_.error("E0115", p.place, fmt::format("parameter `{}` has no type", p.name),
                 fmt::format("write `{}: T.Buffer((16, 16), \"float32\")` or `{}: T.int64`", p.name, p.name));
    const PyExpr& a = *p.annotation;
    auto [dialect, name] = dialect_name(a.kind == PyKind::Call ? *a.items[0] : a);
    if (dialect == 'T' && (name == "Buffer" || name == "buffer")) {
      params_.push_back({SymVar::make(p.name + "_handle", DType::handle(), ctx_.span(p.place)), nullptr});
      continue;
    }
    std::optional<DType> type = dialect == 'T' ? DType::parse(name) : std::nullopt;
    if (dialect == 'T' && (name == "handle" || name == "ptr")) type = DType::handle();
    if (dialect == 'T' && name == "boolean") type = DType::bool_();
    if (dialect == 'R' && name == "Prim" && a.kind == PyKind::Call && a.arg_count() == 1) type = dtype(a.arg(0));
    if (!type || type->is_void())
      error("E0115", a, fmt::format("`{}` is no type of a loop-level parameter", unparse(a)),
            "parameters are `T.Buffer(…)`, `T.handle`, or scalars such as `T.int64`");
    Ref<SymVar> var = type->code == TypeCode::Handle ? SymVar::make_handle(p.name, pointee(a), ctx_.span(p.place))
                                                     : SymVar::make(p.name, *type, ctx_.span(p.place));
    params_.push_back({var, nullptr});
    scope_.set(p.name, Scalar(var));
    later_names_.insert(p.name);
  }
  // Quoted dimensions may use scalar parameters that follow; unquoted ones only preceding parameters.
  for (size_t i = 0; i < def.params.size(); ++i) {
    later_names_.erase(def.params[i].name);
    const PyExpr& a = *def.params[i].annotation;
    auto [dialect, name] = dialect_name(a.kind == PyKind::Call ? *a.items[0] : a);
    if (dialect != 'T' || (name != "Buffer" && name != "buffer")) continue;
    if (a.kind != PyKind::Call)
      error("E0115", a, "`T.Buffer` needs a shape", "write `T.Buffer((16, 16), \"float32\")`");
    Ref<Buffer> buffer = make_buffer(def.params[i].name, a, "Buffer", false);
    params_[i].buffer = buffer;
    scope_.set(def.params[i].name, buffer);
  }
}

// A parameter's buffer must be known before the body: its shape, strides and offset may use only symbols and scalar
// parameters.
void PrimReader::check_param_buffer(const Buffer& b, const PyExpr& call) const {
  std::vector<Scalar> parts = b.shape;
  parts.insert(parts.end(), b.strides.begin(), b.strides.end());
  if (b.elem_offset) parts.push_back(b.elem_offset);
  for (const Scalar& part : parts) {
    visit_all(part, [&](const Scalar& node) {
      const auto* var = find<SymVar>(node);
      bool is_param =
          std::any_of(params_.begin(), params_.end(), [&](const PrimParam& p) { return Scalar(p.var) == node; });
      bool is_known = !find<BufferLoad>(node) &&
                      (!var || node == b.elem_offset || is_param || Scalar(scope_.find_symbol(var->name)) == node);
      if (!is_known)
        error("E0116", call, fmt::format("the shape of `{}` depends on what the body binds", b.name),
              "declare its dimensions with `n = T.int64()`");
    });
  }
}

// Reads `A = T.match_buffer(a, (n, 4), "float32")` with a handle parameter `a`.
bool PrimReader::match_param(const PyStmt& s, const PyExpr& call) {
  const PyExpr* source = call.arg_count() > 0 ? &call.arg(0) : call.find_keyword("param");
  const Scalar* bound = source && source->kind == PyKind::Name ? scope_.find_as<Scalar>(source->text) : nullptr;
  for (PrimParam& p : params_) {
    if (!bound || Scalar(p.var) != *bound) continue;
    if (p.var->dtype.code != TypeCode::Handle)
      error("E0115", *source, fmt::format("`{}` is no handle", source->text),
            "a buffer is matched to a `T.handle` parameter");
    if (p.buffer) error("E0111", *source, fmt::format("`{}` is matched to a buffer twice", source->text));
    if (!block_ || !block_->is_function) error("E0116", call, "parameters are matched at the head of the function");
    p.buffer = make_buffer(s.target->text, call, "match_buffer", true);
    check_param_buffer(*p.buffer, call);
    scope_.set(s.target->text, p.buffer);
    return true;
  }
  return false;
}

Type PrimReader::result_type(const PyStmt& def) {
  if (!def.annotation || def.annotation->is_literal("None")) return nullptr;
  return type(*def.annotation);
}

// Wraps the body in the root block that owns the function's buffers, unless the script has an explicit one, turns it
// off (`root=False`) or needs none.
Stmt PrimReader::with_root(Stmt body, BlockFrame root, const PyStmt& def) const {
  const auto* realize = find<BlockRealize>(body);
  bool is_root = realize && realize->block->iters.empty();
  bool wanted = !root.parts.alloc_buffers.empty() || (has_blocks_ && !is_root);
  if (!wanted || !decorator_flag(ctx_, def, "root").value_or(true)) return body;
  return root_block(std::move(body), std::move(root.parts.alloc_buffers));
}

Ref<PrimFunc> PrimReader::function(const PyStmt& def) {
  check_decorator(ctx_, def, {"private", "check_well_formed", "s_tir", "root", "persistent", "global_name"});
  declare_names(def);
  find_cells(def.body);
  for (const auto& [name, macro] : ctx_.macros) find_cells(macro->body);
  find_host_macros(def);
  read_params(def);
  Type result = result_type(def);
  BlockFrame root;
  root.is_function = true;
  is_alone_ = !def.body.empty() && def.body.back().kind == PyStmtKind::With &&
              std::ranges::all_of(std::span(def.body).first(def.body.size() - 1), [](const PyStmt& s) {
                return s.kind == PyStmtKind::Assign || s.kind == PyStmtKind::Expr;
              });
  Stmt body = sequence(def.body, &root);
  if (decorator_flag(ctx_, def, "s_tir").value_or(false)) attrs_.emplace("s_tir", true);
  bool is_private = decorator_flag(ctx_, def, "private").value_or(false);
  check_private(ctx_, def, is_private, attrs_);
  if (!is_private && !attrs_.contains("global_symbol")) attrs_.emplace("global_symbol", global_name(ctx_, def));
  return PrimFunc::make(std::move(params_), with_root(std::move(body), std::move(root), def), Attrs(std::move(attrs_)),
                        std::move(result), ctx_.span(def.place));
}

}  // namespace sunmao::script
