"""The CUDA C++ that is written by hand: what stands before a kernel's source, and the little
that no lane kernel can do."""

from __future__ import annotations

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

PRELUDE = ARRAYS + INTEGERS
"""What the sources need; with CuPy's headers each would take 25 times as long to compile."""


COUNTS = {"int64": "long long", "uint8": "unsigned char", "bool": "bool"}
"""The types of what is summed up, by their names in NumPy, as C++ has them."""

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

GATHER = """
// Numbers of eight bytes, or of one, that lie anywhere.
extern "C" __global__ void gather(
    long long n, const long long* addresses, const long long* sizes, long long* numbers) {
  long long k = threadIdx.x + static_cast<long long>(blockIdx.x) * blockDim.x;
  if (k >= n) return;
  const void* at = reinterpret_cast<const void*>(addresses[k]);
  numbers[k] = sizes[k] == 1 ? *static_cast<const unsigned char*>(at)
                             : *static_cast<const long long*>(at);
}
"""
