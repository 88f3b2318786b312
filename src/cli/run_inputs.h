// Inputs of a run: from files, from a recording, or generated for the signature.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/runnable.h"

namespace sunmao::cli {

struct InputRequest {
  std::vector<std::string>
      inputs;  // name=random, name=zeros, name=file.npy, name=file.npz[:array], name=file.safetensors:tensor
  std::map<std::string, int64_t> sizes;  // sizes of symbols in generated inputs; default: the smallest, at least 1
  // the source of inputs not listed above, as tensors `<prefix>input.<i>`; may be null
  const Weights* recording = nullptr;
  std::string recording_name;
  std::string prefix;
};

/// Returns the inputs in order. Fails with E0002, E0003, E0011, E0012, or a code of the reader of a file.
std::vector<HostTensor> make_inputs(const std::vector<InputInfo>& infos, const InputRequest& request);

/// Returns the tensor of that name; fails (E0012) when there is none, with similar names or else the first 8 names in
/// the file.
const Array& get_tensor(const Weights& tensors, const std::string& name, const std::string& file);

}  // namespace sunmao::cli
