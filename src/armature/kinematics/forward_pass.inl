// The flat pass of forward kinematics for one instruction set: included by forward_pass_*.cpp inside their namespace,
// after pack.inl and sincos.inl. All instruction sets give the same bits.

// Frames are 12 doubles without padding (Transform): unaligned columns, and nothing read or written beyond them.
struct Frame {
  Col t, x, y, z;  // in the order of a Transform: position, then columns of the rotation
};

#if defined(ARMATURE_WIDE)
ARMATURE_INLINE F4 load_anywhere(const double* p) {
  F4 v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
ARMATURE_INLINE void store_anywhere(F4 v, double* p) { __builtin_memcpy(p, &v, sizeof v); }
ARMATURE_INLINE Frame load_frame(const double* p) {
  const F4 last = load_anywhere(p + 8);  // y's third number, then z
  return {{load_anywhere(p)},
          {load_anywhere(p + 3)},
          {load_anywhere(p + 6)},
          {__builtin_shufflevector(last, last, 1, 2, 3, 0)}};
}
ARMATURE_INLINE void store_frame(const Frame& f, double* p) {
  store_anywhere(f.t.v, p);
  store_anywhere(f.x.v, p + 3);
  store_anywhere(f.y.v, p + 6);
  store_anywhere(__builtin_shufflevector(f.y.v, f.z.v, 2, 4, 5, 6), p + 8);
}
#else
ARMATURE_INLINE Frame load_frame(const double* p) {
  return {Col::of(p[0], p[1], p[2]), Col::of(p[3], p[4], p[5]), Col::of(p[6], p[7], p[8]), Col::of(p[9], p[10], p[11])};
}
ARMATURE_INLINE void store_col(Col c, double* p) {
  p[0] = c.x();
  p[1] = c.y();
  p[2] = c.z();
}
ARMATURE_INLINE void store_frame(const Frame& f, double* p) {
  store_col(f.t, p);
  store_col(f.x, p + 3);
  store_col(f.y, p + 6);
  store_col(f.z, p + 9);
}
#endif

ARMATURE_INLINE Col combine(const Frame& f, const double* v) { return (f.x * v[0] + f.y * v[1]) + f.z * v[2]; }

// The frame turned about one of its own axes.
ARMATURE_INLINE void turn(Frame& f, int axis, double s, double c) {
  Col& a = axis == 0 ? f.y : axis == 1 ? f.z : f.x;
  Col& b = axis == 0 ? f.z : axis == 1 ? f.x : f.y;
  const Col old = a;
  a = old * c + b * s;
  b = b * c - old * s;
}

// Coordinates below this are taken as zero: products of denormal numbers cost a hundred times as much as others.
constexpr double kNothing = 1e-100;
ARMATURE_INLINE double lifted(double x) { return std::abs(x) < kNothing ? 0.0 : x; }
ARMATURE_INLINE Pack lifted(Pack x) { return zero_where((x < Pack::all(kNothing)) & (x > Pack::all(-kNothing)), x); }

// The frame moved by a position in it.
ARMATURE_INLINE void slide(Frame& f, const double* p) {
  const double position[3] = {lifted(p[0]), lifted(p[1]), lifted(p[2])};
  f.t = f.t + combine(f, position);
}

// The frame turned by a quaternion (x, y, z, w), which is normalised on the way.
ARMATURE_INLINE void turn_ball(Frame& f, const double* coordinates) {
  const double q[4] = {lifted(coordinates[0]), lifted(coordinates[1]), lifted(coordinates[2]), lifted(coordinates[3])};
  const double n = (q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]);
  const bool usable = n > 1e-200;
  const double two = usable ? 2.0 / n : 0.0;
  const double x = q[0] * two, y = q[1] * two, z = q[2] * two;
  const double xx = q[0] * x, xy = q[0] * y, xz = q[0] * z, yy = q[1] * y, yz = q[1] * z, zz = q[2] * z;
  const double wx = q[3] * x, wy = q[3] * y, wz = q[3] * z;
  const double m[3][3] = {
      {1.0 - (yy + zz), xy + wz, xz - wy}, {xy - wz, 1.0 - (xx + zz), yz + wx}, {xz + wy, yz - wx, 1.0 - (xx + yy)}};
  const Frame g = f;
  f.x = combine(g, m[0]);
  f.y = combine(g, m[1]);
  f.z = combine(g, m[2]);
}

// A function of its own: inlined, clang 14 loses what it stores (WebAssembly; "angles of any size" tells).
[[gnu::noinline]] static void large_angles(const double* angle, double* sines, double* cosines) {
  for (int lane = 0; lane < 4; ++lane) {
    const math::SinCos turn = math::sin_cos(angle[lane]);
    sines[lane] = turn.sin;
    cosines[lane] = turn.cos;
  }
}

void forward_pass(const Model& model, const double* q, int begin, int end, double* sines, double* cosines,
                  Transform* frames) {
  using Op = LinkKernel::Op;
  const LinkKernels& kernels = model.kernels();
  const int slots = kernels.slot_begin[static_cast<std::size_t>(end)];
  for (int k = kernels.slot_begin[static_cast<std::size_t>(begin)] & ~3; k < slots; k += 4) {
    const FourAngles& four = kernels.angles[static_cast<std::size_t>(k / 4)];
    alignas(32) double angle[4], s[4], c[4];
    for (int lane = 0; lane < 4; ++lane) angle[lane] = q[four.q_index[lane]];
    const Pack x = lifted(Pack::load(angle)) * Pack::load(four.multiplier) + Pack::load(four.offset);
    Pack sine, cosine;
    sincos(x, sine, cosine);
    sine.store(s);
    cosine.store(c);
    __builtin_memcpy(sines + k, s, sizeof s);
    __builtin_memcpy(cosines + k, c, sizeof c);
    if (__builtin_expect(any((x >= Pack::all(1e5)) | (x <= Pack::all(-1e5))), 0)) {
      x.store(angle);
      large_angles(angle, sines + k, cosines + k);
    }
  }

  Frame f{Col::of(0, 0, 0), Col::of(1, 0, 0), Col::of(0, 1, 0), Col::of(0, 0, 1)};
  int at = -1;  // the link whose frame f is
  for (int i = begin; i < end; ++i) {
    const LinkKernel& k = kernels.links[static_cast<std::size_t>(i)];
    if (k.parent < 0) {
      f = {Col::of(0, 0, 0), Col::of(1, 0, 0), Col::of(0, 1, 0), Col::of(0, 0, 1)};
    } else if (k.parent != at) {
      f = load_frame(frames[k.parent].position.data());
    }
    at = i;
    f.t = f.t + combine(f, k.placement[3]);
    if (k.op == Op::slide) {
      f.t = f.t + combine(f, k.sine[0]) * (k.multiplier * lifted(q[k.q_index]) + k.offset);
    }
    if (k.op == Op::turn_any) {
      const double s = sines[k.slot];
      const double c = cosines[k.slot];
      const Frame g = f;
      Col* out[3] = {&f.x, &f.y, &f.z};
      for (int column = 0; column < 3; ++column) {
        double m[3];
        for (int r = 0; r < 3; ++r) {
          m[r] = (k.placement[column][r] + s * k.sine[column][r]) + c * k.cosine[column][r];
        }
        *out[column] = combine(g, m);
      }
    } else if (!k.plain) {
      const Frame g = f;
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
        turn(f, 0, sines[k.slot], cosines[k.slot]);
        break;
      case Op::turn_y:
        turn(f, 1, sines[k.slot], cosines[k.slot]);
        break;
      case Op::turn_z:
        turn(f, 2, sines[k.slot], cosines[k.slot]);
        break;
      case Op::ball:
        turn_ball(f, q + k.q_index);
        break;
      case Op::free:
        slide(f, q + k.q_index);
        turn_ball(f, q + k.q_index + 3);
        break;
      case Op::free_turns:
        slide(f, q + k.q_index);
        [[fallthrough]];
      case Op::turns:
        for (int e = 0; e < k.turn_count; ++e) turn(f, k.axes[e], sines[k.slot + e], cosines[k.slot + e]);
        break;
      case Op::other: {
        double value = k.multiplier * q[k.q_index] + k.offset;
        const ModelJoint& joint = model.joint(i);
        const Transform moved = joint_transform(joint.type, joint.mimic ? &value : q + k.q_index);
        const Frame g = f;
        f.t = g.t + combine(g, moved.position.data());
        f.x = combine(g, moved.rotation.data());
        f.y = combine(g, moved.rotation.data() + 3);
        f.z = combine(g, moved.rotation.data() + 6);
        break;
      }
    }
    store_frame(f, frames[i].position.data());
  }
}
