// Many poses in one pass over the links: every number of forward_pass.inl is a register here, a pose in each lane.
// Included by forward_lanes_*.cpp inside their namespace, after sincos.inl. The operations and their order are those of
// forward_pass.inl, so each lane gets the numbers of forward(); all instruction sets give the same bits.

#if defined(ARMATURE_WIDEST)
constexpr int kLanes = 8;
#elif defined(ARMATURE_WIDE)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
static_assert(kLanes <= kMostLanes);
using V = double __attribute__((vector_size(8 * kLanes)));
using N = long long __attribute__((vector_size(8 * kLanes)));
using Step = ForwardBatch::Step;

ARMATURE_INLINE V load(const double* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
ARMATURE_INLINE void store(V v, double* p) { __builtin_memcpy(p, &v, sizeof v); }
ARMATURE_INLINE V spread(double x) { return V{} + x; }

struct Three {
  V v[3];
};
struct LaneFrame {
  Three t, x, y, z;  // in the order of a Transform: position, then columns of the rotation
};

ARMATURE_INLINE void combine(const LaneFrame& f, const double* c, V* out) {
  for (int k = 0; k < 3; ++k) out[k] = (f.x.v[k] * c[0] + f.y.v[k] * c[1]) + f.z.v[k] * c[2];
}
ARMATURE_INLINE void combine(const LaneFrame& f, const V* c, V* out) {
  for (int k = 0; k < 3; ++k) out[k] = (f.x.v[k] * c[0] + f.y.v[k] * c[1]) + f.z.v[k] * c[2];
}
// The position moved along the frame's axes. Terms that are zero change nothing.
ARMATURE_INLINE void place(LaneFrame& f, const double* c) {
  if (c[0] == 0.0 && c[1] == 0.0) {
    if (c[2] == 0.0) return;
    for (int k = 0; k < 3; ++k) f.t.v[k] = f.t.v[k] + f.z.v[k] * c[2];
    return;
  }
  V moved[3];
  combine(f, c, moved);
  for (int k = 0; k < 3; ++k) f.t.v[k] = f.t.v[k] + moved[k];
}
ARMATURE_INLINE void turn(Three& a, Three& b, V s, V c) {
  for (int k = 0; k < 3; ++k) {
    const V old = a.v[k];
    a.v[k] = old * c + b.v[k] * s;
    b.v[k] = b.v[k] * c - old * s;
  }
}
ARMATURE_INLINE void turn(LaneFrame& f, int axis, V s, V c) {
  if (axis == 0) return turn(f.y, f.z, s, c);
  if (axis == 1) return turn(f.z, f.x, s, c);
  turn(f.x, f.y, s, c);
}
constexpr double kNothing = 1e-100;  // see forward_pass.inl
ARMATURE_INLINE V lifted(V x) {
  const N small = (x < spread(kNothing)) & (x > spread(-kNothing));
  return (V)(~small & (N)x);
}
ARMATURE_INLINE void slide(LaneFrame& f, const V* q) {
  const V p[3] = {lifted(q[0]), lifted(q[1]), lifted(q[2])};
  V moved[3];
  combine(f, p, moved);
  for (int k = 0; k < 3; ++k) f.t.v[k] = f.t.v[k] + moved[k];
}
ARMATURE_INLINE void set_axes(LaneFrame& f, const V (&m)[3][3]) {
  const LaneFrame g = f;
  combine(g, m[0], f.x.v);
  combine(g, m[1], f.y.v);
  combine(g, m[2], f.z.v);
}
ARMATURE_INLINE void turn_ball(LaneFrame& f, const V* coordinates) {
  V q[4];
  for (int k = 0; k < 4; ++k) q[k] = lifted(coordinates[k]);
  const V n = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
  const N usable = n > spread(1e-200);
  const V two = (V)(usable & (N)(2.0 / n));
  const V x = q[0] * two, y = q[1] * two, z = q[2] * two;
  const V xx = q[0] * x, xy = q[0] * y, xz = q[0] * z, yy = q[1] * y, yz = q[1] * z, zz = q[2] * z;
  const V wx = q[3] * x, wy = q[3] * y, wz = q[3] * z;
  const V m[3][3] = {
      {1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1.0 - (xx + yy)}};
  set_axes(f, m);
}

// Registers with a lane for each pose into memory with numbers one behind the other for each pose.
ARMATURE_INLINE void scatter2(V a, V b, double* out, std::int64_t stride) {
  for (int lane = 0; lane < kLanes; ++lane) {
    out[lane * stride] = a[lane];
    out[lane * stride + 1] = b[lane];
  }
}
#if defined(ARMATURE_WIDE)
using V4 = double __attribute__((vector_size(32)));
ARMATURE_INLINE void scatter_four_lanes(V4 a, V4 b, V4 c, V4 d, double* out, std::int64_t stride) {
  const V4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const V4 cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const V4 rows[4] = {
      __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5), __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
      __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7), __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7)};
  for (int lane = 0; lane < 4; ++lane) __builtin_memcpy(out + lane * stride, &rows[lane], sizeof rows[lane]);
}
#endif
#if defined(ARMATURE_WIDEST)
ARMATURE_INLINE V4 low(V v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
ARMATURE_INLINE V4 high(V v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
#endif
ARMATURE_INLINE void scatter4(V a, V b, V c, V d, double* out, std::int64_t stride) {
#if defined(ARMATURE_WIDEST)
  scatter_four_lanes(low(a), low(b), low(c), low(d), out, stride);
  scatter_four_lanes(high(a), high(b), high(c), high(d), out + 4 * stride, stride);
#elif defined(ARMATURE_WIDE)
  scatter_four_lanes(a, b, c, d, out, stride);
#else
  scatter2(a, b, out, stride);
  scatter2(c, d, out + 2, stride);
#endif
}
ARMATURE_INLINE void give_out(const LaneFrame& f, const LanesCall& call, int number) {
  if (call.positions) {
    double* const out = call.out + 3 * number;
    scatter2(f.t.v[0], f.t.v[1], out, call.out_stride);
    for (int lane = 0; lane < kLanes; ++lane) out[lane * call.out_stride + 2] = f.t.v[2][lane];
    return;
  }
  double* const out = call.out + 12 * number;
  scatter4(f.t.v[0], f.t.v[1], f.t.v[2], f.x.v[0], out, call.out_stride);
  scatter4(f.x.v[1], f.x.v[2], f.y.v[0], f.y.v[1], out + 4, call.out_stride);
  scatter4(f.y.v[2], f.z.v[0], f.z.v[1], f.z.v[2], out + 8, call.out_stride);
}

ARMATURE_INLINE V coordinate(const LanesCall& call, int index) {
  const int stride = call.model.q_size();
  V v{};
  for (int lane = 0; lane < kLanes; ++lane) v[lane] = call.poses[lane * stride + index];
  return v;
}
template <int Count>
ARMATURE_INLINE void coordinates(const LanesCall& call, int first, V* out) {
  for (int k = 0; k < Count; ++k) out[k] = coordinate(call, first + k);
}

// Joint types without an op of their own, lane by lane.
void other(const LanesCall& call, int link, const LinkKernel& k, LaneFrame& f) {
  const ModelJoint& joint = call.model.joint(link);
  V position[3] = {}, m[3][3] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    const double* const q = call.poses + lane * call.model.q_size() + k.q_index;
    double value = k.multiplier * q[0] + k.offset;
    const Transform moved = joint_transform(joint.type, joint.mimic ? &value : q);
    for (int r = 0; r < 3; ++r) {
      position[r][lane] = moved.position.data()[r];
      for (int c = 0; c < 3; ++c) m[c][r][lane] = moved.rotation.data()[3 * c + r];
    }
  }
  V moved[3];
  combine(f, position, moved);
  for (int r = 0; r < 3; ++r) f.t.v[r] = f.t.v[r] + moved[r];
  set_axes(f, m);
}

ARMATURE_INLINE V sine(const LanesCall& call, int slot) { return load(call.sines + 2 * kLanes * slot); }
ARMATURE_INLINE V cosine(const LanesCall& call, int slot) { return load(call.sines + 2 * kLanes * slot + kLanes); }

int forward_lane_count() { return kLanes; }

bool forward_lanes(const LanesCall& call) {
  using Op = LinkKernel::Op;
  const LinkKernels& kernels = call.model.kernels();
  N large{};
  for (int n = 0; n < call.slot_count; ++n) {
    const std::int32_t slot = call.slots[n];
    const FourAngles& four = kernels.angles[static_cast<std::size_t>(slot / 4)];
    const V x = lifted(coordinate(call, four.q_index[slot % 4])) * four.multiplier[slot % 4] + four.offset[slot % 4];
    large |= (x >= spread(1e5)) | (x <= spread(-1e5));
    V s, c;
    sincos_vector<V, N>(x, s, c);
    store(s, call.sines + 2 * kLanes * slot);
    store(c, call.sines + 2 * kLanes * slot + kLanes);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (large[lane] != 0) return false;
  }
  LaneFrame f{};
  V* const parts = &f.t.v[0];
  static_assert(sizeof(LaneFrame) == 12 * sizeof(V));
  for (int n = 0; n < call.step_count; ++n) {
    const Step step = call.steps[n];
    const LinkKernel& k = kernels.links[static_cast<std::size_t>(step.link)];
    if (step.from == Step::kFromWorld) {
      for (int i = 0; i < 12; ++i) parts[i] = V{};
      for (const int i : {3, 7, 11}) parts[i] = spread(1.0);
    } else if (step.from != Step::kPrevious) {
      for (int i = 0; i < 12; ++i) parts[i] = load(call.kept + kLanes * (12 * step.from + i));
    }
    place(f, k.placement[3]);
    if (k.op == Op::slide) {
      const V along = lifted(coordinate(call, k.q_index)) * k.multiplier + k.offset;
      V moved[3];
      combine(f, k.sine[0], moved);
      for (int r = 0; r < 3; ++r) f.t.v[r] = f.t.v[r] + moved[r] * along;
    }
    if (k.op == Op::turn_any) {
      const V s = sine(call, k.slot), c = cosine(call, k.slot);
      V m[3][3];
      for (int column = 0; column < 3; ++column) {
        for (int r = 0; r < 3; ++r)
          m[column][r] = (k.placement[column][r] + s * k.sine[column][r]) + c * k.cosine[column][r];
      }
      set_axes(f, m);
    } else if (!k.plain) {
      const LaneFrame g = f;
      combine(g, k.placement[0], f.x.v);
      combine(g, k.placement[1], f.y.v);
      combine(g, k.placement[2], f.z.v);
    }
    switch (k.op) {
      case Op::fixed:
      case Op::turn_any:
      case Op::slide:
        break;
      case Op::turn_x:
        turn(f.y, f.z, sine(call, k.slot), cosine(call, k.slot));
        break;
      case Op::turn_y:
        turn(f.z, f.x, sine(call, k.slot), cosine(call, k.slot));
        break;
      case Op::turn_z:
        turn(f.x, f.y, sine(call, k.slot), cosine(call, k.slot));
        break;
      case Op::ball: {
        V q[4];
        coordinates<4>(call, k.q_index, q);
        turn_ball(f, q);
        break;
      }
      case Op::free: {
        V q[7];
        coordinates<7>(call, k.q_index, q);
        slide(f, q);
        turn_ball(f, q + 3);
        break;
      }
      case Op::free_turns: {
        V q[3];
        coordinates<3>(call, k.q_index, q);
        slide(f, q);
      }
        [[fallthrough]];
      case Op::turns:
        for (int e = 0; e < k.turn_count; ++e) turn(f, k.axes[e], sine(call, k.slot + e), cosine(call, k.slot + e));
        break;
      case Op::other:
        other(call, step.link, k, f);
        break;
    }
    if (step.keep >= 0) {
      for (int i = 0; i < 12; ++i) store(parts[i], call.kept + kLanes * (12 * step.keep + i));
    }
    if (step.out >= 0 && call.out != nullptr) give_out(f, call, step.out);
  }
  return true;
}

ARMATURE_INLINE V part(const JacobianCall& call, int frame, int i) {
  return load(call.kept + kLanes * (12 * frame + i));
}

void jacobian_lanes(const JacobianCall& call) {
  V p[3];
  for (int r = 0; r < 3; ++r) {
    p[r] = part(call, call.tip, r) +
           ((part(call, call.tip, 3 + r) * call.point[0] + part(call, call.tip, 6 + r) * call.point[1]) +
            part(call, call.tip, 9 + r) * call.point[2]);
  }
  for (int n = 0; n < call.column_count; ++n) {
    const ForwardBatch::Column& column = call.columns[n];
    V a[3], lever[3];
    for (int r = 0; r < 3; ++r) {
      a[r] = (part(call, column.keep, 3 + r) * column.axis[0] + part(call, column.keep, 6 + r) * column.axis[1]) +
             part(call, column.keep, 9 + r) * column.axis[2];
      lever[r] = p[r] - part(call, column.keep, r);
    }
    V linear[3] = {a[0], a[1], a[2]};
    if (!column.slides) {
      for (int r = 0; r < 3; ++r) linear[r] = a[(r + 1) % 3] * lever[(r + 2) % 3] - a[(r + 2) % 3] * lever[(r + 1) % 3];
    }
    double* const out = call.out + 6 * column.velocity;
    for (int lane = 0; lane < kLanes; ++lane) {
      double* const to = out + lane * call.out_stride;
      for (int r = 0; r < 3; ++r) to[r] += linear[r][lane];
      if (column.slides) continue;
      for (int r = 0; r < 3; ++r) to[3 + r] += a[r][lane];
    }
  }
}
