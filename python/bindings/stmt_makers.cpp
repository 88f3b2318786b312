// Bindings of constructors of loop-level statements and functions. Python passes a definition side by side with the
// statements in its scope; they are nested here.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>

#include "bindings/bindings.h"
#include "bindings/optional.h"
#include "bindings/regions.h"
#include "loop/builder.h"
#include "loop/flat.h"
#include "loop/walk.h"
#include "script/access_region.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

using MaybeScalar = std::optional<Scalar>;
using MaybeStmt = std::optional<Stmt>;

template <class Kind, size_t N>
Kind kind_named(const std::array<const char*, N>& names, const std::string& name) {
  auto found = std::ranges::find(names, name);
  if (found == names.end()) fail("E0034", {}, fmt::format("no kind is called {}", name));
  return static_cast<Kind>(found - names.begin());
}

// Returns the body, in which a trailing definition, which has no statements in its scope, gets an empty one.
Stmt body_of(const Stmt& s) { return nested(s, Evaluate::make(IntImm::make(DType::int_(32), 0))); }

void make_plain(nb::module_& m) {
  m.def(
      "buffer_store",
      [](const Ref<Buffer>& b, const Scalar& v, const std::vector<Scalar>& at, const MaybeScalar& mask,
         const MaybeSpan& span) { return BufferStore::make_masked(b, v, at, or_null(mask), or_null(span)); },
      nb::arg("buffer"), nb::arg("value"), nb::arg("indices"), nb::arg("predicate") = nb::none(),
      nb::arg("span") = nb::none());
  m.def(
      "evaluate", [](const Scalar& v, const MaybeSpan& span) { return Evaluate::make(v, or_null(span)); },
      nb::arg("value"), nb::arg("span") = nb::none());
  m.def(
      "seq",
      [](const std::vector<Stmt>& all, const MaybeSpan& span) {
        if (all.empty()) fail("E0034", {}, "a sequence has a statement");
        return Seq::make(all, or_null(span));
      },
      nb::arg("stmts"), nb::arg("span") = nb::none());
  m.def(
      "assert_stmt",
      [](const Scalar& condition, const std::string& message, const std::string& kind, const MaybeSpan& span) {
        return Assert::make_of_kind(kind, condition, message, or_null(span));
      },
      nb::arg("condition"), nb::arg("message"), nb::arg("error_kind"), nb::arg("span") = nb::none());
}

void make_definitions(nb::module_& m) {
  m.def(
      "bind",
      [](const Ref<SymVar>& var, const Scalar& v, const MaybeStmt& body, const MaybeSpan& span) {
        return Bind::make(var, v, body ? body_of(*body) : Stmt(), or_null(span));
      },
      nb::arg("var"), nb::arg("value"), nb::arg("body") = nb::none(), nb::arg("span") = nb::none());
  m.def(
      "alloc_buffer",
      [](const Ref<Buffer>& b, const MaybeStmt& body, const nb::dict& notes, const MaybeSpan& span) {
        return AllocBuffer::make(b, body ? body_of(*body) : Stmt(), Attrs(attr_map(notes)), or_null(span));
      },
      nb::arg("buffer"), nb::arg("body") = nb::none(), nb::arg("annotations") = nb::dict(),
      nb::arg("span") = nb::none(),
      nb::sig("def alloc_buffer(buffer: sunmao._sunmao.Buffer, body: sunmao._sunmao.Stmt | None = None, annotations: "
              "dict[str, typing.Any] = {}, "
              "span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Stmt"));
  m.def(
      "decl_buffer",
      [](const Ref<Buffer>& b, const MaybeStmt& body, const MaybeSpan& span) {
        return DeclBuffer::make(b, body ? body_of(*body) : Stmt(), or_null(span));
      },
      nb::arg("buffer"), nb::arg("body") = nb::none(), nb::arg("span") = nb::none());
}

void make_nested(nb::module_& m) {
  static constexpr std::array kKinds{"serial", "parallel", "vectorized", "unrolled", "thread_binding"};
  m.def(
      "for_",
      [](const Ref<SymVar>& var, const Scalar& min, const Scalar& extent, const std::string& kind, const Stmt& body,
         const std::string& thread, const nb::dict& notes, const MaybeSpan& span) {
        return For::make(var, min, extent, body_of(body),
                         {.kind = kind_named<ForKind>(kKinds, kind),
                          .thread = thread,
                          .annotations = Attrs(attr_map(notes)),
                          .span = or_null(span)});
      },
      nb::arg("var"), nb::arg("min"), nb::arg("extent"), nb::arg("kind"), nb::arg("body"), nb::arg("thread") = "",
      nb::arg("annotations") = nb::dict(), nb::arg("span") = nb::none(),
      nb::sig(
          "def for_(var: sunmao._sunmao.SymVar, min: sunmao._sunmao.Scalar, extent: sunmao._sunmao.Scalar, kind: str, "
          "body: sunmao._sunmao.Stmt, thread: str = '', "
          "annotations: dict[str, typing.Any] = {}, span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Stmt"));
  m.def(
      "while_",
      [](const Scalar& c, const Stmt& body, const MaybeSpan& span) {
        return While::make(c, body_of(body), or_null(span));
      },
      nb::arg("condition"), nb::arg("body"), nb::arg("span") = nb::none());
  m.def(
      "if_then_else",
      [](const Scalar& c, const Stmt& yes, const MaybeStmt& no, const MaybeSpan& span) {
        return IfThenElse::make(c, body_of(yes), no ? body_of(*no) : Stmt(), or_null(span));
      },
      nb::arg("condition"), nb::arg("then_case"), nb::arg("else_case") = nb::none(), nb::arg("span") = nb::none());
  m.def(
      "attr_stmt",
      [](const nb::object& node, const std::string& key, const Scalar& v, const Stmt& body, const MaybeSpan& span) {
        return AttrStmt::make(attr_value(node), key, v, body_of(body), or_null(span));
      },
      nb::arg("node"), nb::arg("key"), nb::arg("value"), nb::arg("body"), nb::arg("span") = nb::none());
}

void make_blocks(nb::module_& m) {
  static constexpr std::array kKinds{"spatial", "reduce", "scan", "opaque"};
  m.def(
      "iter_var",
      [](const Ref<SymVar>& var, const Bounds& domain, const std::string& kind) {
        return IterVar{var, range(domain), kind_named<IterKind>(kKinds, kind)};
      },
      nb::arg("var"), nb::arg("dom"), nb::arg("kind"),
      nb::sig("def iter_var(var: sunmao._sunmao.SymVar, dom: collections.abc.Sequence[sunmao._sunmao.Scalar], kind: "
              "str) -> sunmao._sunmao.IterVar"));
  m.def(
      "sblock",
      [](const std::string& name, const std::vector<IterVar>& iters, const std::vector<Region>& reads,
         const std::vector<Region>& writes, const Stmt& body, const MaybeStmt& init,
         const std::vector<Ref<Buffer>>& allocs, const std::vector<View>& views, const nb::dict& notes,
         const MaybeSpan& span) {
        std::vector<MatchBufferRegion> matched;
        for (const auto& [buffer, source] : views) matched.push_back({buffer, region(source)});
        return Block::make({.name = name,
                            .iters = iters,
                            .reads = regions(reads),
                            .writes = regions(writes),
                            .init = init ? body_of(*init) : Stmt(),
                            .body = body_of(body),
                            .alloc_buffers = allocs,
                            .match_buffers = std::move(matched),
                            .annotations = Attrs(attr_map(notes)),
                            .span = or_null(span)});
      },
      nb::arg("name"), nb::arg("iters"), nb::arg("reads"), nb::arg("writes"), nb::arg("body"),
      nb::arg("init") = nb::none(), nb::arg("alloc_buffers") = std::vector<Ref<Buffer>>(),
      nb::arg("match_buffers") = std::vector<View>(), nb::arg("annotations") = nb::dict(), nb::arg("span") = nb::none(),
      nb::sig("def sblock(name: str, iters: list[sunmao._sunmao.IterVar], reads: "
              "collections.abc.Sequence[collections.abc.Sequence[typing.Any]], writes: "
              "collections.abc.Sequence[collections.abc.Sequence[typing.Any]], body: sunmao._sunmao.Stmt, init: "
              "sunmao._sunmao.Stmt | None = None, alloc_buffers: collections.abc.Sequence[sunmao._sunmao.Buffer] = [], "
              "match_buffers: collections.abc.Sequence[collections.abc.Sequence[typing.Any]] = [], annotations: "
              "dict[str, typing.Any] = {}, span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.SBlock"));
  m.def(
      "block_realize",
      [](const std::vector<Scalar>& values, const Scalar& predicate, const Ref<Block>& block, const MaybeSpan& span) {
        if (values.size() != block->iters.size())
          fail("E0034", {}, "a block is realised at one value for each of its axes");
        return BlockRealize::make(values, predicate, block, or_null(span));
      },
      nb::arg("values"), nb::arg("predicate"), nb::arg("block"), nb::arg("span") = nb::none());
}

using Param = std::pair<Ref<SymVar>, std::optional<Ref<Buffer>>>;

Ref<PrimFunc> prim_func(const std::vector<Param>& params, const Stmt& body, const std::optional<Type>& result,
                        const nb::dict& attrs, const MaybeSpan& span) {
  std::vector<PrimParam> out;
  for (const auto& [var, buffer] : params) out.push_back({var, or_null(buffer)});
  return PrimFunc::make(std::move(out), body_of(body), Attrs(attr_map(attrs)), or_null(result), or_null(span));
}

NewNames new_names(const nb::list& pairs) {
  NewNames out;
  for (nb::handle pair : pairs) {
    const auto name = nb::cast<std::string>(pair[1]);
    if (Ref<Buffer> buffer; nb::try_cast(pair[0], buffer))
      out.emplace(buffer.get(), name);
    else
      out.emplace(nb::cast<Ref<SymVar>>(pair[0]).get(), name);
  }
  return out;
}

// Lists nodes in post-order.
class PostOrder final : public StmtVisitor {
 public:
  void visit(const Stmt& s) override {
    visit_parts(s);
    out_.append(nb::cast(s));
  }
  void visit_scalar(const Scalar& s) override {
    for_each_child(s, [&](const Scalar& part) { visit_scalar(part); });
    out_.append(nb::cast(s));
  }
  template <class T>
  nb::list of(const T& node) && {
    if constexpr (std::is_same_v<T, Stmt>)
      visit(node);
    else
      visit_scalar(node);
    return std::move(out_);
  }

 private:
  nb::list out_;
};

void make_functions(nb::module_& m) {
  m.def("prim_func", &prim_func, nb::arg("params"), nb::arg("body"), nb::arg("ret_type") = nb::none(),
        nb::arg("attrs") = nb::dict(), nb::arg("span") = nb::none(),
        nb::sig("def prim_func(params: collections.abc.Sequence[collections.abc.Sequence[typing.Any]], body: "
                "sunmao._sunmao.Stmt, ret_type: sunmao._sunmao.Type | None = None, attrs: dict[str, typing.Any] = {}, "
                "span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.PrimFunc"));
}

}  // namespace

void bind_stmt_makers(nb::module_& m) {
  nb::module_ make = m.attr("make");
  make_plain(make);
  make_definitions(make);
  make_nested(make);
  make_blocks(make);
  make_functions(make);
  m.def(
      "with_names", [](const Stmt& s, const nb::list& names) { return with_names(s, new_names(names)); },
      nb::arg("node"), nb::arg("names"),
      nb::sig("def with_names(node: Stmt, names: list[tuple[SymVar | Buffer, str]]) -> Stmt"),
      "The same in which those symbols and buffers are called so.");
  m.def(
      "with_names", [](const PrimFunc& f, const nb::list& names) { return with_names(f, new_names(names)); },
      nb::arg("node"), nb::arg("names"),
      nb::sig("def with_names(node: PrimFunc, names: list[tuple[SymVar | Buffer, str]]) -> PrimFunc"));
  m.def(
      "substitute",
      [](const Stmt& s, const nb::dict& values) {
        Substitution symbols;
        for (auto [symbol, v] : values) symbols.emplace(nb::cast<Ref<SymVar>>(symbol), nb::cast<Scalar>(v));
        return substitute(s, symbols);
      },
      nb::arg("stmt"), nb::arg("values"), nb::sig("def substitute(stmt: Stmt, values: dict[SymVar, Scalar]) -> Stmt"));
  m.def(
      "substitute",
      [](const Scalar& s, const nb::dict& values) {
        Substitution symbols;
        for (auto [symbol, v] : values) symbols.emplace(nb::cast<Ref<SymVar>>(symbol), nb::cast<Scalar>(v));
        return substitute(s, symbols);
      },
      nb::arg("stmt"), nb::arg("values"),
      nb::sig("def substitute(stmt: Scalar, values: dict[SymVar, Scalar]) -> Scalar"));
  m.def(
      "post_order", [](const Stmt& s) { return PostOrder().of(s); }, nb::arg("node"),
      nb::sig("def post_order(node: Stmt) -> list[Stmt | Scalar]"), "All nodes, parts before the whole.");
  m.def(
      "post_order", [](const Scalar& s) { return PostOrder().of(s); }, nb::arg("node"),
      nb::sig("def post_order(node: Scalar) -> list[Stmt | Scalar]"));
  m.def(
      "complete_regions", [](const Stmt& s) { return script::complete_regions(s); }, nb::arg("stmt"),
      "The same with the regions found that blocks left open.");
  m.def(
      "root_block",
      [](const Stmt& body, const std::vector<Ref<Buffer>>& allocs) { return root_block(body_of(body), allocs); },
      nb::arg("body"), nb::arg("alloc_buffers"), "The block that scripts leave out, around `body`.");
  m.def("has_blocks", &has_blocks, nb::arg("stmt"), "Whether blocks stand in it.");
}

}  // namespace sunmao::python
