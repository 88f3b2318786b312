#include <algorithm>
#include <numeric>
#include <optional>

#include "io/concat.h"
#include "io/crc32.h"
#include "io/zip.h"
#include "io/zip_format.h"

namespace sunmao::io {

using namespace zip_format;

namespace {

struct Directory {
  uint64_t offset;
  uint64_t size;
  uint64_t count;
};

struct CentralRecord {
  ZipEntry entry;
  uint64_t header_offset;
  uint64_t unpacked_size;
};

/// The byte range of an entry in the archive, including its header.
struct Extent {
  uint64_t begin;
  uint64_t end;
};

Status damaged(std::string message) {
  return Status::error("E0811", "zip: " + std::move(message), "the file is damaged; get or make it anew");
}

/// Finds the end record: the last one whose comment extends to the end of the file.
std::optional<size_t> find_end(std::span<const std::byte> data) {
  if (data.size() < kEndSize) return std::nullopt;
  const size_t last = data.size() - kEndSize;
  const size_t first = last - std::min(last, kLongestComment);
  for (size_t at = last + 1; at-- > first;) {
    if (get32(data, at) == kEndSignature && get16(data, at + 20) == last - at) return at;
  }
  return std::nullopt;
}

/// True when a 32-bit field of the end record is consistent with the 64-bit one.
bool agrees(uint64_t small, uint64_t sentinel, uint64_t large) { return small == sentinel || small == large; }

/// Replaces the values of the end record at `limit` by those of the 64-bit records before it, if present. `limit`
/// becomes the position where the directory must end.
Status read_end64(std::span<const std::byte> data, uint64_t& limit, Directory& directory) {
  if (limit < kLocator64Size || get32(data, limit - kLocator64Size) != kLocator64Signature) return {};
  const uint64_t locator = limit - kLocator64Size;
  const uint64_t at = get64(data, locator + 8);
  if (locator < kEnd64Size || at > locator - kEnd64Size || get32(data, at) != kEnd64Signature) {
    return damaged("the 64-bit end record is not where its locator says");
  }
  if (get32(data, locator + 4) != 0 || get32(data, locator + 16) > 1 || get32(data, at + 16) != 0 ||
      get32(data, at + 20) != 0) {
    return Status::error("E0812", "zip: archives in several parts are not supported");
  }
  const Directory large = {get64(data, at + 48), get64(data, at + 40), get64(data, at + 32)};
  if (!agrees(directory.count, kSee64In16, large.count) || !agrees(directory.size, kSee64In32, large.size) ||
      !agrees(directory.offset, kSee64In32, large.offset) || get64(data, at + 24) != large.count) {
    return damaged("the two end records contradict each other");
  }
  limit = at;
  directory = large;
  return {};
}

Result<Directory> find_directory(std::span<const std::byte> data) {
  const std::optional<size_t> end = find_end(data);
  if (!end) {
    return Status::error("E0810", "not a zip archive, or its end is missing",
                         "a download or copy may have stopped early; compare the size with the original's");
  }
  if (get16(data, *end + 4) != 0 || get16(data, *end + 6) != 0 || get16(data, *end + 8) != get16(data, *end + 10)) {
    return Status::error("E0812", "zip: archives in several parts are not supported");
  }
  Directory directory = {get32(data, *end + 16), get32(data, *end + 12), get16(data, *end + 10)};
  uint64_t limit = *end;
  SUNMAO_TRY(read_end64(data, limit, directory));
  if (directory.offset > limit || directory.size > limit - directory.offset) {
    return damaged("the central directory lies outside the file");
  }
  if (directory.count > directory.size / kCentralSize) return damaged("more entries than the central directory holds");
  return directory;
}

/// Reads 64-bit values for the fields that refer to them, in the order of the format.
Status read_extra64(std::span<const std::byte> extra, CentralRecord& record) {
  uint64_t* wanted[3];
  size_t count = 0;
  for (uint64_t* field : {&record.unpacked_size, &record.entry.size, &record.header_offset}) {
    if (*field == kSee64In32) wanted[count++] = field;
  }
  if (count == 0) return {};
  while (extra.size() >= 4) {
    const size_t size = get16(extra, 2);
    if (size > extra.size() - 4) break;
    if (get16(extra, 0) == kExtra64 && size >= 8 * count) {
      for (size_t i = 0; i < count; ++i) *wanted[i] = get64(extra, 4 + 8 * i);
      return {};
    }
    extra = extra.subspan(4 + size);
  }
  return damaged(concat("entry ", quoted(record.entry.name), " lacks its 64-bit sizes"));
}

/// Reads the record at the front of `rest` and advances past it.
Result<CentralRecord> read_central(std::span<const std::byte>& rest) {
  if (rest.size() < kCentralSize || get32(rest, 0) != kCentralSignature) {
    return damaged("the central directory ends early");
  }
  const size_t name_size = get16(rest, 28), extra_size = get16(rest, 30), comment_size = get16(rest, 32);
  const size_t size = kCentralSize + name_size + extra_size + comment_size;
  if (size > rest.size()) return damaged("the central directory ends early");

  CentralRecord record;
  record.entry.name = Bytes::borrowed(rest.subspan(kCentralSize, name_size)).text();
  record.entry.offset = 0;
  record.entry.size = get32(rest, 20);
  record.entry.crc32 = get32(rest, 16);
  record.entry.method = get16(rest, 10);
  record.entry.is_encrypted = (get16(rest, 8) & kFlagEncrypted) != 0;
  record.unpacked_size = get32(rest, 24);
  record.header_offset = get32(rest, 42);
  SUNMAO_TRY(read_extra64(rest.subspan(kCentralSize + name_size, extra_size), record));
  rest = rest.subspan(size);
  return record;
}

/// Locates the data: after the local header, its name (equal to the central one) and its extra field (whose length may
/// differ from the central one). The local header's other fields are not read.
Status locate_data(std::span<const std::byte> data, uint64_t limit, CentralRecord& record) {
  ZipEntry& entry = record.entry;
  if (limit < kLocalSize || record.header_offset > limit - kLocalSize ||
      get32(data, record.header_offset) != kLocalSignature) {
    return damaged(concat("entry ", quoted(entry.name), " has no header where the central directory says"));
  }
  const size_t name_size = get16(data, record.header_offset + 26);
  const uint64_t name_at = record.header_offset + kLocalSize;
  entry.offset = name_at + name_size + get16(data, record.header_offset + 28);
  if (entry.offset > limit || entry.size > limit - entry.offset) {
    return damaged(concat("entry ", quoted(entry.name), " reaches beyond the entries' part of the file"));
  }
  if (Bytes::borrowed(data.subspan(name_at, name_size)).text() != entry.name) {
    return damaged(concat("entry ", quoted(entry.name), " has another name in its own header"));
  }
  if (entry.method == 0 && entry.size != record.unpacked_size) {
    return damaged(concat("stored entry ", quoted(entry.name), " has two sizes"));
  }
  return {};
}

Status check_extents(std::vector<Extent> extents) {
  std::sort(extents.begin(), extents.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  for (size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].begin >= extents[i - 1].end) continue;
    return Status::error("E0815", concat("zip: two entries overlap at byte ", extents[i].begin));
  }
  return {};
}

}  // namespace

Result<ZipReader> ZipReader::open(Bytes archive) {
  const std::span<const std::byte> data = archive.span();
  const Result<Directory> directory = find_directory(data);
  if (!directory.ok()) return directory.status();

  ZipReader reader;
  std::vector<Extent> extents;
  reader.entries_.reserve(directory->count);
  extents.reserve(directory->count);
  std::span<const std::byte> rest = data.subspan(directory->offset, directory->size);
  for (uint64_t i = 0; i < directory->count; ++i) {
    Result<CentralRecord> record = read_central(rest);
    if (!record.ok()) return record.status();
    SUNMAO_TRY(check_name(record->entry.name));
    SUNMAO_TRY(locate_data(data, directory->offset, *record));
    extents.push_back({record->header_offset, record->entry.offset + record->entry.size});
    if (!record->entry.name.ends_with('/')) reader.entries_.push_back(std::move(record->entry));
  }
  SUNMAO_TRY(check_extents(std::move(extents)));
  SUNMAO_TRY(reader.sort_names());
  reader.archive_ = std::move(archive);
  return reader;
}

Status ZipReader::sort_names() {
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  const auto name = [&](uint32_t i) -> const std::string& { return entries_[i].name; };
  std::sort(by_name_.begin(), by_name_.end(), [&](uint32_t a, uint32_t b) { return name(a) < name(b); });
  const auto same = [&](uint32_t a, uint32_t b) { return name(a) == name(b); };
  const auto twice = std::adjacent_find(by_name_.begin(), by_name_.end(), same);
  if (twice == by_name_.end()) return {};
  return Status::error("E0814", concat("zip: two entries are named ", quoted(name(*twice))));
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  const auto found = std::lower_bound(by_name_.begin(), by_name_.end(), name,
                                      [&](uint32_t i, std::string_view wanted) { return entries_[i].name < wanted; });
  if (found == by_name_.end() || entries_[*found].name != name) return nullptr;
  return &entries_[*found];
}

Result<Bytes> ZipReader::read(std::string_view name) const {
  const ZipEntry* entry = find(name);
  if (entry == nullptr) return Status::error("E0816", concat("zip: no entry named ", quoted(name)));
  return read(*entry);
}

Result<Bytes> ZipReader::read(const ZipEntry& entry) const {
  if (entry.is_encrypted) {
    return Status::error("E0812", concat("zip: entry ", quoted(entry.name), " is encrypted"));
  }
  if (entry.method != 0) {
    return Status::error(
        "E0812",
        concat("zip: entry ", quoted(entry.name), " is compressed (method ", entry.method, "), expected stored"),
        "pack it again without compression: `zip -0`");
  }
  return archive_.slice(entry.offset, entry.size);
}

Status ZipReader::check(const ZipEntry& entry) const {
  const Result<Bytes> data = read(entry);
  if (!data.ok()) return data.status();
  if (crc32(data->span()) == entry.crc32) return {};
  return Status::error("E0817", concat("zip: the data of entry ", quoted(entry.name), " does not match its checksum"),
                       "the file is damaged; get or make it anew");
}

}  // namespace sunmao::io
