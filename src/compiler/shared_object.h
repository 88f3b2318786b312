// Making of a shared object of a model, with the header that declares its functions (docs/adr/0038-shared-objects.md).
#pragma once
#include <string>

#include "io/bytes.h"

namespace sunmao {

struct SharedObjectFiles {
  io::Bytes object;
  std::string header;
};

/// Fails (E1009) when there can be no shared object of this name, or none at all from this compiler.
void check_object_name(const std::string& file_name);

/// Makes the files of an artifact. All names begin with that of the file: `libmlp.so` has `mlp_load`. Fails (E1009)
/// when there can be none of this model, or of this name.
SharedObjectFiles make_shared_object(const io::Bytes& artifact, const std::string& file_name);

}  // namespace sunmao
