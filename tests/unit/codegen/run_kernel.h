// Compiles functions, loads the image with the runtime's loader, and calls its kernels.
#pragma once
#include <atomic>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "abi/kernel.h"
#include "codegen/kernels.h"
#include "loop/builder.h"
#include "passes/schedule/lower_kernel.h"
#include "runtime/code_image.h"
#include "support/diagnostic.h"
#include "target/target.h"

namespace sunmao::testing {

/// A host for kernels, which runs a parallel loop on `threads` new threads.
struct Host {
  sunmao_context context{};
  std::string message;
  std::atomic<int> parallel_loops = 0;
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  std::vector<std::vector<Line>> scratch;  // of the caller, and of each thread of a parallel loop

  explicit Host(uint32_t threads = 1) {
    context.abi_version = SUNMAO_KERNEL_ABI;
    context.num_threads = threads;
    context.host = this;
    scratch.assign(threads + 1, std::vector<Line>((1 << 20) / sizeof(Line)));
    context.scratch = scratch[0].data();
    context.fail = [](sunmao_context* c, const char* text) {
      static_cast<Host*>(c->host)->message = text;
      return 7;
    };
    context.parallel_ranges = [](sunmao_context* c, sunmao_range_body body, void* closure, int64_t count) {
      auto* host = static_cast<Host*>(c->host);
      ++host->parallel_loops;
      std::atomic<int64_t> next = 0;
      std::atomic<int> status = 0;
      std::vector<std::thread> threads_;
      for (uint32_t t = 0; t < c->num_threads; ++t)
        threads_.emplace_back([&, t, own = *c]() mutable {
          own.num_threads = 1;
          own.scratch = host->scratch[t + 1].data();
          for (int64_t i = next++; i < count; i = next++)
            if (int s = body(closure, i, i + 1, &own)) status = s;
        });
      for (std::thread& t : threads_) t.join();
      return status.load();
    };
  }
};

class Program {
 public:
  explicit Program(const Ref<PrimFunc>& lowered, const Target& target = Target::host()) {
    const std::vector<Kernel> kernels{{"kernel", lowered}};
    image = compile_kernels(kernels, target);
    auto loaded = runtime::CodeImage::load(image.elf, 1, {});
    SUNMAO_CHECK(loaded.ok(), "{}", loaded.status().to_string());
    code_ = loaded.take();
  }
  int operator()(std::vector<void*> buffers, std::vector<int64_t> dims = {}, Host* host = nullptr) const {
    Host own;
    dims.push_back(0);
    return code_->kernels()[0](buffers.data(), dims.data(), &(host ? host : &own)->context);
  }
  CodeImage image;

 private:
  std::shared_ptr<const runtime::CodeImage> code_;
};

inline Type tensor(std::vector<Scalar> dims, DType dtype = DType::float_(32)) {
  return TensorType::make(std::move(dims), dtype);
}
inline Type tensor(std::initializer_list<int64_t> dims, DType dtype = DType::float_(32)) {
  std::vector<Scalar> shape;
  for (int64_t d : dims) shape.push_back(int_imm(d));
  return TensorType::make(std::move(shape), dtype);
}

inline std::vector<float> random_floats(int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<size_t>(std::max<int64_t>(1, count)));
  for (float& v : values) v = uniform(random);
  return values;
}

}  // namespace sunmao::testing
