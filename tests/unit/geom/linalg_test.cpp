#include "armature/geom/linalg.hpp"

#include <doctest/doctest.h>

#include "armature/base/rng.hpp"
#include "armature/geom/svd.hpp"
#include "armature/kinematics/measures.hpp"
#include "support/allocation_counter.hpp"

using namespace armature;

namespace {

MatX random_matrix(Rng& rng, int rows, int cols) {
  MatX A(rows, cols);
  for (int c = 0; c < cols; ++c) {
    for (int r = 0; r < rows; ++r) A(r, c) = rng.uniform(-1.0, 1.0);
  }
  return A;
}

}  // namespace

TEST_CASE("ldlt solves positive definite systems of every size") {
  Rng rng(3);
  for (int n = 1; n <= 9; ++n) {
    const MatX B = random_matrix(rng, n, n + 3);
    const MatX A = B * B.transpose();
    const VecX x = random_matrix(rng, n, 1);
    MatX factors = A;
    VecX b = A * x;
    CHECK(ldlt_solve(factors.data(), b.data(), n) > 0.0);
    CHECK((b - x).norm() < 1e-9);
    const VecX y = random_matrix(rng, n, 1);
    b = A * y;
    ldlt_solve_again(factors.data(), b.data(), n);
    CHECK((b - y).norm() < 1e-9);
  }
}

TEST_CASE("ldlt refuses what is not positive definite") {
  MatX A(3, 3);
  A << 1, 0, 0, 0, -1, 0, 0, 0, 1;
  VecX b = VecX::Ones(3);
  CHECK(ldlt_solve(A.data(), b.data(), 3) == 0.0);
  A.setZero();
  CHECK(ldlt_solve(A.data(), b.data(), 3) == 0.0);
  A.setConstant(std::nan(""));
  CHECK(ldlt_solve(A.data(), b.data(), 3) == 0.0);
  A.setConstant(1.0);  // rank 1
  CHECK(ldlt_solve(A.data(), b.data(), 3) < 1e-12);
}

TEST_CASE("lu solves square systems and notices singular ones") {
  Rng rng(5);
  for (int n = 1; n <= 8; ++n) {
    MatX A = random_matrix(rng, n, n);
    const VecX x = random_matrix(rng, n, 1);
    VecX b = A * x;
    CHECK(lu_solve(A.data(), b.data(), n) > 1e-6);
    CHECK((b - x).norm() < 1e-9);
  }
  MatX A(2, 2);
  A << 1, 2, 2, 4;
  VecX b = VecX::Ones(2);
  CHECK(lu_solve(A.data(), b.data(), 2) < 1e-15);
}

TEST_CASE("svd reproduces its matrix, with orthonormal factors and descending values") {
  Rng rng(7);
  for (const auto& [rows, cols] : {std::pair{1, 1}, {2, 3}, {3, 7}, {6, 7}, {6, 6}, {7, 4}, {3, 30}, {20, 5}}) {
    const MatX A = random_matrix(rng, rows, cols);
    Svd svd;
    svd.compute(A);
    CHECK((svd.U() * svd.s().asDiagonal() * svd.V().transpose() - A).norm() < 1e-13);
    const MatX I = MatX::Identity(svd.size(), svd.size());
    CHECK((svd.U().transpose() * svd.U() - I).norm() < 1e-13);
    CHECK((svd.V().transpose() * svd.V() - I).norm() < 1e-13);
    for (int i = 1; i < svd.size(); ++i) CHECK(svd.s()[i] <= svd.s()[i - 1]);
    double s[kMaxSmall];
    REQUIRE(singular_values(A, s) == svd.size());
    for (int i = 0; i < svd.size(); ++i) CHECK(s[i] == doctest::Approx(svd.s()[i]).epsilon(1e-13));
  }
}

TEST_CASE("svd gets tiny singular values right, at any scale") {
  for (const double scale : {1e-200, 1.0, 1e200}) {
    MatX A(2, 3);
    A << scale, 0, 0, 0, 1e-14 * scale, 0;
    Svd svd;
    svd.compute(A);
    CHECK(svd.s()[0] / scale == doctest::Approx(1.0));
    CHECK(svd.s()[1] / scale == doctest::Approx(1e-14));
    double s[kMaxSmall];
    singular_values(A, s);
    CHECK(s[1] / scale == doctest::Approx(1e-14));
  }
}

TEST_CASE("minimum-norm least squares of a rank-deficient matrix") {
  MatX A(3, 4);
  A << 1, 2, 3, 4, 2, 4, 6, 8, 0, 0, 0, 0;
  Svd svd;
  svd.compute(A);
  CHECK(svd.rank(1e-10) == 1);
  VecX b(3);
  b << 1, 1, 5;
  VecX x(4);
  svd.solve(b, x, 1e-10);
  // Normal equations hold, and x lies in the row space.
  CHECK((A.transpose() * (A * x - b)).norm() < 1e-12);
  VecX row(4);
  row << 1, 2, 3, 4;
  CHECK((x - row * (row.dot(x) / row.squaredNorm())).norm() < 1e-13);
  VecX z = VecX::Ones(4);
  svd.project_to_null_space(z, 1e-10);
  CHECK((A * z).norm() < 1e-14);
}

TEST_CASE("null space: orthonormal, complete, annihilated") {
  Rng rng(11);
  for (const auto& [rows, cols] : {std::pair{2, 3}, {3, 7}, {6, 7}, {6, 6}, {3, 30}}) {
    const MatX A = random_matrix(rng, rows, cols);
    const MatX N = null_space(A);
    CHECK(N.cols() == cols - rows);
    CHECK((A * N).norm() < 1e-13);
    CHECK((N.transpose() * N - MatX::Identity(N.cols(), N.cols())).norm() < 1e-13);
  }
  CHECK(null_space(MatX::Zero(2, 5)).cols() == 5);
}

TEST_CASE("zero, empty and non-finite matrices give zeros, not NaN") {
  Svd svd;
  svd.compute(MatX::Zero(2, 3));
  CHECK(svd.s().norm() == 0.0);
  CHECK(svd.rank(1e-12) == 0);
  svd.compute(MatX::Constant(2, 3, std::nan("")));
  CHECK(svd.s().norm() == 0.0);
  svd.compute(MatX(2, 0));
  CHECK(svd.size() == 0);
  const Measures d = measures(MatX::Zero(3, 0));
  CHECK(std::isinf(d.condition));
}

TEST_CASE("measures: condition, manipulability, and no allocation") {
  MatX J(2, 3);
  J << 3, 0, 0, 0, 2, 0;
  Measures d;
  d.singular_values.reserve(2);
  test::AllocationCounter counter;
  measures(J, d);
  CHECK(counter.count() == 0);
  CHECK(d.smallest() == doctest::Approx(2.0));
  CHECK(d.singular_values.front() == doctest::Approx(3.0));
  CHECK(d.manipulability == doctest::Approx(6.0));
  CHECK(d.condition == doctest::Approx(1.5));
  J.row(1) = J.row(0);
  CHECK(std::isinf(measures(J).condition));
}
