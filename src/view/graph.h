// Graph: what a page shows of a module or an artifact: functions of nodes, weights and texts, without the IR.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/array.h"
#include "view/symbols.h"

namespace sunmao::view {

/// The numbers of a tensor in bins of equal width between the least and the greatest finite one; a bin for each of a
/// few integers.
struct Histogram {
  double least = 0, greatest = 0, mean = 0, deviation = 0;
  uint64_t numbers = 0;     // that were looked at: all, or evenly spaced ones of a large tensor
  uint64_t zeros = 0;       // of these
  uint64_t not_finite = 0;  // of these: NaN or infinite
  std::vector<uint64_t> bins;
};

Histogram histogram_of(const Array& data);

struct GraphWeight {
  std::string name, type;
  uint64_t bytes = 0;
  Array data;  // absent when only the type is known
};

/// A named line of a node's details: an attribute, a size, a small constant.
struct GraphField {
  std::string name, text;
};

enum class NodeKind : uint8_t { Input, Op, Kernel, Call, Branch, Output };

struct GraphNode {
  NodeKind kind = NodeKind::Op;
  std::string name;                    // of its value
  std::string alias = {};              // of the first field of its value, where it is a tuple
  std::string op;                      // of a kernel or a call: the function's name
  std::vector<std::string> path = {};  // the modules that it belongs to, the outermost first
  std::string type;                    // of its value, as in scripts
  std::string shape;                   // likewise, short: "1×64×56×56 f32"
  std::string place;                   // the node of the model's file
  std::string line;                    // of the source
  std::vector<size_t> inputs = {};     // numbers of nodes
  std::vector<size_t> weights = {};    // numbers of weights
  std::vector<GraphField> fields = {};
  std::optional<size_t> text = {};     // number of a text: the kernel that it calls
  std::optional<uint64_t> bytes = {};  // of its value, where sizes are known
  std::optional<double> seconds = {};  // of a run
  bool is_inner = false;               // of a branch or a closure: its name may be that of another value
  size_t kernel_call = 0;              // of a kernel: its number among the function's kernel calls
};

/// Returns what the box of a node is called: the value, the op, or the function without the names before it.
std::string title_of(const GraphNode& node);

/// Returns the path of the module that a node belongs to: "encoder.layer.0".
std::string module_of(const GraphNode& node);

struct GraphFunction {
  std::string name;
  std::vector<GraphNode> nodes;
  Symbols symbols = {};  // names of sizes in the types and the fields of nodes
};

struct GraphText {
  std::string title, text;
};

/// What a part of an artifact is. `Code` is what a code image has besides kernels.
enum class PartKind : uint8_t { Weight, Duplicate, Kernel, Code, Program, Manifest, Padding, Archive, Other };

/// Some bytes of an artifact.
struct SizePart {
  PartKind kind;
  std::string name;
  std::string path;  // of a weight: the module that takes it; of a kernel: its code image
  uint64_t bytes;
};

struct Graph {
  std::string title;
  std::string stage;  // such as "as read", "after fuse-ops", "artifact"
  std::vector<GraphFunction> functions;
  std::vector<GraphWeight> weights;
  std::vector<GraphText> texts;
  std::vector<SizePart> parts;  // of an artifact: all its bytes

  const GraphFunction* find(const std::string& name) const;
};

}  // namespace sunmao::view
