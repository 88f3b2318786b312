# Sets `llvm_libraries` to what LLVM is linked with statically: its archives for this processor, and what they need. LLD
# initialises every target of LLVM, and knows of LLVM's extension Polly, for the optimisation at link time, which is not
# used: functions that do nothing stand for what is left out.
function(sunmao_llvm_config out)
  execute_process(COMMAND ${SUNMAO_LLVM_ROOT}/bin/llvm-config --link-static ${ARGN} OUTPUT_VARIABLE words
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(words)
  set(${out} ${words} PARENT_SCOPE)
endfunction()

sunmao_llvm_config(llvm_archives --libfiles passes lto option x86)
list(FILTER llvm_archives EXCLUDE REGEX "/libPolly[A-Za-z]*\\.a$")
sunmao_llvm_config(left_out --targets-built)
list(REMOVE_ITEM left_out X86)
set(stubs "void _Z18getPollyPluginInfov(void);\nvoid _Z18getPollyPluginInfov(void) { __builtin_trap(); }\n")
foreach(target ${left_out})
  foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser)
    string(APPEND stubs "void LLVMInitialize${target}${part}(void);\nvoid LLVMInitialize${target}${part}(void) {}\n")
  endforeach()
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/llvm_targets_left_out.c CONTENT "${stubs}" @ONLY)
add_library(sunmao_llvm_targets_left_out STATIC ${CMAKE_BINARY_DIR}/generated/llvm_targets_left_out.c)

find_library(ZSTD_STATIC_LIBRARY libzstd.a REQUIRED)
set(llvm_libraries sunmao_llvm_targets_left_out ${llvm_archives} ZLIB::ZLIB ${ZSTD_STATIC_LIBRARY})
