// WeightsWriter: writes consecutive data to an artifact and computes its digests, while the next data is being made.
#pragma once
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "codegen/artifact/artifact_sink.h"
#include "io/bytes.h"
#include "io/sha256.h"

namespace sunmao {

/// Does work on data in the order in which it comes: at once when there is little in all, on a thread of its own when
/// there is more. The data is held until its work is done.
class DataWorker {
 public:
  using Work = std::function<void(const io::PlacedBytes&)>;
  DataWorker(Work work, bool has_thread);
  ~DataWorker();
  DataWorker(const DataWorker&) = delete;
  DataWorker& operator=(const DataWorker&) = delete;

  /// Throws what the work has thrown.
  void add(io::PlacedBytes piece);
  /// Waits until all is done; throws likewise.
  void finish();

 private:
  void run();
  void stop();

  const Work work_;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<io::PlacedBytes> waiting_;
  std::exception_ptr failure_;
  bool is_ended_ = false;
  std::thread thread_;
};

struct DataDigests {
  std::string sha256;
  uint32_t crc32 = 0;
};

class WeightsWriter {
 public:
  /// The data goes to `sink` from offset `begin` on, `size` bytes in all.
  WeightsWriter(ArtifactSink& sink, uint64_t begin, uint64_t size);
  void append(io::Bytes data);
  /// Appends zeros up to this offset from the beginning.
  void pad_to(uint64_t offset);
  DataDigests finish();

 private:
  uint64_t begin_, position_ = 0;
  io::Sha256 sha_;
  DataDigests digests_;
  DataWorker digesting_, writing_;
};

}  // namespace sunmao
