// Jobs: the same bytes for any number of threads and ranks, and after a stop.
#include "armature/parallel/job.hpp"

#ifndef __EMSCRIPTEN__
#include <doctest/doctest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "armature/scene/files.hpp"
#include "armature/scene/record_file.hpp"

using namespace armature;

namespace {

/// Ranks in one process: a queue each.
class LocalRanks : public Ranks {
 public:
  struct Post {
    std::mutex mutex;
    std::vector<std::deque<std::pair<int, std::string>>> boxes;
  };
  LocalRanks(Post& post, int rank) : post_(post), rank_(rank) {}
  int rank() const override { return rank_; }
  int count() const override { return static_cast<int>(post_.boxes.size()); }
  void send(int to, std::string bytes) override {
    const std::scoped_lock lock(post_.mutex);
    post_.boxes[static_cast<std::size_t>(to)].emplace_back(rank_, std::move(bytes));
  }
  bool receive(int& from, std::string& bytes) override {
    const std::scoped_lock lock(post_.mutex);
    auto& box = post_.boxes[static_cast<std::size_t>(rank_)];
    if (box.empty()) return false;
    from = box.front().first;
    bytes = std::move(box.front().second);
    box.pop_front();
    return true;
  }

 private:
  Post& post_;
  int rank_;
};

/// Pieces that take unequal times and give unequal lengths.
class Squares : public Job {
 public:
  explicit Squares(int count) : count_(count) {}
  int count() const override { return count_; }
  void prepare(int workers) override { workers_ = workers; }
  std::string run(int piece, int worker) override {
    CHECK(worker < workers_);
    if (runs++ == 0 && begun != nullptr) ++*begun;
    while (begun != nullptr && *begun < ranks) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(std::chrono::microseconds(piece % 7 == 0 ? 2000 : 500));
    std::string text = std::to_string(piece) + " squared is " + std::to_string(piece * piece) + "\n";
    return text + std::string(static_cast<std::size_t>(piece % 5), '.');
  }
  Status take(int piece, std::string_view bytes) override {
    CHECK(piece == taken++);
    if (piece == fails_at) return Error{"The disk is full."};
    text += bytes;
    return {};
  }
  std::string text;
  int taken = 0;
  int fails_at = -1;
  std::atomic<int> runs{0};
  // With ranks: none goes on before each has a piece, however late its thread begins.
  std::atomic<int>* begun = nullptr;
  int ranks = 1;

 private:
  int count_;
  int workers_ = 0;
};

JobOptions with_threads(int threads) {
  JobOptions options;
  options.threads = threads;
  return options;
}

std::string expected(int count) {
  Squares job(count);
  REQUIRE(*run_job(job, with_threads(1)));
  return job.text;
}

struct Folder {
  Folder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return path + "/" + name; }
  std::string path = (std::filesystem::temp_directory_path() / "armature-job-XXXXXX").string();  // mkdtemp fills the X
};

}  // namespace

TEST_CASE("job: any number of threads") {
  const std::string alone = expected(100);
  CHECK(alone.find("99 squared is 9801") != std::string::npos);
  for (const int threads : {2, 7, 8}) {
    Squares job(100);
    REQUIRE(*run_job(job, with_threads(threads)));
    CHECK(job.text == alone);
    CHECK(job.runs == 100);
  }
  Squares none(0);
  CHECK(*run_job(none, with_threads(4)));
}

TEST_CASE("job: any number of ranks, one job after the other") {
  const std::string alone = expected(100);
  for (const int count : {1, 2, 7}) {
    LocalRanks::Post post;
    post.boxes.resize(static_cast<std::size_t>(count));
    std::vector<std::unique_ptr<Squares>> jobs, more;
    std::atomic<int> begun{0};
    std::vector<std::string> shared(static_cast<std::size_t>(count));
    std::vector<std::thread> threads;
    for (int r = 0; r < count; ++r) {
      jobs.push_back(std::make_unique<Squares>(100));
      more.push_back(std::make_unique<Squares>(33));
      jobs.back()->begun = &begun;
      jobs.back()->ranks = count;
    }
    for (int r = 0; r < count; ++r) {
      threads.emplace_back([&, r] {
        LocalRanks ranks(post, r);
        JobOptions options;
        options.threads = r % 2 + 1;
        options.ranks = &ranks;
        const auto at = static_cast<std::size_t>(r);
        CHECK(*run_job(*jobs[at], options));
        shared[at] = share(ranks, r == 0 ? jobs[0]->text : "");
        CHECK(*run_job(*more[at], options));
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(jobs[0]->text == alone);
    CHECK(more[0]->text == expected(33));
    int helped = 0;
    for (int r = 0; r < count; ++r) {
      CHECK(shared[static_cast<std::size_t>(r)] == alone);
      helped += r > 0 && jobs[static_cast<std::size_t>(r)]->runs > 0 ? 1 : 0;
    }
    CHECK(helped == count - 1);
  }
}

TEST_CASE("job: stopped and resumed") {
  const Folder folder;
  const std::string alone = expected(60), file = folder.file("job.part");
  JobOptions options;
  options.checkpoint = file;
  options.fingerprint = 17;
  int stops = 0;
  for (int rounds = 0; rounds < 100; ++rounds) {
    Squares job(60);
    options.threads = 1 + rounds % 3;
    int seen = 0;
    options.progress = [&](double) { return ++seen < 8; };
    const Result<bool> done = run_job(job, options);
    REQUIRE(done.ok());
    if (*done) {
      CHECK(job.text == alone);
      CHECK(job.runs < 60);
      break;
    }
    ++stops;
    if (stops == 2) {  // a torn record at the end is left out
      std::string bytes = read_file(file).value();
      bytes.resize(bytes.size() - 3);
      REQUIRE(write_file_atomically(file, bytes).ok());
    }
  }
  CHECK(stops > 3);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("job: mistakes end it in every rank, and are told") {
  const Folder folder;
  LocalRanks::Post post;
  post.boxes.resize(3);
  std::vector<std::thread> threads;
  std::string message;
  for (int r = 0; r < 3; ++r) {
    threads.emplace_back([&, r] {
      LocalRanks ranks(post, r);
      Squares job(50);
      job.fails_at = 20;
      JobOptions options;
      options.threads = 2;
      options.ranks = &ranks;
      const Result<bool> done = run_job(job, options);
      if (r == 0) message = done.message();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(message == "The disk is full.");

  // Another run's checkpoint, and one that is in use.
  const std::string file = folder.file("other.part");
  RecordFile other;
  REQUIRE(other.open(file, 1, [](std::string_view) { return Status(); }).ok());
  REQUIRE(other.append("piece").ok());
  Squares job(5);
  JobOptions options;
  options.checkpoint = file;
  options.fingerprint = 1;
  CHECK(run_job(job, options).message().find("Another run") != std::string::npos);
  other = RecordFile();
  options.fingerprint = 2;
  CHECK(run_job(job, options).message().find("checkpoint of another run") != std::string::npos);
  options.checkpoint = folder.path;
  CHECK_FALSE(run_job(job, options).ok());
}

TEST_CASE("crc32 is that of ZIP, also in parts") {
  CHECK(crc32("123456789") == 0xCBF43926u);
  CHECK(crc32("56789", crc32("1234")) == 0xCBF43926u);
  CHECK(crc32("") == 0u);
}
#endif
