// ModelBuilder: the one function that a front end builds: symbols, inputs, weights, bindings with their origin. It
// knows nothing of file formats.
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

/// A script's identifier near `name`: other characters become `_`.
std::string identifier(std::string_view name);

/// The dimensions of a tensor where they are known, else nullptr.
const std::vector<Scalar>* dims_of(const Expr& e);
/// The dtype of a tensor; void for anything else.
DType dtype_of(const Expr& e);
int rank_of(const Expr& e);

enum class Place { Inside, Output };

class ModelBuilder {
 public:
  ModelBuilder(const OpTable& ops, const std::string& file_name);

  const OpTable& ops() const { return ops_; }
  Span span(std::string label) const;

  /// The symbol of this name, made when it is new.
  Ref<SymVar> symbol(const std::string& name);
  /// States what a symbol's values are; entry guards come of it. Nothing happens when the model has no such symbol.
  void set_range(const std::string& symbol, std::optional<int64_t> lower, std::optional<int64_t> upper);
  Scalar simplify(const Scalar& s) { return analyzer_.simplify(s); }
  bool can_prove(const Scalar& condition) { return analyzer_.can_prove(condition); }

  Expr add_input(const std::string& name, Type type, Span span);
  const std::vector<Ref<Var>>& inputs() const { return inputs_; }
  /// A parameter for the data; the one that is there already for the same memory, dtype and shape. Weights that the
  /// results do not need are dropped at the end.
  Expr add_weight(const std::string& name, Array data, Span span);
  /// Says that the value of a weight has gone into the graph (a shape, axes), so that dropping it is no news.
  void mark_read(const Expr& weight) { read_.insert(weight); }

  Expr call(std::string_view op, std::vector<Expr> args, AttrMap attrs, const Span& span);
  /// Binds a computation to a variable near `name`; a variable stays itself.
  Expr bind(const Expr& value, const std::string& name, Place place);

  /// The model whose `main` returns `results`, as a tuple when there are several.
  /// `output_names` are those of the results in the model's file; empty where it has none.
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
  AttrMap input_names_;  // those that are no identifiers
  std::vector<Weight> weights_;
  std::map<Identity, Ref<Var>> by_data_;
  std::unordered_set<Expr> read_;
};

}  // namespace sunmao
