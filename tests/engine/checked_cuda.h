// Declarations that turn the CUDA sources of lane kernels into C++ for the host, and no others: a
// missing declaration does not compile, and so cannot mean something else than on a device.
//
// Every array knows its length, and an index outside of the array ends the launch. On a device the
// index would read or write other memory; Numba would count a negative index from the end.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "threads.h"

#define __global__
#define __device__

struct Index {
  unsigned x, y, z;
};

static Index threadIdx, blockIdx, gridDim;
static const Index blockDim = {32, 1, 1};

// The order in which the threads of a launch take turns: a device promises none.
enum Order { IN_ORDER, IN_REVERSE, MIXED };
static Order order;

// Called before a thread reads or writes memory: in the order MIXED, sometimes lets others run.
inline void access() {
  static unsigned random = 1;
  if (order != MIXED) return;
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  if (random % 4) return;
  Index thread = threadIdx;
  fibers::pause();
  threadIdx = thread;
}

struct Outside {};  // thrown for an index outside of its array

template <typename T, int ndim, bool c_contiguous, bool use_32bit_indexing>
struct CArray {
  static_assert(ndim == 1 && c_contiguous, "lane kernels take flat arrays");
  T* data;
  long long length;

  T& operator[](long long index) const {
    if (index < 0 || index >= length) throw Outside();
    access();
    return data[index];
  }
};

// On a device, operands of other types select other overloads. No kernel has such operands.
template <typename A, typename B>
void min(A, B) = delete;
template <typename A, typename B>
void max(A, B) = delete;
template <typename A, typename B>
void _floor_divide(A, B) = delete;

inline long long min(long long a, long long b) { return b < a ? b : a; }
inline long long max(long long a, long long b) { return a < b ? b : a; }
inline float min(float a, float b) { return b < a ? b : a; }
using std::isnan;

// An argument of a launch as the test passes it; it converts to the type of the parameter.
struct Argument {
  void* data;        // an array's
  long long number;  // the length of an array, or the integer

  operator long long() const { return number; }

  template <typename T, int ndim, bool c_contiguous, bool use_32bit_indexing>
  operator CArray<T, ndim, c_contiguous, use_32bit_indexing>() const {
    return {static_cast<T*>(data), number};
  }
};

// Threads that wait for one another: a block is a warp.
#define __shared__ static

inline void host_wait(bool whole_block) {
  Index thread = threadIdx;
  fibers::wait(whole_block);
  threadIdx = thread;
}

inline void __syncthreads() { host_wait(true); }
inline void __syncwarp() { host_wait(false); }

inline long long host_shuffle(unsigned threads, long long value, int from, int width) {
  static long long values[32];
  if (threads != 0xffffffff || width != 32) abort();  // kernels shuffle whole warps alone
  values[threadIdx.x] = value;
  host_wait(false);
  if (from >= 0 && from < 32) value = values[from];
  host_wait(false);
  return value;
}

template <typename T>
void __shfl_sync(unsigned, T, int, int = 32) = delete;
template <typename T>
void __shfl_xor_sync(unsigned, T, int, int = 32) = delete;
template <typename T>
void __shfl_up_sync(unsigned, T, unsigned, int = 32) = delete;

inline long long __shfl_sync(unsigned threads, long long value, int from, int width = 32) {
  return host_shuffle(threads, value, from % 32u, width);
}
inline long long __shfl_xor_sync(unsigned threads, long long value, int bits, int width = 32) {
  return host_shuffle(threads, value, threadIdx.x ^ bits, width);
}
inline double __shfl_xor_sync(unsigned threads, double value, int bits, int width = 32) {
  long long as_bits;
  memcpy(&as_bits, &value, sizeof value);
  as_bits = host_shuffle(threads, as_bits, threadIdx.x ^ bits, width);
  memcpy(&value, &as_bits, sizeof value);
  return value;
}
inline long long __shfl_up_sync(unsigned threads, long long value, unsigned by, int width = 32) {
  return host_shuffle(threads, value, threadIdx.x - by, width);
}

// The threads run one at a time.
inline int atomicAdd(int* at, int value) { return std::exchange(*at, *at + value); }
inline int atomicMin(int* at, int value) { return std::exchange(*at, std::min(*at, value)); }
inline int atomicMax(int* at, int value) { return std::exchange(*at, std::max(*at, value)); }
inline int atomicCAS(int* at, int expected, int value) {
  return std::exchange(*at, *at == expected ? value : *at);
}
inline long long atomicMin(long long* at, long long value) {
  return std::exchange(*at, std::min(*at, value));
}
inline long long atomicMax(long long* at, long long value) {
  return std::exchange(*at, std::max(*at, value));
}

// Runs threads, rounded up to whole blocks, in the wanted order. Returns the number of the first
// thread with an index outside of an array, or -1.
template <typename Thread>
long long launch(long long threads, int wanted, Thread thread) {
  order = static_cast<Order>(wanted);
  bool backwards = order == IN_REVERSE;
  long long blocks = (threads + blockDim.x - 1) / blockDim.x, outside = -1;
  gridDim = {static_cast<unsigned>(blocks), 1, 1};
  for (long long turn = 0; turn < blocks && outside < 0; ++turn) {
    blockIdx = {static_cast<unsigned>(backwards ? blocks - 1 - turn : turn), 0, 0};
    fibers::run_block(blockDim.x, backwards, [&](unsigned number) {
      threadIdx = {number, 0, 0};
      try {
        thread();
        return true;
      } catch (Outside) {
        outside = static_cast<long long>(blockIdx.x) * blockDim.x + number;
        return false;
      }
    });
  }
  return outside;
}
