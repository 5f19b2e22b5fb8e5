// What is computed with: made only by compile(linkage), never changed afterwards, free to share between threads.
//
// Invariant (compile proves it, tests/unit/model/compile_test.cpp checks it): links in depth-first order, parents
// before children, so that the subtree of link i is the range [i, subtree_end(i)); names unique; axes of unit length;
// coordinates and velocities contiguous in link order. Joint i is the joint above link i: one index serves both.
// A mimic joint owns no coordinates: it reads its source's (q_index, v_index) through multiplier and offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/link_kernel.hpp"
#include "armature/model/linkage.hpp"

namespace armature {

struct ModelJoint {
  std::string name;  // "" for the implied root joint, which is fixed
  JointType type;
  int parent = -1;  // link index; -1 is the world
  Transform placement;
  int q_index = 0;  // first coordinate in the pose vector
  int v_index = 0;  // first velocity
  int q_count = 0;  // coordinates and velocities that this joint reads (a mimic reads its source's)
  int v_count = 0;
  bool mimic = false;
  double multiplier = 1.0;
  double offset = 0.0;
  int source = -1;  // link index of the joint whose coordinates these are; itself unless it is a mimic
  std::optional<ConeLimit> cone;
};

/// A closure by link indices. Limits per coordinate of its joint type, infinite where there are none.
struct ModelClosure {
  std::string name;
  ClosureType type;
  int a = -1, b = -1;  // links; -1 is the world
  Transform X_A, X_B;  // of the frames in their links
  std::vector<double> lower, upper;
  int joint = -1, source = -1;  // of a coupling: link indices of the joints (-1: no source)
};

struct ModelPose {
  std::string name;
  VecX q;
};

class Model {
 public:
  const std::string& name() const { return linkage_.name; }
  int link_count() const { return static_cast<int>(joints_.size()); }
  int q_size() const { return q_size_; }  // numbers in a pose vector
  int v_size() const { return v_size_; }  // degrees of freedom

  const std::string& link_name(int link) const { return link_names_[static_cast<std::size_t>(link)]; }
  const ModelJoint& joint(int link) const { return joints_[static_cast<std::size_t>(link)]; }
  const std::vector<ModelJoint>& joints() const { return joints_; }
  int parent(int link) const { return joint(link).parent; }
  int subtree_end(int link) const { return subtree_end_[static_cast<std::size_t>(link)]; }
  bool is_leaf(int link) const { return subtree_end(link) == link + 1; }
  const std::vector<Visual>& visuals(int link) const;  // of the link, geometry by name in linkage()

  /// Index by name, -1 when there is none.
  int find_link(std::string_view name) const;
  int find_joint(std::string_view name) const;
  /// Index by name, or a sentence that lists the valid names.
  Result<int> link_index(std::string_view name) const;
  Result<int> joint_index(std::string_view name) const;
  std::vector<std::string> link_names() const { return link_names_; }
  std::vector<std::string> joint_names() const;  // without the implied root joint

  /// Limits per coordinate; -inf, inf where there are none (and for quaternions). Mimic joints' limits are folded in.
  const VecX& lower() const { return lower_; }
  const VecX& upper() const { return upper_; }
  /// Velocity limits per velocity; inf where there are none.
  const VecX& velocity_limit() const { return velocity_limit_; }
  /// What each number of the pose vector is, and which joint (link index) owns it.
  const std::vector<Coordinate>& coordinate_kinds() const { return coordinate_kinds_; }
  int coordinate_joint(int q) const { return coordinate_joint_[static_cast<std::size_t>(q)]; }
  int velocity_joint(int v) const { return velocity_joint_[static_cast<std::size_t>(v)]; }
  /// "elbow", or "shoulder.x" where the joint has several: for tables and files.
  std::string coordinate_name(int q) const;

  const std::vector<ModelPose>& poses() const { return poses_; }
  /// Links that one reaches with: those that the linkage names, else the leaves of the tree.
  const std::vector<int>& effectors() const { return effectors_; }
  /// What makes loops of the tree; empty for most models.
  const std::vector<ModelClosure>& closures() const { return closures_; }
  /// Joints (link indices) that the linkage says are driven; empty: not said.
  const std::vector<int>& drives() const { return drives_; }
  /// Sum of the distances from joint to joint along the longest branch, travel of sliding joints included: the length
  /// that "large" and "small" are measured by. Always positive.
  double size() const { return size_; }
  /// What it was compiled from (geometry, names as given).
  const Linkage& linkage() const { return linkage_; }
  /// Equal for models that move alike (joints, placements, limits), different otherwise: for whoever caches what was
  /// derived from a model, because an address may be used again by another one.
  std::uint64_t fingerprint() const { return fingerprint_; }
  /// The links as the flat pass of forward() reads them.
  const LinkKernels& kernels() const { return kernels_; }
  /// Remarks of compile that are no mistakes, one sentence each.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  friend class Compiler;
  Linkage linkage_;
  std::vector<std::string> link_names_;
  std::vector<ModelJoint> joints_;
  std::vector<int> subtree_end_;
  std::vector<int> linkage_link_;  // index in linkage_.links
  std::unordered_map<std::string, int> link_by_name_;
  std::unordered_map<std::string, int> joint_by_name_;
  int q_size_ = 0;
  int v_size_ = 0;
  VecX lower_, upper_, velocity_limit_;
  std::vector<Coordinate> coordinate_kinds_;
  std::vector<int> coordinate_joint_, velocity_joint_;
  std::vector<ModelPose> poses_;
  std::vector<int> effectors_;
  std::vector<ModelClosure> closures_;
  std::vector<int> drives_;
  double size_ = 1.0;
  std::uint64_t fingerprint_ = 0;
  std::vector<std::string> notes_;
  LinkKernels kernels_;
};

}  // namespace armature
