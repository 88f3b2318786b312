// Shared objects of models (docs/adr/0038-shared-objects.md): an artifact, the runtime and a function of C for each
// function of the model, linked together. Without LLVM types.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sunmao {

/// A function of the model, in two forms (abi/shared_object.h): the general one takes tensors, the plain one sizes and
/// addresses.
struct ObjectFunction {
  std::string name;            // in the model
  std::string call;            // the symbol of the general form
  std::string run;             // the symbol of the plain form; empty: there is none
  std::vector<int64_t> words;  // what it takes and gives
  size_t tensors = 0;          // inputs and outputs
  size_t dims = 0;             // of all of them
  size_t sizes = 0;            // that the plain form takes
};

/// A symbol that stands for a function of the runtime.
struct ObjectAlias {
  std::string symbol;
  std::string target;
};

struct SharedObject {
  std::string file_name;  // what programs record that link it
  std::span<const std::byte> artifact;
  std::span<const std::byte> runtime;  // a relocatable object: all that an artifact needs but the C library
  std::vector<ObjectAlias> aliases;
  std::vector<ObjectFunction> functions;
};

/// Links the object, which exports aliases and functions alone, and returns its bytes. It needs the C library of this
/// process. Fails (E1007) when the linker's temporary files cannot be made, and (E1009) when it cannot be linked.
std::vector<std::byte> link_shared_object(const SharedObject& object);

}  // namespace sunmao
