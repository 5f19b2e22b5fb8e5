// Classes S and P: all eight answers by equations A cos + B sin = C, four branches side by side. Included after
// refine.inl. No angle is formed before the end: joints are (cos, sin) pairs.

struct Branches {
  Turn turn[2][6];  // two packs of four
  Mask valid[2];
  Mask in_line[2];  // two axes are one line there: a joint has its start's value
  unsigned free_joints = 0;
  bool clear = true;  // every branch that is missing is missing by more than rounding
};

constexpr double kSlack = 1e-11;  // how far beyond the edge of reach still counts as on it
constexpr double kClear = 1e-4;   // how far does not, whatever a tolerance may add
// Square of a sine that counts as none. Rounding makes 1e-14 of it, and near a second singular pose (an elbow nearly
// straight) a hundred or a thousand times as much; up to here both the line and the bend are answers (kAccepted).
constexpr double kInLine = 1e-20;
constexpr double kNearLine = 1e-8;  // square of a sine below which joint 6, and with it the planar part, is unsure
constexpr double kNoLever = 1e-26;  // square of a lever that counts as none

constexpr double kOuterSigns[4] = {1.0, 1.0, -1.0, -1.0}, kInnerSigns[4] = {1.0, -1.0, 1.0, -1.0};
ARMATURE_INLINE Pack signs_outer() { return load_anywhere(kOuterSigns); }
ARMATURE_INLINE Pack signs_inner() { return load_anywhere(kInnerSigns); }

// A cos + B sin = C with the given sign of the root. `d`: A^2 + B^2 - C^2 where it is known without cancellation.
ARMATURE_INLINE Mask solve_turn(Pack A, Pack B, Pack C, Pack r2, Pack d, Pack sign, Turn& t, bool& clear) {
  const Mask outside = d < 0.0;
  const Pack r = sqrt(r2);
  const Pack beyond = abs(C) - r;
  const Pack c = select(outside, with_sign(r, C), C);
  const Pack root = sign * sqrt(max(d, Pack::all(0.0)));
  const Pack inverse = Pack::all(1.0) / r2;
  t.c = (A * c - B * root) * inverse;
  t.s = (B * c + A * root) * inverse;
  clear = clear && !any(outside & (beyond > kSlack) & (beyond < kClear));
  return (d > 0.0) | ((sign > 0.0) & (beyond <= Pack::all(kSlack)));
}
ARMATURE_INLINE Mask solve_turn(Pack A, Pack B, Pack C, Pack sign, Turn& t, bool& clear) {
  const Pack r2 = A * A + B * B;
  return solve_turn(A, B, C, r2, r2 - C * C, sign, t, clear);
}

// The turn about z that takes a to b (across z); where either has no length there, `rest`.
ARMATURE_INLINE Mask turn_onto(Pack ax, Pack ay, Pack bx, Pack by, double tiny, const Turn& rest, Turn& t) {
  const Pack c = ax * bx + ay * by, s = ax * by - ay * bx, size = c * c + s * s;
  const Mask none = size < tiny;
  const Pack scale = Pack::all(1.0) / sqrt(max(size, Pack::all(1e-300)));
  t.c = select(none, rest.c, c * scale);
  t.s = select(none, rest.s, s * scale);
  return none;
}

ARMATURE_INLINE Turn turn_of(double angle) {
  Turn t;
  sincos(Pack::all(angle), t.s, t.c);
  return t;
}

// Joints 4, 5, 6 from axis 6 and x of frame 6 as the motion asks for them, seen in frame 4.
ARMATURE_INLINE void solve_wrist(const SphericalWrist& w, const Vec& axis, const Vec& side, const Mask& valid,
                                 const double* start, Branches& out) {
  const Pack perp = axis.x * axis.x + axis.y * axis.y;
  const Mask line = perp < kInLine;
  const Pack A = Pack::all(w.a), B = Pack::all(w.b), r2 = A * A + B * B;
  Pack C = axis.z - w.c;
  if (any(line & valid)) C = select(line & (abs(C) > Pack::all(0.5) * sqrt(r2)), with_sign(sqrt(r2), C), C);
  const Pack d = w.right ? select(line, Pack::all(0.0), perp) : r2 - C * C;
  const Turn start4 = turn_of(start[3]);
  for (int m = 0; m < 2; ++m) {
    Turn* t = out.turn[m];
    const Mask ok = solve_turn(A, B, C, r2, d, Pack::all(m == 0 ? 1.0 : -1.0), t[4], out.clear);
    const Pack xe = (w.x[0] + w.x[1] * t[4].c) + w.x[2] * t[4].s;
    const Pack xf = (w.y[0] + w.y[1] * t[4].c) + w.y[2] * t[4].s;
    out.valid[m] = valid & ok;
    out.in_line[m] = line;
    const Mask free = turn_onto(xe, xf, axis.x, axis.y, 1e-60, start4, t[3]) | line;
    t[3].c = select(line, start4.c, t[3].c);
    t[3].s = select(line, start4.s, t[3].s);
    if (any(free & out.valid[m])) out.free_joints |= 1u << 3 | 1u << 5;
    // Joint 6 takes what joint 4 left, so that their errors cancel near the singularity.
    const Vec rest = times(w.to_6, turned_back(t[4], times(w.to_5, turned_back(t[3], side))));
    const Pack scale = Pack::all(1.0) / sqrt(max(rest.x * rest.x + rest.y * rest.y, Pack::all(1e-300)));
    t[5].c = rest.x * scale;
    t[5].s = rest.y * scale;
  }
  for (int j = 0; j < 3; ++j) out.turn[1][j] = out.turn[0][j];
}

ARMATURE_INLINE Vec apply(const Target& x, const double* v) { return times(x.rotation, Vec::all(v)); }

// Joint 1 from the height along h, then where the arm's plane sees the point. Lanes: sign of joint 1 outside.
ARMATURE_INLINE Mask solve_height(const ClosedArm& a, const Vec& v1, const double* start, Turn& t, Branches& out) {
  const Pack hx = Pack::all(a.h[0]), hy = Pack::all(a.h[1]);
  const Pack A = hx * v1.x + hy * v1.y, B = hx * v1.y - hy * v1.x, C = a.height - a.h[2] * v1.z;
  Mask ok = solve_turn(A, B, C, signs_outer(), t, out.clear);
  const Mask free = (A * A + B * B) < kNoLever;
  if (any(free)) {  // the point is on axis 1: any value, or none
    const Turn s = turn_of(start[0]);
    t.c = select(free, s.c, t.c);
    t.s = select(free, s.s, t.s);
    const Mask fits = free & (abs(C) <= Pack::all(kSlack)) & (signs_outer() > 0.0);
    ok = (ok & ~free) | fits;
    if (any(fits)) out.free_joints |= 1u;
  }
  return ok;
}

// Joints 2 and 3 of the planar arm n, u that reach (yx, yy).
ARMATURE_INLINE Mask solve_planar(const ClosedArm& a, Pack yx, Pack yy, Pack sign, const double* start, Turn& t2,
                                  Turn& t3, Branches& out) {
  const Pack C = Pack::all(0.5) * ((yx * yx + yy * yy) - a.square);
  const Mask ok = solve_turn(Pack::all(a.a3), Pack::all(a.b3), C, sign, t3, out.clear);
  const Pack qx = (a.u[0] * t3.c - a.u[1] * t3.s) + Pack::all(a.n[0]);
  const Pack qy = (a.u[1] * t3.c + a.u[0] * t3.s) + Pack::all(a.n[1]);
  const Mask free = turn_onto(qx, qy, yx, yy, 1e-44, turn_of(start[1]), t2);
  if (any(free & ok)) out.free_joints |= 2u;
  return ok;
}

ARMATURE_INLINE void solve_wrist_arm(const SixArm& arm, const Target& x, const double* start, Branches& out) {
  const ClosedArm& a = arm.closed;
  const Vec v = (apply(x, a.point) + Vec::all(x.position)) - Vec::all(a.origin1);
  const Vec v1 = times_transposed(a.frame1, v);
  const Vec axis1 = times_transposed(a.frame1, apply(x, a.wrist.axis6));
  const Vec side1 = times_transposed(a.frame1, apply(x, a.wrist.side6));
  Turn* t = out.turn[0];
  if (arm.kind == SixClass::wrist_parallel) {
    Mask ok = solve_height(a, v1, start, t[0], out);
    const Vec y = times(a.to_h, turned_back(t[0], v1)) + Vec::all(a.offset);
    ok = ok & solve_planar(a, y.x, y.y, signs_inner(), start, t[1], t[2], out);
    const Turn t23{t[1].c * t[2].c - t[1].s * t[2].s, t[1].s * t[2].c + t[1].c * t[2].s};
    const Vec axis = times(a.to_4, turned_back(t23, times(a.to_h, turned_back(t[0], axis1))));
    const Vec side = times(a.to_4, turned_back(t23, times(a.to_h, turned_back(t[0], side1))));
    t[2].s = a.sign3 * t[2].s;
    solve_wrist(a.wrist, axis, side, ok, start, out);
    return;
  }
  const Pack C3 = Pack::all(0.5) * (dot(v1, v1) - a.square);
  Mask ok = solve_turn(Pack::all(a.a3), Pack::all(a.b3), C3, signs_outer(), t[2], out.clear);
  const Vec q = times(a.to_3, turned(t[2], Vec::all(a.u3))) + Vec::all(a.n3);
  const Pack A = a.g[0] * q.x + a.g[1] * q.y, B = a.g[1] * q.x - a.g[0] * q.y, C = v1.z - a.g[2] * q.z;
  ok = ok & solve_turn(A, B, C, signs_inner(), t[1], out.clear);
  const Mask free2 = (A * A + B * B) < kNoLever;
  if (any(free2 & ok)) {
    const Turn s = turn_of(start[1]);
    t[1].c = select(free2, s.c, t[1].c);
    t[1].s = select(free2, s.s, t[1].s);
    out.free_joints |= 2u;
  }
  const Vec y = times(a.to_2, turned(t[1], q));
  if (any(turn_onto(y.x, y.y, v1.x, v1.y, 1e-48, turn_of(start[0]), t[0]) & ok)) out.free_joints |= 1u;
  // to_2 and to_3 lead inwards; axes are taken outwards.
  const auto outwards = [&](const Vec& d) {
    const Vec d2 = times_transposed(a.to_2, turned_back(t[0], d));
    return times(a.to_4, turned_back(t[2], times_transposed(a.to_3, turned_back(t[1], d2))));
  };
  solve_wrist(a.wrist, outwards(axis1), outwards(side1), ok, start, out);
}

// P. Lanes: signs of joints 1 and 5; the two packs are the signs of joint 3.
ARMATURE_INLINE void solve_parallel_arm(const SixArm& arm, const Target& x, const double* start, Branches& out) {
  const ClosedArm& a = arm.closed;
  const Vec v = (apply(x, a.point) + Vec::all(x.position)) - Vec::all(a.origin1);
  const Vec v1 = times_transposed(a.frame1, v);
  Turn t1, t5, t6;
  Mask ok = solve_height(a, v1, start, t1, out);
  const Vec g1 = turned(t1, Vec::all(a.h));  // h as joint 1 carries it, in frame 1
  const auto to_tool = [&](const Vec& d) {
    return times_transposed(a.frame6, times_transposed(x.rotation, times(a.frame1, d)));
  };
  const auto from_tool = [&](const Vec& d) {
    return times_transposed(a.frame1, times(x.rotation, times(a.frame6, d)));
  };
  const Vec hb = to_tool(g1);
  const Pack perp = hb.x * hb.x + hb.y * hb.y;
  const Mask line = perp < a.line;
  if (any(ok & (perp < kNearLine))) out.clear = false;
  const Pack A = Pack::all(a.a5), B = Pack::all(a.b5), r2 = A * A + B * B;
  Pack C = hb.z - a.c5;
  const bool any_line = any(line & ok);
  if (any_line) C = select(line & (abs(C) > Pack::all(0.5) * sqrt(r2)), with_sign(sqrt(r2), C), C);
  const Pack d = a.right ? select(line, Pack::all(0.0), perp) : r2 - C * C;
  ok = ok & solve_turn(A, B, C, r2, d, signs_inner(), t5, out.clear);
  const Pack ye = (a.y6[0] + a.y6[1] * t5.c) + a.y6[2] * t5.s, yf = (a.z6[0] + a.z6[1] * t5.c) + a.z6[2] * t5.s;
  const Turn start6 = turn_of(start[5]);
  const Mask free = turn_onto(hb.x, hb.y, ye, yf, 1e-60, start6, t6) | line;
  const auto carried = [&](const double* d5) {
    return from_tool(turned_back(t6, times(a.to_6, turned_back(t5, Vec::all(d5)))));
  };
  const auto planar_target = [&](const Vec& d) { return times(a.to_h, turned_back(t1, d + v1)) + Vec::all(a.offset); };
  if (any(free & ok)) {
    // Joint 6 is free, but not every value lets the planar part reach: its distance^2 is A cos 6 + B sin 6 + C.
    out.free_joints |= 1u << 5 | 1u << 3;
    const auto distance2 = [&](double c, double s) {
      t6.c = select(free, Pack::all(c), t6.c);
      t6.s = select(free, Pack::all(s), t6.s);
      const Vec y = planar_target(carried(a.d5));
      return y.x * y.x + y.y * y.y;
    };
    const Pack east = distance2(1.0, 0.0), north = distance2(0.0, 1.0), west = distance2(-1.0, 0.0);
    const Pack c0 = Pack::all(0.5) * (east + west), ca = Pack::all(0.5) * (east - west), cb = north - c0;
    const Pack span = sqrt(ca * ca + cb * cb), room = Pack::all(2.0 * __builtin_sqrt(a.a3 * a.a3 + a.b3 * a.b3));
    const Pack low = max(c0 - span, a.square - room), high = min(c0 + span, a.square + room);
    const Pack at_start = (c0 + ca * start6.c) + cb * start6.s;
    const Mask fits = (at_start >= low) & (at_start <= high);
    // Otherwise the middle of what both allow.
    const Pack want = Pack::all(0.5) * (low + high) - c0;
    Turn other;
    bool ignored = true;
    solve_turn(ca, cb, want, Pack::all(1.0), other, ignored);
    const Mask level = span < 1e-20;
    t6.c = select(free, select(fits | level, start6.c, other.c), t6.c);
    t6.s = select(free, select(fits | level, start6.s, other.s), t6.s);
    // t6 of the other lanes was overwritten only where free.
  }
  const Vec e = times(a.to_h, turned_back(t1, carried(a.e5)));
  const Vec y = planar_target(carried(a.d5));
  const Pack scale = Pack::all(1.0) / sqrt(max(e.x * e.x + e.y * e.y, Pack::all(1e-300)));
  const Pack ct = e.x * scale, st = e.y * scale;
  for (int m = 0; m < 2; ++m) {
    Turn* t = out.turn[m];
    t[0] = t1;
    t[4] = t5;
    t[5] = t6;
    out.in_line[m] = line;
    out.valid[m] = ok & solve_planar(a, y.x, y.y, Pack::all(m == 0 ? 1.0 : -1.0), start, t[1], t[2], out);
    const Pack c23 = t[1].c * t[2].c - t[1].s * t[2].s, s23 = t[1].s * t[2].c + t[1].c * t[2].s;
    t[3].c = ct * c23 + st * s23;
    t[3].s = a.sign4 * (st * c23 - ct * s23);
    t[2].s = a.sign3 * t[2].s;
  }
}
