// Where the bytes of an artifact are: every byte belongs to exactly one part.
#pragma once
#include <string>
#include <vector>

#include "io/bytes.h"
#include "io/json.h"
#include "view/graph.h"

namespace sunmao::view {

const char* name_of(PartKind kind);

/// Returns the parts of an artifact in the order of the file; their bytes are those of the file. A weight with the
/// numbers of an earlier one is a duplicate. `graph`, that of the program, says which modules take which weights. Fails
/// with the readers' codes when the archive is not valid.
std::vector<SizePart> sizes_of(const io::Bytes& artifact, const io::JsonValue& manifest, const Graph& graph);

}  // namespace sunmao::view
