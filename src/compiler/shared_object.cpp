#include "compiler/shared_object.h"

#include "compiler/object_header.h"
#include "compiler/runtime_handles.h"
#include "compiler/runtime_object.h"
#include "support/diagnostic.h"

namespace sunmao {

void check_object_name(const std::string& file_name) {
  if (runtime_object().empty())
    fail("E1009", {}, "the model cannot become a shared object: this compiler was built without the runtime to put in",
         "build it without sanitizers");
  static_cast<void>(object_prefix(file_name));
}

SharedObjectFiles make_shared_object(const io::Bytes& artifact, const std::string& file_name) {
  check_object_name(file_name);
  const std::string prefix = object_prefix(file_name);
  sunmao_load_options options = SUNMAO_LOAD_OPTIONS_INIT;
  options.without_code = 1;
  const ModelHandle model = load_model(artifact, options);
  const std::vector<ObjectEntry> entries = object_entries(model.get(), prefix);
  SharedObject object{.file_name = file_name,
                      .artifact = artifact.span(),
                      .runtime = runtime_object(),
                      .aliases = object_aliases(prefix),
                      .functions = {}};
  for (const ObjectEntry& entry : entries) object.functions.push_back(entry.function);
  return {io::Bytes::from(link_shared_object(object)), object_header(file_name, prefix, entries)};
}

}  // namespace sunmao
