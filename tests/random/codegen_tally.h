// What a run over random modules has found, as numbers that can be stored.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "tests/random/codegen_fault.h"
#include "tests/random/constructs.h"
#include "tests/random/pardons.h"

namespace sunmao {

/// What the process of one module leaves; one that ends early leaves a fault.
struct CodegenVerdict {
  bool is_fault = true, is_large = false;
  unsigned pardons = 0, omissions = 0, constructs = 0;
};

class CodegenTally {
 public:
  /// Continues the stored numbers of another run of this program.
  explicit CodegenTally(const std::vector<uint64_t>& stored);
  std::vector<uint64_t> numbers() const;

  void add(const CodegenVerdict& verdict);
  uint64_t seeds() const { return seeds_; }
  uint64_t faults() const { return faults_; }
  /// False when more modules were pardoned than one in 200, and two.
  bool has_few_pardons() const { return pardoned_ <= 2 + compared_ / 200; }
  /// Several lines. Modules are those that were compared in all ways.
  std::string text() const;

 private:
  template <class Visit>
  void each_number(Visit visit);

  uint64_t seeds_ = 0, faults_ = 0, compared_ = 0, large_ = 0, pardoned_ = 0;
  std::array<uint64_t, kPardons.size()> pardons_ = {};
  std::array<uint64_t, kOmissions.size()> omissions_ = {};
  std::array<uint64_t, kConstructs.size()> constructs_ = {};
};

}  // namespace sunmao
