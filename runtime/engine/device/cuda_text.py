"""Handwritten CUDA C++: the prelude of kernels, and kernels that lane kernels cannot express."""

from megabatt.runtime.engine.device.device import ANY, FIRST, LAST, MAX, SUM

ARRAYS = """
// An array, as CuPy passes it to a raw kernel: the address of its elements.
template <typename T, int ndim, bool c_contiguous, bool use_32bit_indexing>
struct CArray {
  static_assert(ndim == 1 && c_contiguous, "lane kernels take flat arrays");
  T* data;
  __device__ T& operator[](long long index) const { return data[index]; }
};
"""

INTEGERS = """
// Rounds down, as Python does; division by zero gives zero.
__device__ inline long long _floor_divide(long long a, long long b) {
  if (b == 0) return 0;
  long long rest = a % b;
  return a / b - (rest != 0 && (rest < 0) != (b < 0));
}
"""

TEAMS = """
// What `device.teams` says that the threads of a team tell one another: they are a warp.
const unsigned WARP = 0xffffffff;

__device__ inline long long wait_for_team() {
  __syncwarp();
  return 0;
}

__device__ inline long long sum_of_team(long long value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(WARP, value, step);
  return value;
}

__device__ inline double real_sum_of_team(double value) {
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(WARP, value, step);
  return value;
}

__device__ inline double real_most_of_team(double value) {
  for (int step = 16; step > 0; step /= 2) {
    double other = __shfl_xor_sync(WARP, value, step);
    value = other > value ? other : value;
  }
  return value;
}
"""

REALS = """
// What `device.reals` says of float64.
__device__ inline double quotient(double a, double b) { return a / b; }
__device__ inline double rounded_down(double x) { return floor(x); }
__device__ inline double square_root(double x) { return sqrt(x); }
__device__ inline double magnitude(double x) { return fabs(x); }
"""

PRELUDE = ARRAYS + INTEGERS + TEAMS + REALS
"""The prelude of sources; CuPy's headers would take 25 times as long to compile."""


COUNTS = {"int64": "long long", "uint8": "unsigned char", "bool": "bool"}
"""The C++ types of summed elements, by NumPy's names."""

SUM_UP = """
// The running sum of counts, by one block: every thread sums up some neighbours, then the threads'
// sums are summed up in log2(block) steps.
template <typename T>
__device__ void sum_up(long long n, const T* counts, long long* offsets) {
  __shared__ long long sums[1024];
  long long each = (n + blockDim.x - 1) / blockDim.x;
  long long begin = each * threadIdx.x < n ? each * threadIdx.x : n;
  long long end = begin + each < n ? begin + each : n;
  long long sum = 0;
  for (long long k = begin; k < end; ++k) sum += counts[k];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    long long before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  long long total = sums[threadIdx.x] - sum;
  if (threadIdx.x == 0) offsets[0] = 0;
  for (long long k = begin; k < end; ++k) {
    total += counts[k];
    offsets[k + 1] = total;
  }
}
""" + "".join(
    f"""
extern "C" __global__ void sum_up_{dtype}(long long n, const {name}* counts, long long* offsets) {{
  sum_up(n, counts, offsets);
}}
"""
    for dtype, name in COUNTS.items()
)

COLLECTED = 128
"""The most arrays that one launch copies: their addresses are parameters, which are limited."""

COPYING = 16
"""The blocks that copy one array."""

COLLECT = (
    f"""
const int copying = {COPYING};
struct Arrays {{ long long rows[{COLLECTED}][3]; }};
"""
    """
// Copies arrays to where they are to lie in `room`. A row: the array's address, its place there, a
// multiple of 8, and its bytes.
extern "C" __global__ void collect(const Arrays arrays, char* room) {
  const long long* row = arrays.rows[blockIdx.x / copying];
  const char* from = reinterpret_cast<const char*>(row[0]);
  char* to = room + row[1];
  long long words = row[0] % 8 == 0 ? row[2] / 8 : 0, step = copying * blockDim.x;
  long long first = blockIdx.x % copying * blockDim.x + threadIdx.x;
  for (long long k = first; k < words; k += step)
    reinterpret_cast<long long*>(to)[k] = reinterpret_cast<const long long*>(from)[k];
  for (long long k = 8 * words + first; k < row[2]; k += step) to[k] = from[k];
}
"""
)

ASKED = 64
"""The most numbers that one launch finds: the questions are parameters, which are limited."""

FINDING = 128
"""The threads of the block that finds one number."""

ANSWER = (
    f"""
enum Number : long long {{
  FIRST = {FIRST.code}, LAST = {LAST.code}, ANY = {ANY.code}, SUM = {SUM.code}, MAX = {MAX.code}
}};
const int finding = {FINDING};
struct Asked {{ long long rows[{ASKED}][4]; }};
"""
    """
// An element of 8 bytes, or of 1, which has a sign if its size is given as -1.
__device__ inline long long element(long long address, long long size, long long k) {
  const void* at = reinterpret_cast<const void*>(address);
  if (size == 8) return static_cast<const long long*>(at)[k];
  if (size == 1) return static_cast<const unsigned char*>(at)[k];
  return static_cast<const signed char*>(at)[k];
}

// What two elements, or what is found of some, come to.
__device__ inline long long combined(long long number, long long a, long long b) {
  if (number == ANY) return a != 0 || b != 0;
  if (number == SUM) return a + b;
  return a > b ? a : b;
}

// A block finds one number. A row: the array's address, its length, the size of its elements, and
// which number is asked.
extern "C" __global__ void answer(const Asked asked, long long* numbers) {
  __shared__ long long parts[finding];
  const long long* row = asked.rows[blockIdx.x];
  long long n = row[1], number = row[3];
  if (number == FIRST || number == LAST) {
    long long at = number == FIRST ? 0 : n - 1;
    if (threadIdx.x == 0) numbers[blockIdx.x] = element(row[0], row[2], at);
    return;
  }
  long long found = number == MAX ? element(row[0], row[2], 0) : 0;
  for (long long k = threadIdx.x; k < n; k += blockDim.x)
    found = combined(number, found, element(row[0], row[2], k));
  parts[threadIdx.x] = found;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      parts[threadIdx.x] = combined(number, parts[threadIdx.x], parts[threadIdx.x + half]);
    __syncthreads();
  }
  if (threadIdx.x == 0) numbers[blockIdx.x] = parts[0];
}
"""
)
