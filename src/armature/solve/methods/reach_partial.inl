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

ARMATURE_INLINE double outside_box(double e, double box) { return e > box ? e - box : e < -box ? e + box : 0.0; }

template <int B>
static __attribute__((noinline)) void partial_error(const ChainFrames<B>& f, const ReachGoal& g, double* e) {
  const double p[3] = {g.position[0] - f.tip.x(), g.position[1] - f.tip.y(), g.position[2] - f.tip.z()};
  double phi[3];
  rotation_vector(f, g, phi);
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
  double m[9];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) m[3 * r + c] = k * phi[r] * phi[c] + (r == c ? 1.0 - k * angle2 : 0.0);
  m[1] -= 0.5 * phi[2];
  m[2] += 0.5 * phi[1];
  m[3] += 0.5 * phi[2];
  m[5] -= 0.5 * phi[0];
  m[6] -= 0.5 * phi[1];
  m[7] += 0.5 * phi[0];
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
