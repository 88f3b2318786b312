// ModelBuilder: builds the function of a front end: symbols, inputs, weights, and bindings with their origin.
// Independent of file formats.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/builder.h"
#include "ir/op.h"
#include "support/shape_bytes.h"
#include "sym/analyzer.h"

namespace sunmao {

/// Returns a script identifier for `name`, of at most 81 characters: those other than letters and digits become `_`, or
/// are dropped at the beginning.
std::string identifier(std::string_view name);

/// Returns the known dimensions of a tensor, or null.
const std::vector<Scalar>* dims_of(const Expr& e);
/// Returns the dtype of a tensor; void for other values.
DType dtype_of(const Expr& e);
int rank_of(const Expr& e);

enum class Place { Inside, Output };

class ModelBuilder {
 public:
  ModelBuilder(const OpTable& ops, const std::string& file_name);

  const OpTable& ops() const { return ops_; }
  Span span(std::string label) const;

  /// Returns the symbol of this name; creates it at the first call.
  Ref<SymVar> symbol(const std::string& name);
  /// States the range of a symbol, which is checked on entry. Ignored when the model has no such symbol.
  void set_range(const std::string& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper);
  Scalar simplify(const Scalar& s) { return analyzer_.simplify(s); }
  bool can_prove(const Scalar& condition) { return analyzer_.can_prove(condition); }

  Expr add_input(const std::string& name, Type type, Span span);
  const std::vector<Ref<Var>>& inputs() const { return inputs_; }
  /// Returns a parameter for the data; nonempty weights with the same memory, dtype and shape share one. Weights that
  /// the results do not need are dropped by `finish`.
  Expr add_weight(const std::string& name, Array data, Span span);
  /// Records that a weight's value was used in the graph (as a shape or axes), so that no note reports it as unused.
  void mark_read(const Expr& weight) { read_.insert(weight); }

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs, const Span& span);
  /// Binds a computation to a variable named after `name`; returns a leaf unchanged.
  Expr bind(const Expr& value, const std::string& name, Place place);

  /// Returns the model whose `main` returns `results`, as a tuple when there are several. `output_names` are their
  /// names in the file; empty if the file states none.
  Model finish(const std::vector<Expr>& results, const std::vector<std::string>& output_names, const std::string& name,
               std::vector<std::string>* notes);

 private:
  struct Weight {
    Ref<Var> var;
    std::string original;
    Array data;
  };
  using Identity = std::tuple<const std::byte*, DType, std::vector<int64_t>>;

  Attrs function_attrs(const std::vector<const Weight*>& used) const;
  void note_dropped(const std::vector<const Weight*>& dropped, std::vector<std::string>* notes) const;

  const OpTable& ops_;
  Ref<Source> source_;
  BlockBuilder builder_;
  Analyzer analyzer_;
  std::unordered_map<std::string, Ref<SymVar>> symbols_;
  AttrMap lower_, upper_;
  std::vector<Ref<Var>> inputs_;
  AttrMap input_names_;  // only names that are no identifiers
  std::vector<Weight> weights_;
  std::map<Identity, Ref<Var>> by_data_;
  std::unordered_set<Expr> read_;
};

}  // namespace sunmao
