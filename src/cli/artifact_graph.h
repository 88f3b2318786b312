// The graph of an artifact in a file, with its bytes, for `view` and `size`.
#pragma once
#include <string>

#include "view/graph.h"

namespace sunmao::cli {

/// Fails (E0014) for a shared object or another ELF file, which `compile --emit=so` writes and nothing reads as a
/// model.
void check_is_no_object(const std::string& path);
/// Reads an artifact, whose code may be for another machine. Fails with the codes of the runtime and of the readers.
view::Graph graph_of_artifact(const std::string& path);

}  // namespace sunmao::cli
