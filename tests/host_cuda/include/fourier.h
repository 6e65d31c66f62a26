// Discrete Fourier transforms of any length, in double precision and without a scale, as cuFFT's.

#pragma once

#include <cmath>
#include <complex>
#include <map>
#include <vector>

namespace fourier {

using Point = std::complex<double>;
using Row = std::vector<Point>;

// exp(direction 2 pi j numerator / denominator).
static Point turn(int direction, long long numerator, long long denominator) {
  return std::polar(1.0, direction * 2 * M_PI * (numerator % denominator) / denominator);
}

// The transforms of one length. direction: -1 forward, 1 back.
class Transform {
 public:
  Transform(size_t length, int direction) : length(length), direction(direction) {
    if (length & (length - 1))
      prepare_chirp();
    else
      for (size_t k = 0; k < length / 2; ++k) turns.push_back(turn(direction, k, length));
  }

  void run(Row& row) const {
    if (chirp.empty())
      in_halves(row);
    else
      convolve(row);
  }

 private:
  size_t length;
  int direction;
  Row turns;                  // for a power of two: the turns of the first half
  Row chirp, chirp_spectrum;  // for any other length

  // Powers of two (Cooley and Tukey 1965): bits of places reversed, then sums of halves.
  void in_halves(Row& row) const {
    for (size_t k = 1, reversed = 0; k < length; ++k) {
      size_t bit = length >> 1;
      for (; reversed & bit; bit >>= 1) reversed ^= bit;
      reversed ^= bit;
      if (k < reversed) std::swap(row[k], row[reversed]);
    }
    for (size_t half = 1; half < length; half *= 2)
      for (size_t first = 0; first < length; first += 2 * half)
        for (size_t k = first; k < first + half; ++k) {
          Point second = row[k + half] * turns[(k - first) * (length / (2 * half))];
          row[k + half] = row[k] - second;
          row[k] += second;
        }
  }

  // Other lengths (Bluestein 1970): with n k = (n n + k k - (n - k) (n - k)) / 2 the transform is
  // a convolution with a chirp, which powers of two compute.
  void prepare_chirp() {
    for (size_t k = 0; k < length; ++k) chirp.push_back(turn(direction, k * k, 2 * length));
    chirp_spectrum.resize(padded());
    for (size_t k = 0; k < length; ++k)
      chirp_spectrum[k] = chirp_spectrum[(padded() - k) % padded()] = std::conj(chirp[k]);
    of(padded(), -1).run(chirp_spectrum);
  }

  void convolve(Row& row) const {
    Row products(padded());
    for (size_t k = 0; k < length; ++k) products[k] = row[k] * chirp[k];
    of(padded(), -1).run(products);
    for (size_t k = 0; k < padded(); ++k) products[k] *= chirp_spectrum[k] / double(padded());
    of(padded(), 1).run(products);
    for (size_t k = 0; k < length; ++k) row[k] = products[k] * chirp[k];
  }

  size_t padded() const {
    size_t power = 1;
    while (power < 2 * length) power *= 2;
    return power;
  }

 public:
  // Made once for each length and direction.
  static const Transform& of(size_t length, int direction) {
    static std::map<std::pair<size_t, int>, Transform> made;
    auto found = made.find({length, direction});
    if (found == made.end())
      found = made.emplace(std::pair(length, direction), Transform(length, direction)).first;
    return found->second;
  }
};

}  // namespace fourier
