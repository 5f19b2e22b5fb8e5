// Included by dual_kernel_*.cpp inside their own namespaces. Elementwise operations in a fixed order and no fused
// multiply-add: the same bits on every instruction set.

#if defined(ARMATURE_WIDE)
struct Four {
  using Aligned = double __attribute__((vector_size(32)));
  Aligned v;
  static Four load(const double* p) {
    Four four;
    __builtin_memcpy(&four.v, p, sizeof four.v);
    return four;
  }
  static Four all(double x) { return {Aligned{x, x, x, x}}; }
  void store(double* p) const { __builtin_memcpy(p, &v, sizeof v); }
  Four operator+(Four o) const { return {v + o.v}; }
  Four operator-(Four o) const { return {v - o.v}; }
  Four operator*(Four o) const { return {v * o.v}; }
  double sum() const { return (v[0] + v[1]) + (v[2] + v[3]); }
};
#else
struct Four {
  using Aligned = double __attribute__((vector_size(16)));
  Aligned a, b;
  static Four load(const double* p) {
    Four four;
    __builtin_memcpy(&four.a, p, sizeof four.a);
    __builtin_memcpy(&four.b, p + 2, sizeof four.b);
    return four;
  }
  static Four all(double x) { return {Aligned{x, x}, Aligned{x, x}}; }
  void store(double* p) const {
    __builtin_memcpy(p, &a, sizeof a);
    __builtin_memcpy(p + 2, &b, sizeof b);
  }
  Four operator+(Four o) const { return {a + o.a, b + o.b}; }
  Four operator-(Four o) const { return {a - o.a, b - o.b}; }
  Four operator*(Four o) const { return {a * o.a, b * o.b}; }
  double sum() const { return (a[0] + a[1]) + (b[0] + b[1]); }
};
#endif

void add_group(const double* J, int stride, const double* w, int columns, const int* tiles, int count, double* A) {
  for (int n = 0; n < count; ++n) {
    const int j = tiles[n];
    for (int m = n; m < count; ++m) {
      const int i = tiles[m];
      double* a = A + j * stride + i;
      Four s0 = Four::load(a), s1 = Four::load(a + stride), s2 = Four::load(a + 2 * stride);
      Four s3 = Four::load(a + 3 * stride);
      const double* column = J;
      for (int c = 0; c < columns; ++c, column += stride) {
        if (w[c] == 0.0) continue;
        const Four x = Four::load(column + i) * Four::all(w[c]);
        s0 = s0 + x * Four::all(column[j]);
        s1 = s1 + x * Four::all(column[j + 1]);
        s2 = s2 + x * Four::all(column[j + 2]);
        s3 = s3 + x * Four::all(column[j + 3]);
      }
      s0.store(a);
      s1.store(a + stride);
      s2.store(a + 2 * stride);
      s3.store(a + 3 * stride);
    }
  }
}

// Panels of four columns: each is factored on its own, then taken off everything to its right at once.
bool factor(double* A, int stride, const double* damping, double* inverse) {
  bool finite = true;
  for (int p = 0; p < stride; p += 4) {
    double pivots[4];
    for (int j = p; j < p + 4; ++j) {
      double* aj = A + j * stride;
      for (int k = p; k < j; ++k) {
        const double* ak = A + k * stride;
        const Four f = Four::all(ak[j] * pivots[k - p]);
        for (int r = p; r < stride; r += 4) (Four::load(aj + r) - Four::load(ak + r) * f).store(aj + r);
      }
      double pivot = aj[j];
      if (!(pivot > 0.5 * damping[j])) {
        finite = finite && pivot - pivot == 0.0;
        pivot = 0.5 * damping[j];
      }
      pivots[j - p] = pivot;
      inverse[j] = 1.0 / pivot;
      const Four scale = Four::all(inverse[j]);
      for (int r = p; r < stride; r += 4) (Four::load(aj + r) * scale).store(aj + r);
    }
    const double* l0 = A + p * stride;
    const double* l1 = l0 + stride;
    const double* l2 = l1 + stride;
    const double* l3 = l2 + stride;
    for (int c = p + 4; c < stride; ++c) {
      const Four f0 = Four::all(l0[c] * pivots[0]);
      const Four f1 = Four::all(l1[c] * pivots[1]);
      const Four f2 = Four::all(l2[c] * pivots[2]);
      const Four f3 = Four::all(l3[c] * pivots[3]);
      double* a = A + c * stride;
      for (int r = c / 4 * 4; r < stride; r += 4) {
        const Four first = Four::load(l0 + r) * f0 + Four::load(l1 + r) * f1;
        const Four second = Four::load(l2 + r) * f2 + Four::load(l3 + r) * f3;
        (Four::load(a + r) - (first + second)).store(a + r);
      }
    }
  }
  return finite;
}

void solve(const double* A, int stride, const double* inverse, double* b) {
  for (int j = 0; j < stride; ++j) {
    const double* l = A + j * stride;
    const double x = b[j];
    int r = j + 1;
    for (; r % 4 != 0; ++r) b[r] -= l[r] * x;
    for (; r < stride; r += 4) (Four::load(b + r) - Four::load(l + r) * Four::all(x)).store(b + r);
  }
  for (int r = 0; r < stride; r += 4) (Four::load(b + r) * Four::load(inverse + r)).store(b + r);
  for (int j = stride - 1; j >= 0; --j) {
    const double* l = A + j * stride;
    double x = b[j];
    int r = j + 1;
    for (; r % 4 != 0; ++r) x -= l[r] * b[r];
    Four sum = Four::all(0.0);
    for (; r < stride; r += 4) sum = sum + Four::load(l + r) * Four::load(b + r);
    b[j] = x - sum.sum();
  }
}

void dot(const double* J, int stride, int columns, const int* tiles, int count, const double* r, double* out) {
  for (int c = 0; c < columns; ++c, J += stride) {
    Four sum = Four::all(0.0);
    for (int n = 0; n < count; ++n) sum = sum + Four::load(J + tiles[n]) * Four::load(r + tiles[n]);
    out[c] = sum.sum();
  }
}

void add(const double* J, int stride, int columns, const int* tiles, int count, const double* x, double* out) {
  for (int n = 0; n < count; ++n) {
    Four sum = Four::load(out + tiles[n]);
    const double* column = J + tiles[n];
    for (int c = 0; c < columns; ++c, column += stride) sum = sum + Four::load(column) * Four::all(x[c]);
    sum.store(out + tiles[n]);
  }
}
