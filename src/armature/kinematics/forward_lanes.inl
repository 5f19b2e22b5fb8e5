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

// Components by name, not in arrays: g++ keeps arrays that are indexed in loops in memory.
struct Three {
  V x, y, z;
};
ARMATURE_INLINE Three operator+(const Three& a, const Three& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
ARMATURE_INLINE Three operator-(const Three& a, const Three& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
ARMATURE_INLINE Three operator*(const Three& a, V s) { return {a.x * s, a.y * s, a.z * s}; }
ARMATURE_INLINE Three operator*(const Three& a, double s) { return a * spread(s); }

struct LaneFrame {
  Three t, x, y, z;  // in the order of a Transform: position, then columns of the rotation
};
ARMATURE_INLINE Three load_three(const double* p) { return {load(p), load(p + kLanes), load(p + 2 * kLanes)}; }
ARMATURE_INLINE void store_three(const Three& v, double* p) {
  store(v.x, p);
  store(v.y, p + kLanes);
  store(v.z, p + 2 * kLanes);
}
ARMATURE_INLINE LaneFrame load_frame(const double* p) {
  return {load_three(p), load_three(p + 3 * kLanes), load_three(p + 6 * kLanes), load_three(p + 9 * kLanes)};
}
ARMATURE_INLINE void store_frame(const LaneFrame& f, double* p) {
  store_three(f.t, p);
  store_three(f.x, p + 3 * kLanes);
  store_three(f.y, p + 6 * kLanes);
  store_three(f.z, p + 9 * kLanes);
}

ARMATURE_INLINE Three combine(const LaneFrame& f, const double* c) { return (f.x * c[0] + f.y * c[1]) + f.z * c[2]; }
ARMATURE_INLINE Three combine(const LaneFrame& f, const Three& c) { return (f.x * c.x + f.y * c.y) + f.z * c.z; }
// The position moved along the frame's axes. Terms that are zero change nothing.
ARMATURE_INLINE void place(LaneFrame& f, const double* c) {
  if (c[0] == 0.0 && c[1] == 0.0) {
    if (c[2] != 0.0) f.t = f.t + f.z * c[2];
    return;
  }
  f.t = f.t + combine(f, c);
}
ARMATURE_INLINE void turn(Three& a, Three& b, V s, V c) {
  const Three old = a;
  a = old * c + b * s;
  b = b * c - old * s;
}
ARMATURE_INLINE void turn(LaneFrame& f, int axis, V s, V c) {
  if (axis == 0) return turn(f.y, f.z, s, c);
  if (axis == 1) return turn(f.z, f.x, s, c);
  turn(f.x, f.y, s, c);
}
constexpr double kNothing = 1e-100;  // see forward_pass.inl
ARMATURE_INLINE V lifted(V x) {
  const N small = (N)((x < spread(kNothing)) & (x > spread(-kNothing)));
  return (V)(~small & (N)x);
}
ARMATURE_INLINE void set_axes(LaneFrame& f, const Three& x, const Three& y, const Three& z) {
  const LaneFrame g = f;
  f.x = combine(g, x);
  f.y = combine(g, y);
  f.z = combine(g, z);
}

// Number `index` of each pose.
ARMATURE_INLINE V coordinate(const LanesCall& call, int index) {
  const double* const p = call.poses + index;
  const std::int64_t n = call.model.q_size();
#if defined(ARMATURE_WIDEST)
  return V{p[0], p[n], p[2 * n], p[3 * n], p[4 * n], p[5 * n], p[6 * n], p[7 * n]};
#elif defined(ARMATURE_WIDE)
  return V{p[0], p[n], p[2 * n], p[3 * n]};
#else
  return V{p[0], p[n]};
#endif
}

ARMATURE_INLINE void slide(const LanesCall& call, int index, LaneFrame& f) {
  const Three p{lifted(coordinate(call, index)), lifted(coordinate(call, index + 1)),
                lifted(coordinate(call, index + 2))};
  f.t = f.t + combine(f, p);
}
ARMATURE_INLINE void turn_ball(const LanesCall& call, int index, LaneFrame& f) {
  const V q0 = lifted(coordinate(call, index)), q1 = lifted(coordinate(call, index + 1)),
          q2 = lifted(coordinate(call, index + 2)), q3 = lifted(coordinate(call, index + 3));
  const V n = (q0 * q0 + q1 * q1) + (q2 * q2 + q3 * q3);
  const N usable = (N)(n > spread(1e-200));
  const V two = (V)(usable & (N)(2.0 / n));
  const V x = q0 * two, y = q1 * two, z = q2 * two;
  const V xx = q0 * x, xy = q0 * y, xz = q0 * z, yy = q1 * y, yz = q1 * z, zz = q2 * z;
  const V wx = q3 * x, wy = q3 * y, wz = q3 * z;
  set_axes(f, {1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx},
           {xz + wy, yz - wx, 1.0 - (xx + yy)});
}

// Registers with a lane for each pose into memory with numbers one behind the other for each pose.
#if defined(ARMATURE_WIDE)
using V4 = double __attribute__((vector_size(32)));
ARMATURE_INLINE void scatter_four_lanes(V4 a, V4 b, V4 c, V4 d, double* out, std::int64_t stride) {
  const V4 ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6), ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const V4 cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6), cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  const V4 r0 = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5),
           r1 = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
           r2 = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7),
           r3 = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
  __builtin_memcpy(out, &r0, sizeof r0);
  __builtin_memcpy(out + stride, &r1, sizeof r1);
  __builtin_memcpy(out + 2 * stride, &r2, sizeof r2);
  __builtin_memcpy(out + 3 * stride, &r3, sizeof r3);
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
  out[0] = a[0], out[1] = b[0], out[2] = c[0], out[3] = d[0];
  out[stride] = a[1], out[stride + 1] = b[1], out[stride + 2] = c[1], out[stride + 3] = d[1];
#endif
}
// The last two of six numbers a pose.
ARMATURE_INLINE void store_pairs(V a, V b, double* out) {
#pragma GCC unroll 8
  for (int lane = 0; lane < kLanes; ++lane) {
    out[6 * lane] = a[lane];
    out[6 * lane + 1] = b[lane];
  }
}
ARMATURE_INLINE void give_out(const LaneFrame& f, const LanesCall& call, int number) {
  if (call.positions) {
    double rows[4 * kLanes];  // a fourth number, which is not wanted
    scatter4(f.t.x, f.t.y, f.t.z, f.t.z, rows, 4);
    for (int lane = 0; lane < kLanes; ++lane) {
      __builtin_memcpy(call.out + 3 * number + lane * call.out_stride, rows + 4 * lane, 3 * sizeof(double));
    }
    return;
  }
  double* const out = call.out + 12 * number;
  scatter4(f.t.x, f.t.y, f.t.z, f.x.x, out, call.out_stride);
  scatter4(f.x.y, f.x.z, f.y.x, f.y.y, out + 4, call.out_stride);
  scatter4(f.y.z, f.z.x, f.z.y, f.z.z, out + 8, call.out_stride);
}

// A function of its own: inlined, clang 14 loses lanes that are stored one by one and loaded together (WebAssembly).
[[gnu::noinline]] static void joint_lanes(const LanesCall& call, int link, const LinkKernel& k, double* moved) {
  const ModelJoint& joint = call.model.joint(link);
  for (int lane = 0; lane < kLanes; ++lane) {
    const double* const q = call.poses + lane * call.model.q_size() + k.q_index;
    double value = k.multiplier * q[0] + k.offset;
    const Transform X = joint_transform(joint.type, joint.mimic ? &value : q);
    for (int i = 0; i < 12; ++i) moved[kLanes * i + lane] = X.position.data()[i];
  }
}

// Joint types without an op of their own, lane by lane. By value: a frame whose address is known stays in memory.
LaneFrame other(const LanesCall& call, int link, const LinkKernel& k, LaneFrame f) {
  double moved[12 * kLanes];
  joint_lanes(call, link, k, moved);
  const LaneFrame m = load_frame(moved);
  f.t = f.t + combine(f, m.t);
  set_axes(f, m.x, m.y, m.z);
  return f;
}

ARMATURE_INLINE V sine(const LanesCall& call, int slot) { return load(call.sines + 2 * kLanes * slot); }
ARMATURE_INLINE V cosine(const LanesCall& call, int slot) { return load(call.sines + 2 * kLanes * slot + kLanes); }
ARMATURE_INLINE Three turned_column(const LinkKernel& k, int column, V s, V c) {
  const double *a = k.placement[column], *b = k.sine[column], *d = k.cosine[column];
  return {(a[0] + s * b[0]) + c * d[0], (a[1] + s * b[1]) + c * d[1], (a[2] + s * b[2]) + c * d[2]};
}

int forward_lane_count() { return kLanes; }

bool forward_lanes(const LanesCall& call) {
  using Op = LinkKernel::Op;
  const LinkKernels& kernels = call.model.kernels();
  N large{};
  for (int n = 0; n < call.slot_count; ++n) {
    const std::int32_t slot = call.slots[n];
    const FourAngles& four = kernels.angles[static_cast<std::size_t>(slot / 4)];
    const V x = lifted(coordinate(call, four.q_index[slot % 4])) * four.multiplier[slot % 4] + four.offset[slot % 4];
    large = large | (N)((x >= spread(1e5)) | (x <= spread(-1e5)));
    V s, c;
    sincos_vector<V, N>(x, s, c);
    store(s, call.sines + 2 * kLanes * slot);
    store(c, call.sines + 2 * kLanes * slot + kLanes);
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (large[lane] != 0) return false;
  }
  const V zero{}, one = spread(1.0);
  const LaneFrame world{{zero, zero, zero}, {one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
  LaneFrame f = world;
  for (int n = 0; n < call.step_count; ++n) {
    const Step step = call.steps[n];
    const LinkKernel& k = kernels.links[static_cast<std::size_t>(step.link)];
    if (step.from == Step::kFromWorld) {
      f = world;
    } else if (step.from != Step::kPrevious) {
      f = load_frame(call.kept + kLanes * 12 * step.from);
    }
    place(f, k.placement[3]);
    if (k.op == Op::slide) {
      const V along = lifted(coordinate(call, k.q_index)) * k.multiplier + k.offset;
      f.t = f.t + combine(f, k.sine[0]) * along;
    }
    if (k.op == Op::turn_any) {
      const V s = sine(call, k.slot), c = cosine(call, k.slot);
      set_axes(f, turned_column(k, 0, s, c), turned_column(k, 1, s, c), turned_column(k, 2, s, c));
    } else if (!k.plain && step.placed_about < 3) {
      const int b = (step.placed_about + 1) % 3, c = (step.placed_about + 2) % 3;
      turn(f, step.placed_about, spread(k.placement[b][c]), spread(k.placement[b][b]));
    } else if (!k.plain) {
      const LaneFrame g = f;
      f.x = combine(g, k.placement[0]);
      f.y = combine(g, k.placement[1]);
      f.z = combine(g, k.placement[2]);
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
      case Op::ball:
        turn_ball(call, k.q_index, f);
        break;
      case Op::free:
        slide(call, k.q_index, f);
        turn_ball(call, k.q_index + 3, f);
        break;
      case Op::free_turns:
        slide(call, k.q_index, f);
        [[fallthrough]];
      case Op::turns:
        for (int e = 0; e < k.turn_count; ++e) turn(f, k.axes[e], sine(call, k.slot + e), cosine(call, k.slot + e));
        break;
      case Op::other:
        f = other(call, step.link, k, f);
        break;
    }
    if (step.keep >= 0) store_frame(f, call.kept + kLanes * 12 * step.keep);
    if (step.out >= 0 && call.out != nullptr) give_out(f, call, step.out);
  }
  return true;
}

void jacobian_lanes(const JacobianCall& call) {
  const LaneFrame tip = load_frame(call.kept + kLanes * 12 * call.tip);
  const Three p = tip.t + combine(tip, call.point);
  for (int n = 0; n < call.column_count; ++n) {
    const ForwardBatch::Column& column = call.columns[n];
    const LaneFrame f = load_frame(call.kept + kLanes * 12 * column.keep);
    const Three a = combine(f, column.axis), lever = p - f.t;
    Three linear = a;
    if (!column.slides) {
      linear = {a.y * lever.z - a.z * lever.y, a.z * lever.x - a.x * lever.z, a.x * lever.y - a.y * lever.x};
    }
    const V nothing{};
    double rows[6 * kLanes + 2];
    scatter4(linear.x, linear.y, linear.z, column.slides ? nothing : a.x, rows, 6);
    store_pairs(column.slides ? nothing : a.y, column.slides ? nothing : a.z, rows + 4);
    for (int lane = 0; lane < kLanes; ++lane) {
      double* const to = call.out + 6 * column.velocity + lane * call.out_stride;
      if (column.first) {
        __builtin_memcpy(to, rows + 6 * lane, 6 * sizeof(double));
      } else {
        for (int r = 0; r < 6; ++r) to[r] += rows[6 * lane + r];
      }
    }
  }
}
