// Fuzzes the artifact loader: any bytes are rejected, or give a model that can be inspected. Models are not run, since
// code whose digests are valid is trusted.
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "sunmao/runtime.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const uint32_t without_code : {0u, 1u}) {
    sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
    options.verify_weights = 1;
    options.without_code = without_code;
    sunmao_model* model = nullptr;
    sunmao_error error = {};
    if (sunmao_load_memory(data, size, &options, &model, &error) != 0) {
      if (error.code[0] != 'E' || error.message[0] == '\0') __builtin_trap();
      continue;
    }
    for (size_t f = 0; f < sunmao_function_count(model); ++f) {
      sunmao_value_info info = {};
      for (size_t i = 0; sunmao_input_info(model, f, i, &info) == 0; ++i)
        if (info.ndim > 64) __builtin_trap();
    }
    char* text = nullptr;
    if (sunmao_model_disassemble(model, &text, nullptr) == 0) sunmao_string_free(text);
    sunmao_model_free(model);
  }
  return 0;
}
