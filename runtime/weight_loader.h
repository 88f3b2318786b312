// WeightLoader: determines where each weight of a program comes from: found by name in a file and checked, or computed
// by a maker when only its inputs are available.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/safetensors.h"
#include "io/weight_names.h"
#include "runtime/manifest.h"
#include "runtime/program.h"
#include "runtime/weights.h"

namespace sunmao::runtime {

/// The files that weights are read from. With a caller's file (`given`) only constants of the program are read from the
/// artifact's own. Unknown tensors of `given` are ignored; so are those named like a weight that is made from other
/// tensors of `given`.
struct WeightSources {
  std::optional<io::SafetensorsReader> given;
  std::optional<io::SafetensorsReader> own;
  std::optional<io::SafetensorsReader> cached;  // made weights cached by an earlier load
  const WeightNames* names = nullptr;           // alternative names of weights in the caller's file
};

/// True when the tensor has the type and shape of the weight.
bool is_weight(const io::StoredTensor& tensor, const ProgramTables& tables, uint32_t weight);

class WeightLoader {
 public:
  /// Both arguments must outlive the loader.
  WeightLoader(const Program& program, const WeightSources& sources);

  /// Returns the makers that must run, in execution order.
  const std::vector<size_t>& makers() const { return makers_; }
  /// Loads the weights that are needed and not made now. E0860 for missing weights (the first 4 are described, the rest
  /// counted) or a wrong type or shape; E0862 when weights are missing and there is neither a caller's file nor an own
  /// one.
  io::Status load(Weights& weights) const;
  /// made: results of the makers in `makers`; made_to_keep: those of them that entry functions use; passing: all
  /// weights that no entry function uses.
  const std::vector<uint32_t>& made() const { return made_; }
  std::vector<uint32_t> made_to_keep() const;
  std::vector<uint32_t> passing() const;

 private:
  void note_uses();
  void choose_makers();
  void note_raw();
  void need(size_t function);
  const io::StoredTensor* find(uint32_t weight) const;
  void match_given();
  io::Status check(uint32_t weight, const io::StoredTensor& tensor) const;
  io::Status check_missing() const;
  bool is_to_be_found(uint32_t weight) const { return is_needed_[weight] && !is_made_now_[weight]; }
  std::string describe(uint32_t weight) const;

  const Program& program_;
  const WeightSources& sources_;
  std::vector<const io::StoredTensor*> given_;  // per weight: its tensor in the caller's file, or NULL
  std::vector<std::string_view> unknown_;       // tensors of the caller's file that match no weight
  std::vector<std::vector<uint32_t>> used_by_;  // per function: the weights that it reads
  std::vector<bool> is_constant_;
  std::vector<bool> is_kept_;    // read by entry functions
  std::vector<bool> is_needed_;  // read by entry functions or by makers that run
  std::vector<bool> is_made_now_;
  std::vector<bool> is_made_of_given_;  // made from tensors of the caller's file that only makers read
  std::vector<size_t> makers_;
  std::vector<uint32_t> made_;
};

}  // namespace sunmao::runtime
