// Covers, four at a time, for one instruction set: included by covers_*.cpp inside their namespace, after pack.inl.
//
// Answers are cautious, not exact: what may be near is reported. Comparisons are written so that a NaN is near.

#if defined(ARMATURE_WIDE)
ARMATURE_INLINE Pack operator/(Pack a, Pack b) { return {a.v / b.v}; }
ARMATURE_INLINE Pack load_any(const double* p) {
  F4 v;
  __builtin_memcpy(&v, p, sizeof v);
  return {v};
}
ARMATURE_INLINE unsigned bits(Mask a) { return static_cast<unsigned>(__builtin_ia32_movmskpd256((F4)a.m)); }
ARMATURE_INLINE Pack least(Pack a, Pack b) { return min(a, b); }
ARMATURE_INLINE Pack most(Pack a, Pack b) { return max(a, b); }
#else
ARMATURE_INLINE Pack operator/(Pack a, Pack b) { return {a.l / b.l, a.h / b.h}; }
ARMATURE_INLINE Pack load_any(const double* p) { return {F2{p[0], p[1]}, F2{p[2], p[3]}}; }
#if defined(__SSE2__)  // one instruction each, where compilers make four of a comparison and a choice
ARMATURE_INLINE unsigned bits(Mask a) {
  return static_cast<unsigned>(__builtin_ia32_movmskpd((F2)a.l) | __builtin_ia32_movmskpd((F2)a.h) << 2);
}
ARMATURE_INLINE Pack least(Pack a, Pack b) { return {__builtin_ia32_minpd(a.l, b.l), __builtin_ia32_minpd(a.h, b.h)}; }
ARMATURE_INLINE Pack most(Pack a, Pack b) { return {__builtin_ia32_maxpd(a.l, b.l), __builtin_ia32_maxpd(a.h, b.h)}; }
#else
ARMATURE_INLINE unsigned bits(Mask a) {
  return static_cast<unsigned>((a.l[0] & 1) | (a.l[1] & 2) | (a.h[0] & 4) | (a.h[1] & 8));
}
ARMATURE_INLINE Pack least(Pack a, Pack b) { return min(a, b); }
ARMATURE_INLINE Pack most(Pack a, Pack b) { return max(a, b); }
#endif
#endif
ARMATURE_INLINE Pack clamp01(Pack x) { return most(least(x, Pack::all(1.0)), Pack::all(0.0)); }
ARMATURE_INLINE Pack magnitude(Pack x) { return most(x, Pack::all(0.0) - x); }

static void place(const CoverArrays& c, const Transform* frames) {
  for (int k = 0; k < c.placed; ++k) {
    const double* f = frames[c.link[k]].position.data();
    const Col t = Col::of(f[0], f[1], f[2]), x = Col::of(f[3], f[4], f[5]), y = Col::of(f[6], f[7], f[8]),
              z = Col::of(f[9], f[10], f[11]);
    const double *a = c.local[2 * k].v, *d = c.local[2 * k + 1].v;
    (t + ((x * a[0] + y * a[1]) + z * a[2])).store(c.world[k].v);
    ((x * d[0] + y * d[1]) + z * d[2]).store(c.world[c.padded + k].v);
  }
  for (int k = 0; k < c.placed; k += 4) {
    Pack x, y, z;
    rows_of(c.world[k].v, x, y, z);
    x.store(c.ax + k), y.store(c.ay + k), z.store(c.az + k);
    rows_of(c.world[c.padded + k].v, x, y, z);
    x.store(c.dx + k), y.store(c.dy + k), z.store(c.dz + k);
  }
}

ARMATURE_INLINE int append(unsigned lanes, Pack squares, const int* pairs, NearCover* out) {
  alignas(32) double square[4];
  squares.store(square);
  int count = 0;
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    out[count++] = {pairs[lane], square[lane]};
  }
  return count;
}

// Segment against four others (Ericson, Real-Time Collision Detection, 5.1.9).
static int near(const CoverArrays& c, const CoverBlock* blocks, int count, const Four* limits, NearCover* out) {
  int found = 0;
  for (int n = 0; n < count; ++n) {
    const int i = blocks[n].cover, j = blocks[n].first;
    const Pack px = Pack::all(c.dx[i]), py = Pack::all(c.dy[i]), pz = Pack::all(c.dz[i]);
    const Pack qx = load_any(c.dx + j), qy = load_any(c.dy + j), qz = load_any(c.dz + j);
    const Pack rx = Pack::all(c.ax[i]) - load_any(c.ax + j), ry = Pack::all(c.ay[i]) - load_any(c.ay + j),
               rz = Pack::all(c.az[i]) - load_any(c.az + j);
    const Pack A = Pack::all(c.square[i]), E = load_any(c.square + j);
    const Pack b = (px * qx + py * qy) + pz * qz, cc = (px * rx + py * ry) + pz * rz, f = (qx * rx + qy * ry) + qz * rz;
    const Pack AE = A * E, below = AE - b * b;
    const Mask parallel = below <= AE * Pack::all(kCoverParallel);
    Pack s = zero_where(parallel, clamp01((b * f - cc * E) / select(parallel, Pack::all(1.0), below)));
    const Pack t = clamp01((b * s + f) * load_any(c.inverse + j));
    s = clamp01((b * t - cc) * Pack::all(c.inverse[i]));
    const Pack x = (rx + px * s) - qx * t, y = (ry + py * s) - qy * t, z = (rz + pz * s) - qz * t;
    const Pack square = (x * x + y * y) + z * z, limit = Pack::load(limits[n].v);
    const unsigned apart = bits((square >= limit * limit) | (limit <= Pack::all(0.0)));
    const unsigned lanes = blocks[n].lanes & ~apart;
    if (lanes != 0) found += append(lanes, square, blocks[n].pair, out + found);
  }
  return found;
}

// The squared distance of four segments, in the box's frame, from the box. Along t its slope is monotone and linear
// between the six t at which a coordinate passes a face: the last of them below 0 and the first above are kept.
ARMATURE_INLINE Pack square_to_box(const Pack* a, const Pack* d, const Pack* h) {
  const Pack zero = Pack::all(0.0), one = Pack::all(1.0);
  const auto outside = [&](int k, Pack t) __attribute__((always_inline)) {
    const Pack x = a[k] + d[k] * t;
    return x - most(zero - h[k], least(h[k], x));
  };
  const auto slope = [&](Pack t) __attribute__((always_inline)) {
    return (d[0] * outside(0, t) + d[1] * outside(1, t)) + d[2] * outside(2, t);
  };
  Pack low = zero, high = one, at_low = slope(zero), at_high = slope(one);
  const Mask first = at_low >= zero, last = at_high <= zero;
  for (int k = 0; k < 3; ++k) {
    const Mask flat = magnitude(d[k]) < Pack::all(1e-12);
    const Pack inverse = one / select(flat, one, d[k]);
    for (int side = 0; side < 2; ++side) {
      const Pack t = clamp01(((side == 0 ? zero - h[k] : h[k]) - a[k]) * inverse);
      const Pack g = slope(t);
      const Mask up = (g <= zero) & (t >= low), down = (g > zero) & (t <= high);
      low = select(up, t, low), at_low = select(up, g, at_low);
      high = select(down, t, high), at_high = select(down, g, at_high);
    }
  }
  const Pack rise = at_high - at_low;
  const Mask level = rise <= Pack::all(1e-300);
  Pack t = low + (high - low) * zero_where(level, (zero - at_low) / select(level, one, rise));
  t = select(first, zero, select(last, one, t));
  const Pack x = outside(0, t), y = outside(1, t), z = outside(2, t);
  return (x * x + y * y) + z * z;
}

static int near_boxes(const CoverArrays& c, const CoverBox* boxes, int count, const Four* limits, const unsigned* lanes,
                      int fours, NearCover* out) {
  int found = 0;
  for (int n = 0; n < count; ++n) {
    const CoverBox& box = boxes[n];
    for (int m = 0; m < fours; ++m) {
      if (lanes[m] == 0) continue;
      const int j = 4 * m;
      const Pack x = Pack::load(c.ax + j) - Pack::all(box.center[0]),
                 y = Pack::load(c.ay + j) - Pack::all(box.center[1]),
                 z = Pack::load(c.az + j) - Pack::all(box.center[2]);
      const Pack dx = Pack::load(c.dx + j), dy = Pack::load(c.dy + j), dz = Pack::load(c.dz + j);
      Pack a[3], d[3], h[3], middle = Pack::all(0.0);
      for (int k = 0; k < 3; ++k) {
        const Pack u = Pack::all(box.axes[3 * k]), v = Pack::all(box.axes[3 * k + 1]),
                   w = Pack::all(box.axes[3 * k + 2]);
        a[k] = (u * x + v * y) + w * z;
        d[k] = (u * dx + v * dy) + w * dz;
        h[k] = Pack::all(box.half[k]);
        const Pack beyond = most(Pack::all(0.0), magnitude(a[k] + d[k] * Pack::all(0.5)) - h[k]);
        middle = middle + beyond * beyond;
      }
      // The ball around the segment decides most.
      const Pack limit = Pack::load(limits[m].v), ball = limit + Pack::load(c.half_length + j);
      unsigned open = lanes[m] & ~bits((middle >= ball * ball) | (limit <= Pack::all(0.0)));
      if (open == 0) continue;
      const Pack square = square_to_box(a, d, h);
      open &= ~bits(square >= limit * limit);
      if (open == 0) continue;
      const int first = n * c.padded + j;
      const int pairs[4] = {first, first + 1, first + 2, first + 3};
      found += append(open, square, pairs, out + found);
    }
  }
  return found;
}

extern const CoverKernel kCoverKernel;
const CoverKernel kCoverKernel{place, near, near_boxes};
