// The damped normal equations of one step, (J J^T + lambda I) y = e. Included by reach_kernel.inl.

// J J^T, packed: [0..5] linear block (00 01 02 11 12 22), [6..11] angular block, [12..20] linear x angular by rows.
struct alignas(64) Normal {
  double m[24];
};

template <int B>
ARMATURE_INLINE Pack row_product(const JacobianRows<B>& j, int r, int s) {
  Pack v = j.row[r][0] * j.row[s][0];
  for (int b = 1; b < B; ++b) v = v + j.row[r][b] * j.row[s][b];
  return v;
}

template <int B>
ARMATURE_INLINE void normal_matrix(const JacobianRows<B>& j, double lambda, Normal& n) {
  const auto d = [&](int r, int s) __attribute__((always_inline)) { return row_product<B>(j, r, s); };
  sums(d(0, 0), d(0, 1), d(0, 2), d(1, 1)).store(n.m);
  sums(d(1, 2), d(2, 2), d(3, 3), d(3, 4)).store(n.m + 4);
  sums(d(3, 5), d(4, 4), d(4, 5), d(5, 5)).store(n.m + 8);
  sums(d(0, 3), d(0, 4), d(0, 5), d(1, 3)).store(n.m + 12);
  sums(d(1, 4), d(1, 5), d(2, 3), d(2, 4)).store(n.m + 16);
  const Pack last = d(2, 5);
  sums(last, last, last, last).store(n.m + 20);
  n.m[0] += lambda;
  n.m[3] += lambda;
  n.m[5] += lambda;
  n.m[6] += lambda;
  n.m[9] += lambda;
  n.m[11] += lambda;
}

// Inverse of a symmetric 3 x 3 matrix by cofactors. False when the determinant has lost too many digits.
ARMATURE_INLINE bool inverse3(const double* m, double* inverse) {
  const double c00 = m[3] * m[5] - m[4] * m[4];
  const double c01 = m[2] * m[4] - m[1] * m[5];
  const double c02 = m[1] * m[4] - m[2] * m[3];
  const double c11 = m[0] * m[5] - m[2] * m[2];
  const double c12 = m[1] * m[2] - m[0] * m[4];
  const double c22 = m[0] * m[3] - m[1] * m[1];
  const double determinant = (m[0] * c00 + m[1] * c01) + m[2] * c02;
  const double trace = (m[0] + m[3]) + m[5];
  const double r = 1.0 / determinant;
  inverse[0] = c00 * r;
  inverse[1] = c01 * r;
  inverse[2] = c02 * r;
  inverse[3] = c11 * r;
  inverse[4] = c12 * r;
  inverse[5] = c22 * r;
  return determinant > 1e-10 * ((trace * trace) * trace);
}

// Stable for whatever the blocks below cannot take: LDL^T without square roots.
static __attribute__((noinline)) void solve_by_ldl(const Normal& n, const double* e, double* y) {
  static constexpr int kPacked[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  double a[6][6];  // lower triangle: matrix, then L
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      a[i][j] = n.m[kPacked[i][j]];
      a[3 + i][3 + j] = n.m[6 + kPacked[i][j]];
      a[3 + i][j] = n.m[12 + 3 * j + i];
    }
  }
  double d[6];
  for (int j = 0; j < 6; ++j) {
    double pivot = a[j][j];
    for (int k = 0; k < j; ++k) pivot -= a[j][k] * a[j][k] * d[k];
    d[j] = pivot > 1e-200 ? pivot : 1e-200;
    for (int i = j + 1; i < 6; ++i) {
      double v = a[i][j];
      for (int k = 0; k < j; ++k) v -= a[i][k] * a[j][k] * d[k];
      a[i][j] = v / d[j];
    }
  }
  for (int i = 0; i < 6; ++i) {
    y[i] = e[i];
    for (int k = 0; k < i; ++k) y[i] -= a[i][k] * y[k];
  }
  for (int i = 5; i >= 0; --i) {
    y[i] /= d[i];
    for (int k = i + 1; k < 6; ++k) y[i] -= a[k][i] * y[k];
  }
}

// By 3 x 3 blocks, angular first: two divisions deep instead of six.
ARMATURE_INLINE void solve_normal(const Normal& n, const double* e, double* y) {
  const double* a = n.m;
  const double* c = n.m + 6;
  const double* b = n.m + 12;
  double ci[6], x[9], s[6], si[6];
  bool good = inverse3(c, ci);
  for (int i = 0; i < 9; i += 3) {  // x = b c^-1
    x[i] = (b[i] * ci[0] + b[i + 1] * ci[1]) + b[i + 2] * ci[2];
    x[i + 1] = (b[i] * ci[1] + b[i + 1] * ci[3]) + b[i + 2] * ci[4];
    x[i + 2] = (b[i] * ci[2] + b[i + 1] * ci[4]) + b[i + 2] * ci[5];
  }
  s[0] = a[0] - ((x[0] * b[0] + x[1] * b[1]) + x[2] * b[2]);  // s = a - x b^T
  s[1] = a[1] - ((x[0] * b[3] + x[1] * b[4]) + x[2] * b[5]);
  s[2] = a[2] - ((x[0] * b[6] + x[1] * b[7]) + x[2] * b[8]);
  s[3] = a[3] - ((x[3] * b[3] + x[4] * b[4]) + x[5] * b[5]);
  s[4] = a[4] - ((x[3] * b[6] + x[4] * b[7]) + x[5] * b[8]);
  s[5] = a[5] - ((x[6] * b[6] + x[7] * b[7]) + x[8] * b[8]);
  good = inverse3(s, si) && good;
  if (__builtin_expect(!good, 0)) {
    solve_by_ldl(n, e, y);
    return;
  }
  const double f0 = e[0] - ((x[0] * e[3] + x[1] * e[4]) + x[2] * e[5]);
  const double f1 = e[1] - ((x[3] * e[3] + x[4] * e[4]) + x[5] * e[5]);
  const double f2 = e[2] - ((x[6] * e[3] + x[7] * e[4]) + x[8] * e[5]);
  y[0] = (si[0] * f0 + si[1] * f1) + si[2] * f2;
  y[1] = (si[1] * f0 + si[3] * f1) + si[4] * f2;
  y[2] = (si[2] * f0 + si[4] * f1) + si[5] * f2;
  y[3] = ((ci[0] * e[3] + ci[1] * e[4]) + ci[2] * e[5]) - ((x[0] * y[0] + x[3] * y[1]) + x[6] * y[2]);
  y[4] = ((ci[1] * e[3] + ci[3] * e[4]) + ci[4] * e[5]) - ((x[1] * y[0] + x[4] * y[1]) + x[7] * y[2]);
  y[5] = ((ci[2] * e[3] + ci[4] * e[4]) + ci[5] * e[5]) - ((x[2] * y[0] + x[5] * y[1]) + x[8] * y[2]);
}
