// Fuzzes the bytecode verifier: a program that it accepts can be disassembled and laid out for any shapes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "abi/bytecode.h"

#include "runtime/disassemble.h"
#include "runtime/layout.h"
#include "runtime/program.h"
#include "runtime/signature.h"

using namespace sunmao;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<uint8_t> bytes(data, data + size);
  // Writes the actual size into the header, so that inputs whose length was mutated pass the size check.
  if (size >= sizeof(abi::ProgramHeader)) {
    const auto file_size = static_cast<uint32_t>(size);
    std::memcpy(bytes.data() + offsetof(abi::ProgramHeader, file_size), &file_size, sizeof(file_size));
  }
  const io::Result<runtime::Program> program = runtime::Program::read(std::as_bytes(std::span<const uint8_t>(bytes)));
  if (!program.ok()) return 0;
  runtime::disassemble(*program);
  const std::vector<runtime::SignatureValue> states = runtime::describe_states(*program);
  for (size_t i = 0; i < program->function_count(); ++i) {
    const runtime::FunctionView function = program->function(i);
    const runtime::Signature signature = runtime::make_signature(program->tables(), function);
    if (function.is_host()) continue;
    std::vector<int64_t> shapes;
    for (size_t p = 0; p < function.params.size(); ++p) {
      const uint32_t input = signature.input_of_param[p], state = signature.state_of_param[p];
      if (input == abi::kNone && state == abi::kNone) continue;
      const runtime::SignatureValue& value = state == abi::kNone ? signature.inputs[input] : states[state];
      for (const sunmao_dim& dim : value.told()) shapes.push_back(dim.symbol ? 4 : dim.size);
    }
    const io::Result<runtime::Layout> layout = runtime::make_layout(program->tables(), function, shapes);
    if (layout.ok() && layout->results.size() != function.results.size()) __builtin_trap();
  }
  return 0;
}
