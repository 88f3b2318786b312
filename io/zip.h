// Zip archives of stored entries, read in place and written in aligned pieces. Compressed entries are not supported.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

struct ZipEntry {
  std::string name;   // relative, without `..`, unique in the archive
  uint64_t offset;    // offset of the data in the archive
  uint64_t size;      // bytes in the archive
  uint32_t crc32;     // of the data
  uint16_t method;    // 0: stored; any other can be listed but not read
  bool is_encrypted;  // can be listed but not read
};

/// Reads the central directory and the local header of each entry, and treats both as untrusted: checks that records
/// lie inside the file, entries do not overlap, and names are plain and unique. Folder entries (`a/`) are omitted.
class ZipReader {
 public:
  static Result<ZipReader> open(Bytes archive);

  /// Returns the entries in the order of the central directory.
  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Returns the data of a stored entry in place, without checking the checksum.
  Result<Bytes> read(std::string_view name) const;
  Result<Bytes> read(const ZipEntry& entry) const;
  /// Reads the data and verifies the checksum.
  Status check(const ZipEntry& entry) const;

 private:
  Status sort_names();

  Bytes archive_;
  std::vector<ZipEntry> entries_;
  std::vector<uint32_t> by_name_;  // indices of entries_, sorted by name
};

/// Collects stored entries. The archive is deterministic: it depends only on the order, names, data and alignments of
/// the entries.
class ZipWriter {
 public:
  /// `alignment` of the data in the archive: a power of two up to 16384.
  Status add(std::string name, Chunks data, uint32_t alignment = 64);
  Status add(std::string name, std::string_view text, uint32_t alignment = 64);
  /// Adds an entry whose data the caller writes at the offset that is returned.
  Result<uint64_t> add_elsewhere(std::string name, uint64_t size, uint32_t crc32, uint32_t alignment = 64);
  /// Returns the archive, for write_file_atomically. Data passed to `add` is included by reference. Every entry must
  /// have its data.
  Chunks finish() &&;
  /// Returns the archive without the data that is written elsewhere.
  std::vector<PlacedBytes> finish_in_places() &&;

 private:
  struct Record {
    std::string name;
    uint64_t header_offset;
    uint64_t size;
    uint32_t crc32;
  };
  void append(Bytes bytes);
  static std::string central_record(const Record& record);

  std::vector<PlacedBytes> pieces_;
  uint64_t position_ = 0;
  std::vector<Record> records_;
  std::unordered_set<std::string> names_;
};

}  // namespace sunmao::io
