// What the CUDA sources of lane kernels need to be C++ for the host, and no more: what is missing
// here does not compile, and so cannot mean something else than on a device.
//
// Every array knows its length, and an index outside of it ends the launch. On a device such an
// index would read or write other memory; Numba would count it from the end if it is negative.

#include <pthread.h>

#include <thread>
#include <vector>

#define __global__
#define __device__

struct Index {
  unsigned x, y, z;
};

static thread_local Index threadIdx;
static Index blockIdx, gridDim;
static const Index blockDim = {32, 1, 1};

struct Outside {};  // thrown at an index outside of its array

template <typename T, int ndim, bool c_contiguous, bool use_32bit_indexing>
struct CArray {
  static_assert(ndim == 1 && c_contiguous, "lane kernels take flat arrays");
  T* data;
  long long length;

  T& operator[](long long index) const {
    if (index < 0 || index >= length) throw Outside();
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

// An argument of a launch as the test passes it; it becomes what the kernel's parameter is.
struct Argument {
  void* data;        // of an array
  long long number;  // the length of an array, or the integer

  operator long long() const { return number; }

  template <typename T, int ndim, bool c_contiguous, bool use_32bit_indexing>
  operator CArray<T, ndim, c_contiguous, use_32bit_indexing>() const {
    return {static_cast<T*>(data), number};
  }
};

// A block whose threads wait for one another, each a thread of the host.
#define __shared__ static
static pthread_barrier_t everyone;

inline void __syncthreads() { pthread_barrier_wait(&everyone); }

template <typename Thread>
void launch_block(Thread thread) {
  pthread_barrier_init(&everyone, nullptr, blockDim.x);
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < blockDim.x; ++number) {
    threads.emplace_back([=] {
      threadIdx = {number, 0, 0};
      thread();
    });
  }
  for (auto& started : threads) started.join();
  pthread_barrier_destroy(&everyone);
}

// Runs the threads of a grid that covers the lanes, one after the other: on a device they run in
// any order. Returns the first lane that left an array, or -1.
template <typename Thread>
long long launch(long long lanes, bool backwards, Thread thread) {
  long long blocks = (lanes + blockDim.x - 1) / blockDim.x, threads = blocks * blockDim.x;
  gridDim = {static_cast<unsigned>(blocks), 1, 1};
  for (long long turn = 0; turn < threads; ++turn) {
    long long number = backwards ? threads - 1 - turn : turn;
    blockIdx = {static_cast<unsigned>(number / blockDim.x), 0, 0};
    threadIdx = {static_cast<unsigned>(number % blockDim.x), 0, 0};
    try {
      thread();
    } catch (Outside) {
      return number;
    }
  }
  return -1;
}
