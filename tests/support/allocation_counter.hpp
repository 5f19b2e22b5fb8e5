// Counts heap allocations of this program, to prove that a stretch of code makes none:
//
//   AllocationCounter counter;
//   forward(model, q, state);
//   CHECK(counter.count() == 0);
//
// Counts operator new and, where the linker can wrap it, malloc and its relatives, which is what Eigen calls. Per
// thread.
#pragma once

#include <cstddef>

namespace armature::test {

std::size_t allocations_so_far();  // by the calling thread

class AllocationCounter {
 public:
  AllocationCounter() : start_(allocations_so_far()) {}
  std::size_t count() const { return allocations_so_far() - start_; }

 private:
  std::size_t start_;
};

}  // namespace armature::test
