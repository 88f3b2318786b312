#include "frontend/torch/program.h"

#include "frontend/findings.h"
#include "frontend/torch/archive.h"
#include "frontend/torch/tensors.h"
#include "io/concat.h"

namespace sunmao::torch {
namespace {

struct OpenArchive {
  Archive archive;
  io::JsonDocument weights, constants;
};

}  // namespace

Program open_archive(const io::Bytes& file, const Span& whole) {
  Archive archive = Archive::open(file, whole);
  io::JsonDocument graph = archive.graph(), weights = archive.weights_config(), constants = archive.constants_config();
  auto opened =
      std::make_shared<const OpenArchive>(OpenArchive{std::move(archive), std::move(weights), std::move(constants)});
  return {std::move(graph), [opened](DataFolder folder, std::string_view name, const Span& span) {
            const bool is_weight = folder == DataFolder::Weights;
            io::JsonValue config = (is_weight ? opened->weights : opened->constants).root()["config"];
            return load_weight(opened->archive, is_weight ? "weights" : "constants", config[name], span);
          }};
}

Program program_in_memory(const io::Bytes& graph, const Weights& weights, const Span& whole) {
  return {parse_graph(graph, "the program", whole), [weights](DataFolder, std::string_view name, const Span& span) {
            auto found = weights.find(std::string(name));
            if (found == weights.end())
              fail("E0705", span, fmt::format("no data is given for {}", io::quoted(name)),
                   "pass the program's state_dict and constants");
            return found->second;
          }};
}

}  // namespace sunmao::torch
