// Types as a disassembled program states them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/array.h"
#include "view/disassembly.h"
#include "view/graph.h"

namespace sunmao::view {

/// "float32", and the sizes "4", "n".
struct StatedType {
  std::string dtype;
  std::vector<std::string> dims;
};

/// Reads "dtype (dims)".
StatedType read_type(Line& line);

/// The type as scripts and the pages of models have it.
std::string type_text(const StatedType& type);
/// The same of a tensor.
std::string type_text(const Array& data);
/// The type in few characters: "1×64×n f32".
std::string short_text(const StatedType& type);
/// The bytes of a value; nullopt where sizes are not known.
std::optional<uint64_t> bytes_of(const StatedType& type);

/// Notes a type on a node or a register: as text, short, and its bytes.
template <class Value>
void set_type(Value& value, const StatedType& type) {
  value.type = type_text(type);
  value.shape = short_text(type);
  value.bytes = bytes_of(type);
}

/// Notes on a node the types of the values that it makes.
void set_types(GraphNode& node, const std::vector<StatedType>& types);

}  // namespace sunmao::view
