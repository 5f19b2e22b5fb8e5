// The checks of compile(), and what they find out about the tree. Also puts right what needs no question: unit axes,
// noise to zero.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

/// Makes a joint's axes unit vectors (a planar joint's x_axis perpendicular to its normal); appends what is wrong.
void check_parameters(Joint& joint, std::vector<std::string>& mistakes);
/// Counts and order of its limits; `where` begins each sentence.
void check_limits(Joint& joint, const std::string& where, std::vector<std::string>& mistakes);

class LinkageCheck {
 public:
  explicit LinkageCheck(Linkage& linkage) : linkage_(linkage) {}

  void run();

  std::vector<std::string> mistakes;  // one sentence each; what follows is whole only when there are none
  std::unordered_map<std::string, int> link_index, joint_index;
  std::vector<std::string> link_names, joint_names;
  std::vector<int> above;  // joint index above each link, -1: none
  std::vector<int> order;  // link indices, depth-first

  /// What a joint's one coordinate is in the end: multiplier * that of `joint` + offset. Of joints that follow nobody:
  /// their own.
  struct Leader {
    int joint;
    double multiplier = 1.0;
    double offset = 0.0;
  };
  std::vector<Leader> leaders;  // per joint

 private:
  void check_names();
  void check_geometry();
  void check_tree();
  void visit_from(const std::string& root);
  void check_joint(std::size_t index);
  void check_mimics();
  void check_poses();
  void mistake(std::string sentence) { mistakes.push_back(std::move(sentence)); }

  Linkage& linkage_;
};

}  // namespace armature::inline v0_2
