// ModelBuilder: builds the function of a front end: symbols, inputs, weights, state, and bindings with their origin.
// Answers what is known about values while reading. Independent of file formats.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/known_values.h"
#include "frontend/names.h"
#include "frontend/node_account.h"
#include "ir/op.h"
#include "support/shape_bytes.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Returns the known dimensions of a tensor, or null.
const std::vector<Scalar>* dims_of(const Expr& e);
/// Returns the dtype of a tensor; void for other values.
DType dtype_of(const Expr& e);
int rank_of(const Expr& e);
/// True for a tensor of known rank and dtype whose sizes only a run knows.
bool has_open_sizes(const Expr& e);

enum class Place { Inside, Output };

/// Whether the data of a weight may be computed with while reading: not where the model writes it.
enum class Content { Fixed, Changes };

/// What `main` returns for its results: one as it is and several as a tuple, always a tuple, a variable that is bound
/// to the tuple, or a variable that is bound to what the plain form returns: that of the result itself where one is
/// computed, or always another (`BoundAgain`).
enum class ReturnForm { Plain, Tuple, BoundTuple, Bound, BoundAgain };

struct EmitOptions {
  Type cast = nullptr;         // checks that the value is of this type
  bool defines_sizes = false;  // the cast is needed only where its sizes are
  bool names_sizes = true;     // where the builder does
};

class ModelBuilder {
  /// A symbol for what several sizes are broadcast to.
  struct CommonSize {
    std::vector<Scalar> of;
    Ref<SymVar> size;
  };
  struct Bound {
    Binding binding;
    size_t node;         // index into `account_`, or kNoNode
    bool defines_sizes;  // a cast that is needed only where its sizes are
  };

 public:
  ModelBuilder(const OpTable& ops, const std::string& file_name);

  const OpTable& ops() const { return ops_; }
  Span span(std::string label) const;

  /// Returns the symbol of this name; creates it at the first call.
  Ref<SymVar> symbol(const std::string& name);
  /// Reads a symbol of the file as `value` from here on, in terms of other symbols.
  void define_symbol(const std::string& name, Scalar value) { defined_.insert_or_assign(name, std::move(value)); }
  bool defines(const std::string& name) const { return defined_.contains(name); }
  /// Returns what a symbol of the file stands for: itself, unless `define_symbol` said otherwise.
  Scalar size_of(const std::string& symbol);
  /// States the range of a symbol, which is checked on entry. Ignored when the model has no such symbol.
  void set_range(const std::string& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper);
  void set_range(const Ref<SymVar>& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper);
  /// States how arguments and results are nested where the model comes from: attribute `sunmao.nesting`.
  void set_nesting(std::string text) { nesting_ = std::move(text); }
  /// True if all symbols in it are dimensions of inputs, or of what was checked, from which a run takes their values.
  bool is_sized_by_inputs(const Scalar& size) const;
  /// Returns the symbols that took their value from a check, in order.
  const std::vector<Ref<SymVar>>& sizes_of_data() const { return sizes_of_data_; }
  Scalar simplify(const Scalar& s) { return analyzer_.simplify(s); }
  bool can_prove(const Scalar& condition) { return analyzer_.can_prove(condition); }

  /// `variable` is a fresh name.
  Expr add_input(const std::string& name, const std::string& variable, Type type, Span span);
  const std::vector<Ref<Var>>& inputs() const { return inputs_; }
  /// Returns a parameter for the data; nonempty weights with the same memory, dtype and shape share one. Weights that
  /// the results do not need are dropped by `finish`.
  Expr add_weight(const std::string& name, Array data, Span span, Content content = Content::Fixed);
  /// Leaves a weight a parameter even if the results do not need it.
  void keep_weight(const Expr& weight) { kept_.insert(find_ref<Var>(weight)); }
  /// Makes a weight a state: an input whose next value is a result of `main`, behind the others.
  void add_state(const Expr& weight, const Expr& next);

  /// Says that the seeds of random ops come from a state, so that each run draws other numbers.
  void keep_random_state() { keeps_random_state_ = true; }
  /// Says that the module takes the form that TVM's importers give (frontend.h).
  void take_upstream_form() { has_upstream_form_ = true; }
  bool has_upstream_form() const { return has_upstream_form_; }
  /// Returns the seed of one more random op.
  Expr next_seed(const Span& span);
  /// Returns the seed from which the next step of a loop draws, or the next run.
  Expr seed_after(const Expr& seed);
  /// While it lives, what is read belongs to a loop.
  class InLoop {
   public:
    /// `seed` is carried by the loop; null when nothing is known to draw in its steps.
    InLoop(ModelBuilder& builder, Expr seed)
        : builder_(builder), around_(std::exchange(builder.loop_, this)), seed_(std::move(seed)) {}
    ~InLoop() { builder_.loop_ = around_; }
    InLoop(const InLoop&) = delete;
    InLoop& operator=(const InLoop&) = delete;

    /// True when something draws and there is no seed: the steps are to be read again, with one.
    bool misses_seed() const { return misses_seed_; }

   private:
    friend class ModelBuilder;
    ModelBuilder& builder_;
    InLoop* const around_;
    const Expr seed_;
    bool misses_seed_ = false;
  };

  /// Takes it that symbols, by name, lie within these bounds, which the caller states later.
  void assume(const std::map<std::string, Interval>& ranges);
  /// Takes it that a symbol lies within these bounds, which no run checks.
  void assume(const Ref<SymVar>& symbol, Interval range) { analyzer_.assume(symbol, range); }
  /// Returns `value` as one of type `type`, which a run checks. Such checks stay in the model. Symbols that stand in
  /// the type as whole sizes take their values from there, unless they have one.
  Expr checked(const Expr& value, const Type& type);
  /// Lets a run check that two sizes are equal, unless that is proven.
  void require_equal(const Scalar& size, const Scalar& expected, const Span& span);
  /// Lets a run check that `size` is at most `most`, unless that is proven.
  void require_at_most(const Scalar& size, const Scalar& most, const Span& span) {
    require_equal(simplify(max(size, most)), most, span);
  }

  /// Says that each value of unknown sizes is bound with symbols for them.
  void name_sizes_of_data() { names_sizes_ = true; }
  /// Names symbols for sizes along axis 0, 1, … of what is read next: those of `stated` that are unused and not empty,
  /// else after `value`.
  void hint_sizes(std::string value, std::vector<std::string> stated);
  /// Returns a new symbol for a size.
  Ref<SymVar> new_size(const std::string& name);
  /// Returns a tensor of known rank as one of these sizes, where null stands for one that data decides: a new symbol.
  /// Returns `value` itself when its sizes are known.
  Expr sized(const Expr& value, std::vector<Scalar> dims);
  /// Likewise, where all sizes are decided by data.
  Expr sized(const Expr& value);
  /// Returns what a call gives, of which one cast says all sizes: those that `sizes` states of each value that has open
  /// ones, and new symbols.
  std::vector<Expr> sized_results(const Expr& call, const std::string& name,
                                  const std::vector<std::vector<Scalar>>& sizes = {});
  /// Returns the size that two sizes are broadcast to. Where only a run knows which of them is 1, it is a new symbol.
  Scalar common_size(const Scalar& a, const Scalar& b);
  /// Lets a run check that `size` is 1 or `target`, unless that is proven.
  void require_repeats(const Scalar& size, const Scalar& target, const Span& span);
  /// Returns operands that are broadcast against each other, but for their last `kept` axes. Sizes that may be equal or
  /// 1 are broadcast here, by calls of their own.
  std::vector<Expr> repeated(std::vector<Expr> operands, size_t kept, const Span& span);
  /// Returns the elements of a vector of integers: those that are known, and null for each other one. Throws
  /// UnsupportedUse when their number is unknown.
  std::vector<Scalar> known_elements(const Expr& vector);
  /// Returns the elements of a vector of integers as sizes: where they are unknown, as symbols that a run reads from
  /// it, and that are not negative. Throws UnsupportedUse when their number is unknown.
  std::vector<Scalar> sizes_in(const Expr& vector);

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs, const Span& span);
  /// Binds a computation to a variable named after `name`; returns a leaf unchanged. A part that several values share,
  /// as the same Expr, is bound once.
  Expr bind(const Expr& value, const std::string& name, Place place = Place::Inside);

  /// Names for the symbols of sizes.
  struct SizeNames {
    std::string value;                // after which they are named
    std::vector<std::string> stated;  // along axis 0, 1, …; empty for none
  };
  /// What was bound and counted up to a moment.
  struct Moment {
    size_t bindings, nodes, node, functions, nodes_of_bodies;
    std::unordered_map<Expr, Expr> bound;
    std::vector<CommonSize> common_sizes;
  };
  /// What is bound while it lives belongs to a body: of a branch, or of a function. Bodies may lie inside of each
  /// other.
  class Body {
   public:
    explicit Body(ModelBuilder& builder);
    /// The body uses nothing that was bound since `seen`.
    Body(ModelBuilder& builder, const Moment& seen);
    ~Body() { close(); }
    Body(const Body&) = delete;
    Body& operator=(const Body&) = delete;

    /// Returns the body with these results, and ends it.
    Ref<SeqExpr> finish(std::vector<Expr> results, const Span& span);
    /// Returns what was bound so far; needs to be the innermost body.
    std::vector<Ref<BindingBlock>> blocks() const;
    /// Ends it; what is bound from here on belongs to what is around it.
    void close();

   private:
    ModelBuilder& builder_;
    bool is_open_ = true;
    std::vector<Bound> bindings_;  // of what is around it, as are the other two
    std::unordered_map<Ref<Var>, size_t> binding_of_;
    std::unordered_map<Expr, Expr> bound_;
    SizeNames size_names_;
    std::vector<CommonSize> common_sizes_;
  };
  Moment now() const {
    return {bindings_.size(),        account_.size(), node_,        functions_.size(),
            nodes_of_bodies_.size(), bound_,          common_sizes_};
  }
  /// Forgets what was bound and counted since, in the same body.
  void forget_since(Moment moment);
  /// Returns `value` as a variable that what follows the block sees, too.
  Expr visible(const Expr& value);
  std::string fresh_name(const std::string& name) { return names_.fresh(identifier(name)); }
  std::string fresh_input_name(const std::string& name) { return names_.fresh(input_identifier(name), "_"); }
  void add_function(const Ref<GlobalVar>& name, const Ref<Function>& function) {
    functions_.push_back({name, function});
  }
  /// Adds a function that the model may have already.
  void use_function(const Ref<GlobalVar>& name, const Ref<BaseFunc>& function);

  /// Returns the elements of a small tensor of integers or bools, when they are known as numbers or in terms of
  /// symbols: a shape, something computed from shapes, a constant or a small weight.
  std::optional<SymbolicTensor> elements(const Expr& e);
  /// Returns the data of a constant, a weight, or a small tensor computed from them.
  std::optional<Array> data(const Expr& e);

  /// Says that the bindings from here on come from this node of the file.
  void begin_node(std::string label, std::string op);
  /// Counts a node that gives no binding, and says why.
  void note_folded(std::string label, std::string op, std::string reason);
  /// Counts a node in whose place other nodes are read, which count for themselves.
  void note_inlined(std::string label, std::string op);

  /// Returns the model whose `main` returns `results`, as a tuple when there are several, then the states.
  /// `output_names` are their names in the file; empty if the file states none.
  Model finish(const std::vector<Expr>& results, const std::vector<std::string>& output_names, const std::string& name,
               std::vector<std::string>* notes, ReturnForm form = ReturnForm::Plain);
  /// Returns what became of each node; valid after `finish`.
  const std::vector<NodeAccount>& account() const { return account_; }

 private:
  struct Weight {
    Ref<Var> var;
    std::string original;
    Array data;
  };
  static constexpr size_t kNoNode = static_cast<size_t>(-1);
  struct State {
    Ref<Var> var;
    Expr next;
  };
  using Identity = std::tuple<const std::byte*, DType, std::vector<int64_t>>;

  /// Binds `value` to a new variable.
  Expr emit(const Expr& value, const std::string& name, bool is_dataflow, const EmitOptions& options = {});
  Expr emit_sized(const Expr& value, const std::string& name, bool is_dataflow, std::vector<Scalar> dims);
  Type sized_type(const Expr& value, std::vector<Scalar> dims);
  Scalar size_of_data(size_t axis);
  std::vector<Scalar> parts_of(const Scalar& size) const;
  bool is_same(const Scalar& a, const Scalar& b);
  void append_sizes(const Expr& vector, std::vector<Scalar>& out);
  void read_sizes(const Expr& vector, std::vector<Scalar>& out);
  Expr leaf(const Expr& e);
  Expr with_leaf_operands(const Expr& e);
  void mark_read(const Expr& e);
  bool is_state(const Ref<Var>& var) const;
  Expr returned(const std::vector<Expr>& results, ReturnForm form, const Span& span);
  std::vector<Binding> live_bindings(const std::vector<Expr>& results);
  void close_account(const std::vector<bool>& is_live, const std::vector<bool>& is_read);
  Attrs function_attrs(const std::vector<const Weight*>& used) const;
  void note_dropped(const std::vector<const Weight*>& dropped, std::vector<std::string>* notes) const;
  void end_random_state(std::vector<std::string>* notes);

  const OpTable& ops_;
  Ref<Source> source_;
  NameSupply names_;
  Analyzer analyzer_;
  KnownValues known_;
  std::vector<Bound> bindings_;
  std::unordered_map<Ref<Var>, size_t> binding_of_;
  std::unordered_map<Expr, Expr> bound_;  // the variable that an expression was bound to
  std::vector<CommonSize> common_sizes_;  // whose symbols are defined where it is read now
  std::vector<size_t> nodes_of_bodies_;   // of each binding in bodies
  std::vector<FunctionEntry> functions_;
  std::unordered_map<std::string, Ref<SymVar>> symbols_;
  std::unordered_map<std::string, Scalar> defined_;
  bool names_sizes_ = false;
  SizeNames size_names_;
  AttrMap lower_, upper_;
  std::vector<Ref<Var>> inputs_;
  std::unordered_set<Ref<SymVar>> sizes_of_inputs_;
  std::vector<Ref<SymVar>> sizes_of_data_;
  std::string nesting_;
  AttrMap input_names_;  // only names that are no identifiers
  std::vector<Weight> weights_;
  std::unordered_set<Ref<Var>> kept_;  // of the weights
  std::map<Identity, Ref<Var>> by_data_;
  std::vector<State> states_;
  bool keeps_random_state_ = false, has_upstream_form_ = false;
  uint64_t random_ops_ = 0;            // that got a seed
  InLoop* loop_ = nullptr;             // the innermost one around what is read
  Expr random_state_;                  // null until an op draws from it
  std::unordered_set<Ref<Var>> read_;  // whose value was used while reading
  std::vector<NodeAccount> account_;
  size_t node_ = kNoNode;
};

}  // namespace sunmao
