// RelaxReader for graph-level functions: decorators, signatures, result types.
#include <unordered_set>

#include "ir/infer.h"
#include "script/decorator.h"
#include "script/relax_reader.h"

namespace sunmao::script {

RelaxReader::RelaxReader(ScriptContext& context) : RelaxReader(context, std::make_unique<Scope>()) {}

RelaxReader::RelaxReader(ScriptContext& context, std::unique_ptr<Scope> scope)
    : MacroReader(context, *scope, {.integer = DType::int_(64), .real = DType::float_(64)}),
      owned_scope_(std::move(scope)) {}

// Declares the symbols of type variables, of type parameters and of declarations in the body (`n = T.int64()`), since
// dimensions of parameters may use them.
void RelaxReader::declare_symbols(const PyStmt& def) {
  for (const std::string& name : ctx_.type_vars) scope_.declare_symbol(name, DType::int_(64));
  for (const std::string& name : def.type_params) scope_.declare_symbol(name, DType::int_(64));
  for (const PyStmt& s : def.body) {
    if ((s.kind != PyStmtKind::Assign && s.kind != PyStmtKind::Annotated) || !s.value) continue;
    for (const Assigned& part : assigned_parts(s))
      if (std::optional<DType> type = declared_scalar(*part.value); type && part.target->kind == PyKind::Name)
        scope_.declare_symbol(part.target->text, *type);
  }
}

// Returns the type of a parameter. An int64 scalar is also a symbol, usable in dimensions and arithmetic, unless its
// annotation gives a value or, as `R.Prim(dtype="int64")`, the dtype alone.
Type RelaxReader::param_type(const PyParam& p) {
  Type stated = type(*p.annotation);
  const auto* prim = find<PrimType>(stated);
  if (!prim || prim->value || prim->dtype != DType::int_(64) || says_dtype_alone(*p.annotation)) return stated;
  if (nesting_ == 0 && scope_.find_symbol(p.name))
    ctx_.error("E0111", p.place, fmt::format("`{}` names a dimension of a parameter before it", p.name),
               fmt::format("put the scalar first, or write `{0}: R.Prim(value=\"{0}\")`", p.name));
  return PrimType::of_value(SymVar::make(p.name, prim->dtype, ctx_.span(p.place)), stated->span);
}

std::vector<Ref<Var>> RelaxReader::params(const PyStmt& def) {
  std::vector<Ref<Var>> out;
  std::unordered_set<std::string_view> names;
  for (const PyParam& p : def.params) {
    if (!p.annotation)
      ctx_.error("E0115", p.place, fmt::format("parameter `{}` has no type", p.name),
                 fmt::format("write `{}: R.Tensor((n, 4), \"float32\")`", p.name));
    if (!names.insert(p.name).second)
      ctx_.error("E0111", p.place, fmt::format("parameter `{}` is named twice", p.name));
    out.push_back(Var::make(p.name, param_type(p), ctx_.span(p.place)));
    scope_.set(p.name, out.back());
  }
  return out;
}

// Returns the declared result type; `-> R.Tuple` without fields counts as undeclared.
Type RelaxReader::stated_result(const PyStmt& def) {
  if (!def.annotation) return nullptr;
  bool is_bare = def.annotation->kind == PyKind::Attribute;
  if (is_bare && dialect_name(*def.annotation) == std::pair<char, std::string>('R', "Tuple")) return nullptr;
  return type(*def.annotation);
}

Type RelaxReader::declared_type(const PyStmt& def) {
  if (!def.annotation) return nullptr;
  declare_symbols(def);
  std::vector<Type> types;
  for (const Ref<Var>& p : params(def)) types.push_back(p->type);
  bool is_pure = decorator_flag(ctx_, def, "pure").value_or(true);
  return CallableType::make(std::move(types), type(*def.annotation), is_pure, ctx_.span(def.place));
}

namespace {

// What a caller sees of types inside a function: symbols and shapes that the parameters define.
class VisibleTypes {
 public:
  explicit VisibleTypes(const std::vector<Ref<Var>>& params) : params_(params.begin(), params.end()) {
    for (const Ref<Var>& p : params)
      for (const Ref<SymVar>& s : free_symbols(p->type)) symbols_.insert(s);
  }

  // Returns the type as visible to a caller: shapes and values that mention anything else become unknown.
  Type operator()(const Type& type) const {
    if (const auto* t = find<TupleType>(type)) {
      std::vector<Type> fields;
      for (const Type& f : t->fields) fields.push_back((*this)(f));
      return fields == t->fields ? type : TupleType::make(std::move(fields), type->span);
    }
    bool visible = true;
    for (const Ref<SymVar>& s : free_symbols(type)) visible &= symbols_.contains(s);
    if (const auto* t = find<TensorType>(type)) {
      if (const Ref<Var> shape = find_ref<Var>(t->shape)) visible &= params_.contains(shape);
      return visible ? type : TensorType::make_unknown(t->dtype, t->rank, t->vdevice, type->span);
    }
    if (visible) return type;
    if (const auto* s = find<ShapeType>(type)) return ShapeType::make_unknown(s->rank, type->span);
    if (const auto* p = find<PrimType>(type)) return PrimType::make(p->dtype, type->span);
    return type;
  }

 private:
  std::unordered_set<Ref<Var>> params_;
  std::unordered_set<Ref<SymVar>> symbols_;
};

}  // namespace

Ref<Function> RelaxReader::function(const PyStmt& def) {
  declare_symbols(def);
  return read_function(def, false);
}

Ref<Function> RelaxReader::read_function(const PyStmt& def, bool is_nested) {
  check_decorator(ctx_, def, {"private", "pure", "check_well_formed", "s_tir", "global_name"});
  bool is_pure = decorator_flag(ctx_, def, "pure").value_or(true);
  bool is_private = decorator_flag(ctx_, def, "private").value_or(false);
  if (!is_nested) checks_types_ = decorator_flag(ctx_, def, "check_well_formed").value_or(true);
  ScopeLevel level(scope_);
  std::vector<Ref<Var>> vars = params(def);
  Type stated = is_nested && def.annotation ? type(*def.annotation) : stated_result(def);
  if (!is_nested && stated) {
    std::vector<Type> types;
    for (const Ref<Var>& p : vars) types.push_back(p->type);
    if (FunctionDecl* decl = ctx_.find_function(def.name); decl && decl->syntax == &def)
      decl->signature = CallableType::make(std::move(types), stated, is_pure, ctx_.span(def.place));
  }
  Body body;
  statements(def.body, body, Place::Function);
  body.flush();
  if (!body.result)
    ctx_.error("E0112", def.place, fmt::format("`{}` returns nothing", def.name), "end it with `return …`");
  // The result type is not checked here but by the verifier, since scripts may contain ill-formed functions.
  check_private(ctx_, def, is_private, body.attrs);
  if (!is_nested && !is_private && !body.attrs.contains("global_symbol"))
    body.attrs.emplace("global_symbol", global_name(ctx_, def));
  Type result = stated ? stated : VisibleTypes(vars)(body.result->type);
  Ref<SeqExpr> seq = SeqExpr::make(std::move(body.blocks), body.result, ctx_.span(def.place));
  return Function::make(std::move(vars), std::move(seq), std::move(result), is_pure, Attrs(std::move(body.attrs)),
                        ctx_.span(def.place));
}

}  // namespace sunmao::script
