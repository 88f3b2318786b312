#include "codegen/c_library.h"

#include <link.h>

namespace sunmao {

std::vector<std::string> c_library() {
  std::vector<std::string> paths;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        const std::string path = info->dlpi_name, name = path.substr(path.rfind('/') + 1);
        for (const char* part : {"libc.so.", "libm.so.", "libpthread.so.", "libdl.so.", "librt.so.", "ld-linux"})
          if (name.starts_with(part)) static_cast<std::vector<std::string>*>(out)->push_back(path);
        return 0;
      },
      &paths);
  return paths;
}

}  // namespace sunmao
