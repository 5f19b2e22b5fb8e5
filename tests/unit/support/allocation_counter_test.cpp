// The instrument that other tests trust must itself notice what it is for.
#include "support/allocation_counter.hpp"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <new>

using armature::test::AllocationCounter;

TEST_CASE("operator new is counted") {
  const AllocationCounter counter;
  CHECK(counter.count() == 0);
  void* block = ::operator new(100);  // called by name: the compiler may not leave it out
  CHECK(counter.count() == 1);
  ::operator delete(block);
  CHECK(counter.count() == 1);
}

#ifdef ARMATURE_WRAPS_MALLOC
TEST_CASE("a dynamic Eigen matrix is counted") {
  const AllocationCounter counter;
  Eigen::MatrixXd matrix(20, 20);
  matrix.setZero();
  CHECK(counter.count() == 1);
}
#endif
