// Goals that cannot be reached: is the verdict right, and how near is the nearest pose?
//
//   bench_reach_nearest ROBOTS.json [goals of each kind and chain]
//
// beyond   a reachable pose pushed outward past everything the arm can reach
// blocked  a pose that joint values outside the limits reach and, as far as many starts can tell, none inside
// The nearest pose is compared with the best of 64 starts: 64 solves from random poses, each with a single start of its
// own (blocked), or two solves of 32 other random starts each (beyond). Cost: position error in units of a quarter of
// the summed links, and the chord of the rotation error, as one norm.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "armature/formats/registry.hpp"
#include "armature/model/compile.hpp"
#include "armature/solve/methods/reach_chain.hpp"

using namespace armature;

namespace {

struct Tally {
  int goals = 0, verdict = 0, near = 0;
  double microseconds = 0.0;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class Examiner {
 public:
  explicit Examiner(const ModelChain& chain) : chain_(chain) {
    for (const ChainJoint& j : chain.joints) {
      lower_.push_back(j.lower);
      upper_.push_back(j.upper);
    }
    solver_ = std::make_unique<ReachChain>(chain.chain, lower_.data(), upper_.data());
  }

  void examine(int count, Tally& beyond, Tally& blocked) {
    for (int k = 0; k < count; ++k) one_beyond(beyond);
    for (int k = 0, tries = 0; k < count && tries < 60 * count; ++tries) k += one_blocked(blocked) ? 1 : 0;
  }

 private:
  double cost(const ChainAnswer& a) const {
    return std::hypot(a.position_error / chain_.chain.length, 2.0 * std::sin(0.5 * a.orientation_error));
  }
  std::vector<double> draw(double margin) {
    std::vector<double> q;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      const bool limited = upper_[i] - lower_[i] < 1e300;
      const double extra = limited ? margin * (upper_[i] - lower_[i]) : 0.0;
      q.push_back(limited ? rng_.uniform(lower_[i] - extra, upper_[i] + extra) : rng_.uniform(-kPi, kPi));
    }
    return q;
  }
  std::vector<double> middle() const {
    std::vector<double> q;
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      q.push_back(upper_[i] - lower_[i] < 1e300 ? 0.5 * (lower_[i] + upper_[i]) : 0.0);
    }
    return q;
  }
  ChainQuestion ask(const std::vector<double>& q) const {
    ChainQuestion question;
    forward(chain_.chain, q.data(), question.target);
    question.tolerance = question.orientation_tolerance = 1e-5;
    return question;
  }
  ChainAnswer timed(const ChainQuestion& question, Tally& tally) {
    std::vector<double> q = middle();
    const auto begin = std::chrono::steady_clock::now();
    const ChainAnswer answer = solver_->solve(question, {}, q.data());
    tally.microseconds += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    return answer;
  }

  void one_beyond(Tally& tally) {
    ChainQuestion question = ask(draw(0.0));
    const Vec3 base(chain_.chain.base_translation[0], chain_.chain.base_translation[1],
                    chain_.chain.base_translation[2]);
    const Vec3 out = question.target.position - base;
    question.target.position = base + out.normalized() * 4.0 * chain_.chain.length * rng_.uniform(1.5, 2.5);
    const ChainAnswer answer = timed(question, tally);
    double best = cost(answer);
    for (std::uint64_t seed = 1000; seed < 1002; ++seed) {
      ChainSearch search;
      search.seed = seed;
      std::vector<double> q = draw(0.0);
      best = std::min(best, cost(solver_->solve(question, search, q.data())));
    }
    ++tally.goals;
    tally.verdict += answer.outcome == Outcome::unreachable ? 1 : 0;
    tally.near += cost(answer) <= 1.01 * best ? 1 : 0;
  }

  bool one_blocked(Tally& tally) {
    const std::vector<double> truth = draw(0.5);
    bool outside = false;
    for (std::size_t i = 0; i < truth.size(); ++i) outside |= truth[i] < lower_[i] || truth[i] > upper_[i];
    if (!outside) return false;
    const ChainQuestion question = ask(truth);
    Tally mine;
    const ChainAnswer answer = timed(question, mine);
    if (answer.outcome == Outcome::converged || answer.outcome == Outcome::unreachable) return false;
    bool named = false;
    for (std::size_t i = 0; i < truth.size(); ++i)
      named |= std::abs(solver_->gradient()[i]) > solver_->gradient_floor();
    double best = cost(answer);
    for (int k = 0; k < 64; ++k) {
      ChainSearch search;
      search.only_seed = true;
      std::vector<double> q = draw(0.0);
      best = std::min(best, cost(solver_->solve(question, search, q.data())));
    }
    ++tally.goals;
    tally.microseconds += mine.microseconds;
    tally.verdict += answer.outcome == Outcome::stalled && named && best > 1e-4 ? 1 : 0;
    tally.near += cost(answer) <= 1.01 * best ? 1 : 0;
    return true;
  }

  const ModelChain& chain_;
  std::vector<double> lower_, upper_;
  std::unique_ptr<ReachChain> solver_;
  Rng rng_{77};
};

void print(const char* name, const Tally& t) {
  if (t.goals == 0) return;
  std::printf("  %-8s %5d goals, verdict right %6.2f %%, within 1 %% of the best of 64 starts %6.2f %%, mean %.0f us\n",
              name, t.goals, 100.0 * t.verdict / t.goals, 100.0 * t.near / t.goals, t.microseconds / t.goals);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: bench_reach_nearest ROBOTS.json [goals of each kind and chain]\n");
    return 2;
  }
  const int count = argc > 2 ? std::atoi(argv[2]) : 25;
  const std::filesystem::path list = argv[1];
  Tally beyond, blocked;
  const nlohmann::json robots = nlohmann::json::parse(text_of(list));
  for (const auto& robot : robots["robots"]) {
    const std::filesystem::path file = list.parent_path() / robot["file"].get<std::string>();
    ReadOptions options;
    options.file_name = file.string();
    const Result<Document> document = read_document(text_of(file), options);
    if (!document.ok()) continue;
    const Result<Model> model = compile(document->linkage);
    if (!model.ok()) continue;
    for (const auto& entry : robot["chains"]) {
      const int dof = entry["dof"].get<int>();
      if (dof < 5 || dof > 10) continue;
      const Result<ModelChain> chain = make_chain(*model, model->link(entry["base"].get<std::string>()),
                                                  model->link(entry["tip"].get<std::string>()));
      if (!chain.ok()) continue;
      Tally far, held;
      Examiner(*chain).examine(count, far, held);
      std::printf("%s %s, %d joints\n", file.stem().c_str(), entry["tip"].get<std::string>().c_str(), dof);
      print("beyond", far);
      print("blocked", held);
      std::fflush(stdout);
      const auto add = [](Tally& sum, const Tally& t) {
        sum.goals += t.goals;
        sum.verdict += t.verdict;
        sum.near += t.near;
        sum.microseconds += t.microseconds;
      };
      add(beyond, far);
      add(blocked, held);
    }
  }
  std::printf("all chains\n");
  print("beyond", beyond);
  print("blocked", blocked);
  return 0;
}
