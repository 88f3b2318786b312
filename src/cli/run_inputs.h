// What a run is given: inputs from files, from a recording, or made up to fit the signature.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "cli/runnable.h"

namespace sunmao::cli {

struct InputRequest {
  std::vector<std::string> inputs;       // name=random, name=zeros, name=file.npy, name=file.safetensors:tensor
  std::map<std::string, int64_t> sizes;  // of symbols, for inputs that are made up; else the smallest, from 1
  const Weights* recording = nullptr;    // inputs that are not named are `<prefix>input.<i>` of it, when it is there
  std::string recording_name;
  std::string prefix;
};

/// One tensor for each input, in order. Fails with E0002, E0003, E0011 or E0012.
std::vector<HostTensor> make_inputs(const std::vector<InputInfo>& infos, const InputRequest& request);

/// The tensor of that name; E0012 naming what the file has otherwise.
const Array& get_tensor(const Weights& tensors, const std::string& name, const std::string& file);

}  // namespace sunmao::cli
