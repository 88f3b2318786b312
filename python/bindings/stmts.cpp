// Bindings for reading loop-level statements and functions.
#include <nanobind/stl/string.h>

#include <array>

#include "bindings/bindings.h"
#include "bindings/regions.h"
#include "loop/flat.h"
#include "script/print.h"

namespace sunmao::python {
namespace {

std::vector<View> views(const std::vector<MatchBufferRegion>& all) {
  std::vector<View> out;
  for (const MatchBufferRegion& m : all) out.push_back({m.buffer, region(m.source)});
  return out;
}

nb::object or_none(const Stmt& s) { return s ? nb::cast(flat(s)) : nb::none(); }

const char* name_of(ForKind kind) {
  static constexpr std::array kNames{"serial", "parallel", "vectorized", "unrolled", "thread_binding"};
  return kNames.at(static_cast<size_t>(kind));
}

const char* name_of(IterKind kind) {
  static constexpr std::array kNames{"spatial", "reduce", "scan", "opaque"};
  return kNames.at(static_cast<size_t>(kind));
}

void bind_plain(nb::module_& m) {
  nb::class_<BufferStore, StmtNode>(m, "BufferStore", "An element of a buffer gets a value.")
      .def_prop_ro("buffer", [](const BufferStore& s) { return s.buffer; })
      .def_ro("value", &BufferStore::value)
      .def_ro("indices", &BufferStore::indices)
      .def_prop_ro(
          "predicate", [](const BufferStore& s) { return s.predicate; },
          nb::sig("def predicate(self) -> Scalar | None"));
  nb::class_<Evaluate, StmtNode>(m, "Evaluate", "A scalar for its effect.").def_ro("value", &Evaluate::value);
  nb::class_<Seq, StmtNode>(m, "SeqStmt", "Statements in order.").def_ro("seq", &Seq::stmts);
  nb::class_<Assert, StmtNode>(m, "AssertStmt", "A condition that must hold.")
      .def_ro("condition", &Assert::condition)
      .def_prop_ro("message", [](const Assert& a) { return a.message; })
      .def_prop_ro("error_kind", [](const Assert& a) { return a.error_kind; });
}

void bind_nested(nb::module_& m) {
  nb::class_<For, StmtNode>(m, "For", "A loop.")
      .def_prop_ro("loop_var", [](const For& f) { return f.var; })
      .def_ro("min", &For::min)
      .def_ro("extent", &For::extent)
      .def_prop_ro("kind", [](const For& f) { return name_of(f.for_kind); })
      .def_ro("thread", &For::thread)
      .def_prop_ro("body", [](const For& f) { return flat(f.body); })
      .def_prop_ro(
          "annotations", [](const For& f) { return to_python(f.annotations); },
          nb::sig("def annotations(self) -> dict[str, typing.Any]"));
  nb::class_<While, StmtNode>(m, "While", "A loop under a condition.")
      .def_ro("condition", &While::condition)
      .def_prop_ro("body", [](const While& w) { return flat(w.body); });
  nb::class_<IfThenElse, StmtNode>(m, "IfThenElse", "One of two statements.")
      .def_ro("condition", &IfThenElse::condition)
      .def_prop_ro("then_case", [](const IfThenElse& s) { return flat(s.then_case); })
      .def_prop_ro(
          "else_case", [](const IfThenElse& s) { return or_none(s.else_case); },
          nb::sig("def else_case(self) -> Stmt | None"));
  nb::class_<Bind, StmtNode>(m, "Bind", "A name for a scalar in what follows.")
      .def_prop_ro("var", [](const Bind& b) { return b.var; })
      .def_ro("value", &Bind::value)
      .def_prop_ro("body", [](const Bind& b) { return or_none(b.body); }, nb::sig("def body(self) -> Stmt | None"));
  nb::class_<AllocBuffer, StmtNode>(m, "AllocBuffer", "A buffer that exists in what follows.")
      .def_prop_ro("buffer", [](const AllocBuffer& a) { return a.buffer; })
      .def_prop_ro(
          "body", [](const AllocBuffer& a) { return or_none(a.body); }, nb::sig("def body(self) -> Stmt | None"))
      .def_prop_ro(
          "annotations", [](const AllocBuffer& a) { return to_python(a.annotations); },
          nb::sig("def annotations(self) -> dict[str, typing.Any]"));
  nb::class_<DeclBuffer, StmtNode>(m, "DeclBuffer", "Another name for memory.")
      .def_prop_ro("buffer", [](const DeclBuffer& d) { return d.buffer; })
      .def_prop_ro(
          "body", [](const DeclBuffer& d) { return or_none(d.body); }, nb::sig("def body(self) -> Stmt | None"));
  nb::class_<AttrStmt, StmtNode>(m, "AttrStmt", "A remark on a statement.")
      .def_prop_ro(
          "node", [](const AttrStmt& a) { return to_python(a.node); }, nb::sig("def node(self) -> typing.Any"))
      .def_ro("attr_key", &AttrStmt::key)
      .def_ro("value", &AttrStmt::value)
      .def_prop_ro("body", [](const AttrStmt& a) { return flat(a.body); });
}

void bind_blocks(nb::module_& m) {
  nb::class_<IterVar>(m, "IterVar", "An axis of a block.")
      .def_prop_ro("var", [](const IterVar& i) { return i.var; })
      .def_prop_ro("dom", [](const IterVar& i) { return bounds(i.domain); })
      .def_prop_ro("kind", [](const IterVar& i) { return name_of(i.kind); })
      .def("__repr__", [](const IterVar& i) { return print(i); });
  nb::class_<Block, StmtNode>(m, "SBlock", "What is computed at one point of its axes.")
      .def_ro("name_hint", &Block::name)
      .def_ro("iter_vars", &Block::iters)
      .def_prop_ro(
          "reads", [](const Block& b) { return regions(b.reads); },
          nb::sig("def reads(self) -> list[tuple[Buffer, list[tuple[Scalar, Scalar]]]]"))
      .def_prop_ro(
          "writes", [](const Block& b) { return regions(b.writes); },
          nb::sig("def writes(self) -> list[tuple[Buffer, list[tuple[Scalar, Scalar]]]]"))
      .def_prop_ro(
          "init", [](const Block& b) { return or_none(b.init); }, nb::sig("def init(self) -> Stmt | None"))
      .def_prop_ro("body", [](const Block& b) { return flat(b.body); })
      .def_prop_ro(
          "match_buffers", [](const Block& b) { return views(b.match_buffers); },
          nb::sig("def match_buffers(self) -> list[tuple[Buffer, tuple[Buffer, list[tuple[Scalar, Scalar]]]]]"))
      .def_ro("alloc_buffers", &Block::alloc_buffers)
      .def_prop_ro(
          "annotations", [](const Block& b) { return to_python(b.annotations); },
          nb::sig("def annotations(self) -> dict[str, typing.Any]"));
  nb::class_<BlockRealize, StmtNode>(m, "SBlockRealize", "A block at the values of its axes.")
      .def_ro("iter_values", &BlockRealize::values)
      .def_ro("predicate", &BlockRealize::predicate)
      .def_prop_ro("block", [](const BlockRealize& r) { return r.block; });
}

}  // namespace

void bind_stmts(nb::module_& m) {
  nb::class_<StmtNode>(m, "Stmt", "A statement of the loop level.")
      .def_prop_ro(
          "span", [](const StmtNode& s) { return s.span; }, nb::sig("def span(self) -> Span | None"))
      .def("__repr__", [](const Stmt& s) { return print(s); });
  bind_plain(m);
  bind_nested(m);
  bind_blocks(m);
}

void bind_prim_func(nb::module_& m) {
  nb::class_<PrimFunc, BaseFunc>(m, "PrimFunc", "A function of the loop level.")
      .def_prop_ro(
          "params",
          [](const PrimFunc& f) {
            std::vector<Ref<SymVar>> out;
            for (const PrimParam& p : f.params) out.push_back(p.var);
            return out;
          },
          "The handles and scalars that it takes.")
      .def_prop_ro(
          "buffer_map",
          [](const PrimFunc& f) {
            nb::dict out;
            for (const PrimParam& p : f.params)
              if (p.buffer) out[nb::cast(p.var)] = nb::cast(p.buffer);
            return out;
          },
          nb::sig("def buffer_map(self) -> dict[SymVar, Buffer]"), "The buffers behind the handles.")
      .def_prop_ro("body", [](const PrimFunc& f) { return flat(f.body); })
      .def_prop_ro(
          "ret_type", [](const PrimFunc& f) { return f.result_type; }, nb::sig("def ret_type(self) -> Type | None"));
}

}  // namespace sunmao::python
