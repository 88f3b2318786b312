// Fuzzes the protobuf reader: reads any bytes as a message, and each length-delimited field both as a nested message
// and as packed numbers.
#include "io/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

void walk(sunmao::io::ProtobufReader reader, int levels) {
  for (sunmao::io::ProtobufField field; reader.next(field);) {
    std::vector<int64_t> integers;
    std::vector<float> floats;
    std::vector<double> doubles;
    static_cast<void>(append_varints(field, integers));
    static_cast<void>(append_floats(field, floats));
    static_cast<void>(append_doubles(field, doubles));
    if (levels > 0) walk(reader.nested(field), levels - 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  walk(sunmao::io::ProtobufReader(std::as_bytes(std::span(data, size))), 4);
  return 0;
}
