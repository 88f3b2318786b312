#include "runtime/program.h"

#include <algorithm>
#include <cstring>

#include "io/concat.h"

namespace sunmao::runtime {
namespace {

using io::concat;
using io::Status;

constexpr const char* kDamagedProgram = "the file is damaged or was not written by Sunmao; compile the model again";

Status bad_section(const char* name) {
  return Status::error("E0854", concat("program: section `", name, "` does not lie inside the file"), kDamagedProgram);
}

/// Takes a table of `count` records at `offset`; false when it is misaligned or not inside the file.
template <class T>
bool take_section(std::span<const std::byte> file, uint32_t offset, uint32_t count, std::span<const T>& out) {
  const uint64_t bytes = uint64_t{count} * sizeof(T);
  if (offset % alignof(T) != 0 || offset > file.size() || bytes > file.size() - offset) return false;
  out = {reinterpret_cast<const T*>(file.data() + offset), count};
  return true;
}

Status check_header(const abi::ProgramHeader& header, size_t size) {
  if (header.magic != abi::kBytecodeMagic)
    return Status::error("E0854", "program: this is no Sunmao bytecode (wrong magic number)", kDamagedProgram);
  if (header.version < abi::kOldestBytecodeVersion || header.version > abi::kBytecodeVersion)
    return Status::error("E0851",
                         concat("program: bytecode version ", header.version, ", this runtime reads versions ",
                                abi::kOldestBytecodeVersion, " to ", abi::kBytecodeVersion),
                         "compile the model with the Sunmao that this runtime belongs to");
  if (header.file_size != size)
    return Status::error("E0854", concat("program: the file has ", size, " bytes, its header says ", header.file_size),
                         kDamagedProgram);
  return {};
}

/// Finds the words of each kernel that say which buffers it writes.
Status place_written(const abi::ProgramHeader& header, ProgramTables& t) {
  constexpr uint32_t kFirstThatSays = 8;
  if (header.version < kFirstThatSays) return {};
  uint64_t next = 0;
  for (const abi::KernelRecord& kernel : t.kernels) {
    t.first_written.push_back(static_cast<uint32_t>(next));
    next += abi::written_words(kernel);
    if (next > t.written.size()) break;
  }
  if (next == t.written.size()) return {};
  return Status::error("E0854", "program: section `written` does not say of each kernel which buffers it writes",
                       kDamagedProgram);
}

}  // namespace

io::Result<Program> Program::read(std::span<const std::byte> file) {
  if (file.size() < abi::kHeaderBytesOfVersion2 || file.size() > UINT32_MAX)
    return Status::error("E0854", concat("program: ", file.size(), " bytes cannot be a program"), kDamagedProgram);
  const auto memory = std::make_shared<const std::vector<std::byte>>(file.begin(), file.end());
  abi::ProgramHeader header = {};
  std::memcpy(&header, memory->data(), abi::kHeaderBytesOfVersion2);
  SUNMAO_TRY(check_header(header, file.size()));
  if (file.size() < abi::header_bytes(header.version))
    return Status::error("E0854", concat("program: ", file.size(), " bytes cannot be a program"), kDamagedProgram);
  std::memcpy(&header, memory->data(), abi::header_bytes(header.version));

  Program program;
  ProgramTables& t = program.tables_;
  const std::span<const std::byte> bytes(*memory);
  std::span<const char> strings;
  if (!take_section(bytes, header.function_offset, header.function_count, t.functions)) return bad_section("functions");
  if (!take_section(bytes, header.value_offset, header.value_count, t.values)) return bad_section("values");
  if (!take_section(bytes, header.weight_offset, header.weight_count, t.weights)) return bad_section("weights");
  if (!take_section(bytes, header.state_offset, header.state_count, t.states)) return bad_section("states");
  if (!take_section(bytes, header.kernel_offset, header.kernel_count, t.kernels)) return bad_section("kernels");
  if (!take_section(bytes, header.written_offset, header.written_count, t.written)) return bad_section("written");
  if (!take_section(bytes, header.dim_offset, header.dim_count, t.dims)) return bad_section("dims");
  if (!take_section(bytes, header.word_offset, header.word_count, t.words)) return bad_section("words");
  if (!take_section(bytes, header.string_offset, header.string_size, strings)) return bad_section("strings");
  t.strings = {strings.data(), strings.size()};
  SUNMAO_TRY(place_written(header, t));
  if (header.inner_function_count > header.function_count)
    return Status::error(
        "E0854", concat("program: ", header.inner_function_count, " inner functions of ", header.function_count),
        kDamagedProgram);
  t.first_inner = header.function_count - header.inner_function_count;
  program.memory_ = memory;
  SUNMAO_TRY(verify_program(t));
  return program;
}

FunctionView Program::function(size_t index) const {
  const abi::FunctionRecord& f = tables_.functions[index];
  return {
      tables_.text(f.name), tables_.params(f),  tables_.results(f), tables_.words.subspan(f.first_word, f.word_count),
      f.dim_registers,      f.tensor_registers, f.storage_slots,    index >= tables_.first_inner};
}

}  // namespace sunmao::runtime
