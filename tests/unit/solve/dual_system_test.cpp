#include "armature/solve/dual_system.hpp"

#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cstring>

#include "armature/base/isa.hpp"
#include "armature/base/rng.hpp"
#include "armature/geom/types.hpp"

using namespace armature;

namespace {

// Columns in three groups, each with rows of its own and some that it shares.
struct SparseCase {
  DualSystem dual;
  MatX J;
  VecX w, d;

  SparseCase(int rows, Rng& rng) : J(MatX::Zero(rows, 12)), w(12), d(rows) {
    dual.resize(rows, 12);
    for (int group = 0; group < 3; ++group) {
      std::vector<char> used(static_cast<std::size_t>(rows), 0);
      for (int r = 0; r < rows; ++r) used[static_cast<std::size_t>(r)] = group == 0 || r % 3 == group;
      dual.add_group(4 * group, 4 * group + 4, used);
      for (int c = 4 * group; c < 4 * group + 4; ++c) {
        for (int r = 0; r < rows; ++r) {
          if (used[static_cast<std::size_t>(r)] != 0) dual.column(c)[r] = J(r, c) = rng.uniform(-1, 1);
        }
      }
    }
    for (double& each : w) each = rng.below(4) == 0 ? 0.0 : rng.uniform(0.1, 2.0);
    for (double& each : d) each = rng.uniform(1e-3, 1.0);
  }
};

}  // namespace

TEST_CASE("dual system: factors, products and solutions are those of the dense matrices") {
  Rng rng(1);
  for (int rows = 1; rows <= 30; ++rows) {
    CAPTURE(rows);
    SparseCase c(rows, rng);
    REQUIRE(c.dual.factor(c.w.data(), c.d.data()));
    const MatX A = c.J * c.w.asDiagonal() * c.J.transpose() + MatX(c.d.asDiagonal());
    VecX b = VecX::Zero(c.dual.stride());
    for (int r = 0; r < rows; ++r) b[r] = rng.uniform(-1, 1);
    const VecX expected = A.llt().solve(b.head(rows));
    VecX y = b;
    c.dual.solve(y.data());
    CHECK((y.head(rows) - expected).norm() < 1e-10 * (1.0 + expected.norm()));
    CHECK(c.dual.determinant() == doctest::Approx(A.determinant()));
    VecX g(12), x(12), out(c.dual.stride());
    c.dual.transposed_times(b.data(), g.data());
    CHECK((g - c.J.transpose() * b.head(rows)).norm() < 1e-13);
    for (double& each : x) each = rng.uniform(-1, 1);
    c.dual.times(x.data(), out.data());
    CHECK((out.head(rows) - c.J * x).norm() < 1e-13);
  }
}

TEST_CASE("dual system: every instruction set gives the same bits") {
#if defined(__x86_64__) && defined(__GNUC__)
  if (!isa_available(Isa::avx2)) {
    MESSAGE("SKIPPED: this machine has no AVX2");
    return;
  }
  Rng rng(2);
  for (int trial = 0; trial < 20; ++trial) {
    const int stride = 4 * (1 + static_cast<int>(rng.below(8)));
    const auto n = static_cast<std::size_t>(stride);
    std::vector<double> J(n * 9), w(9), damping(n), b(n), x(9);
    for (std::vector<double>* each : {&J, &b, &x}) {
      for (double& value : *each) value = rng.uniform(-1, 1);
    }
    for (double& value : w) value = rng.uniform(0, 1);
    for (double& value : damping) value = rng.uniform(1e-6, 1e-2);
    std::vector<int> tiles;
    for (int t = 0; t < stride; t += 4) tiles.push_back(t);
    const int count = static_cast<int>(tiles.size());
    std::vector<std::vector<double>> results;
    for (const DualKernel* kernel : {&baseline::kDualKernel, &avx2::kDualKernel}) {
      std::vector<double> A(n * n, 0.0), inverse(n), y = b, dots(9), sums(n, 0.0);
      kernel->add_group(J.data(), stride, w.data(), 9, tiles.data(), count, A.data());
      for (std::size_t r = 0; r < n; ++r) A[r * n + r] += damping[r];
      CHECK(kernel->factor(A.data(), stride, damping.data(), inverse.data()));
      kernel->solve(A.data(), stride, inverse.data(), y.data());
      kernel->dot(J.data(), stride, 9, tiles.data(), count, b.data(), dots.data());
      kernel->add(J.data(), stride, 9, tiles.data(), count, x.data(), sums.data());
      std::vector<double> all = y;
      for (const std::vector<double>* each : {&inverse, &dots, &sums}) {
        all.insert(all.end(), each->begin(), each->end());
      }
      results.push_back(all);
    }
    CHECK(std::memcmp(results[0].data(), results[1].data(), results[0].size() * sizeof(double)) == 0);
  }
#endif
}
