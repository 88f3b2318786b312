#include "compiler/runtime_object.h"

#ifdef SUNMAO_RUNTIME_OBJECT  // the path of the file, which cmake/SunmaoRuntimeObject.cmake makes

asm(".pushsection .rodata.sunmao_runtime_object, \"a\"\n"
    ".balign 64\n"
    "sunmao_runtime_object_begin:\n"
    ".incbin \"" SUNMAO_RUNTIME_OBJECT
    "\"\n"
    "sunmao_runtime_object_end:\n"
    ".popsection\n");

extern "C" const std::byte sunmao_runtime_object_begin[], sunmao_runtime_object_end[];

std::span<const std::byte> sunmao::runtime_object() { return {sunmao_runtime_object_begin, sunmao_runtime_object_end}; }

#else

std::span<const std::byte> sunmao::runtime_object() { return {}; }

#endif
