// Program: an exported program as its reader sees it: the graph's JSON, and the data of weights and constants by name.
#pragma once
#include <functional>

#include "io/bytes.h"
#include "io/json.h"
#include "ir/module.h"
#include "support/span.h"

namespace sunmao::torch {

/// The two folders of data in an archive: parameters and persistent buffers, and all other tensors.
enum class DataFolder { Weights, Constants };

struct Program {
  io::JsonDocument graph;
  /// Returns the data of a name; fails (E0705 to E0711) when there is none that can be read.
  std::function<Array(DataFolder folder, std::string_view name, const Span& span)> weight;
};

/// Opens a .pt2 archive.
Program open_archive(const io::Bytes& file, const Span& whole);
/// Takes the JSON of a serialised program, and its data by name.
Program program_in_memory(const io::Bytes& graph, const Weights& weights, const Span& whole);

}  // namespace sunmao::torch
