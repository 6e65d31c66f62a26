// In place of Thrust's own, which needs CUDA's headers: all that CuPy's complex numbers take of it.
#pragma once
#define THRUST_NAMESPACE_BEGIN namespace thrust {
#define THRUST_NAMESPACE_END }
