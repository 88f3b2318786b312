// Statements of the loop level (TensorIR): loops, blocks with iteration domains, stores.
#pragma once
#include <optional>

#include "ir/attrs.h"
#include "loop/buffer.h"

namespace sunmao {

enum class StmtKind : uint8_t {
  BufferStore,
  Evaluate,
  Seq,
  For,
  While,
  IfThenElse,
  Bind,
  Assert,
  AllocBuffer,
  DeclBuffer,
  AttrStmt,
  Block,
  BlockRealize
};

struct StmtNode : Node {
  const StmtKind kind;
  const Span span;

 protected:
  StmtNode(StmtKind k, Span s, uint32_t depth) : Node(limited_depth(depth, s)), kind(k), span(std::move(s)) {}
};
using Stmt = Ref<StmtNode>;

/// buffer[indices] = value; only in lanes for which the mask `predicate` is true (null: all).
struct BufferStore final : StmtNode {
  const Ref<Buffer> buffer;
  const Scalar value;
  const std::vector<Scalar> indices;
  const Scalar predicate;
  static Stmt make(Ref<Buffer> buffer, Scalar value, std::vector<Scalar> indices, Span span = {});
  static Stmt make_masked(Ref<Buffer> buffer, Scalar value, std::vector<Scalar> indices, Scalar predicate,
                          Span span = {});
  /// Returns the store with other parts and the same mask.
  Stmt with_parts(Ref<Buffer> new_buffer, Scalar new_value, std::vector<Scalar> new_indices) const;
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::BufferStore; }

 private:
  BufferStore(Ref<Buffer> b, Scalar v, std::vector<Scalar> i, Scalar p, Span s)
      : StmtNode(StmtKind::BufferStore, std::move(s), depth_over(v, i, p)), buffer(std::move(b)), value(std::move(v)),
        indices(std::move(i)), predicate(std::move(p)) {}
};

/// Evaluates a scalar for its side effect.
struct Evaluate final : StmtNode {
  const Scalar value;
  static Stmt make(Scalar value, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::Evaluate; }

 private:
  Evaluate(Scalar v, Span s) : StmtNode(StmtKind::Evaluate, std::move(s), depth_over(v)), value(std::move(v)) {}
};

struct Seq final : StmtNode {
  const std::vector<Stmt> stmts;
  /// Flattens nested sequences and omits null statements; a sequence of one statement is that statement.
  static Stmt make(std::vector<Stmt> stmts, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::Seq; }

 private:
  Seq(std::vector<Stmt> v, Span s) : StmtNode(StmtKind::Seq, std::move(s), depth_over(v)), stmts(std::move(v)) {}
};

enum class ForKind : uint8_t { Serial, Parallel, Vectorized, Unrolled, ThreadBinding };

struct For final : StmtNode {
  const Ref<SymVar> var;
  const Scalar min, extent;
  const ForKind for_kind;
  const Stmt body;
  const std::string thread;  // "blockIdx.x" … for ThreadBinding
  const Attrs annotations;
  struct Options {
    ForKind kind = ForKind::Serial;
    std::string thread = {};
    Attrs annotations = {};
    Span span = {};
  };
  static Stmt make(Ref<SymVar> var, Scalar min, Scalar extent, Stmt body, Options options);
  static Stmt make(Ref<SymVar> var, Scalar extent, Stmt body, ForKind kind = ForKind::Serial);
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::For; }
  Stmt with_body(Stmt new_body) const;

 private:
  For(Ref<SymVar> v, Scalar m, Scalar e, Stmt b, Options o)
      : StmtNode(StmtKind::For, std::move(o.span), depth_over(m, e, b)), var(std::move(v)), min(std::move(m)),
        extent(std::move(e)), for_kind(o.kind), body(std::move(b)), thread(std::move(o.thread)),
        annotations(std::move(o.annotations)) {}
};

struct While final : StmtNode {
  const Scalar condition;
  const Stmt body;
  static Stmt make(Scalar condition, Stmt body, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::While; }

 private:
  While(Scalar c, Stmt b, Span s)
      : StmtNode(StmtKind::While, std::move(s), depth_over(c, b)), condition(std::move(c)), body(std::move(b)) {}
};

struct IfThenElse final : StmtNode {
  const Scalar condition;
  const Stmt then_case, else_case;  // else_case may be null
  static Stmt make(Scalar condition, Stmt then_case, Stmt else_case = {}, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::IfThenElse; }

 private:
  IfThenElse(Scalar c, Stmt t, Stmt e, Span s)
      : StmtNode(StmtKind::IfThenElse, std::move(s), depth_over(c, t, e)), condition(std::move(c)),
        then_case(std::move(t)), else_case(std::move(e)) {}
};

/// Defines var = value in `body`.
struct Bind final : StmtNode {
  const Ref<SymVar> var;
  const Scalar value;
  const Stmt body;
  static Stmt make(Ref<SymVar> var, Scalar value, Stmt body, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::Bind; }

 private:
  Bind(Ref<SymVar> v, Scalar x, Stmt b, Span s)
      : StmtNode(StmtKind::Bind, std::move(s), depth_over(x, b)), var(std::move(v)), value(std::move(x)),
        body(std::move(b)) {}
};

/// An assertion; `error_kind` is the Python exception, by default "RuntimeError".
struct Assert final : StmtNode {
  const Scalar condition;
  const std::string message, error_kind;
  static Stmt make(Scalar condition, std::string message, Span span = {});
  static Stmt make_of_kind(std::string error_kind, Scalar condition, std::string message, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::Assert; }

 private:
  Assert(Scalar c, std::string m, std::string k, Span s)
      : StmtNode(StmtKind::Assert, std::move(s), depth_over(c)), condition(std::move(c)), message(std::move(m)),
        error_kind(std::move(k)) {}
};

/// Allocates `buffer` for the duration of `body`.
struct AllocBuffer final : StmtNode {
  const Ref<Buffer> buffer;
  const Stmt body;
  const Attrs annotations;
  static Stmt make(Ref<Buffer> buffer, Stmt body, Attrs annotations = {}, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::AllocBuffer; }

 private:
  AllocBuffer(Ref<Buffer> b, Stmt st, Attrs a, Span s)
      : StmtNode(StmtKind::AllocBuffer, std::move(s), depth_over(st)), buffer(std::move(b)), body(std::move(st)),
        annotations(std::move(a)) {}
};

/// Declares `buffer` as a view of existing memory (`data`) in `body`.
struct DeclBuffer final : StmtNode {
  const Ref<Buffer> buffer;
  const Stmt body;
  static Stmt make(Ref<Buffer> buffer, Stmt body, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::DeclBuffer; }

 private:
  DeclBuffer(Ref<Buffer> b, Stmt st, Span s)
      : StmtNode(StmtKind::DeclBuffer, std::move(s), depth_over(st)), buffer(std::move(b)), body(std::move(st)) {}
};

/// An annotation of `body`: `T.attr(node, key, value)`.
struct AttrStmt final : StmtNode {
  const AttrValue node;
  const std::string key;
  const Scalar value;
  const Stmt body;
  static Stmt make(AttrValue node, std::string key, Scalar value, Stmt body, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::AttrStmt; }

 private:
  AttrStmt(AttrValue n, std::string k, Scalar v, Stmt b, Span s)
      : StmtNode(StmtKind::AttrStmt, std::move(s), depth_over(v, b)), node(std::move(n)), key(std::move(k)),
        value(std::move(v)), body(std::move(b)) {}
};

enum class IterKind : uint8_t { Spatial, Reduce, Scan, Opaque };

struct IterVar {
  Ref<SymVar> var;
  Range domain;
  IterKind kind;
};

/// A view of a region of another buffer inside a block.
struct MatchBufferRegion {
  Ref<Buffer> buffer;
  BufferRegion source;
};

/// The computation at one point of an iteration domain. `init` runs first when all reduction iterators have their start
/// values.
struct Block final : StmtNode {
  const std::string name;
  const std::vector<IterVar> iters;
  const std::vector<BufferRegion> reads, writes;
  const Stmt init;  // may be null
  const Stmt body;
  const std::vector<Ref<Buffer>> alloc_buffers;
  const std::vector<MatchBufferRegion> match_buffers;
  const Attrs annotations;
  struct Parts {
    std::string name = {};
    std::vector<IterVar> iters = {};
    std::vector<BufferRegion> reads = {}, writes = {};
    Stmt init = {}, body = {};
    std::vector<Ref<Buffer>> alloc_buffers = {};
    std::vector<MatchBufferRegion> match_buffers = {};
    Attrs annotations = {};
    Span span = {};
  };
  static Ref<Block> make(Parts parts);
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::Block; }
  /// Returns the parts, from which `make` builds a modified block.
  Parts parts() const;

 private:
  explicit Block(Parts p)
      : StmtNode(StmtKind::Block, std::move(p.span), depth_over(p.init, p.body)), name(std::move(p.name)),
        iters(std::move(p.iters)), reads(std::move(p.reads)), writes(std::move(p.writes)), init(std::move(p.init)),
        body(std::move(p.body)), alloc_buffers(std::move(p.alloc_buffers)), match_buffers(std::move(p.match_buffers)),
        annotations(std::move(p.annotations)) {}
};

/// Executes `block` with its iterators bound to `values`, if `predicate` is true.
struct BlockRealize final : StmtNode {
  const std::vector<Scalar> values;
  const Scalar predicate;
  const Ref<Block> block;
  static Stmt make(std::vector<Scalar> values, Scalar predicate, Ref<Block> block, Span span = {});
  static bool matches(const StmtNode& n) { return n.kind == StmtKind::BlockRealize; }

 private:
  BlockRealize(std::vector<Scalar> v, Scalar p, Ref<Block> b, Span s)
      : StmtNode(StmtKind::BlockRealize, std::move(s), depth_over(v, p, b)), values(std::move(v)),
        predicate(std::move(p)), block(std::move(b)) {}
};

}  // namespace sunmao
