// StmtPrinter for loop-level functions: signature, buffers, and the implicit root block.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "loop/flat.h"
#include "loop/walk.h"
#include "script/spelling.h"
#include "script/stmt_printer.h"

namespace sunmao::script {
namespace {

// Collects whether a body contains blocks, and the variables that it uses.
class BodyFacts final : public StmtVisitor {
 public:
  explicit BodyFacts(const Stmt& body) { visit(body); }
  void visit(const Stmt& s) override {
    has_blocks |= s->kind == StmtKind::Block || s->kind == StmtKind::BlockRealize;
    if (const auto* attr = find<AttrStmt>(s))
      if (const Scalar* node = attr->node.find<Scalar>()) visit_scalar(*node);
    visit_parts(s);
  }
  void visit_scalar(const Scalar& s) override {
    visit_all(s, [&](const Scalar& node) {
      if (find<SymVar>(node)) used.insert(node.get());
    });
  }
  bool has_blocks = false;
  std::unordered_set<const ScalarNode*> used;
};

const Block* root_of(const Stmt& body) {
  const auto* realize = find<BlockRealize>(body);
  const int64_t* always = realize ? find_int(realize->predicate) : nullptr;
  if (!realize || !always || *always != 1) return nullptr;
  const Block& b = *realize->block;
  bool bare = b.name == "root" && b.iters.empty() && b.reads.empty() && b.writes.empty() && !b.init &&
              b.match_buffers.empty() && b.annotations.empty();
  return bare ? &b : nullptr;
}

bool is_without_axes(const Stmt& s) {
  const auto* realize = find<BlockRealize>(s);
  return realize && realize->block->iters.empty();
}

}  // namespace

bool StmtPrinter::is_simple(const Buffer& b) {
  for (const Scalar& s : b.shape)
    if (!find<IntImm>(s)) return false;
  return b.strides.empty() && !b.elem_offset && b.scope == "global" && b.align == 64 && b.offset_factor == 0 &&
         b.axis_separators.empty();
}

std::string StmtPrinter::define_buffer(const Ref<Buffer>& b) {
  std::string name = names_.define(b.get(), b->name);
  if (owns_offset(*b)) names_.set_text(b->elem_offset.get(), name + ".elem_offset");
  if (b->data && !names_.find(b->data.get())) names_.set_text(b->data.get(), name + ".data");
  return name;
}

// Prints the signature. A parameter whose buffer has a constant shape and else default properties, and whose handle the
// body does not use, is printed as `T.Buffer`; another buffer as a handle and a `T.match_buffer`, which is added to
// `matches`.
std::string StmtPrinter::signature(const PrimFunc& f, const std::string& name, std::vector<std::string>& matches) {
  BodyFacts facts(f.body);
  std::vector<std::string> parts;
  std::unordered_map<const Buffer*, std::string> buffer_names;
  std::vector<std::string> args(f.params.size());
  for (const PrimParam& p : f.params)
    if (!p.buffer) names_.define(p.var.get(), p.var->name);
  for (const PrimParam& p : f.params) {
    bool in_signature = p.buffer && is_simple(*p.buffer) && !facts.used.contains(p.var.get());
    std::string buffer_text = p.buffer ? buffer_args(*p.buffer, in_signature, in_signature) : "";
    if (p.buffer) buffer_names.emplace(p.buffer.get(), define_buffer(p.buffer));
    if (in_signature) {
      parts.push_back(fmt::format("{}: T.Buffer({})", buffer_names.at(p.buffer.get()), buffer_text));
    } else if (p.buffer) {
      std::string hint = p.var->name == p.buffer->name ? "var_" + p.var->name : p.var->name;
      std::string handle = names_.define(p.var.get(), hint);
      parts.push_back(handle + ": T.handle");
      matches.push_back(
          fmt::format("{} = T.match_buffer({}, {})", buffer_names.at(p.buffer.get()), handle, buffer_text));
    } else {
      parts.push_back(fmt::format("{}: {}", *names_.find(p.var.get()), scalar_type(*p.var)));
    }
  }
  const auto* result = find<PrimType>(f.result_type);
  std::string arrow = !f.result_type             ? ""
                      : result && !result->value ? " -> T." + result->dtype.str()
                                                 : " -> " + type(f.result_type);
  return fmt::format("def {}({}){}:", name, join(parts), arrow);
}

std::string StmtPrinter::attributes(const PrimFunc& f, const std::string& name) {
  AttrMap shown = f.attrs.values();
  const std::string* symbol = f.attrs.find<std::string>("global_symbol");
  if (symbol && *symbol == name) shown.erase("global_symbol");
  if (const bool* s_tir = f.attrs.find<bool>("s_tir"); s_tir && *s_tir) shown.erase("s_tir");
  return shown.empty() ? "" : fmt::format("T.func_attr({})", map(shown));
}

std::string StmtPrinter::decorator(const PrimFunc& f, const std::string& name, bool has_root) const {
  std::vector<std::string> parts;
  if (!f.attrs.has("global_symbol")) parts.push_back("private=True");
  if (const bool* s_tir = f.attrs.find<bool>("s_tir"); s_tir && *s_tir) parts.push_back("s_tir=True");
  if (!has_root) parts.push_back("root=False");
  if (state_.function_name(name) != name) parts.push_back(global_name_argument(state_, name));
  return parts.empty() ? "@T.prim_func" : fmt::format("@T.prim_func({})", join(parts));
}

void StmtPrinter::function(const PrimFunc& f, const std::string& name, Lines& out) {
  Lines inner(state_.options.indent_spaces);
  inner.set_level(out.level() + 1);
  lines_ = &inner;
  declares_buffers_ = true;
  cells_ = find_cells(f.body);
  std::vector<std::string> matches;
  std::string head = signature(f, state_.function_name(name), matches);
  std::string attrs = attributes(f, name);
  // The root block is omitted where the parser would insert it again.
  const Block* root = root_of(f.body);
  BodyFacts inside(root ? root->body : f.body);
  bool implied = state_.options.syntax_sugar && root &&
                 (!root->alloc_buffers.empty() || (inside.has_blocks && !is_without_axes(root->body)));
  if (implied) {
    inner.add("# with T.sblock(\"root\"):");
    for (const Ref<Buffer>& b : root->alloc_buffers) {
      std::string args = buffer_args(*b);
      inner.add(fmt::format("{} = T.sblock_alloc_buffer({})", define_buffer(b), args));
    }
    sequence(root->body);
  } else {
    sequence(f.body);
  }
  bool has_root = implied || !BodyFacts(f.body).has_blocks || is_without_axes(f.body);
  out.add(decorator(f, name, has_root));
  const size_t from = out.text().size();
  out.add(head);
  for (const PrimParam& p : f.params)
    out.mark(from, p.buffer ? static_cast<const Node*>(p.buffer.get()) : p.var.get(), state_.options.marks);
  out.indent();
  if (!attrs.empty()) out.add(attrs);
  for (const std::string& line : declarations_) out.add(line);
  for (const std::string& line : matches) out.add(line);
  out.dedent();
  if (inner.empty()) inner.add("pass");
  out.append(inner);
}

std::string StmtPrinter::lone(const Stmt& s) {
  return alone([&] {
    Lines lines(state_.options.indent_spaces);
    lines_ = &lines;
    const Stmt whole = nested(s);
    cells_ = find_cells(whole);
    sequence(whole);
    return lines.text();
  });
}

std::string StmtPrinter::lone_region(const BufferRegion& r) {
  return alone([&] { return region(r); });
}

std::string StmtPrinter::lone_view(const MatchBufferRegion& m) {
  return alone([&] { return view(m); });
}

void print_prim_function(PrintState& state, const Ref<BaseFunc>& f, const std::string& name, Lines& out) {
  state.uses_tir = true;
  StmtPrinter(state).function(*find<PrimFunc>(Expr(f)), name, out);
}

std::string print_lone_stmt(PrintState& state, const Stmt& s) { return StmtPrinter(state).lone(s); }
std::string print_lone_region(PrintState& state, const BufferRegion& r) { return StmtPrinter(state).lone_region(r); }
std::string print_lone_view(PrintState& state, const MatchBufferRegion& m) { return StmtPrinter(state).lone_view(m); }

}  // namespace sunmao::script
