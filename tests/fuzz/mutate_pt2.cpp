// Changes exported programs as programs: the JSON of an archive's graph and of its weights, or a graph's JSON alone.
// Archives are written again with the right checksums.
#include <algorithm>
#include <cstring>

#include "frontend/torch/converters.h"
#include "io/zip.h"
#include "tests/fuzz/driver.h"
#include "tests/fuzz/edges.h"
#include "tests/fuzz/json_tree.h"
#include "tests/fuzz/mutator.h"

namespace sunmao::fuzz {
namespace {

const std::vector<std::string> kArguments = words(
    "self other input weight bias dim dims size shape keepdim dtype alpha beta value index indices src source mask "
    "tensors tensor start end step length split_size split_sizes sections chunks kernel_size stride padding dilation "
    "groups ceil_mode count_include_pad divisor_override output_size output_padding align_corners scale_factors "
    "scales normalized_shape eps momentum training running_mean running_var p reduction target repeats shifts n k "
    "largest sorted descending stable diagonal offset dim1 dim2 dim0 memory_format fill_value min max condition "
    "correction unbiased equation operands query key attn_mask dropout_p is_causal scale enable_gqa hx params "
    "has_biases num_layers bidirectional batch_first num_classes pad mode quant_min quant_max zero_point axis "
    "upscale_factor mat1 mat2 batch1 batch2 vec exponent threshold lambd negative_slope boxes output_shape "
    "rounding_mode approximate accumulate num_groups N C HxW group dim_self dims_self dims_other bins right sorter "
    "window n_fft hop_length ord");
constexpr const char* kExpressions[] = {"s0",
                                        "s77",
                                        "2*s0",
                                        "s0 + s1",
                                        "s0//2",
                                        "Mod(s0, 0)",
                                        "s0//0",
                                        "-s0",
                                        "9223372036854775807*s0",
                                        "Max(1, s0)",
                                        "u0",
                                        "s0*s0*s0*s0",
                                        "((((s0))))",
                                        "FloorDiv(s0, -1)",
                                        "2**s0",
                                        "s0**99",
                                        "CeilToInt(IntTrueDiv(s0, 0))"};
constexpr const char* kTexts[] = {"",          "floor",        "trunc", "none", "tanh",   "constant",
                                  "reflect",   "circular",     "mean",  "sum",  "prod",   "amax",
                                  "ij,jk->ik", "...ij->...ji", "i->ii", ",->",  "ii",     "bilinear",
                                  "fro",       "nuc",          "valid", "same", "linear", "left"};

class Mutator {
 public:
  Mutator(Tree program, unsigned seed) : program_(std::move(program)), random_(seed) {
    if (Tree* values = program_.at({"graph_module", "graph", "tensor_values"})) names_ = values->keys;
    if (names_.empty()) names_.emplace_back("x");
  }

  std::string changed() {
    change();
    return program_.print();
  }

  /// Returns the program with one node of another; tensors that it takes become inputs, or are ones of this program.
  std::string spliced(Tree other) {
    Tree* nodes = program_.at({"graph_module", "graph", "nodes"});
    Tree* donors = other.at({"graph_module", "graph", "nodes"});
    if (!nodes || !donors || donors->items.empty()) return changed();
    Tree node = random_.of(donors->items);
    mark_ = "s" + std::to_string(random_.below(1000)) + "_";
    donor_values_ = other.at({"graph_module", "graph", "tensor_values"});
    if (Tree* outputs = node.find("outputs")) rename_outputs(*outputs);
    if (Tree* inputs = node.find("inputs")) rename_inputs(*inputs);
    nodes->items.push_back(std::move(node));
    return program_.print();
  }

  /// Changes any JSON at one place.
  std::string changed_anywhere() {
    change_anywhere();
    return program_.print();
  }

 private:
  static Tree object(std::string key, Tree value) { return Tree::of_object({{std::move(key), std::move(value)}}); }

  void add_value(const std::string& name, bool is_input) {
    Tree* meta = donor_values_ ? donor_values_->find(name) : nullptr;
    Tree* values = program_.at({"graph_module", "graph", "tensor_values"});
    Tree* specs = program_.at({"graph_module", "signature", "input_specs"});
    if (!meta || !values || !specs || values->find(mark_ + name)) return;
    values->set(mark_ + name, *meta);
    Tree arg = object("as_tensor", object("name", Tree::of_text(mark_ + name)));
    if (is_input) specs->items.push_back(object("user_input", object("arg", std::move(arg))));
  }

  void rename_outputs(Tree& tree) {
    if (Tree* name = tree.find("name"); name && tree.keys.size() == 1) {
      add_value(name->text, false);
      name->text = mark_ + name->text;
    }
    for (Tree& item : tree.items) rename_outputs(item);
  }

  void rename_inputs(Tree& tree) {
    if (Tree* name = tree.find("name"); name && tree.keys.size() == 1) {
      if (random_.once_in(4)) {
        name->text = random_.of(names_);
      } else {
        add_value(name->text, true);
        name->text = mark_ + name->text;
      }
    }
    for (Tree& item : tree.items) rename_inputs(item);
  }

  void change() {
    switch (random_.below(16)) {
      case 0:
      case 1: return with_node([&](Tree& node) { rename_target(node); });
      case 2:
      case 3:
      case 4:
      case 5:
      case 6: return with_node([&](Tree& node) { change_inputs(node); });
      case 7: return with_node([&](Tree& node) { change_outputs(node); });
      case 8:
      case 9:
      case 10:
      case 11: return change_meta();
      case 12: return change_nodes();
      case 13: return change_specs();
      default: return change_anywhere();
    }
  }

  template <class Change>
  void with_node(Change change) {
    Tree* nodes = program_.at({"graph_module", "graph", "nodes"});
    if (nodes && !nodes->items.empty()) change(nodes->items[random_.below(nodes->items.size())]);
  }

  void rename_target(Tree& node) {
    node.set("target", Tree::of_text(std::string("torch.ops.") + random_.of(torch::all_converters()).target));
  }

  Tree new_size() {
    if (random_.once_in(5)) return object("as_expr", object("expr_str", Tree::of_text(random_.of(kExpressions))));
    return object("as_int", Tree::of_int(edge(random_)));
  }

  Tree new_argument() {
    std::vector<Tree> list;
    const size_t count = random_.below(5);
    switch (random_.below(14)) {
      case 0: return object("as_none", Tree::of_bool(true));
      case 1: return object("as_bool", Tree::of_bool(random_.once_in(2)));
      case 2:
      case 3: return object("as_int", Tree::of_int(edge(random_)));
      case 4: {
        Tree real;
        real.kind = io::JsonKind::Double, real.real = real_edge(random_);
        return object("as_float", random_.once_in(4) ? Tree::of_text("NaN") : real);
      }
      case 5: return object("as_string", Tree::of_text(random_.of(kTexts)));
      case 6: return object("as_scalar_type", Tree::of_int(static_cast<int64_t>(random_.below(37))));
      case 7:
        for (size_t i = 0; i < count; ++i) list.push_back(object("name", Tree::of_text(random_.of(names_))));
        return object("as_tensors", Tree::of_list(std::move(list)));
      case 8:
        for (size_t i = 0; i < count; ++i) list.push_back(object("as_int", Tree::of_int(edge(random_))));
        return object("as_sym_ints", Tree::of_list(std::move(list)));
      case 9:
        for (size_t i = 0; i < count; ++i) list.push_back(Tree::of_bool(random_.once_in(2)));
        return object("as_bools", Tree::of_list(std::move(list)));
      case 10:
        for (size_t i = 0; i < count; ++i) {
          Tree field = random_.once_in(2) ? object("as_none", Tree::of_bool(true))
                                          : object("as_tensor", object("name", Tree::of_text(random_.of(names_))));
          list.push_back(std::move(field));
        }
        return object("as_optional_tensors", Tree::of_list(std::move(list)));
      case 11: return object("as_tensor", object("name", Tree::of_text(random_.of(names_))));
      default:
        for (size_t i = 0; i < count; ++i) list.push_back(Tree::of_int(edge(random_)));
        return object("as_ints", Tree::of_list(std::move(list)));
    }
  }

  void change_inputs(Tree& node) {
    Tree* inputs = node.find("inputs");
    if (!inputs || !inputs->is_array()) return;
    std::vector<Tree>& list = inputs->items;
    const size_t action = random_.below(10);
    if (list.empty() || action == 0) {
      list.push_back(Tree::of_object({{"name", Tree::of_text(random_.of(kArguments))}, {"arg", new_argument()}}));
      return;
    }
    Tree& input = list[random_.below(list.size())];
    Tree& other = list[random_.below(list.size())];
    Tree *arg = input.find("arg"), *arg2 = other.find("arg");
    if (action == 1) return inputs->erase(random_.below(list.size()));
    if (action == 2 && arg && arg2 && arg != arg2) return std::swap(*arg, *arg2);
    if (action == 3) return input.set("name", Tree::of_text(random_.of(kArguments)));
    if (action == 4 || !arg) return input.set("arg", new_argument());
    change_value(*arg);
  }

  /// Changes one number, text or list inside.
  void change_value(Tree& tree) {
    if (!tree.items.empty() && !(tree.is_array() && random_.once_in(3)))
      return change_value(tree.items[random_.below(tree.items.size())]);
    switch (tree.kind) {
      case io::JsonKind::Array:
        if (!tree.items.empty() && random_.once_in(2))
          tree.erase(random_.below(tree.items.size()));
        else
          tree.items.push_back(tree.items.empty() ? Tree::of_int(edge(random_)) : Tree(random_.of(tree.items)));
        break;
      case io::JsonKind::Int: tree.integer = edge(random_); break;
      case io::JsonKind::Double: tree.real = real_edge(random_); break;
      case io::JsonKind::Bool: tree.integer = !tree.integer; break;
      case io::JsonKind::String:
        tree.text = random_.once_in(2) ? random_.of(names_) : std::string(random_.of(kTexts));
        break;
      default: tree = Tree::of_int(edge(random_));
    }
  }

  void change_outputs(Tree& node) {
    Tree* outputs = node.find("outputs");
    if (!outputs || !outputs->is_array()) return;
    const size_t action = random_.below(3);
    if (action == 0 && !outputs->items.empty()) return outputs->erase(random_.below(outputs->items.size()));
    const std::string name = "o" + std::to_string(random_.below(9999));
    Tree named = object("name", Tree::of_text(name));
    if (action == 1) return outputs->items.push_back(object("as_tensor", std::move(named)));
    outputs->items = {object("as_tensors", Tree::of_list({named, object("name", Tree::of_text(name + "b"))}))};
  }

  void change_meta() {
    Tree* values = program_.at({"graph_module", "graph", "tensor_values"});
    if (!values || values->items.empty()) return;
    Tree& meta = values->items[random_.below(values->items.size())];
    Tree* sizes = meta.find("sizes");
    if (!sizes || random_.once_in(4)) return meta.set("dtype", Tree::of_int(static_cast<int64_t>(random_.below(37))));
    if (sizes->items.empty() || random_.once_in(3)) return sizes->items.push_back(new_size());
    if (random_.once_in(2)) return sizes->erase(random_.below(sizes->items.size()));
    sizes->items[random_.below(sizes->items.size())] = new_size();
  }

  void change_nodes() {
    Tree* nodes = program_.at({"graph_module", "graph", "nodes"});
    if (!nodes || nodes->items.empty()) return;
    const size_t at = random_.below(nodes->items.size()), to = random_.below(nodes->items.size());
    if (random_.once_in(3)) return nodes->erase(at);
    if (random_.once_in(2)) return std::swap(nodes->items[at], nodes->items[to]);
    nodes->items.push_back(Tree(nodes->items[at]));
  }

  void change_specs() {
    constexpr const char* kKinds[] = {"user_input",      "parameter",      "buffer",
                                      "tensor_constant", "constant_input", "token"};
    Tree* specs = program_.at({"graph_module", "signature", random_.once_in(2) ? "input_specs" : "output_specs"});
    if (!specs || specs->items.empty()) return;
    Tree& spec = specs->items[random_.below(specs->items.size())];
    if (spec.is_object() && !spec.keys.empty() && random_.once_in(2))
      spec.keys[0] = random_.of(kKinds);
    else
      change_value(spec);
  }

  void change_anywhere() {
    Tree* tree = &program_;
    while (!tree->items.empty() && !random_.once_in(8)) tree = &tree->items[random_.below(tree->items.size())];
    if (tree->items.empty() || random_.once_in(2)) return change_value(*tree);
    const size_t at = random_.below(tree->items.size());
    if (random_.once_in(2)) return tree->erase(at);
    const Tree copy = tree->items[random_.below(tree->items.size())];
    tree->items[at] = copy;
  }

  Tree program_;
  Random random_;
  std::vector<std::string> names_;
  std::string mark_;
  Tree* donor_values_ = nullptr;
};

std::optional<Tree> parse_tree(std::string_view text) {
  io::Result<io::JsonDocument> parsed = io::JsonDocument::parse(text);
  return parsed.ok() ? std::optional(Tree::of(parsed->root())) : std::nullopt;
}

/// A program's file: an archive, or the JSON of a graph.
struct File {
  std::optional<io::ZipReader> zip;
  std::string graph;  // the entry's name
  std::string_view json;

  File(const uint8_t* data, size_t size) {
    const io::Bytes bytes = io::Bytes::borrowed(std::as_bytes(std::span(data, size)));
    json = bytes.text();
    if (!json.starts_with("PK")) return;
    if (io::Result<io::ZipReader> opened = io::ZipReader::open(bytes); opened.ok()) zip = opened.take();
    if (zip)
      for (const io::ZipEntry& entry : zip->entries())
        if (entry.name.ends_with("/models/model.json")) graph = entry.name;
    json = text(graph);
  }

  std::string_view text(const std::string& name) const {
    io::Result<io::Bytes> data = zip ? zip->read(name) : io::Result<io::Bytes>(io::Bytes());
    return data.ok() ? data->text() : std::string_view();
  }

  /// Returns the file with the data of an entry replaced.
  std::string with(const std::string& name, const std::string& data) const {
    if (!zip) return data;
    io::ZipWriter out;
    for (const io::ZipEntry& entry : zip->entries())
      static_cast<void>(out.add(entry.name, entry.name == name ? data : std::string(text(entry.name))));
    return std::string(io::join(std::move(out).finish()).text());
  }
};

std::string changed(const File& file, unsigned seed) {
  Random random(seed);
  std::string name = file.graph;
  if (file.zip && random.once_in(8)) name = random.of(file.zip->entries()).name;
  const std::optional<Tree> tree = parse_tree(name == file.graph ? file.json : file.text(name));
  if (!tree) return std::string(file.json);
  Mutator mutator(*tree, seed);
  return file.with(name, name == file.graph ? mutator.changed() : mutator.changed_anywhere());
}

}  // namespace
}  // namespace sunmao::fuzz

size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  using namespace sunmao::fuzz;
  return give(changed(File(data, size), seed), data, max_size);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t* data, size_t size, const uint8_t* other, size_t other_size,
                                 uint8_t* out, size_t max_out_size, unsigned seed) {
  using namespace sunmao::fuzz;
  const File file(data, size);
  const std::optional<Tree> tree = parse_tree(file.json), donor = parse_tree(File(other, other_size).json);
  if (!tree || !donor) return 0;
  return give(file.with(file.graph, Mutator(*tree, seed).spliced(*donor)), out, max_out_size);
}
