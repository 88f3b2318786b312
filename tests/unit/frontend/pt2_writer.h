// Writer of .pt2 archives from pieces of JSON, so that tests can make any program, valid or not.
#pragma once
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "frontend/frontend.h"
#include "io/bytes.h"
#include "io/zip.h"
#include "ops/ops.h"

namespace sunmao::test {

inline const std::string kSymbol = "Symbol('s0', positive=True, integer=True)";

/// Returns a size: a number, or an expression in sympy's syntax.
inline std::string size_json(const std::string& size) {
  if (size.find_first_not_of("-0123456789") == std::string::npos) return fmt::format(R"({{"as_int":{}}})", size);
  return fmt::format(R"({{"as_expr":{{"expr_str":"{}","hint":null}}}})", size);
}

inline std::string list_json(const std::vector<std::string>& sizes) {
  std::string out;
  for (const std::string& s : sizes) out += (out.empty() ? "" : ",") + size_json(s);
  return "[" + out + "]";
}

/// Returns a TensorMeta; strides default to contiguous ones when all sizes are numbers.
inline std::string meta_json(const std::vector<std::string>& sizes, int dtype = 7,
                             const std::vector<std::string>& strides = {}, int64_t offset = 0) {
  return fmt::format(
      R"({{"dtype":{},"sizes":{},"requires_grad":false,"device":{{"type":"cpu","index":null}},"strides":{},"storage_offset":{{"as_int":{}}},"layout":7}})",
      dtype, list_json(sizes), list_json(strides), offset);
}

/// Returns an argument, for instance input_json("self", R"("as_tensor":{"name":"x"})").
inline std::string input_json(const std::string& name, const std::string& arg) {
  return fmt::format(R"({{"name":"{}","arg":{{{}}},"kind":1}})", name, arg);
}
inline std::string tensor_input(const std::string& name, const std::string& value) {
  return input_json(name, fmt::format(R"("as_tensor":{{"name":"{}"}})", value));
}

inline std::string node_json(const std::string& target, const std::vector<std::string>& inputs,
                             const std::string& output, const std::string& metadata = "{}") {
  std::string args;
  for (const std::string& i : inputs) args += (args.empty() ? "" : ",") + i;
  return fmt::format(
      R"({{"target":"{}","inputs":[{}],"outputs":[{{"as_tensor":{{"name":"{}"}}}}],"metadata":{},"is_hop_single_tensor_return":null,"name":"{}"}})",
      target, args, output, metadata, output);
}

struct WeightText {
  std::string fqn, meta, data;
  bool use_pickle = false;
};

/// An exported program with input x: (s0, 6) and result y.
struct Program {
  std::vector<std::string> nodes;
  std::vector<WeightText> weights = {};
  std::map<std::string, std::string> metas = {{"x", meta_json({kSymbol, "6"})}};  // tensor_values
  std::string sym_ints = R"J("b":{"as_expr":{"expr_str":"Symbol('s0', positive=True, integer=True)","hint":null}})J";
  std::string ranges = "";
  std::string more_inputs = "", output_specs = R"J({"user_output":{"arg":{"as_tensor":{"name":"y"}}}})J";
  int major = 8;
};

inline std::string program_json(const Program& p) {
  std::string nodes, metas, specs = R"({"user_input":{"arg":{"as_tensor":{"name":"x"}}}})";
  for (const std::string& n : p.nodes) nodes += (nodes.empty() ? "" : ",") + n;
  for (const auto& [name, meta] : p.metas) metas += fmt::format(R"({}"{}":{})", metas.empty() ? "" : ",", name, meta);
  for (const WeightText& w : p.weights)
    specs += fmt::format(R"(,{{"parameter":{{"arg":{{"name":"p_{0}"}},"parameter_name":"{0}"}}}})", w.fqn);
  return fmt::format(
      R"({{"graph_module":{{"graph":{{"inputs":[],"outputs":[{{"as_tensor":{{"name":"y"}}}}],"nodes":[{}],"tensor_values":{{{}}},"sym_int_values":{{{}}}}},)"
      R"("signature":{{"input_specs":[{}{}],"output_specs":[{}]}}}},"range_constraints":{{{}}},"schema_version":{{"major":{},"minor":20}},"verifiers":["TRAINING"]}})",
      nodes, metas, p.sym_ints, specs, p.more_inputs, p.output_specs, p.ranges, p.major);
}

/// Archive entries by name, relative to the root folder.
using Entries = std::map<std::string, std::string>;

inline Entries entries_of(const Program& p) {
  Entries e{{"archive_format", "pt2"},
            {"archive_version", "0"},
            {"byteorder", "little"},
            {"models/model.json", program_json(p)}};
  std::string config;
  for (size_t i = 0; i < p.weights.size(); ++i) {
    const WeightText& w = p.weights[i];
    config += fmt::format(R"({}"{}":{{"path_name":"weight_{}","is_param":true,"use_pickle":{},"tensor_meta":{}}})",
                          i ? "," : "", w.fqn, i, w.use_pickle, w.meta);
    e["data/weights/weight_" + std::to_string(i)] = w.data;
  }
  e["data/weights/model_weights_config.json"] = "{\"config\":{" + config + "}}";
  e["data/constants/model_constants_config.json"] = "{\"config\":{}}";
  return e;
}

inline io::Bytes archive_of(const Entries& entries, const std::string& root = "m/") {
  io::ZipWriter zip;
  for (const auto& [name, data] : entries) static_cast<void>(zip.add(root + name, {io::Bytes::from(data)}));
  return io::join(std::move(zip).finish());
}

inline Model read_program(const Program& p) { return read_torch(archive_of(entries_of(p)), "t.pt2", builtin_ops()); }

}  // namespace sunmao::test
