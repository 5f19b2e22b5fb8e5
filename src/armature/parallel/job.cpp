#include "armature/parallel/job.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "armature/scene/record_file.hpp"

namespace armature::inline v0_2 {
namespace {

constexpr int kAhead = 8;      // pieces per worker that may wait for an earlier one
constexpr int kInAdvance = 2;  // pieces per worker that a rank asks for, so that none waits for a message
constexpr std::chrono::microseconds kNap(200);  // between looks for messages

// What ranks tell each other: a letter, a number, bytes.
enum class Letter : char { wants = 'w', piece = 'p', result = 'r', end = 'e', ended = 'd', share = 's' };
struct Message {
  Letter letter{};
  std::int32_t number = 0;
  std::string bytes = {};
};

std::string packed(Letter letter, std::int32_t number, std::string_view bytes = {}) {
  std::string text(1, static_cast<char>(letter));
  text.append(reinterpret_cast<const char*>(&number), sizeof number).append(bytes);
  return text;
}

bool receive(Ranks& ranks, int& from, Message& message) {
  constexpr std::size_t kHead = 1 + sizeof message.number;
  std::string text;
  if (!ranks.receive(from, text) || text.size() < kHead) return false;
  message.letter = static_cast<Letter>(text[0]);
  std::memcpy(&message.number, text.data() + 1, sizeof message.number);
  message.bytes = text.substr(kHead);
  return true;
}

/// Hands pieces out and takes what they give, in order.
class Owner {
 public:
  Owner(Job& job, const JobOptions& options, int workers) : job_(job), options_(options), ahead_(kAhead * workers) {}

  /// Begins with what a run before this one has taken.
  void begin() {
    failed_ = job_.begin();
    if (failed_ && !options_.checkpoint.empty()) {
      failed_ = log_.open(options_.checkpoint, options_.fingerprint, [this](std::string_view bytes) -> Status {
        if (taken_ >= job_.count()) return Error{"The checkpoint has more pieces than the job."};
        return job_.take(taken_++, bytes);
      });
    }
    next_ = taken_;
    if (failed_ && taken_ > 0 && options_.resumed) options_.resumed(static_cast<double>(taken_) / job_.count());
    over_ = !failed_ || taken_ == job_.count();
  }

  /// The next piece that may begin; none when there is none any more, or (where not to wait) none yet.
  std::optional<int> hand_out(bool wait) {
    std::unique_lock lock(mutex_);
    const auto may = [this] { return next_ < job_.count() && next_ < taken_ + ahead_; };
    if (wait) changed_.wait(lock, [&] { return over_ || may() || next_ >= job_.count(); });
    if (over_ || !may()) return std::nullopt;
    return next_++;
  }

  void bring(int piece, std::string bytes) {
    const std::scoped_lock lock(mutex_);
    if (over_) return;
    waiting_.emplace(piece, std::move(bytes));
    while (!over_ && !waiting_.empty() && waiting_.begin()->first == taken_) {
      const std::string& first = waiting_.begin()->second;
      Status status = job_.take(taken_, first);
      if (status && !options_.checkpoint.empty()) status = log_.append(first);
      if (!status) failed_ = status;
      waiting_.erase(waiting_.begin());
      over_ = !status || ++taken_ == job_.count();
    }
    const double fraction = static_cast<double>(taken_) / job_.count();
    // After the last piece, too: a caller may know of a reason to stop that belongs to it.
    if (options_.progress && !options_.progress(fraction)) over_ = stopped_ = true;
    changed_.notify_all();
  }

  bool over() {
    const std::scoped_lock lock(mutex_);
    return over_;
  }

  Result<bool> end() {
    if (failed_ && !stopped_) failed_ = job_.finish();
    if (!failed_) return failed_.error();
    if (!stopped_) log_.remove();
    return !stopped_;
  }

 private:
  Job& job_;
  const JobOptions& options_;
  const int ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<int, std::string> waiting_;  // came before an earlier piece
  int next_ = 0, taken_ = 0;
  bool over_ = false, stopped_ = false;
  Status failed_;
  RecordFile log_;
};

void work(Job& job, Owner& owner, int worker) {
  while (const std::optional<int> piece = owner.hand_out(true)) owner.bring(*piece, job.run(*piece, worker));
}

// In the first rank: pieces for whoever wants them, until the job is over and every rank has said that it knows.
void serve(Owner& owner, Ranks& ranks) {
  std::vector<int> wants(static_cast<std::size_t>(ranks.count()), 0);
  int left = ranks.count() - 1;
  bool told = false;
  while (left > 0) {
    int from = 0;
    Message message;
    bool idle = true;
    while (receive(ranks, from, message)) {
      idle = false;
      if (message.letter == Letter::wants) wants[static_cast<std::size_t>(from)] += message.number;
      if (message.letter == Letter::ended) --left;
      if (message.letter != Letter::result) continue;
      ++wants[static_cast<std::size_t>(from)];
      owner.bring(message.number, std::move(message.bytes));
    }
    if (!told && owner.over()) {
      for (int to = 1; to < ranks.count(); ++to) ranks.send(to, packed(Letter::end, 0));
      told = true;
    }
    for (int to = 1; !told && to < ranks.count(); ++to) {
      for (int& n = wants[static_cast<std::size_t>(to)]; n > 0; --n) {
        const std::optional<int> piece = owner.hand_out(false);
        if (!piece) break;
        ranks.send(to, packed(Letter::piece, *piece));
        idle = false;
      }
    }
    if (idle) std::this_thread::sleep_for(kNap);
  }
}

// In the other ranks: one thread for messages, the others work.
void help(Job& job, Ranks& ranks, int workers) {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> todo;
  std::vector<std::pair<int, std::string>> done;
  bool over = false;
  const auto run = [&](int worker) {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return over || !todo.empty(); });
      if (over) return;
      const int piece = todo.front();
      todo.pop_front();
      lock.unlock();
      std::string bytes = job.run(piece, worker);
      lock.lock();
      done.emplace_back(piece, std::move(bytes));
    }
  };
  std::vector<std::thread> threads;
  for (int w = 0; w < workers; ++w) threads.emplace_back(run, w);
  ranks.send(0, packed(Letter::wants, kInAdvance * workers));
  while (!over) {
    int from = 0;
    Message message;
    std::vector<std::pair<int, std::string>> finished;
    const bool came = receive(ranks, from, message);
    {
      const std::scoped_lock lock(mutex);
      if (came && message.letter == Letter::piece) todo.push_back(message.number);
      if (came && message.letter == Letter::end) over = true;
      finished.swap(done);
    }
    if (came) changed.notify_all();
    for (auto& [piece, bytes] : finished) {
      if (!over) ranks.send(0, packed(Letter::result, piece, bytes));
    }
    if (!came && finished.empty()) std::this_thread::sleep_for(kNap);
  }
  for (std::thread& thread : threads) thread.join();
  ranks.send(0, packed(Letter::ended, 0));
}

}  // namespace

Result<bool> run_job(Job& job, const JobOptions& options) {
  const int rank_count = options.ranks != nullptr ? options.ranks->count() : 1;
  const int workers = std::max(1, worker_count(std::max(1, job.count()), options));
  job.prepare(workers);
  if (options.ranks != nullptr && options.ranks->rank() > 0) {
    help(job, *options.ranks, workers);
    return true;
  }
  Owner owner(job, options, workers * rank_count);
  owner.begin();
  std::vector<std::thread> threads;
  // With ranks this thread sees to the messages, else it is a worker itself.
  const bool alone = rank_count == 1;
  for (int w = alone ? 1 : 0; w < workers; ++w) threads.emplace_back([&, w] { work(job, owner, w); });
  if (alone) {
    work(job, owner, 0);
  } else {
    serve(owner, *options.ranks);
  }
  for (std::thread& thread : threads) thread.join();
  return owner.end();
}

std::string share(Ranks& ranks, std::string bytes) {
  if (ranks.rank() == 0) {
    for (int to = 1; to < ranks.count(); ++to) ranks.send(to, packed(Letter::share, 0, bytes));
    return bytes;
  }
  int from = 0;
  Message message;
  while (!receive(ranks, from, message)) std::this_thread::sleep_for(kNap);
  return message.bytes;
}

}  // namespace armature::inline v0_2
