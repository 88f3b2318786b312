// From files to the weights that a program needs: found by name, checked against the program, made where only what they
// are made of is there.
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

/// Where weights come from. Weights are those of the caller's file when there is one; constants of the program come
/// from either. Tensors that the program does not know are left alone, and of a file of raw weights also those that
/// only have the name of what is made of them.
struct WeightSources {
  std::optional<io::SafetensorsReader> given;
  std::optional<io::SafetensorsReader> own;
  std::optional<io::SafetensorsReader> cached;  // weights that were made, in an earlier load
  const WeightNames* names = nullptr;           // by which the caller's file may call weights too
};

/// Whether the tensor has the type and the shape of the weight.
bool is_weight(const io::StoredTensor& tensor, const ProgramTables& tables, uint32_t weight);

class WeightLoader {
 public:
  /// Both live as long as the loader.
  WeightLoader(const Program& program, const WeightSources& sources);

  /// The makers that have to run, in their order.
  const std::vector<size_t>& makers() const { return makers_; }
  /// Takes what is there. E0860 for weights that are missing, all of them, or for one of another type or shape; E0862
  /// when there is no file.
  io::Status load(Weights& weights) const;
  /// What the makers in `makers` make; that part of it which functions of the caller's take; and, of all weights, what
  /// those do not take.
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
  std::vector<const io::StoredTensor*> given_;  // of each weight, the tensor of the caller's file; NULL: none
  std::vector<std::string_view> unknown_;       // tensors of that file that are no weight
  std::vector<std::vector<uint32_t>> used_by_;  // function -> the weights that it reads
  std::vector<bool> is_constant_;
  std::vector<bool> is_kept_;    // read by functions of the caller's
  std::vector<bool> is_needed_;  // read by those or by a maker that runs
  std::vector<bool> is_made_now_;
  std::vector<bool> is_made_of_given_;  // the caller's file has what it is made of, and nothing but makers reads that
  std::vector<size_t> makers_;
  std::vector<uint32_t> made_;
};

}  // namespace sunmao::runtime
