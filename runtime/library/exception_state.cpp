// Two parts of the C++ library that libsunmao_runtime.so, which contains that library, has instead of the usual ones.
// Nothing else of the tree links this file.
#include <cxxabi.h>

#include <cstdlib>
#include <exception>

namespace __cxxabiv1 {

/// What a thread knows of exceptions under way, as the C++ ABI lays it out.
struct __cxa_eh_globals {
  void* caught;
  unsigned int uncaught;
};

namespace {
// Where a library is loaded as a plug-in, the usual one lies in memory that a thread allocates when it throws for the
// first time; where that is missing, the C library ends the process. With this model it is part of each thread.
__attribute__((tls_model("initial-exec"))) thread_local __cxa_eh_globals exceptions_of_thread = {};
}  // namespace

extern "C" __cxa_eh_globals* __cxa_get_globals() noexcept { return &exceptions_of_thread; }
extern "C" __cxa_eh_globals* __cxa_get_globals_fast() noexcept { return &exceptions_of_thread; }

/// The usual one prints the type of the exception, for which the library would contain a demangler.
extern std::terminate_handler __terminate_handler;
std::terminate_handler __terminate_handler = std::abort;

}  // namespace __cxxabiv1
