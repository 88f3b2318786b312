#include <bit>

#include "io/concat.h"
#include "io/crc32.h"
#include "io/zip.h"
#include "io/zip_format.h"

namespace sunmao::io {

using namespace zip_format;

namespace {

constexpr uint32_t kLargestAlignment = 16384;
constexpr uint16_t kMadeByUnix = 3 << 8 | kVersion64;
constexpr uint32_t kPlainFile = 0100644u << 16;  // a regular file, rw-r--r--, in the upper half of the attributes

bool is_large(uint64_t value) { return value >= kSee64In32; }
uint32_t or_see64(uint64_t value) { return is_large(value) ? kSee64In32 : static_cast<uint32_t>(value); }

/// Returns the extra field that makes `header_end` plus its own size a multiple of `alignment`; empty when it already
/// is.
std::string alignment_field(uint64_t header_end, uint32_t alignment) {
  if (header_end % alignment == 0) return {};
  constexpr uint64_t kSmallest = 6;
  const uint64_t size = kSmallest + (alignment - (header_end + kSmallest) % alignment) % alignment;
  std::string field;
  put16(field, kExtraAlignment);
  put16(field, size - 4);
  put16(field, alignment);
  field.resize(size, '\0');
  return field;
}

}  // namespace

void ZipWriter::append(Bytes bytes) {
  const uint64_t size = bytes.size();
  pieces_.push_back({position_, std::move(bytes)});
  position_ += size;
}

Status ZipWriter::add(std::string name, std::string_view text, uint32_t alignment) {
  return add(std::move(name), Chunks{Bytes::from(std::string(text))}, alignment);
}

Status ZipWriter::add(std::string name, Chunks data, uint32_t alignment) {
  const uint64_t size = total_size(data);
  uint32_t crc = 0;
  for (const Bytes& chunk : data) crc = io::crc32(chunk.span(), crc);
  const Result<uint64_t> offset = add_elsewhere(std::move(name), size, crc, alignment);
  if (!offset.ok()) return offset.status();
  position_ = *offset;
  for (Bytes& chunk : data) append(std::move(chunk));
  return {};
}

Result<uint64_t> ZipWriter::add_elsewhere(std::string name, uint64_t size, uint32_t crc32, uint32_t alignment) {
  SUNMAO_TRY(check_name(name));
  if (name.back() == '/') return Status::error("E0813", concat("zip entry name ", quoted(name), " is a folder's"));
  if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
    return Status::error("E0818", concat("zip: alignment ", alignment, " of entry ", quoted(name)),
                         "take a power of two from 1 to 16384");
  }
  if (!names_.insert(name).second) return Status::error("E0814", concat("zip: two entries are named ", quoted(name)));

  Record record = {std::move(name), position_, size, crc32};
  std::string extra;
  if (is_large(record.size)) {
    put16(extra, kExtra64);
    put16(extra, 16);
    put64(extra, record.size);
    put64(extra, record.size);
  }
  extra += alignment_field(position_ + kLocalSize + record.name.size() + extra.size(), alignment);

  std::string header;
  put32(header, kLocalSignature);
  put16(header, kVersion64);
  put16(header, kFlagUtf8);
  put16(header, 0);  // stored
  put16(header, 0);  // midnight
  put16(header, kDate1980);
  put32(header, record.crc32);
  put32(header, or_see64(record.size));
  put32(header, or_see64(record.size));
  put16(header, record.name.size());
  put16(header, extra.size());
  append(Bytes::from(header + record.name + extra));

  const uint64_t offset = position_;
  position_ += record.size;
  records_.push_back(std::move(record));
  return offset;
}

std::string ZipWriter::central_record(const Record& record) {
  std::string large;
  if (is_large(record.size)) {
    put64(large, record.size);
    put64(large, record.size);
  }
  if (is_large(record.header_offset)) put64(large, record.header_offset);

  std::string out;
  put32(out, kCentralSignature);
  put16(out, kMadeByUnix);
  put16(out, kVersion64);
  put16(out, kFlagUtf8);
  put16(out, 0);  // stored
  put16(out, 0);  // midnight
  put16(out, kDate1980);
  put32(out, record.crc32);
  put32(out, or_see64(record.size));
  put32(out, or_see64(record.size));
  put16(out, record.name.size());
  put16(out, large.empty() ? 0 : 4 + large.size());
  put16(out, 0);  // comment
  put16(out, 0);  // part
  put16(out, 0);  // internal attributes
  put32(out, kPlainFile);
  put32(out, or_see64(record.header_offset));
  out += record.name;
  if (large.empty()) return out;
  put16(out, kExtra64);
  put16(out, large.size());
  return out + large;
}

std::vector<PlacedBytes> ZipWriter::finish_in_places() && {
  const uint64_t directory_offset = position_;
  std::string directory;
  for (const Record& record : records_) directory += central_record(record);
  const uint64_t directory_size = directory.size();
  const uint64_t count = records_.size();
  append(Bytes::from(std::move(directory)));

  std::string end;
  if (count >= kSee64In16 || is_large(directory_offset) || is_large(directory_size)) {
    put32(end, kEnd64Signature);
    put64(end, kEnd64Size - 12);  // size of the rest of this record
    put16(end, kMadeByUnix);
    put16(end, kVersion64);
    put32(end, 0);
    put32(end, 0);
    put64(end, count);
    put64(end, count);
    put64(end, directory_size);
    put64(end, directory_offset);
    put32(end, kLocator64Signature);
    put32(end, 0);
    put64(end, directory_offset + directory_size);
    put32(end, 1);  // parts
  }
  const uint64_t small_count = count >= kSee64In16 ? kSee64In16 : count;
  put32(end, kEndSignature);
  put16(end, 0);
  put16(end, 0);
  put16(end, small_count);
  put16(end, small_count);
  put32(end, or_see64(directory_size));
  put32(end, or_see64(directory_offset));
  put16(end, 0);  // comment
  append(Bytes::from(std::move(end)));
  return std::move(pieces_);
}

Chunks ZipWriter::finish() && {
  Chunks chunks;
  for (PlacedBytes& piece : std::move(*this).finish_in_places()) chunks.push_back(std::move(piece.data));
  return chunks;
}

}  // namespace sunmao::io
