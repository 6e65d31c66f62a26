// Makes CUDA C++ C++ of the host: stands before every source that `driver.cpp` compiles.
//
// A block's threads run one after the other on the thread of the host that launches them. If they
// wait for one another, each has a stack of its own, and the driver turns from one to the next.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <utility>

#define __host__
#define __device__
#define __global__
#define __constant__ static
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
};

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;

// A launch, as the driver asks for it.
struct HostLaunch {
  dim3 grid, block;
  void** parameters;
  bool backwards;  // threads from the last to the first
};

// Whether threads wait for one another. The driver reads it from the compiled source.
extern "C" {
bool host_waits = false;
}

// Defined by the driver: runs `thread(number, context)` for all threads of a block, which may wait.
extern "C" void host_cuda_block(unsigned threads, void (*thread)(unsigned, void*), void* context);
extern "C" void host_cuda_wait(bool whole_block);
extern "C" unsigned char* host_cuda_shuffle();  // 8 bytes for each thread of the block

// Defined by the driver, called if HOST_STEPS is set, to count steps: a thread begins, or ends.
extern "C" void host_cuda_begins();
extern "C" void host_cuda_ends();

// Shared memory whose size the launch gives.
extern "C" char host_cuda_dynamic[];

inline void host_wait(bool whole_block) {
  uint3 thread = threadIdx;
  host_cuda_wait(whole_block);
  threadIdx = thread;
}

inline void __syncthreads() { host_wait(true); }
inline void __syncwarp(unsigned = 0xffffffff) { host_wait(false); }
inline void __threadfence() {}

template <typename T>
T host_shuffle(T value, int from, bool valid) {
  static_assert(sizeof(T) <= 8);
  unsigned char* values = host_cuda_shuffle();
  std::memcpy(values + 8 * threadIdx.x, &value, sizeof(T));
  host_wait(false);
  if (valid) std::memcpy(&value, values + 8 * (threadIdx.x / 32 * 32 + from), sizeof(T));
  host_wait(false);
  return value;
}

template <typename T>
T __shfl_sync(unsigned, T value, int from, int = 32) {
  return host_shuffle(value, from % 32u, true);
}

template <typename T>
T __shfl_xor_sync(unsigned, T value, int mask, int = 32) {
  return host_shuffle(value, int(threadIdx.x % 32) ^ mask, true);
}

template <typename T>
T __shfl_up_sync(unsigned, T value, unsigned delta, int = 32) {
  int from = int(threadIdx.x % 32) - int(delta);
  return host_shuffle(value, from, from >= 0);
}

inline int __popc(unsigned value) { return __builtin_popcount(value); }
inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
inline int __clzll(long long value) { return value ? __builtin_clzll(value) : 64; }

template <typename T>
T __ldg(const T* address) {
  return *address;
}

// The threads run one at a time.
template <typename T>
T atomicAdd(T* address, T value) {
  T old = *address;
  *address += value;
  return old;
}

template <typename T>
T atomicMin(T* address, T value) {
  T old = *address;
  if (value < old) *address = value;
  return old;
}

template <typename T>
T atomicMax(T* address, T value) {
  T old = *address;
  if (old < value) *address = value;
  return old;
}

template <typename T>
T atomicCAS(T* address, T compare, T value) {
  T old = *address;
  if (old == compare) *address = value;
  return old;
}

inline int __float_as_int(float value) {
  int bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline float __int_as_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline long long __double_as_longlong(double value) {
  long long bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double __longlong_as_double(long long bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename A, typename B>
inline auto min(A a, B b) {
  return b < a ? b : a;
}
template <typename A, typename B>
inline auto max(A a, B b) {
  return a < b ? b : a;
}
using std::isfinite;
using std::isinf;
using std::isnan;
using std::signbit;

// A kernel for the driver: its name, the sizes of its parameters, and its launching function.
struct HostKernel {
  const char* name;
  int parameters;
  const size_t* sizes;
  void (*launch)(const HostLaunch&);
};

template <auto kernel>
struct HostKernelOf;

template <typename... Parameters, void (*kernel)(Parameters...)>
struct HostKernelOf<kernel> {
  static constexpr size_t sizes[] = {sizeof(Parameters)..., 0};

  template <size_t... At>
  static void call(void** parameters, std::index_sequence<At...>) {
    kernel(*static_cast<std::remove_cv_t<Parameters>*>(parameters[At])...);
  }

  static void thread(unsigned number, void* parameters) {
    threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y,
                 number / blockDim.x / blockDim.y};
    if (HOST_STEPS) host_cuda_begins();
    call(static_cast<void**>(parameters), std::index_sequence_for<Parameters...>());
    if (HOST_STEPS) host_cuda_ends();
  }

  static void block(const HostLaunch& launch) {
    unsigned threads = blockDim.x * blockDim.y * blockDim.z;
    if (host_waits) return host_cuda_block(threads, thread, launch.parameters);
    for (unsigned turn = 0; turn < threads; ++turn)
      thread(launch.backwards ? threads - 1 - turn : turn, launch.parameters);
  }

  static void launch(const HostLaunch& launch) {
    gridDim = launch.grid;
    blockDim = launch.block;
    unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    for (unsigned turn = 0; turn < blocks; ++turn) {
      unsigned number = launch.backwards ? blocks - 1 - turn : turn;
      blockIdx = {number % gridDim.x, number / gridDim.x % gridDim.y,
                  number / gridDim.x / gridDim.y};
      block(launch);
    }
  }

  static HostKernel made(const char* name) { return {name, sizeof...(Parameters), sizes, launch}; }
};
