// The instrument that other tests trust must itself notice what it is for.
#include "support/allocation_counter.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <memory>

using armature::test::AllocationCounter;

TEST_CASE("operator new is counted") {
  AllocationCounter counter;
  CHECK(counter.count() == 0);
  auto block = std::make_unique<double[]>(100);
  block[0] = 1;
  CHECK(counter.count() == 1);
}

#ifdef ARMATURE_WRAPS_MALLOC
TEST_CASE("a dynamic Eigen matrix is counted") {
  AllocationCounter counter;
  Eigen::MatrixXd matrix(20, 20);
  matrix.setZero();
  CHECK(counter.count() == 1);
}
#endif
