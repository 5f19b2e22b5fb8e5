#include "armature/kinematics/fit_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "armature/base/rng.hpp"
#include "armature/geom/shortest_turn.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kTrials = 300;      // of one hill climb
constexpr int kQuickTrials = 60;  // while triangles still change hands
constexpr int kRounds = 3;
constexpr double kWorthAnother = 0.8;  // part of the volume that one more body must not exceed
constexpr double kLongest = 0.12;      // edges longer than this part of the size are cut first
constexpr std::size_t kMostTriangles = 200000;

struct Fit {
  FittedBody body;
  double volume = 1e300;
};

Transform frame_along(const Vec3& z, const Vec3& at) {
  return Transform::from(quaternion_between(Vec3::UnitZ(), z), at);
}

// The smallest capsule about the line (o, u) that holds the points: its radius is the largest distance from the line,
// its ends as near as the points' own caps allow.
Fit capsule_about(const std::vector<Vec3>& points, const Vec3& o, const Vec3& u) {
  double r2 = 0.0;
  for (const Vec3& p : points) {
    const Vec3 w = p - o;
    const double s = w.dot(u);
    r2 = std::max(r2, w.squaredNorm() - s * s);
  }
  double a = 1e300, b = -1e300;
  for (const Vec3& p : points) {
    const Vec3 w = p - o;
    const double s = w.dot(u);
    const double c = std::sqrt(std::max(0.0, r2 - (w.squaredNorm() - s * s)));
    a = std::min(a, s + c);
    b = std::max(b, s - c);
  }
  if (a > b) a = b = 0.5 * (a + b);
  const double r = std::sqrt(r2) * (1.0 + 1e-9) + 1e-12;
  Fit fit;
  fit.body.shape = Capsule{r, b - a};
  fit.body.origin = frame_along(u, o + 0.5 * (a + b) * u);
  fit.volume = kPi * r * r * ((b - a) + 4.0 / 3.0 * r);
  return fit;
}

Fit box_about(const std::vector<Vec3>& points, const Mat3& axes) {
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Vec3& p : points) {
    const Vec3 x = axes.transpose() * p;
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  const Vec3 size = (high - low) * (1.0 + 1e-9) + Vec3::Constant(1e-12);
  Fit fit;
  fit.body.shape = Box{size};
  fit.body.origin = {axes * (0.5 * (low + high)), axes};
  fit.volume = size.prod();
  return fit;
}

// Axes of a symmetric matrix by Jacobi rotations; columns.
Mat3 principal_axes(Mat3 C) {
  Mat3 V = Mat3::Identity();
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (int p = 0; p < 2; ++p) {
      for (int q = p + 1; q < 3; ++q) {
        if (std::abs(C(p, q)) < 1e-300) continue;
        const double theta = 0.5 * (C(q, q) - C(p, p)) / C(p, q);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
        const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
        Mat3 J = Mat3::Identity();
        J(p, p) = J(q, q) = c;
        J(p, q) = s;
        J(q, p) = -s;
        C = J.transpose() * C * J;
        V = V * J;
      }
    }
  }
  if (V.determinant() < 0.0) V.col(2) = -V.col(2);
  return V;
}

Fit best_capsule(const std::vector<Vec3>& points, const Mat3& axes, const Vec3& low, const Vec3& high, int trials) {
  Rng rng(1);
  const auto spread = [&] { return Vec3{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)}; };
  Fit best;
  for (int k = 0; k < 6; ++k) {
    Vec3 u = k < 3 ? Vec3(axes.col(k)) : Vec3(Vec3::Unit(k - 3));
    Vec3 o = 0.5 * (low + high);
    Fit own = capsule_about(points, o, u);
    double turn = 0.3, shift = 0.1 * (high - low).norm();
    for (int i = 0, idle = 0; i < trials && turn > 1e-4; ++i) {
      const Vec3 u2 = (u + turn * spread()).normalized(), o2 = o + shift * spread();
      const Fit trial = capsule_about(points, o2, u2);
      if (trial.volume < own.volume) {
        own = trial;
        u = u2;
        o = o2;
        idle = 0;
      } else if (++idle > 25) {
        turn *= 0.6;
        shift *= 0.6;
        idle = 0;
      }
    }
    if (own.volume < best.volume) best = own;
  }
  return best;
}

Fit fit_one(std::vector<Vec3> points, int trials) {
  const auto before = [](const Vec3& a, const Vec3& b) {
    return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  std::sort(points.begin(), points.end(), before);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  Vec3 mean = Vec3::Zero(), low = Vec3::Constant(1e300), high = -low;
  for (const Vec3& p : points) {
    mean += p;
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  mean /= static_cast<double>(points.size());
  Mat3 C = Mat3::Zero();
  for (const Vec3& p : points) C += (p - mean) * (p - mean).transpose();
  const Mat3 axes = principal_axes(C);
  Fit best = best_capsule(points, axes, low, high, trials);
  for (const Mat3& frame : {axes, Mat3(Mat3::Identity())}) {
    const Fit box = box_about(points, frame);
    if (box.volume < best.volume) best = box;
  }
  return best;
}

// Long triangles in pieces, so that they can be shared out.
std::vector<Triangle> cut(const std::vector<Triangle>& mesh, double longest) {
  std::vector<Triangle> waiting = mesh, out;
  while (!waiting.empty()) {
    const Triangle t = waiting.back();
    waiting.pop_back();
    const double ab = (t.b - t.a).norm(), bc = (t.c - t.b).norm(), ca = (t.a - t.c).norm();
    if (std::max({ab, bc, ca}) <= longest || out.size() + waiting.size() > kMostTriangles) {
      out.push_back(t);
    } else if (ab >= bc && ab >= ca) {
      const Vec3 m = 0.5 * (t.a + t.b);
      waiting.insert(waiting.end(), {{t.a, m, t.c}, {m, t.b, t.c}});
    } else if (bc >= ca) {
      const Vec3 m = 0.5 * (t.b + t.c);
      waiting.insert(waiting.end(), {{t.a, t.b, m}, {t.a, m, t.c}});
    } else {
      const Vec3 m = 0.5 * (t.c + t.a);
      waiting.insert(waiting.end(), {{t.a, t.b, m}, {m, t.b, t.c}});
    }
  }
  return out;
}

std::vector<Vec3> corners_of(const std::vector<Triangle>& mesh, const std::vector<int>& owner, int k) {
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    if (owner[i] == k) out.insert(out.end(), {mesh[i].a, mesh[i].b, mesh[i].c});
  }
  return out;
}

// How far outside the body a point is, in parts of the body's thickness; negative inside.
double outside(const FittedBody& body, const Vec3& p) {
  const Vec3 x = body.origin.inverse() * p;
  if (const auto* box = std::get_if<Box>(&body.shape)) {
    return (x.cwiseAbs() - 0.5 * box->size).maxCoeff() / (0.5 * box->size.minCoeff());
  }
  const auto& c = std::get<Capsule>(body.shape);
  const double along = std::min(std::max(x[2], -0.5 * c.length), 0.5 * c.length);
  return (x - Vec3(0, 0, along)).norm() / c.radius - 1.0;
}

// Volume of the union, by counting points of the bounding box: overlaps must not count twice, or no elbow is split.
double union_volume(const std::vector<Fit>& fits, const Vec3& low, const Vec3& high) {
  Rng rng(7);
  constexpr int kPoints = 3000;
  const Vec3 middle = 0.5 * (low + high), half = 0.9 * (high - low) + Vec3::Constant(1e-9);
  int inside = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Vec3 p = middle + half.cwiseProduct(Vec3{rng.uniform(-1, 1), rng.uniform(-1, 1), rng.uniform(-1, 1)});
    for (const Fit& fit : fits) {
      if (outside(fit.body, p) > 0.0) continue;
      ++inside;
      break;
    }
  }
  return 8.0 * half.prod() * inside / kPoints;
}

std::vector<int> seeds_apart(const std::vector<Triangle>& mesh, int count, Rng& rng) {
  std::vector<int> seeds{static_cast<int>(rng.below(mesh.size()))};
  while (static_cast<int>(seeds.size()) < count) {
    double farthest = -1.0;
    int next = 0;
    for (std::size_t i = 0; i < mesh.size(); ++i) {
      double least = 1e300;
      for (const int s : seeds) least = std::min(least, (mesh[i].a - mesh[static_cast<std::size_t>(s)].a).norm());
      least *= 0.7 + 0.3 * rng.uniform();
      if (least <= farthest) continue;
      farthest = least;
      next = static_cast<int>(i);
    }
    seeds.push_back(next);
  }
  return seeds;
}

}  // namespace

bool covers(const FittedBody& body, const Triangle& t, double slack) {
  for (const Vec3* p : {&t.a, &t.b, &t.c}) {
    const Vec3 x = body.origin.inverse() * *p;
    if (const auto* box = std::get_if<Box>(&body.shape)) {
      if ((x.cwiseAbs() - 0.5 * box->size).maxCoeff() > slack) return false;
    } else {
      const auto& c = std::get<Capsule>(body.shape);
      const double along = std::min(std::max(x[2], -0.5 * c.length), 0.5 * c.length);
      if ((x - Vec3(0, 0, along)).norm() > c.radius + slack) return false;
    }
  }
  return true;
}

std::vector<FittedBody> fit_bodies(const std::vector<Triangle>& triangles, int most) {
  if (triangles.empty()) return {};
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const Triangle& t : triangles) {
    low = low.cwiseMin(t.a).cwiseMin(t.b).cwiseMin(t.c);
    high = high.cwiseMax(t.a).cwiseMax(t.b).cwiseMax(t.c);
  }
  const std::vector<Triangle> mesh = most > 1 ? cut(triangles, kLongest * (high - low).norm()) : triangles;
  std::vector<Fit> best{fit_one(corners_of(mesh, std::vector<int>(mesh.size(), 0), 0), kTrials)};
  double best_volume = union_volume(best, low, high);
  for (int k = 2; k <= most; ++k) {
    std::vector<int> best_owner;
    double least = 1e300;
    for (int attempt = 0; attempt < 2; ++attempt) {
      Rng rng(static_cast<std::uint64_t>(100 * k + attempt));
      const std::vector<int> seeds = seeds_apart(mesh, k, rng);
      std::vector<int> owner(mesh.size(), 0);
      for (std::size_t i = 0; i < mesh.size(); ++i) {
        double nearest = 1e300;
        for (int j = 0; j < k; ++j) {
          const double d = (mesh[i].a - mesh[static_cast<std::size_t>(seeds[static_cast<std::size_t>(j)])].a).norm();
          if (d >= nearest) continue;
          nearest = d;
          owner[i] = j;
        }
      }
      for (int round = 0; round < kRounds; ++round) {
        std::vector<Fit> fits;
        double sum = 0.0;
        for (int j = 0; j < k; ++j) {
          const std::vector<Vec3> points = corners_of(mesh, owner, j);
          if (points.empty()) break;
          fits.push_back(fit_one(points, kQuickTrials));
          sum += fits.back().volume;
        }
        if (static_cast<int>(fits.size()) < k) break;
        if (sum < least) {
          least = sum;
          best_owner = owner;
        }
        for (std::size_t i = 0; i < mesh.size(); ++i) {
          double nearest = 1e300;
          for (int j = 0; j < k; ++j) {
            const FittedBody& body = fits[static_cast<std::size_t>(j)].body;
            const double d = std::max({outside(body, mesh[i].a), outside(body, mesh[i].b), outside(body, mesh[i].c)});
            if (d >= nearest) continue;
            nearest = d;
            owner[i] = j;
          }
        }
      }
    }
    if (best_owner.empty()) break;
    std::vector<Fit> fits;
    for (int j = 0; j < k; ++j) fits.push_back(fit_one(corners_of(mesh, best_owner, j), kTrials));
    const double volume = union_volume(fits, low, high);
    if (volume >= kWorthAnother * best_volume) continue;
    best = fits;
    best_volume = volume;
  }
  std::vector<FittedBody> out;
  for (const Fit& fit : best) out.push_back(fit.body);
  return out;
}

}  // namespace armature::inline v0_2
