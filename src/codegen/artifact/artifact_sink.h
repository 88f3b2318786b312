// ArtifactSink: where an artifact is written, in pieces at any offsets.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/bytes.h"
#include "io/output_file.h"

namespace sunmao {

class ArtifactSink {
 public:
  virtual ~ArtifactSink() = default;
  /// Called once, before all writing.
  virtual void begin(uint64_t size) = 0;
  /// What is never written is zeros. Not called by two threads at a time.
  virtual void write(uint64_t offset, std::span<const std::byte> data) = 0;
  /// Called once, after all writing. Returns the artifact where it is in memory.
  virtual io::Bytes end() = 0;
};

/// An artifact in memory, aligned to 64 bytes, so that weights can be used in place. Fails with E0910 for lack of it.
std::unique_ptr<ArtifactSink> make_memory_sink();
/// An artifact that takes the place of the file `path` at the end (io/output_file.h). It is not synced to disk: it can
/// be made again, and the disk would be what most of a compilation waits for.
std::unique_ptr<ArtifactSink> make_file_sink(const std::string& path);

}  // namespace sunmao
