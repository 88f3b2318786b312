// PrimReader: builds one loop-level function from its syntax tree.
#pragma once
#include <functional>
#include <memory>
#include <unordered_set>

#include "loop/prim_func.h"
#include "script/macro_reader.h"

namespace sunmao::script {

/// The most loops, blocks and scopes that may be nested.
constexpr int kMaxScopes = 500;
/// The most definitions that may enclose one statement, each covering the rest of its sequence.
constexpr int kMaxDefinitions = 2000;

class PrimReader final : public MacroReader {
 public:
  explicit PrimReader(ScriptContext& context);
  Ref<PrimFunc> function(const PyStmt& def);

 protected:
  bool calls_functions() const override { return true; }

 private:
  PrimReader(ScriptContext& context, std::unique_ptr<Scope> scope);

  /// A block whose statements are being read; the outermost one, without iterators, is the function's.
  struct BlockFrame {
    Block::Parts parts;
    std::vector<Scalar> values;
    Scalar predicate;
    bool has_reads = false, has_writes = false, is_function = false;
    bool has_bindings = false;  // a body name is bound, so statements about the block itself now fail
  };
  /// A statement, or a wrapper (`wrap`) that encloses the rest of its sequence.
  struct Item {
    Stmt stmt;
    std::function<Stmt(Stmt)> wrap;
  };
  using Items = std::vector<Item>;
  /// The arguments of a buffer declaration.
  struct BufferArgs {
    const PyExpr *shape = nullptr, *dtype = nullptr, *data = nullptr, *strides = nullptr, *elem_offset = nullptr,
                 *scope = nullptr, *align = nullptr, *offset_factor = nullptr, *axis_separators = nullptr;
    const BufferRegion* source = nullptr;
  };
  /// A name declared by `T.env_thread` that is not launched yet.
  struct EnvThread {
    std::string tag;
    DType dtype;
  };
  /// RAII: counts nested scopes and definitions and restores the counts.
  class Deeper {
   public:
    Deeper(PrimReader& reader, const Place& place);
    ~Deeper();
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    void add_scope(const Place& place);
    void add_definition(const Place& place);

   private:
    PrimReader& reader_;
    int scopes_ = 0, definitions_ = 0;
  };

  // Defined in tir_function.cpp.
  void declare_names(const PyStmt& def);
  void add_data_arguments(const PyExpr& call);
  void read_params(const PyStmt& def);
  Type result_type(const PyStmt& def);
  void check_param_buffer(const Buffer& b, const PyExpr& call) const;
  bool match_param(const PyStmt& s, const PyExpr& call);
  Stmt with_root(Stmt body, BlockFrame root, const PyStmt& def) const;

  // Defined in tir_buffer.cpp.

  /// `source` is the region that a match_buffer views; omitted shape and dtype are taken from it.
  Ref<Buffer> make_buffer(const std::string& name, const PyExpr& call, const std::string& function, bool has_source,
                          const BufferRegion* source = nullptr);
  Ref<Buffer> make_buffer(const std::string& name, const BufferArgs& args, const PyExpr& at,
                          std::string scope = "global");
  bool view_assignment(const PyStmt& s, const PyExpr& call, Items& out);
  bool buffer_assignment(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out);
  Item scoped_buffer(const std::string& name, const PyExpr& call, const std::string& function);

  // Defined in tir_sequence.cpp.
  Stmt sequence(const std::vector<PyStmt>& body, BlockFrame* block);
  Stmt fold(Items items);

  // Defined in tir_stmt.cpp; name_several and meta_variable in tir_macro.cpp.
  void statement(const PyStmt& s, Items& out);
  void expression_statement(const PyStmt& s, Items& out);
  bool declaration(const PyStmt& s);
  void assignment(const PyStmt& s, Items& out);
  void store(const PyExpr& target, Scalar value, const PyStmt& s, Items& out);
  Stmt stored(const Ref<Buffer>& b, std::vector<Scalar> at, Scalar value, const PyExpr& target, const PyStmt& s,
              Scalar mask = {});
  bool vector_store(const PyExpr& call, const PyStmt& s, Items& out);
  bool bind_statement(const PyExpr& call, const PyStmt& s, Items& out);
  void jump(const PyStmt& s, Items& out);
  bool name_several(const PyExpr& target, const PyExpr& e);
  void meta_variable(const std::string& name, const PyExpr& e);
  Stmt loop_body(const std::vector<PyStmt>& body);
  Item returned(Scalar v, const PyStmt& s) const;
  void augmented(const PyStmt& s, Items& out);
  Item let(const std::string& name, Scalar value, std::optional<DType> type, const PyStmt& s);
  Item attr_item(const PyExpr& call, const PyStmt& s);
  void while_(const PyStmt& s, Items& out);
  void if_(const PyStmt& s, Items& out);
  void assert_(const PyStmt& s, Items& out);
  void with(const PyStmt& s, Items& out);
  Item with_item(const PyWithItem& item, const PyStmt& s);
  void return_(const PyStmt& s, Items& out);

  // Defined in tir_cell.cpp.
  void find_cells(const std::vector<PyStmt>& body);
  Ref<Buffer> find_cell(const std::string& name) const;
  Ref<Buffer> add_cell(const std::string& name, DType type, const std::string& scope, const PyExpr& at, Items& out);
  void store_cell(const Ref<Buffer>& cell, Scalar value, const PyStmt& s, Items& out);
  bool cell_assignment(const PyStmt& s, Items& out);
  bool scalar_allocation(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out);

  // Defined in tir_thread.cpp.
  Item thread_loop(Ref<SymVar> var, Scalar extent, const std::string& tag, const PyExpr& at);
  Item launch(const PyExpr& call, const PyExpr* target);
  bool thread_assignment(const PyStmt& s, const PyExpr& call, const std::string& function, Items& out);
  std::optional<Item> thread_attribute(const PyExpr& call);

  // Defined in tir_macro.cpp.
  std::optional<Macro> find_macro(const PyExpr& callee) const override;
  Named macro_argument(const PyExpr& e, const std::string& name) override;
  void find_host_macros(const PyStmt& def);
  void expand(const PyExpr& call, const Macro& macro, Items& out);
  void define_macro(const PyStmt& def);

  // Defined in tir_loop.cpp.
  void for_(const PyStmt& s, Items& out);
  void grid(const PyStmt& s, const PyExpr& call, Items& out);
  Ref<SymVar> loop_var(const PyExpr& target, const Range& range);
  void stepped_loop(const PyStmt& s, const Range& range, Scalar step, For::Options options, Items& out);
  std::vector<Range> grid_ranges(const PyExpr& call);
  Range loop_range(const PyExpr* start, const PyExpr* stop, const PyExpr& at);

  // Defined in tir_block.cpp.
  void block(const PyStmt& s, const PyExpr& call, Items& out);
  void init(const PyStmt& s);
  bool block_statement(const PyExpr& call, const std::string& name);
  bool axis_assignment(const PyStmt& s, const PyExpr& call, const std::string& function);
  void remap(const PyStmt& s, const PyExpr& call);
  void remap_several(const std::string& kinds, const std::vector<Scalar>& values,
                     const std::vector<const PyExpr*>& targets, const PyExpr& call);
  void remap_one(const PyExpr& target, char letter, const Scalar& value, const PyExpr& call);
  void add_axis(const PyExpr& target, IterKind kind, Range domain, Scalar value, DType type);
  void merge(AttrMap& into, const std::string& key, const AttrValue& v, const PyExpr& at) const;
  Range domain(const PyExpr& e);
  /// Fails (E0116) when a statement about the block itself follows a binding of its body.
  void require_head(const PyExpr& e, const std::string& name) const;
  BlockFrame& require_block(const PyExpr& e, const std::string& name);
  bool match_region(const PyStmt& s, const PyExpr& call);

  std::unique_ptr<Scope> owned_scope_;
  std::vector<PrimParam> params_;
  AttrMap attrs_;
  BlockFrame* block_ = nullptr;  // the block whose direct statements are being read; null inside its loops
  bool old_blocks_ = false;      // `T.block` is used: in this older dialect `T.alloc_buffer` allocates in the block
  bool has_blocks_ = false;
  bool is_alone_ = false;                               // besides declarations the function's body is a single `with`
  BlockFrame* around_ = nullptr;                        // the innermost open block, even inside its loops
  std::unordered_map<std::string, Macro> macros_;       // defined inside the function
  std::unordered_set<const PyStmt*> host_macros_;       // host macros that the function may call
  Ref<SymVar> pointer_;                                 // the pointer to computed memory of the buffer being made
  std::unordered_map<std::string, int> expansions_;     // how often each macro was expanded so far
  std::string block_suffix_;                            // appended to names of blocks in the macro being expanded
  std::unordered_set<std::string> data_names_;          // names `A` whose memory is used, as in `A.data`
  std::unordered_map<const ScalarNode*, Range> loops_;  // of the enclosing loops
  std::unordered_map<std::string, EnvThread> threads_;
  std::unordered_set<std::string> cell_names_;  // names that are assigned more than once
  std::unordered_set<const Buffer*> cells_;
  int loop_depth_ = 0;
  int depth_ = 0, definitions_ = 0;
};

}  // namespace sunmao::script
