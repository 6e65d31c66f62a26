// The part of cuFFT that CuPy uses for rows of an array, on the host's CPU: see driver.cpp.
//
// Built as libcufft.so.11. Transforms wait in their stream as launches do.

#include <cuda_runtime_api.h>

#include <functional>
#include <mutex>

#include "fourier.h"

extern "C" bool host_cuda_launch(const char* name, void* stream, std::function<void()> work);

namespace {

enum Result { SUCCESS = 0, INVALID_PLAN = 1, INVALID_VALUE = 4, EXEC_FAILED = 6, INVALID_SIZE = 8 };
enum Type { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
using Handle = int;

struct Plan {
  long long length = 0, rows = 0;
  int type = 0;
  void* stream = nullptr;
};

std::mutex everything;  // calls come from several threads of Python
std::map<Handle, Plan> plans;
Handle last = 0;

template <typename Change>
Result change(Handle handle, Change made) {
  std::lock_guard<std::mutex> here(everything);
  auto found = plans.find(handle);
  if (found == plans.end()) return INVALID_PLAN;
  made(found->second);
  return SUCCESS;
}

// Transforms all rows. The spectrum of real rows has only its first half, which determines the
// second half.
template <typename From, typename To>
void transform_rows(const Plan& plan, const From* from, To* to, int direction) {
  constexpr bool from_reals = std::is_floating_point_v<From>;
  constexpr bool to_reals = std::is_floating_point_v<To>;
  size_t length = plan.length, half = length / 2 + 1;
  size_t given = to_reals ? half : length, wanted = from_reals ? half : length;
  fourier::Row points(length);
  for (long long row = 0; row < plan.rows; ++row, from += given, to += wanted) {
    for (size_t k = 0; k < given; ++k) points[k] = fourier::Point(from[k]);
    for (size_t k = given; k < length; ++k) points[k] = std::conj(points[length - k]);
    fourier::Transform::of(length, direction).run(points);
    for (size_t k = 0; k < wanted; ++k) {
      if constexpr (to_reals)
        to[k] = To(points[k].real());
      else
        to[k] = To(points[k]);
    }
  }
}

template <typename From, typename To>
Result run(Handle handle, Type type, const From* from, To* to, int direction) {
  Plan plan;
  if (Result failed = change(handle, [&](Plan& found) { plan = found; })) return failed;
  if (plan.type != type || !plan.rows || !from || !to) return INVALID_VALUE;
  bool taken = host_cuda_launch("cufft", plan.stream,
                                [=] { transform_rows(plan, from, to, direction); });
  return taken ? SUCCESS : EXEC_FAILED;
}

using Single = std::complex<float>;
using Double = std::complex<double>;

}  // namespace

extern "C" {

Result cufftGetVersion(int* version) { return *version = 11400, SUCCESS; }

Result cufftCreate(Handle* handle) {
  std::lock_guard<std::mutex> here(everything);
  plans[*handle = ++last] = {};
  return SUCCESS;
}

Result cufftDestroy(Handle handle) {
  std::lock_guard<std::mutex> here(everything);
  return plans.erase(handle) ? SUCCESS : INVALID_PLAN;
}

Result cufftSetAutoAllocation(Handle, int) { return SUCCESS; }  // no memory is needed
Result cufftSetWorkArea(Handle, void*) { return SUCCESS; }

Result cufftMakePlan1d(Handle handle, int length, Type type, int rows, size_t* work_size) {
  if (length < 1 || rows < 1) return INVALID_SIZE;
  *work_size = 0;
  return change(handle, [=](Plan& plan) { plan = {length, rows, type, plan.stream}; });
}

Result cufftSetStream(Handle handle, cudaStream_t stream) {
  return change(handle, [=](Plan& plan) { plan.stream = stream; });
}

Result cufftExecC2C(Handle plan, Single* from, Single* to, int direction) {
  return run(plan, C2C, from, to, direction);
}
Result cufftExecZ2Z(Handle plan, Double* from, Double* to, int direction) {
  return run(plan, Z2Z, from, to, direction);
}
Result cufftExecR2C(Handle plan, float* from, Single* to) { return run(plan, R2C, from, to, -1); }
Result cufftExecD2Z(Handle plan, double* from, Double* to) { return run(plan, D2Z, from, to, -1); }
Result cufftExecC2R(Handle plan, Single* from, float* to) { return run(plan, C2R, from, to, 1); }
Result cufftExecZ2D(Handle plan, Double* from, double* to) { return run(plan, Z2D, from, to, 1); }
}
