// What long calls share: threads, progress, Ctrl-C, and exceptions of whichever thread meets them first.
#pragma once

#include <exception>

#include "armature/parallel/job.hpp"
#include "python.hpp"

namespace armature::python {

class LongCall {
 public:
  /// Takes `threads` (or this many), `progress` and, where there is one, `checkpoint` out of the keywords.
  LongCall(Keywords& keywords, int default_threads, bool resumable);

  /// For a call without Python's lock: `options` has what was taken.
  void set(JobOptions& options);
  void set(ParallelOptions& options);
  /// Raises what came up meanwhile; with Python's lock.
  void finish();
  const std::string& checkpoint() const { return checkpoint_; }

 private:
  bool goes_on(double fraction);

  int threads_;
  py::object progress_;
  std::string checkpoint_;
  std::exception_ptr thrown_;
};

}  // namespace armature::python
