// The reader of exported programs: converts the signature, nodes in order, and outputs to a module.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "frontend/frontend.h"
#include "frontend/torch/node_context.h"
#include "frontend/torch/origin.h"
#include "frontend/torch/tensors.h"
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

using Table = std::unordered_map<std::string_view, Converter>;

const Table& converters() {
  static const Table table = [] {
    Table t;
    for (const auto& family :
         {matmul_converters(), elementwise_converters(), layout_converters(), reduce_converters(), copy_converters()})
      for (const Converter& c : family) t.emplace(c.target, c);
    return t;
  }();
  return table;
}

/// True for ops that become nothing: arithmetic on sizes, whose results the program states in closed form, assertions,
/// and constraints of ranges.
bool leaves_nothing(std::string_view target) {
  constexpr std::string_view kPrefixes[] = {"_operator.",
                                            "torch.sym_",
                                            "math.",
                                            "aten.sym_size.",
                                            "aten.sym_numel.",
                                            "aten.sym_stride.",
                                            "aten.sym_storage_offset.",
                                            "aten._assert_tensor_metadata.",
                                            "aten._assert_scalar.",
                                            "aten._assert_async.",
                                            "aten.sym_constrain_range."};
  return std::ranges::any_of(kPrefixes, [&](std::string_view p) { return target.starts_with(p); }) ||
         target.starts_with("aten.sym_constrain_range_for_size.");
}

/// True for in-place ops such as "aten.add_.Tensor", whose names end with a single underscore.
bool works_in_place(std::string_view target) {
  const size_t begin = target.find('.') + 1;
  const std::string_view name = target.substr(begin, target.find('.', begin) - begin);
  return name.ends_with('_') && !name.ends_with("__");
}

class Reader {
 public:
  Reader(const io::Bytes& file, const std::string& name, const OpTable& ops)
      : name_(name), builder_(ops, name), whole_(builder_.span("")), archive_(Archive::open(file, whole_)),
        document_(archive_.graph()), weights_(archive_.weights_config()), constants_(archive_.constants_config()) {}

  Model read(const ReadOptions& options) {
    io::JsonValue root = document_.root();
    io::JsonValue major = root["schema_version"]["major"];
    if (major.as_int() != kSchemaMajor)
      fail("E0702", whole_,
           fmt::format("the program has schema version {}, expected {}", major.as_int().value_or(-1), kSchemaMajor),
           "save it with PyTorch 2.8 to 2.13");
    graph_ = root["graph_module"]["graph"];
    io::JsonValue signature = root["graph_module"]["signature"];
    if (!graph_["nodes"].is_array() || !signature["input_specs"].is_array() || !signature["output_specs"].is_array())
      fail("E0704", whole_, "the archive's JSON has no graph with nodes and a signature", "the file is damaged");
    for (io::JsonValue spec : signature["input_specs"].elements()) read_input_spec(spec);
    for (io::JsonValue output : graph_["outputs"].elements())
      if (auto name = output["as_tensor"]["name"].as_string()) outputs_.insert(*name);
    read_ranges(root["range_constraints"]);
    check_symbols();
    for (io::JsonValue node : graph_["nodes"].elements()) read_node(node);
    findings_.throw_if_any();
    return builder_.finish(results(signature["output_specs"]), {}, name_, options.notes);
  }

 private:
  void define(std::string_view name, Expr value, const Span& span) {
    if (!tensors_.try_emplace(name, std::move(value)).second)
      fail("E0704", span, fmt::format("{} is defined twice", io::quoted(name)), "the file is damaged");
  }

  std::string_view text(io::JsonValue value, const char* what) const {
    std::optional<std::string_view> s = value.as_string();
    if (!s) fail("E0704", whole_, fmt::format("the signature lacks {}", what), "the file is damaged");
    return *s;
  }

  void read_input_spec(io::JsonValue spec) {
    if (io::JsonValue p = spec["parameter"]; p.exists())
      return read_weight(p, p["parameter_name"], weights_, "weights");
    if (io::JsonValue b = spec["buffer"]; b.exists()) {
      const bool kept = b["persistent"].as_bool().value_or(true);
      return read_weight(b, b["buffer_name"], kept ? weights_ : constants_, kept ? "weights" : "constants");
    }
    if (io::JsonValue c = spec["tensor_constant"]; c.exists())
      return read_weight(c, c["tensor_constant_name"], constants_, "constants");
    if (spec["constant_input"].exists()) return;  // a Python value that the exporter made constant
    if (io::JsonValue u = spec["user_input"]; u.exists()) return read_user_input(u["arg"]);
    const std::string kind = spec.size() == 1 ? io::quoted(spec.member(0).key) : "an unknown kind";
    fail("E0711", whole_, fmt::format("an input of kind {} is not supported", kind),
         "export a model whose inputs are tensors");
  }

  void read_user_input(io::JsonValue arg) {
    if (arg["as_none"].exists() || arg["as_int"].exists() || arg["as_float"].exists() || arg["as_bool"].exists() ||
        arg["as_string"].exists())
      return;
    if (!arg["as_tensor"].exists())
      fail("E0711", whole_, "an input that is no tensor is not supported", "export a model whose inputs are tensors");
    const std::string_view name = text(arg["as_tensor"]["name"], "the name of an input");
    const Span span = builder_.span(fmt::format("input {}", io::quoted(name)));
    Expr var =
        builder_.add_input(std::string(name), parse_tensor_type(graph_["tensor_values"][name], builder_, span), span);
    define(name, var, span);
  }

  void read_weight(io::JsonValue spec, io::JsonValue original, const io::JsonDocument& config,
                   const std::string& folder) {
    const std::string_view name = text(original, "the name of a weight");
    const Span span = builder_.span(fmt::format("weight {}", io::quoted(name)));
    Array data = load_weight(archive_, folder, config.root()["config"][name], span);
    define(text(spec["arg"]["name"], "the name of an input"),
           builder_.add_weight(std::string(name), std::move(data), span), span);
  }

  void read_ranges(io::JsonValue ranges) {
    for (const io::JsonMember& m : ranges.members()) {
      std::optional<int64_t> lower = m.value["min_val"].as_int(), upper = m.value["max_val"].as_int();
      if (lower && *lower < kLeastMeantLowerBound) lower.reset();
      if (upper && (*upper >= kUnbounded || *upper < 0)) upper.reset();
      builder_.set_range(std::string(m.key), lower, upper);
    }
  }

  /// Each symbol must be a whole dimension of an input, from which a run takes its value.
  void check_symbols() const {
    std::vector<Ref<SymVar>> defined;
    for (const Ref<Var>& input : builder_.inputs())
      std::ranges::copy(defined_symbols(input->type), std::back_inserter(defined));
    for (const Ref<Var>& input : builder_.inputs())
      for (const Ref<SymVar>& s : free_symbols(input->type))
        if (std::ranges::find(defined, s) == defined.end())
          fail("E0709", input->span,
               fmt::format("`{}` is {}: no input has `{}` as a dimension of its own", input->name,
                           sunmao::describe(input->type), s->name),
               "export with a Dim for each dimension, not with one derived from another");
  }

  Scalar symbolic_int(std::string_view name, const Span& span) {
    io::JsonValue size = graph_["sym_int_values"][name];
    if (!size.exists())
      fail("E0704", span, fmt::format("the size {} has no value", io::quoted(name)), "the file is damaged");
    return parse_size(size, builder_, span);
  }

  void read_node(io::JsonValue node) {
    std::string_view target = text(node["target"], "a node's target");
    if (target.starts_with("torch.ops.")) target.remove_prefix(10);
    if (leaves_nothing(target)) return;
    const Span span = builder_.span(describe_origin(node));
    Expr result;
    const bool in_place = works_in_place(target) && !converters().contains(target);
    findings_.run(in_place ? &kInPlace : &kUnsupported, std::string(target), span,
                  [&] { result = convert(node, target, span); });
    bool is_first = true;
    for (io::JsonValue output : node["outputs"].elements()) {
      if (std::optional<std::string_view> name = output["as_tensor"]["name"].as_string())
        define(*name, is_first ? result : Expr(), span);
      for (io::JsonValue element : output["as_tensors"].elements())
        if (std::optional<std::string_view> name = element["name"].as_string()) define(*name, nullptr, span);
      is_first = false;
    }
  }

  /// True when an input of the node could not be read, which is already reported.
  bool lacks_input(io::JsonValue node) const {
    for (io::JsonValue input : node["inputs"].elements())
      if (std::optional<std::string_view> name = input["arg"]["as_tensor"]["name"].as_string())
        if (auto it = tensors_.find(*name); it != tensors_.end() && !it->second) return true;
    return false;
  }

  Expr convert(io::JsonValue node, std::string_view target, const Span& span) {
    auto it = converters().find(target);
    if (it == converters().end()) throw UnsupportedUse{};
    for (const char* needed : it->second.needs)
      if (!builder_.ops().find(needed)) throw UnsupportedUse{};
    if (lacks_input(node)) return nullptr;
    const std::function<Scalar(std::string_view)> symbolic = [&](std::string_view name) {
      return symbolic_int(name, span);
    };
    Expr value = it->second.convert(NodeContext(builder_, node, span, tensors_, it->second.defaults, symbolic));
    const std::string_view name = text(node["outputs"][0]["as_tensor"]["name"], "the name of a node's result");
    check_result(value, name, span);
    return builder_.bind(value, std::string(name), outputs_.contains(name) ? Place::Output : Place::Inside);
  }

  /// Compares the inferred type with the one recorded by the exporter; a difference means that the op was
  /// misinterpreted.
  void check_result(const Expr& value, std::string_view name, const Span& span) {
    io::JsonValue meta = graph_["tensor_values"][name];
    if (!meta.exists()) return;
    Type expected = parse_tensor_type(meta, builder_, span);
    const auto* seen = find<TensorType>(expected);
    const std::vector<Scalar>* dims = dims_of(value);
    bool differs = dtype_of(value) != seen->dtype || (dims && dims->size() != seen->dims()->size());
    for (size_t i = 0; dims && !differs && i < dims->size(); ++i)
      differs = builder_.can_prove(Binary::make(BinaryOp::Ne, (*dims)[i], (*seen->dims())[i]));
    if (differs)
      fail("E0710", span,
           fmt::format("the result is {}, but the exporter recorded {}", sunmao::describe(value->type),
                       sunmao::describe(expected)),
           "the file is damaged, or this use of the op is not understood: please report it");
  }

  std::vector<Expr> results(io::JsonValue specs) {
    std::vector<Expr> results;
    for (io::JsonValue spec : specs.elements()) {
      if (spec["buffer_mutation"].exists() || spec["user_input_mutation"].exists() ||
          spec["parameter_mutation"].exists())
        fail("E0708", whole_, "the model changes one of its buffers or inputs when it runs",
             "export in evaluation mode (model.eval()), with caches as inputs and outputs");
      io::JsonValue arg = spec["user_output"]["arg"];
      if (arg["as_none"].exists()) continue;
      std::optional<std::string_view> name = arg["as_tensor"]["name"].as_string();
      if (!name) fail("E0711", whole_, "an output that is no tensor is not supported", "return tensors alone");
      auto it = tensors_.find(*name);
      if (it == tensors_.end() || !it->second)
        fail("E0704", whole_, fmt::format("nothing defines the output {}", io::quoted(*name)), "the file is damaged");
      results.push_back(it->second);
    }
    if (results.empty()) fail("E0711", whole_, "the model returns no tensor");
    return results;
  }

  inline static const FindingKind kUnsupported{
      "E0707", "of this program cannot be read",
      "run `ep = ep.run_decompositions()` before torch.export.save: it replaces many ops by simpler ones"};
  inline static const FindingKind kInPlace{"E0708", "of this program would change tensors in place",
                                           "run `ep = ep.run_decompositions()` before torch.export.save"};

  const std::string& name_;
  ModelBuilder builder_;
  Span whole_;
  Archive archive_;
  io::JsonDocument document_, weights_, constants_;
  io::JsonValue graph_;
  NodeContext::Tensors tensors_;
  std::unordered_set<std::string_view> outputs_;
  Findings findings_;
};

}  // namespace
}  // namespace torch

Model read_torch(const io::Bytes& file, const std::string& name, const OpTable& ops, const ReadOptions& options) {
  return torch::Reader(file, name, ops).read(options);
}

}  // namespace sunmao
