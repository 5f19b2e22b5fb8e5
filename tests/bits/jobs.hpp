// The fixed set of questions whose answers must be the same bits everywhere: built-in models, seeds that never change.
// A job is one kind of question on one model and depends on no other job, so that jobs may run in any order and on any
// thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "armature/geom/types.hpp"

namespace armature::bits {

/// What a job answers: every number of it counts.
class Numbers {
 public:
  void add(double value) { values.push_back(value); }
  void add(const double* first, std::size_t count) { values.insert(values.end(), first, first + count); }
  void add(const VecX& v) { add(v.data(), static_cast<std::size_t>(v.size())); }
  std::vector<double> values;
};

struct Job {
  std::string name;  // "method/panda/dls"
  std::function<void(Numbers&)> run;
};

/// `small`: a few of each, for tools under which a program runs fifty times slower.
std::vector<Job> all_jobs(bool small);

}  // namespace armature::bits
