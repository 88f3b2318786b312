// Runs a compiled model on rows of numbers: embed model.sunmao x.raw y.raw
//
// x.raw has the raw float32 elements of the input, as many rows as there are; y.raw gets those of the output.
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sunmao/sunmao.hpp>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: embed model.sunmao x.raw y.raw\n");
    return 2;
  }
  try {
    const sunmao::Model model = sunmao::Model::load(argv[1]);
    sunmao::Session session(model);

    std::ifstream file(argv[2], std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<float> x(bytes.size() / sizeof(float));
    std::memcpy(x.data(), bytes.data(), x.size() * sizeof(float));

    // The first dimension is symbolic: it is as large as the caller likes.
    const int64_t columns = model.signature().input(0).shape()[1].size;
    const int64_t rows = static_cast<int64_t>(x.size()) / columns;
    sunmao::Tensor y;  // becomes a view of memory of the session
    session.run({sunmao::Tensor(x.data(), {rows, columns})}, y);

    std::printf("%s:", model.signature().name());
    for (const int64_t size : y.shape()) std::printf(" %lld", static_cast<long long>(size));
    std::printf("\n");
    std::ofstream(argv[3], std::ios::binary)
        .write(static_cast<const char*>(y.data()), static_cast<std::streamsize>(y.bytes()));
  } catch (const sunmao::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    if (*error.help()) std::fprintf(stderr, "  help: %s\n", error.help());
    return 1;
  }
  return 0;
}
