#include "codegen/artifact/weights_writer.h"

#include "io/crc32.h"

namespace sunmao {
namespace {

constexpr uint64_t kLittle = uint64_t{1} << 22;  // bytes that are written sooner than two threads start

}  // namespace

DataWorker::DataWorker(Work work, bool has_thread) : work_(std::move(work)) {
  if (has_thread) thread_ = std::thread([this] { run(); });
}

DataWorker::~DataWorker() { stop(); }

void DataWorker::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard guard(lock_);
    is_ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DataWorker::add(io::PlacedBytes piece) {
  if (!thread_.joinable()) return work_(piece);
  const std::lock_guard guard(lock_);
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(piece));
  changed_.notify_all();
}

void DataWorker::finish() {
  stop();
  if (failure_) std::rethrow_exception(failure_);
}

void DataWorker::run() {
  std::unique_lock guard(lock_);
  for (;;) {
    changed_.wait(guard, [this] { return is_ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    io::PlacedBytes piece = std::move(waiting_.front());
    waiting_.pop_front();
    const bool is_left_out = failure_ != nullptr;
    guard.unlock();
    std::exception_ptr failure;
    try {
      if (!is_left_out) work_(piece);
    } catch (...) {
      failure = std::current_exception();
    }
    piece = {};
    guard.lock();
    if (failure) failure_ = failure;
  }
}

WeightsWriter::WeightsWriter(ArtifactSink& sink, uint64_t begin, uint64_t size)
    : begin_(begin), digesting_(
                         [this](const io::PlacedBytes& piece) {
                           sha_.update(piece.data.span());
                           digests_.crc32 = io::crc32(piece.data.span(), digests_.crc32);
                         },
                         size > kLittle),
      writing_([&sink](const io::PlacedBytes& piece) { sink.write(piece.offset, piece.data.span()); }, size > kLittle) {
}

void WeightsWriter::append(io::Bytes data) {
  const io::PlacedBytes piece{begin_ + position_, std::move(data)};
  position_ += piece.data.size();
  digesting_.add(piece);
  writing_.add(piece);
}

void WeightsWriter::pad_to(uint64_t offset) {
  io::Chunks zeros;
  io::append_zeros(zeros, offset - position_);
  for (io::Bytes& part : zeros) append(std::move(part));
}

DataDigests WeightsWriter::finish() {
  digesting_.finish();
  writing_.finish();
  digests_.sha256 = io::to_hex(sha_.finish());
  return digests_;
}

}  // namespace sunmao
