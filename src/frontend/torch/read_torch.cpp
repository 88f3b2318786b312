// The reader of exported programs: signature, inputs, weights, state and results; its nodes are read by GraphReader.
#include <algorithm>
#include <unordered_map>

#include "frontend/frontend.h"
#include "frontend/op_functions.h"
#include "frontend/shapes.h"
#include "frontend/torch/complex.h"
#include "frontend/torch/derived_sizes.h"
#include "frontend/torch/graph_reader.h"
#include "frontend/torch/guards.h"
#include "frontend/torch/out_dtypes.h"
#include "frontend/torch/program.h"
#include "frontend/torch/pytree.h"
#include "frontend/torch/tensors.h"
#include "frontend/torch/written.h"
#include "io/concat.h"
#include "ir/walk.h"

namespace sunmao {
namespace torch {
namespace {

constexpr int64_t kSchemaMajor = 8;
constexpr int64_t kUnbounded = int64_t{1} << 53;  // upper bounds beyond this count as unbounded
// The least lower bound that is taken as meant: PyTorch states 2 for every unspecialised dimension, though such
// programs accept 0 and 1.
constexpr int64_t kLeastMeantLowerBound = 3;

class Reader {
 public:
  Reader(const std::string& name, const OpTable& ops, const ReadOptions& options)
      : name_(name), options_(options), builder_(ops, name), whole_(builder_.span("")),
        custom_(with_op_functions(options.custom, options.custom_ops, "torch", builder_)),
        nodes_(builder_, whole_, custom_) {
    if (options.keep_state) builder_.keep_random_state();
  }

  const Span& whole() const { return whole_; }

  Model read(const Program& program) {
    program_ = &program;
    io::JsonValue root = program.graph.root();
    io::JsonValue major = root["schema_version"]["major"];
    if (major.as_int() != kSchemaMajor)
      fail("E0702", whole_,
           fmt::format("the program has schema version {}, expected {}", major.as_int().value_or(-1), kSchemaMajor),
           "save it with PyTorch 2.8 to 2.13");
    io::JsonValue graph = root["graph_module"]["graph"];
    io::JsonValue signature = root["graph_module"]["signature"];
    if (!graph["nodes"].is_array() || !signature["input_specs"].is_array() || !signature["output_specs"].is_array())
      fail("E0704", whole_, "the archive's JSON has no graph with nodes and a signature", "the file is damaged");
    GraphScope& scope = nodes_.open_scope(graph);
    std::vector<io::JsonValue> sizes;
    for (io::JsonValue spec : signature["input_specs"].elements())
      if (auto input = spec["user_input"]["arg"]["as_tensor"]["name"].as_string())
        for (io::JsonValue size : graph["tensor_values"][*input]["sizes"].elements()) sizes.push_back(size);
    derived_ = define_derived_sizes(sizes, builder_, whole_);
    for (const DerivedSize& d : derived_) exact_.emplace(d.own, d.exact);
    written_ = maybe_written(graph);
    for (io::JsonValue spec : signature["output_specs"].elements())
      for (const std::string kind : {"buffer", "parameter"})
        if (auto name = spec[kind + "_mutation"][kind + "_name"].as_string()) written_weights_.insert(*name);
    for (io::JsonValue spec : signature["input_specs"].elements()) read_input_spec(spec, scope);
    for (const DerivedSize& d : derived_) builder_.define_symbol(derived_name(d.text), d.exact);
    std::unordered_set<std::string_view> outputs;  // those that `main` returns one by one
    if (options_.returns == ReturnForm::Plain || options_.returns == ReturnForm::Tuple)
      for (io::JsonValue output : graph["outputs"].elements())
        if (auto name = output["as_tensor"]["name"].as_string()) outputs.insert(*name);
    read_ranges(root["range_constraints"]);
    nodes_.data().note_ranges(root["range_constraints"]);
    check_symbols();
    read_guards(root, signature["input_specs"]);
    nodes_.read_nodes(scope, outputs);
    nodes_.check_findings();
    note_training(graph);
    std::vector<Expr> returned;
    try {
      returned = results(signature["output_specs"], scope);
      add_written(signature["output_specs"], scope, returned);
    } catch (const UnsupportedUse& use) {
      fail("E0711", whole_, fmt::format("a result {} cannot be read", use.why));
    }
    if (returned.empty()) fail("E0711", whole_, "the model returns no tensor");
    if (auto nesting = nesting_text(root["graph_module"], input_leaves(signature["input_specs"]),
                                    output_leaves(signature["output_specs"], graph["tensor_values"])))
      builder_.set_nesting(std::move(*nesting));
    Model model = builder_.finish(returned, {}, name_, options_.notes, options_.returns);
    if (options_.upstream_form) model.module = with_stated_out_dtypes(model.module);
    return model;
  }

  const std::vector<NodeAccount>& account() const { return builder_.account(); }

 private:
  struct Buffer {
    std::string name;
    Expr weight;
    AliasMap::Id id;
    bool may_change = true;  // whether it was taken as something that is written
  };

  void read_input_spec(io::JsonValue spec, GraphScope& scope) {
    if (io::JsonValue p = spec["parameter"]; p.exists()) {
      buffers_.push_back(read_weight(p, p["parameter_name"], DataFolder::Weights, scope));
    } else if (io::JsonValue b = spec["buffer"]; b.exists()) {
      const bool is_kept = b["persistent"].as_bool().value_or(true);
      buffers_.push_back(
          read_weight(b, b["buffer_name"], is_kept ? DataFolder::Weights : DataFolder::Constants, scope));
    } else if (io::JsonValue c = spec["tensor_constant"]; c.exists()) {
      buffers_.push_back(read_weight(c, c["tensor_constant_name"], DataFolder::Constants, scope));
    } else if (io::JsonValue u = spec["user_input"]; u.exists()) {
      read_user_input(u["arg"], scope);
    } else if (!spec["constant_input"].exists() && !spec["token"].exists()) {
      // Constant inputs are Python values that the exporter fixed; tokens order ops with effects, and hold nothing.
      const std::string kind = spec.size() == 1 ? io::quoted(spec.member(0).key) : "an unknown kind";
      fail("E0711", whole_, fmt::format("an input of kind {} is not supported", kind),
           "export a model whose inputs are tensors");
    }
  }

  void read_user_input(io::JsonValue arg, GraphScope& scope) {
    if (arg["as_none"].exists() || arg["as_int"].exists() || arg["as_float"].exists() || arg["as_bool"].exists() ||
        arg["as_string"].exists())
      return;
    if (!arg["as_tensor"].exists())
      fail("E0711", whole_, "an input that is no tensor is not supported", "export a model whose inputs are tensors");
    const std::string_view name = required_text(arg["as_tensor"]["name"], "the name of an input", whole_);
    const Span span = builder_.span(fmt::format("input {}", io::quoted(name)));
    Type type = parse_tensor_type(scope.graph()["tensor_values"][name], builder_, span);
    const bool is_complex = find<TupleType>(type) != nullptr;
    if (is_complex) type = stacked_type(type);
    Expr var = builder_.add_input(std::string(name), builder_.fresh_name(std::string(name)), type, span);
    if (Type exact = substitute(type, exact_); exact != type) var = builder_.checked(var, exact);
    const Expr value = is_complex ? unstacked(builder_, var, span) : var;
    inputs_.push_back({std::string(name), var, nodes_.tensors().add(value)});
    scope.define(name, inputs_.back().id, span);
  }

  Buffer read_weight(io::JsonValue spec, io::JsonValue original, DataFolder folder, GraphScope& scope) {
    const std::string_view name = required_text(original, "the name of a weight", whole_);
    const Span span = builder_.span(fmt::format("weight {}", io::quoted(name)));
    Array data = program_->weight(folder, name, span);
    const std::string_view inner = required_text(spec["arg"]["name"], "the name of an input", whole_);
    const bool changes = written_.contains(inner) || written_weights_.contains(name);
    const bool is_number = spec["tensor_constant_name"].exists() && data.rank() == 0 && !changes;
    Expr value = is_number ? Constant::make(std::move(data), span)
                           : builder_.add_weight(std::string(name), std::move(data), span,
                                                 changes ? Content::Changes : Content::Fixed);
    const int64_t scalar_type = scope.graph()["tensor_values"][inner]["dtype"].as_int().value_or(0);
    const bool is_complex = !part_of_scalar_type(scalar_type).is_void();
    const std::vector<Scalar>* dims = dims_of(value);
    if (is_complex && (!dims || dims->empty() || !find_int(dims->back()) || *find_int(dims->back()) != 2))
      fail("E0704", span, "the weight holds real numbers, where the graph states complex ones", "the file is damaged");
    const Expr used = is_complex ? unstacked(builder_, value, span) : value;
    Buffer buffer{std::string(name), value, nodes_.tensors().add(used), changes};
    scope.define(inner, buffer.id, span);
    return buffer;
  }

  void read_ranges(io::JsonValue ranges) {
    for (const io::JsonMember& m : ranges.members()) {
      std::optional<int64_t> lower = m.value["min_val"].as_int(), upper = m.value["max_val"].as_int();
      const std::string text(m.key);
      const DerivedSize* derived = derived_size(text);
      const int64_t least_meant = derived ? derived->at(kLeastMeantLowerBound) : kLeastMeantLowerBound;
      if (lower && *lower < least_meant) lower.reset();
      if (upper && (*upper >= kUnbounded || *upper < 0)) upper.reset();
      if (derived)
        builder_.set_range(derived->own, lower, upper);
      else if (!builder_.defines(text))
        builder_.set_range(text, lower, upper);
    }
  }

  /// Says so where a program normalises by the statistics of the batch that it is given.
  void note_training(io::JsonValue graph) const {
    int64_t count = 0;
    for (io::JsonValue node : graph["nodes"].elements())
      count += node["target"].as_string() == "torch.ops.aten._native_batch_norm_legit_functional.default";
    if (count > 0 && options_.notes)
      options_.notes->push_back(fmt::format(
          "the model was exported in training mode: {} normalise by the batch that they are given, and change their "
          "statistics; for inference call `model.eval()` before the export",
          count == 1 ? "1 batch norm" : fmt::format("{} batch norms", count)));
  }

  /// Returns the derived dimension that is written as `text` in a range; null for anything else.
  const DerivedSize* derived_size(const std::string& text) {
    const Scalar size = derived_.empty() ? nullptr : parse_size_text(text, builder_);
    if (!size) return nullptr;
    auto it = std::ranges::find_if(
        derived_, [&](const DerivedSize& d) { return builder_.can_prove(Binary::make(BinaryOp::Eq, size, d.exact)); });
    return it == derived_.end() ? nullptr : &*it;
  }

  /// Checks of sizes that the program states stay in the model.
  void read_guards(io::JsonValue root, io::JsonValue specs) {
    const std::vector<std::string> places =
        argument_places(root["graph_module"]["module_call_graph"][size_t{0}]["signature"]);
    ArgumentSizes sizes;
    size_t leaf = 0, input = 0;
    for (io::JsonValue spec : specs.elements()) {
      const bool is_tensor = spec["user_input"]["arg"]["as_tensor"].exists();
      if (is_tensor && leaf < places.size() && !places[leaf].empty())
        sizes[places[leaf]] = *dims_of(inputs_[input].weight);
      if (is_tensor) ++input;
      if (spec["user_input"].exists() || spec["constant_input"].exists()) ++leaf;
    }
    for (io::JsonValue text : root["guards_code"].elements()) {
      const std::string_view code = text.as_string().value_or("");
      const std::optional<Guard> guard = parse_guard(code, sizes, builder_);
      if (guard && builder_.is_sized_by_inputs(guard->left) && builder_.is_sized_by_inputs(guard->right))
        require(*guard, builder_.span(fmt::format("guard {}", io::quoted(code))), builder_);
    }
  }

  static std::vector<Leaf> input_leaves(io::JsonValue specs) {
    std::vector<Leaf> out;
    size_t tensors = 0;
    for (io::JsonValue spec : specs.elements()) {
      io::JsonValue arg = spec["user_input"].exists() ? spec["user_input"]["arg"] : spec["constant_input"]["value"];
      if (arg["as_tensor"].exists())
        out.push_back({.tensor = tensors++});
      else if (arg.exists())
        out.push_back({.constant = arg["as_none"].exists() ? io::JsonValue() : arg.member(0).value});
    }
    return out;
  }

  /// Returns what a program returns without computing it: None (Missing), a text, and a float or a bool unless in
  /// upstream's form; other numbers are returned as tensors.
  std::optional<io::JsonValue> constant_in(io::JsonValue arg) const {
    if (arg["as_none"].exists()) return io::JsonValue();
    if (arg["as_string"].exists()) return arg["as_string"];
    if (options_.upstream_form) return std::nullopt;
    for (const char* kind : {"as_float", "as_bool"})
      if (arg[kind].exists()) return arg[kind];
    return std::nullopt;
  }

  static bool is_complex(io::JsonValue tensor) {
    return !part_of_scalar_type(tensor["dtype"].as_int().value_or(-1)).is_void();
  }

  std::vector<Leaf> output_leaves(io::JsonValue specs, io::JsonValue tensors_by_name) const {
    std::vector<Leaf> out;
    size_t tensors = 0;
    for (io::JsonValue spec : specs.elements()) {
      io::JsonValue arg = spec["user_output"]["arg"];
      if (std::optional<io::JsonValue> constant = constant_in(arg))
        out.push_back({.constant = *constant});
      else if (auto name = arg["as_tensor"]["name"].as_string())
        out.push_back({.tensor = tensors++, .is_complex = is_complex(tensors_by_name[*name])});
      else if (arg.exists())
        out.push_back({.tensor = tensors++, .is_number = true});
    }
    return out;
  }

  /// Each symbol must be a whole dimension of an input, from which a run takes its value.
  void check_symbols() {
    for (const Ref<Var>& input : builder_.inputs())
      for (const Ref<SymVar>& s : free_symbols(input->type))
        if (!builder_.is_sized_by_inputs(s))
          fail("E0709", input->span,
               fmt::format("`{}` is {}: no input has `{}` as a dimension of its own", input->name,
                           sunmao::describe(input->type), s->name),
               "export with a Dim for each dimension, not with one derived from another");
  }

  Expr result(std::string_view name, GraphScope& scope) {
    Expr value = scope.tensor(name, whole_);
    if (!value)
      fail("E0704", whole_, fmt::format("nothing defines the output {}", io::quoted(name)), "the file is damaged");
    return stacked(builder_, value, whole_);
  }

  std::vector<Expr> results(io::JsonValue specs, GraphScope& scope) {
    std::vector<Expr> results;
    for (io::JsonValue spec : specs.elements()) {
      io::JsonValue arg = spec["user_output"]["arg"];
      if (!spec["user_output"].exists() || constant_in(arg)) continue;
      if (std::optional<std::string_view> name = arg["as_tensor"]["name"].as_string())
        results.push_back(result(*name, scope));
      else if (std::optional<int64_t> number = arg["as_int"].as_int())
        results.push_back(integer_constant(DType::int_(64), *number, whole_));
      else if (const std::optional<double> real = arg["as_float"].as_double())
        results.push_back(scalar_constant(DType::float_(64), *real, whole_));
      else if (const std::optional<bool> truth = arg["as_bool"].as_bool())
        results.push_back(scalar_constant(DType::bool_(), *truth ? 1 : 0, whole_));
      else if (const std::string_view symbolic = symbolic_number_in(arg); !symbolic.empty())
        results.push_back(scope.number(symbolic, whole_));
      else
        fail("E0711", whole_, "an output that is no tensor is not supported", "return tensors alone");
    }
    return results;
  }

  /// What the program writes into: buffers become state, and new values of inputs further results. In upstream's form
  /// they are neither, unless there are no other results.
  void add_written(io::JsonValue specs, GraphScope& scope, std::vector<Expr>& returned) {
    std::unordered_map<std::string_view, std::string_view> stated;  // by the name of the buffer or input
    for (io::JsonValue spec : specs.elements())
      for (const char* kind : {"buffer_mutation", "parameter_mutation", "user_input_mutation"}) {
        io::JsonValue m = spec[kind];
        for (const char* key : {"buffer_name", "parameter_name", "user_input_name"})
          if (auto name = m[key].as_string()) stated[*name] = required_text(m["arg"]["name"], "a result", whole_);
      }
    const auto written = [&](const Buffer& b) -> Expr {
      if (auto it = stated.find(b.name); it != stated.end()) return result(it->second, scope);
      return nodes_.tensors().is_written(b.id) ? stacked(builder_, nodes_.tensors().read(b.id), whole_) : Expr();
    };
    const bool is_left_out = options_.upstream_form && !returned.empty();
    std::vector<std::string> left_out;
    for (const Buffer& input : inputs_)
      if (Expr next = written(input)) {
        if (is_left_out)
          left_out.push_back(io::quoted(input.name));
        else
          returned.push_back(next);
      }
    for (const Buffer& buffer : buffers_) {
      Expr next = written(buffer);
      if (next && !buffer.may_change)
        fail("E0704", whole_,
             fmt::format("no op of the program writes {}, which it states as written", io::quoted(buffer.name)),
             "the file is damaged");
      if (next && is_left_out)
        left_out.push_back(io::quoted(buffer.name));
      else if (next)
        builder_.add_state(buffer.weight, next);
    }
    if (!left_out.empty() && options_.notes)
      options_.notes->push_back(fmt::format(
          "the program writes to {}: as in TVM, `main` does not return the new {}; `sunmao.compile` keeps {}",
          fmt::join(left_out, ", "), left_out.size() == 1 ? "value" : "values", left_out.size() == 1 ? "it" : "them"));
  }

  const std::string& name_;
  const ReadOptions& options_;
  ModelBuilder builder_;
  Span whole_;
  const CustomConverters custom_;
  const Program* program_ = nullptr;
  GraphReader nodes_;
  std::vector<Buffer> buffers_, inputs_;
  std::vector<DerivedSize> derived_;
  std::unordered_map<Ref<SymVar>, Scalar> exact_;  // of `derived_`
  std::unordered_set<std::string_view> written_, written_weights_;
};

/// Opens a program with `open`, which is given the span of the whole file, and reads it.
template <class Open>
Model read(const std::string& name, const OpTable& ops, const ReadOptions& options, Open open) {
  Reader reader(name, ops, options);
  const Program program = open(reader.whole());
  try {
    Model model = reader.read(program);
    if (options.nodes) *options.nodes = reader.account();
    return model;
  } catch (const UserError&) {
    if (options.nodes) *options.nodes = reader.account();
    throw;
  }
}

}  // namespace
}  // namespace torch

Model read_torch(const io::Bytes& file, const std::string& name, const OpTable& ops, const ReadOptions& options) {
  return torch::read(name, ops, options, [&](const Span& whole) { return torch::open_archive(file, whole); });
}

Model read_exported_program(const io::Bytes& graph, const Weights& weights, const std::string& name, const OpTable& ops,
                            const ReadOptions& options) {
  return torch::read(name, ops, options,
                     [&](const Span& whole) { return torch::program_in_memory(graph, weights, whole); });
}

}  // namespace sunmao
