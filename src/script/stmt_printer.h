// StmtPrinter: prints loop-level functions and their statements.
#pragma once
#include "loop/prim_func.h"
#include "script/printer.h"
#include "sym/walk.h"

namespace sunmao::script {

class StmtPrinter final : public Printer {
 public:
  explicit StmtPrinter(PrintState& state) : Printer(state, DType::int_(32)) {}
  void function(const PrimFunc& f, const std::string& name, Lines& out);
  std::string lone(const Stmt& s);
  std::string lone_region(const BufferRegion& r);
  std::string lone_view(const MatchBufferRegion& m);

 private:
  // Defined in print_prim_func.cpp.
  std::string signature(const PrimFunc& f, const std::string& name, std::vector<std::string>& matches);
  std::string attributes(const PrimFunc& f, const std::string& name);
  std::string decorator(const PrimFunc& f, const std::string& name, bool has_root) const;
  static bool is_simple(const Buffer& b);
  std::string define_buffer(const Ref<Buffer>& b);

  // Defined in print_cell.cpp.

  /// Returns the local buffers of one element that are only loaded and stored, at the constant index 0: they are
  /// printed as scalar variables.
  static std::unordered_set<const Buffer*> find_cells(const Stmt& body);

  // Defined in print_stmt.cpp; load_text in print_cell.cpp.
  static std::string join(const std::vector<std::string>& parts);
  void body(const Stmt& s);
  void sequence(Stmt s);
  static bool opens_scope(const Stmt& s);
  /// Returns the variable or buffer that a statement defines.
  static const Node* defined_by(const Stmt& s);
  void marked_statement(const Stmt& s);
  Stmt open_flat(const Stmt& s);
  void with_scope(const Stmt& s);
  void statement(const Stmt& s);
  std::string alloc_call(const AllocBuffer& alloc);
  void branch(const IfThenElse& first);
  std::string load_text(const BufferLoad& load) override;
  std::string start_of(const Range& r);
  std::string stop_of(const Range& r);
  std::string region(const BufferRegion& r);
  static bool is_grid_loop(const For& f);
  void loop(const For& first);
  std::string loop_head(const For& f);

  // Defined in print_block.cpp.
  void block(const Block& b, const BlockRealize* realize);
  void axes(const Block& b, const BlockRealize* realize);
  void axis(const IterVar& iter, const Scalar& value);
  bool is_remapped(const IterVar& iter, const Scalar& value) const;
  void regions(const Block& b);
  void buffers(const Block& b);
  std::string view(const MatchBufferRegion& m);

  Lines* lines_ = nullptr;
  std::unordered_set<const Buffer*> cells_;
  std::unordered_map<const ScalarNode*, Range> loops_;
};

}  // namespace sunmao::script
