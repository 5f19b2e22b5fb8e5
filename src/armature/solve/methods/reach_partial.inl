// Partial goals: some axes free, some within a box. Included by reach_kernel.inl.
//
// The orientation's error is the rotation vector phi of goal * tip^T: with a free axis it may be long, so both it and
// its derivative (the inverse right Jacobian of SO(3), e.g. Sola et al. 2018, eq 144) are exact:
//   d phi = -(1 + [phi]/2 + k [phi]^2) w,   k = 1/|phi|^2 - (1 + cos|phi|) / (2 |phi| sin|phi|)

// atan2 for y >= 0, good to 1e-15: the library's differs between platforms in the last bit.
static double angle_of(double y, double x) {
  // Halve the angle four times, then a short series.
  for (int i = 0; i < 4; ++i) x += __builtin_sqrt(x * x + y * y);
  const double t = y / x, t2 = t * t;
  double sum = 0.0;
  for (int k = 19; k >= 1; k -= 2) sum = 1.0 / k - t2 * sum;
  return 16.0 * t * sum;
}

template <int B>
static void rotation_vector(const ChainFrames<B>& f, const ReachGoal& g, double* phi) {
  phi[0] = phi[1] = phi[2] = 0.0;
  if (!g.has_orientation) return;
  const TipError t = tip_error(f, GoalColumns(g));
  if (t.one_plus_trace < 1e-9) {
    half_turn(f, g, phi);
    for (int k = 0; k < 3; ++k) phi[k] *= 0.5 * 3.14159265358979323846;
    return;
  }
  // |cross| = 2 sin(angle) and trace + 1 = 2 + 2 cos(angle).
  const double sine = __builtin_sqrt(t.cross2);
  const double angle = angle_of(sine, t.one_plus_trace - 2.0);
  const double scale = sine > 1e-12 ? angle / sine : 0.5;
  phi[0] = t.cross.x() * scale;
  phi[1] = t.cross.y() * scale;
  phi[2] = t.cross.z() * scale;
}

// With one free axis f (see ReachGoal::swing): u is where the tip has what should point along f, and the error is the
// rotation vector that turns u to f. d error = F f x (u x w) + G n (n . w), n = u x f.
struct SwingError {
  double u[3], n[3];
  double cosine, sine, angle;
};
template <int B>
static SwingError swing_error(const ChainFrames<B>& f, const ReachGoal& g) {
  const double* a = g.free_axis;
  const double* r = g.rotation;
  const double x = (r[0] * a[0] + r[3] * a[1]) + r[6] * a[2];
  const double y = (r[1] * a[0] + r[4] * a[1]) + r[7] * a[2];
  const double z = (r[2] * a[0] + r[5] * a[1]) + r[8] * a[2];
  SwingError s;
  s.u[0] = (f.rx.x() * x + f.ry.x() * y) + f.rz.x() * z;
  s.u[1] = (f.rx.y() * x + f.ry.y() * y) + f.rz.y() * z;
  s.u[2] = (f.rx.z() * x + f.ry.z() * y) + f.rz.z() * z;
  s.n[0] = s.u[1] * a[2] - s.u[2] * a[1];
  s.n[1] = s.u[2] * a[0] - s.u[0] * a[2];
  s.n[2] = s.u[0] * a[1] - s.u[1] * a[0];
  s.cosine = (s.u[0] * a[0] + s.u[1] * a[1]) + s.u[2] * a[2];
  s.sine = __builtin_sqrt((s.n[0] * s.n[0] + s.n[1] * s.n[1]) + s.n[2] * s.n[2]);
  s.angle = angle_of(s.sine, s.cosine);
  if (s.cosine < 0.0 && s.sine < 1e-9) {  // opposite: half a turn about any axis perpendicular to u
    const int k = __builtin_fabs(s.u[0]) < 0.6 ? 0 : 1;
    const double e[3] = {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, 0.0};
    s.n[0] = s.u[1] * e[2] - s.u[2] * e[1];
    s.n[1] = s.u[2] * e[0] - s.u[0] * e[2];
    s.n[2] = s.u[0] * e[1] - s.u[1] * e[0];
    s.sine = __builtin_sqrt((s.n[0] * s.n[0] + s.n[1] * s.n[1]) + s.n[2] * s.n[2]);
    s.angle = 3.14159265358979323846;
  }
  return s;
}

// The vector whose components along the axes are the orientation's errors.
template <int B>
static void orientation_vector(const ChainFrames<B>& f, const ReachGoal& g, double* phi) {
  if (!g.swing) {
    rotation_vector(f, g, phi);
    return;
  }
  const SwingError s = swing_error(f, g);
  const double scale = s.sine > 1e-12 ? s.angle / s.sine : 1.0;
  for (int k = 0; k < 3; ++k) phi[k] = scale * s.n[k];
}

// m with d phi = -m w.
template <int B>
static void orientation_slope(const ChainFrames<B>& f, const ReachGoal& g, double* m) {
  if (g.swing) {
    const SwingError s = swing_error(f, g);
    const double* a = g.free_axis;
    double F = 1.0 + s.sine * s.sine / 6.0, G = -1.0 / 3.0;
    if (s.cosine < 0.0 || s.sine > 1e-4) {
      F = s.angle / s.sine;
      G = (s.angle * s.cosine - s.sine) / (s.sine * s.sine * s.sine);
    }
    if (s.angle > 3.1415926) {  // as good as opposite: only about that axis
      F = 0.0;
      G = -1.0 / (s.sine * s.sine);
    }
    // -(F [a][u] + G n n'), and [a][u] = u a' - (a . u).
    const double c = (s.u[0] * a[0] + s.u[1] * a[1]) + s.u[2] * a[2];
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k) m[3 * r + k] = (r == k ? F * c : 0.0) - F * s.u[r] * a[k] - G * s.n[r] * s.n[k];
    return;
  }
  double phi[3];
  rotation_vector(f, g, phi);
  const double angle2 = (phi[0] * phi[0] + phi[1] * phi[1]) + phi[2] * phi[2];
  double k = 1.0 / 12.0 + angle2 / 720.0;
  if (angle2 > 1e-4) {
    const double angle = __builtin_sqrt(angle2);
    // (1 + cos) / sin = cot(angle/2) = sqrt((2 + 2 cos) / (2 - 2 cos)), from the trace.
    const double c = 0.5 * (tip_error(f, GoalColumns(g)).one_plus_trace - 2.0);
    const double cot = __builtin_sqrt((1.0 + c > 0.0 ? 1.0 + c : 0.0) / (1.0 - c));
    k = 1.0 / angle2 - cot / (2.0 * angle);
  }
  // m = 1 + [phi]/2 + k (phi phi^T - angle2)
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m[3 * r + c] = k * phi[r] * phi[c] + (r == c ? 1.0 - k * angle2 : 0.0);
  m[1] -= 0.5 * phi[2];
  m[2] += 0.5 * phi[1];
  m[3] += 0.5 * phi[2];
  m[5] -= 0.5 * phi[0];
  m[6] -= 0.5 * phi[1];
  m[7] += 0.5 * phi[0];
}

ARMATURE_INLINE double outside_box(double e, double box) { return e > box ? e - box : e < -box ? e + box : 0.0; }

template <int B>
static __attribute__((noinline)) void partial_error(const ChainFrames<B>& f, const ReachGoal& g, double* e) {
  const double p[3] = {g.position[0] - f.tip.x(), g.position[1] - f.tip.y(), g.position[2] - f.tip.z()};
  double phi[3];
  orientation_vector(f, g, phi);
  for (int k = 0; k < 3; ++k) {
    const double* a = g.position_axes + 3 * k;
    const double* o = g.orientation_axes + 3 * k;
    e[k] = outside_box((a[0] * p[0] + a[1] * p[1]) + a[2] * p[2], g.position_box[k]);
    e[3 + k] = outside_box((o[0] * phi[0] + o[1] * phi[1]) + o[2] * phi[2], g.orientation_box[k]);
  }
}

// Rows of a partial goal from the rows of the whole Jacobian. A row that is inside its box does not count.
template <int B>
static __attribute__((noinline)) void partial_rows(const ChainFrames<B>& f, const ReachGoal& g, const double* e,
                                                   JacobianRows<B>& j) {
  double m[9];
  orientation_slope(f, g, m);
  double o[9];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c)
      o[3 * r + c] = (g.orientation_axes[3 * r] * m[c] + g.orientation_axes[3 * r + 1] * m[3 + c]) +
                     g.orientation_axes[3 * r + 2] * m[6 + c];
  double a[9];
  for (int r = 0; r < 3; ++r) {
    const double linear = g.position_box[r] > 0.0 && e[r] == 0.0 ? 0.0 : 1.0;
    const double angular = g.orientation_box[r] > 0.0 && e[3 + r] == 0.0 ? 0.0 : 1.0;
    for (int c = 0; c < 3; ++c) {
      a[3 * r + c] = linear * g.position_axes[3 * r + c];
      o[3 * r + c] *= angular;
    }
  }
  for (int b = 0; b < B; ++b) {
    const Pack lx = j.row[0][b], ly = j.row[1][b], lz = j.row[2][b];
    const Pack ax = j.row[3][b], ay = j.row[4][b], az = j.row[5][b];
    for (int r = 0; r < 3; ++r) {
      j.row[r][b] = (lx * Pack::all(a[3 * r]) + ly * Pack::all(a[3 * r + 1])) + lz * Pack::all(a[3 * r + 2]);
      j.row[3 + r][b] = (ax * Pack::all(o[3 * r]) + ay * Pack::all(o[3 * r + 1])) + az * Pack::all(o[3 * r + 2]);
    }
  }
}
