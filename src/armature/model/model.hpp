// What is computed with: made only by compile(linkage), never changed afterwards, free to share between threads. A
// Model is a handle on something shared: copies cost a reference count, and nothing outlives its model.
//
// Invariant (compile proves it, tests/unit/model/compile_test.cpp checks it): links in depth-first order, parents
// before children, so that the subtree of link i is the range [i, subtree_end(i)); names unique; axes of unit length;
// coordinates and velocities contiguous in link order. Joint i is the joint above link i: one index serves both.
// A mimic joint owns no coordinates: it reads its source's (q_index, v_index) through multiplier and offset.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armature/base/result.hpp"
#include "armature/model/link_kernel.hpp"
#include "armature/model/linkage.hpp"

namespace armature::inline v0_2 {

struct ModelJoint {
  std::string name;  // "" for the implied root joint, which is fixed
  JointType type;
  int parent = -1;  // link index; -1 is the world
  Transform origin;
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

/// What a Model refers to; written by compile() alone.
struct ModelData {
  Linkage linkage;
  std::vector<std::string> link_names;
  std::vector<ModelJoint> joints;
  std::vector<int> subtree_end;
  std::vector<int> linkage_link;  // index in linkage.links
  std::map<std::string, int, std::less<>> link_by_name;
  std::map<std::string, int, std::less<>> joint_by_name;
  int q_size = 0;
  int v_size = 0;
  VecX lower, upper, velocity_limit;
  std::vector<Coordinate> coordinate_kinds;
  std::vector<int> coordinate_joint, velocity_joint;
  std::vector<ModelPose> poses;
  std::vector<int> effectors;
  std::vector<ModelClosure> closures;
  std::vector<int> drives;
  double size = 1.0;
  std::uint64_t fingerprint = 0;
  std::vector<std::string> notes;
  LinkKernels kernels;
};

/// A handle: copying counts a reference, and what it refers to lives as long as any of its copies. One that was made
/// without compile() is empty: it may only be asked whether it is, compared, and assigned to.
class Model {
 public:
  Model() = default;
  explicit Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {}  // for compile()
  bool empty() const { return data_ == nullptr; }
  /// Whether both are copies of one model. Two that were compiled from one linkage differ; see fingerprint().
  bool operator==(const Model& other) const { return data_ == other.data_; }

  const std::string& name() const { return data_->linkage.name; }
  int link_count() const { return static_cast<int>(data_->joints.size()); }
  int q_size() const { return data_->q_size; }  // numbers in a pose vector
  int v_size() const { return data_->v_size; }  // degrees of freedom

  const std::string& link_name(int link) const { return data_->link_names[static_cast<std::size_t>(link)]; }
  const ModelJoint& joint(int link) const { return data_->joints[static_cast<std::size_t>(link)]; }
  const std::vector<ModelJoint>& joints() const { return data_->joints; }
  int parent(int link) const { return joint(link).parent; }
  int subtree_end(int link) const { return data_->subtree_end[static_cast<std::size_t>(link)]; }
  bool is_leaf(int link) const { return subtree_end(link) == link + 1; }
  const std::vector<Visual>& visuals(int link) const;  // of the link, geometry by name in linkage()
  /// The link as it stands in linkage(): its shapes, mass, center and inertia.
  const Link& source_link(int link) const;

  /// By name: an index, a pose vector, or a sentence that lists the valid names.
  Result<int> find_link(std::string_view name) const;
  Result<int> find_joint(std::string_view name) const;  // index of the link that it moves
  Result<VecX> find_pose(std::string_view name) const;
  /// The same for short programs: throw ArmatureError with that sentence (base/result.hpp).
  int link(std::string_view name) const { return find_link(name).value(); }
  const ModelJoint& joint(std::string_view name) const { return joint(find_joint(name).value()); }
  VecX pose(std::string_view name) const { return find_pose(name).value(); }
  /// The neutral pose with some joints at other values: pose({{"elbow", -2.1}, {"shoulder", {0, 0, 0, 1}}}). Throws for
  /// names that do not exist, and for another number of values than the joint has.
  struct JointValue {
    std::string_view joint;
    std::vector<double> values;
    JointValue(std::string_view name, double value) : joint(name), values{value} {}
    JointValue(std::string_view name, std::initializer_list<double> list) : joint(name), values(list) {}
  };
  VecX pose(std::initializer_list<JointValue> values) const { return find_pose(values).value(); }
  Result<VecX> find_pose(std::span<const JointValue> values) const;
  Result<VecX> find_pose(std::initializer_list<JointValue> values) const {
    return find_pose(std::span<const JointValue>(values.begin(), values.size()));
  }
  /// Without a sentence where there is none.
  std::optional<int> lookup_link(std::string_view name) const;
  std::optional<int> lookup_joint(std::string_view name) const;
  bool has_link(std::string_view name) const { return lookup_link(name).has_value(); }
  bool has_joint(std::string_view name) const { return lookup_joint(name).has_value(); }
  const std::vector<std::string>& links() const { return data_->link_names; }  // their names
  std::vector<std::string> joint_names() const;                                // without the implied root joint

  /// Limits per coordinate; -inf, inf where there are none (and for quaternions). Mimic joints' limits are folded in.
  const VecX& lower() const { return data_->lower; }
  const VecX& upper() const { return data_->upper; }
  /// Velocity limits per velocity; inf where there are none.
  const VecX& velocity_limit() const { return data_->velocity_limit; }
  /// What each number of the pose vector is, and which joint (link index) owns it.
  const std::vector<Coordinate>& coordinate_kinds() const { return data_->coordinate_kinds; }
  int coordinate_joint(int q) const { return data_->coordinate_joint[static_cast<std::size_t>(q)]; }
  int velocity_joint(int v) const { return data_->velocity_joint[static_cast<std::size_t>(v)]; }
  /// "elbow", or "shoulder.x" where the joint has several: for tables and files.
  std::string coordinate_name(int q) const;

  const std::vector<ModelPose>& poses() const { return data_->poses; }
  /// Links that one reaches with: those that the linkage names, else the leaves of the tree.
  const std::vector<int>& effectors() const { return data_->effectors; }
  /// What makes loops of the tree; empty for most models.
  const std::vector<ModelClosure>& closures() const { return data_->closures; }
  /// Joints (link indices) that the linkage says are driven; empty: not said.
  const std::vector<int>& drives() const { return data_->drives; }
  /// Sum of the distances from joint to joint along the longest branch, travel of sliding joints included: the length
  /// that "large" and "small" are measured by. Always positive.
  double size() const { return data_->size; }
  /// What it was compiled from (geometry, names as given).
  const Linkage& linkage() const { return data_->linkage; }
  /// Equal for models that move alike (joints, placements, limits, masses), different otherwise: for whoever keeps what
  /// was derived from a model longer than the model.
  std::uint64_t fingerprint() const { return data_->fingerprint; }
  /// The links as the flat pass of forward() reads them.
  const LinkKernels& kernels() const { return data_->kernels; }
  /// Remarks of compile that are no mistakes, one sentence each.
  const std::vector<std::string>& notes() const { return data_->notes; }

 private:
  std::shared_ptr<const ModelData> data_;
};

}  // namespace armature::inline v0_2
