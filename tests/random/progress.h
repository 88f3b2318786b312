// Progress: stores in a file how far a long run of random cases has got. The file is valid only for the build of the
// program that wrote it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace sunmao {

class Progress {
 public:
  /// Uses `file` for storage; with an empty name nothing is stored.
  explicit Progress(std::string file);

  /// Returns the stored numbers; empty when there are none, or when another build of the program wrote them.
  std::vector<uint64_t> read() const;
  void write(const std::vector<uint64_t>& numbers) const;

 private:
  const std::string file_, program_;
};

}  // namespace sunmao
