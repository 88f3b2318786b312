// Uses all of sunmao/sunmao.hpp: use_header mlp.sunmao counter.sunmao folder x.raw y.raw
//
// mlp.sunmao has (n, 16) -> (n, 3), n from 1 to 64; counter.sunmao counts runs in the state `count`.
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sunmao/sunmao.hpp>
#if __cplusplus >= 202002L
#include <span>
#endif

static int failures = 0;

#define EXPECT(condition)                                                  \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                          \
    }                                                                      \
  } while (0)

namespace {

/// Returns the code of what `body` throws; empty when it throws nothing.
template <class Body>
std::string code_of(const Body& body) {
  try {
    body();
  } catch (const sunmao::Error& error) {
    EXPECT(std::strstr(error.what(), error.message()) != nullptr && error.message()[0] != '\0');
    return error.code();
  }
  return "";
}

std::vector<char> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void describe(const sunmao::Model& model) {
  EXPECT(model.function_count() == 1 && model.state_count() == 0 && !model.find_state("count"));
  EXPECT(model.isa()[0] == 'x' && model.threads() == 1);
  EXPECT(std::strstr(model.manifest(), "\"format\"") != nullptr &&
         model.disassemble().find("main") != std::string::npos);
  const sunmao::Signature main = model.signature();
  EXPECT(std::strcmp(main.name(), "main") == 0 && main.function() == 0);
  EXPECT(main.input_count() == 1 && main.output_count() == 1 && main.input_sizes(0).empty());
  const sunmao::Value x = main.input(0);
  EXPECT(std::strcmp(x.dtype_name, "float32") == 0 && x.shape().size() == 2);
  EXPECT(x.shape()[0].symbol != nullptr && x.shape()[0].maximum == 64 && x.shape()[1].size == 16);
  EXPECT(main.output(0).shape()[1].size == 3);
  const std::array<int64_t, 2> sizes = {8, 16};
  EXPECT(main.memory(sizes).arena_bytes >= main.memory(sizes).live_bytes);
  EXPECT(code_of([&] { main.input(1); }) == "E0901" && code_of([&] { main.output(1); }) == "E0901");
  EXPECT(code_of([&] { model.signature("mian"); }) == "E0901" && code_of([&] { model.signature_at(1); }) == "E0901");
  EXPECT(code_of([&] { model.state(0); }) == "E0901");
}

void run(sunmao::Session& session, std::vector<float>& x, const std::vector<float>& expected) {
  const auto rows = static_cast<int64_t>(x.size() / 16);
  const auto is_near = [&](sunmao::Span<const float> got) {
    bool near = got.size() == expected.size();
    for (size_t i = 0; near && i < got.size(); ++i)
      near = std::abs(got[i] - expected[i]) <= 1e-5f + 1e-4f * std::abs(expected[i]);
    return near;
  };
  const sunmao::Tensor input(x.data(), {rows, 16});

  sunmao::Tensor result;  // memory of the session
  session.run({input}, result);
  EXPECT(result.rank() == 2 && result.shape()[0] == rows && result.shape()[1] == 3);
  EXPECT(result.count() == expected.size() && result.bytes() == 4 * expected.size());
  EXPECT(is_near(result.elements<const float>()));
  EXPECT(code_of([&] { result.elements<int32_t>(); }) == "E0903");

  std::vector<float> y(expected.size());  // memory of the caller
  sunmao::Tensor own(y.data(), {rows, 3});
  session.run({input}, own, "main");
  EXPECT(own.data() == y.data() && is_near(y));

  const std::vector<sunmao::Tensor> inputs = {input};
  std::array<sunmao::Tensor, 1> outputs;
  session.run(inputs, outputs);
  EXPECT(is_near(outputs[0].elements<float>()));

  std::vector<sunmao::OwnedTensor> owned = session.run_owned(inputs, 1);
  EXPECT(is_near(owned.at(0).tensor().elements<float>()));
  DLManagedTensor* released = owned[0].release();
  EXPECT(is_near(sunmao::Tensor(released->dl_tensor).elements<float>()));
  released->deleter(released);

#if __cplusplus >= 202002L
  const std::span<const float> standard = sunmao::Span<const float>(y);
  EXPECT(is_near(standard) && is_near(std::span<float>(y)));
#endif
}

void fail(sunmao::Session& session, std::vector<float>& x) {
  sunmao::Tensor y;
  EXPECT(code_of([&] { session.run({sunmao::Tensor(x.data(), {1, 15})}, y); }) == "E0905");
  EXPECT(code_of([&] { session.run({sunmao::Tensor(x.data(), {16})}, y); }) == "E0904");
  EXPECT(code_of([&] { session.run({}, y); }) == "E0902");
  const std::vector<int64_t> many(65, 1);
  EXPECT(code_of([&] { session.run({sunmao::Tensor(x.data(), many)}, y); }) == "E0908");
  EXPECT(code_of([&] { session.run({sunmao::Tensor(x.data(), {1, 16})}, y, "mian"); }) == "E0901");
  session.set_stop([](void*) { return 1; });
  session.set_stop(nullptr);
  try {
    sunmao::Model::load("gone.sunmao");
    EXPECT(false);
  } catch (const std::exception& error) {
    EXPECT(std::strncmp(error.what(), "E0801: ", 7) == 0);
  }
  const sunmao::Error copied("E0905", "a message");
  EXPECT(std::strcmp(sunmao::Error(copied).what(), "E0905: a message") == 0 && copied.help()[0] == '\0');
}

void profile(sunmao::Session& session, std::vector<float>& x) {
  sunmao::Tensor y;
  EXPECT(code_of([&] { session.profile(); }) == "E0901");
  session.profile_start(16);
  session.run({sunmao::Tensor(x.data(), {1, 16})}, y);
  session.profile_stop();
  session.run({sunmao::Tensor(x.data(), {1, 16})}, y);
  EXPECT(session.profile().runs == 1 && session.profile().record_count > 0);
  EXPECT(session.profile_record(0).calls > 0 && session.profile_event(0).record >= -1);
  EXPECT(code_of([&] { session.profile_record(99); }) == "E0901");
  EXPECT(code_of([&] { session.profile_event(99); }) == "E0901");
}

void keep_state(const char* artifact, const std::string& file) {
  const sunmao::Model model = sunmao::Model::load(artifact);
  sunmao::Session session(model);
  const auto count_of = [](sunmao::Session& s) {
    sunmao::Tensor count;
    s.run({}, count);
    return count.elements<const float>()[0];
  };
  EXPECT(model.state_count() == 1 && model.find_state("count") == 0u);
  EXPECT(std::strcmp(model.state(0).name, "count") == 0);
  EXPECT(count_of(session) == 1 && count_of(session) == 2);
  session.save(file.c_str());
  sunmao::Session copy = session.copy();
  session.reset();
  EXPECT(count_of(session) == 1 && count_of(copy) == 3);
  session.load(file.c_str());
  EXPECT(count_of(session) == 3 && session.state(0).tensor().elements<float>()[0] == 3);
  const float given = 41;
  session.set_state(0, sunmao::Tensor(&given, {1}));
  EXPECT(count_of(session) == 42);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  static_assert(sunmao::dtype_of<const uint16_t>().code == kDLUInt && sunmao::dtype_of<bool>().bits == 8);
  static_assert(sizeof(sunmao::Span<int>) == 2 * sizeof(void*));
  EXPECT(std::strcmp(sunmao::version(), SUNMAO_VERSION) == 0);
  sunmao::set_threads(3);
  EXPECT(sunmao::threads() == 3);
  const auto floats = [](const char* path) {
    const std::vector<char> bytes = read(path);
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  };
  std::vector<float> x = floats(argv[4]);
  const std::vector<float> y = floats(argv[5]);
  try {
    sunmao::LoadOptions options;
    options.threads = 1;
    options.verify_weights = true;
    const sunmao::Model model = sunmao::Model::load(std::string(argv[1]), options);
    describe(model);
    sunmao::Session session(model);
    run(session, x, y);
    fail(session, x);
    profile(session, x);

    const std::vector<char> bytes = read(argv[1]);
    sunmao::Session second(sunmao::Model::load_memory(bytes.data(), bytes.size()));  // it keeps the model
    run(second, x, y);
    keep_state(argv[2], std::string(argv[3]) + "/state.safetensors");
    const std::string weights = std::string(argv[3]) + "/weights.safetensors";
    model.write_weights(weights.c_str());
    options.weights_path = weights.c_str();
    sunmao::Session third(sunmao::Model::load(argv[1], options));
    run(third, x, y);
  } catch (const sunmao::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return failures != 0;
}
