#include "forward/io/postgres_writer.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "forward/io/postgres/copy_row.h"
#include "forward/io/postgres/session.h"
#include "forward/io/postgres_login.h"
#include "forward/io/tls_settings.h"
#include "forward/target/destination.h"

namespace wafd::forward {
namespace {

constexpr std::size_t kMaxRows = 10'000;    // waiting and under way
constexpr std::size_t kMaxBytes = 8 << 20;  // a transaction's under way, and the next one's
constexpr std::size_t kBatchRows = 2000;
constexpr std::size_t kCopyBytes = 4 << 20;
constexpr std::size_t kBlockBytes = 64 << 10;  // from there on a block takes no further row
constexpr std::size_t kBlockRoom = kBlockBytes + (8 << 10);
constexpr std::size_t kSpareBlocks = kCopyBytes / kBlockBytes;  // kept for further rows, 4.5 MiB
constexpr std::int64_t kRefusalWaitMs = 1000;
constexpr auto kLookEvery = std::chrono::seconds(1);  // whether an idle connection is still there
constexpr auto kDaysEvery = std::chrono::hours(1);

std::string in_words(const PgError& error) {
  return error.hint.empty() ? error.what : fmt::format("{} ({})", error.what, error.hint);
}

std::int64_t today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
}

}  // namespace

// Reports of the thread, in order.
struct PostgresWriter::Outcome {
  enum class Type : std::uint8_t { kUp, kTaken, kRefused, kNoted, kFailed } type;
  std::uint64_t first = 0, count = 0;  // ids
  std::string text;                    // of kUp the place, else an error
};

// Rows that lie one behind the other, as they are sent.
struct PostgresWriter::Block {
  struct Row {
    std::size_t end = 0;  // in `text`
    std::optional<std::int64_t> day;
    bool report = false;
  };
  std::string text;
  std::vector<Row> rows;
};

// Shared by both threads; it lives until the thread is gone.
struct PostgresWriter::Shared : std::enable_shared_from_this<Shared> {
  Shared(kit::Loop& l, PgLogin how, PgRetention kept, std::string n, std::shared_ptr<const NodeBeat> b)
      : loop(&l), login(std::move(how)), keep(kept), node(std::move(n)), beat(std::move(b)) {}

  StopSignal stop_signal;
  std::mutex mutex;
  kit::Loop* loop;  // null: the writer is gone, and the loop perhaps
  bool posted = false;
  std::deque<Block> waiting;  // in order of their rows' ids; the last takes further rows
  std::size_t bytes = 0;      // of rows that wait or are under way
  std::uint64_t first = 0;    // id of the first row that waits
  std::vector<Block> spare;   // empty, with room, for further rows
  std::deque<Outcome> outcomes;
  std::condition_variable more;
  const PgLogin login;
  const PgRetention keep;
  const std::string node;
  const std::shared_ptr<const NodeBeat> beat;
  std::vector<PgPlace> places;      // before the thread starts
  PostgresWriter* owner = nullptr;  // the loop's thread alone

  void tell(Outcome outcome) {
    const std::scoped_lock lock(mutex);
    outcomes.push_back(std::move(outcome));
    if (loop == nullptr || std::exchange(posted, true)) return;
    loop->post([weak = weak_from_this()] {
      const auto shared = weak.lock();
      if (shared && shared->owner) shared->owner->drain();
    });
  }

  // --- the thread ---
  void run() {
    std::string why;
    for (const PgPlace& place : places) {
      auto session = open(place);
      if (session) {
        why = serve(*session);
        break;
      }
      if (!why.empty()) why += "; ";
      why += in_words(session.error());
      if (stop_signal.is_set()) return;
    }
    tell({Outcome::Type::kFailed, 0, 0, why});
  }

  PgResult<PgSession> open(const PgPlace& place) {
    auto connection = PgConnection::open(login, place, stop_signal);
    if (!connection) return tl::unexpected(connection.error());
    PgSession session(std::move(*connection));
    if (auto good = session.begin(); !good) return tl::unexpected(good.error());
    if (auto good = session.migrate(); !good) return tl::unexpected(good.error());
    return session;
  }

  // Until the connection is lost, or somebody wants the thread back; answers why.
  std::string serve(PgSession& session) {
    tell({Outcome::Type::kUp, 0, 0, session.connection().peer()});
    auto days_at = std::chrono::steady_clock::now();
    Batch batch;
    bool denial_told = false;
    auto beat_at = days_at;
    for (;;) {
      if (beat && std::chrono::steady_clock::now() >= beat_at) {
        beat_at = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBeatMs);
        if (auto told = tell_beat(session); !told && told.error().state.empty())
          return in_words(told.error());
      }
      if (std::chrono::steady_clock::now() >= days_at) {
        days_at = std::chrono::steady_clock::now() + kDaysEvery;
        if (auto kept = session.keep(keep, today()); !kept) {
          if (kept.error().state.empty()) return in_words(kept.error());
          tell({Outcome::Type::kNoted, 0, 0, fmt::format("days: {}", in_words(kept.error()))});
        }
      }
      const std::optional<std::uint64_t> id = next_batch(batch);
      if (stop_signal.is_set()) return "stopped";
      if (!id) {
        keep_none();
        if (auto there = session.connection().look(); !there) return in_words(there.error());
        continue;
      }
      if (auto written = write(session, batch.rows, *id); !written) return in_words(written.error());
      if (session.reports_denied() && !std::exchange(denial_told, true))
        tell({Outcome::Type::kNoted, 0, 0,
              "response reports are left out: the user needs EXECUTE on wafd_add_reports"});
    }
  }

  // One that the server refuses keeps no event back.
  PgResult<void> tell_beat(PgSession& session) {
    const auto steady = std::chrono::steady_clock::now().time_since_epoch();
    const std::string said =
        beat->said(std::chrono::duration_cast<std::chrono::milliseconds>(steady).count());
    if (said.empty()) return {};
    const bool denied = session.beats_denied();
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    auto told = session.beat(node, beat->instance(),
                             std::chrono::duration_cast<std::chrono::milliseconds>(now).count(), said);
    if (!told && !told.error().state.empty())
      tell({Outcome::Type::kNoted, 0, 0, fmt::format("sign of life: {}", in_words(told.error()))});
    if (!denied && session.beats_denied())
      tell({Outcome::Type::kNoted, 0, 0,
            "this node is missing among the fleet's: the user needs EXECUTE on wafd_beat"});
    return told;
  }

  // With `mutex` held: where the next row goes.
  Block& open_block() {
    if (!waiting.empty() && waiting.back().text.size() < kBlockBytes) return waiting.back();
    if (spare.empty()) {
      waiting.emplace_back().text.reserve(kBlockRoom);
    } else {
      waiting.push_back(std::move(spare.back()));
      spare.pop_back();
    }
    return waiting.back();
  }
  void keep_none() {
    const std::scoped_lock lock(mutex);
    spare = {};
  }

  // What one transaction takes.
  struct Batch {
    std::vector<Block> blocks;
    std::vector<PgRowView> rows;  // in the blocks
  };
  // The id of the first row of what waits; nothing after a second without any. What `batch` held is written.
  std::optional<std::uint64_t> next_batch(Batch& batch) {
    std::unique_lock lock(mutex);
    for (Block& block : batch.blocks) {
      if (spare.size() >= kSpareBlocks || block.text.capacity() > kBlockRoom) continue;
      block.text.clear();
      block.rows.clear();
      spare.push_back(std::move(block));
    }
    batch.blocks.clear();
    batch.rows.clear();
    more.wait_for(lock, kLookEvery, [this] { return !waiting.empty() || loop == nullptr; });
    std::size_t size = 0, count = 0;
    while (!waiting.empty() && size < kCopyBytes &&
           (count == 0 || count + waiting.front().rows.size() <= kBatchRows)) {
      size += waiting.front().text.size();
      count += waiting.front().rows.size();
      batch.blocks.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    if (count == 0) return std::nullopt;
    const std::uint64_t id = std::exchange(first, first + count);
    lock.unlock();
    batch.rows.reserve(count);
    for (const Block& block : batch.blocks) {
      std::size_t from = 0;
      for (const Block::Row& row : block.rows) {
        batch.rows.push_back(
            {std::string_view(block.text).substr(from, row.end - from), row.day, row.report});
        from = row.end;
      }
    }
    return id;
  }

  // Halves what is refused, so a row that is refused alone is the one.
  PgResult<void> write(PgSession& session, std::span<const PgRowView> batch, std::uint64_t id) {
    auto written = session.write(batch);
    if (!written && !written.error().data) return written;
    if (!written && batch.size() > 1) {
      const std::size_t half = batch.size() / 2;
      if (auto first_half = write(session, batch.first(half), id); !first_half) return first_half;
      return write(session, batch.subspan(half), id + half);
    }
    std::size_t size = 0;
    for (const PgRowView& row : batch) size += row.text.size();
    {
      const std::scoped_lock lock(mutex);
      bytes -= size;
    }
    if (written)
      tell({Outcome::Type::kTaken, id, batch.size(), ""});
    else
      tell({Outcome::Type::kRefused, id, 1, in_words(written.error())});
    return {};
  }
};

PostgresWriter::PostgresWriter(kit::Loop& loop, std::shared_ptr<ProducerReaper> reaper,
                               const TargetSettings& target, PgLogin login, Parts parts, Callbacks callbacks)
    : loop_(loop),
      reaper_(std::move(reaper)),
      target_(target),
      parts_(std::move(parts)),
      callbacks_(std::move(callbacks)),
      shared_(std::make_shared<Shared>(loop, std::move(login),
                                       PgRetention{target.postgresql.keep_days, target.postgresql.keep_gib},
                                       parts_.node, parts_.beat)),
      deadline_(loop, [this] {
        if (window_.waiting() == 0 && window_.held_by_refusal())
          give_up(fmt::format("the database refuses rows: {}", refusal_));
      }) {
  shared_->owner = this;
}

Result<std::unique_ptr<Producer>> PostgresWriter::create(kit::Loop& loop,
                                                         std::shared_ptr<ProducerReaper> reaper,
                                                         const TargetSettings& target, Parts parts,
                                                         Callbacks callbacks) {
  if (!reaper) reaper = std::make_shared<ProducerReaper>();
  auto login = postgres_login(target);
  if (!login) return tl::unexpected(login.error());
  std::unique_ptr<PostgresWriter> made(new PostgresWriter(loop, std::move(reaper), target, std::move(*login),
                                                          std::move(parts), std::move(callbacks)));
  made->resolve(0);
  return made;
}

PostgresWriter::~PostgresWriter() {
  shared_->owner = nullptr;
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->loop = nullptr;
  }
  shared_->stop_signal.set();
  shared_->more.notify_all();
}

// One place after the other to addresses that may be connected to; then the thread begins.
void PostgresWriter::resolve(std::size_t index) {
  if (index > target_.backups.size()) return start_thread();
  const HostPort at = receiver_at(target_, index);
  query_ = std::make_unique<kit::ResolveQuery>(
      loop_, at.host, parts_.resolve, [this, index, at](kit::ResolveResult result) {
        if (!result) last_error_ = result.error().what;
        const std::string name = tls_name(target_.tls, at);
        for (const IpAddress& address : result ? *result : std::vector<IpAddress>()) {
          const auto allowed =
              check_destination(address, at.port, Transport::kPostgresql, parts_.own_listeners);
          if (allowed)
            shared_->places.push_back({name, address.text(), at.port});
          else
            last_error_ = allowed.error().what;
        }
        resolve(index + 1);
      });
}

void PostgresWriter::start_thread() {
  if (shared_->places.empty()) return give_up(last_error_);
  last_error_.clear();
  reaper_->take([shared = shared_] { shared->run(); });
}

std::uint64_t PostgresWriter::room() const noexcept {
  const std::scoped_lock lock(shared_->mutex);
  return peer_.empty() || shared_->bytes >= kMaxBytes || window_.size() >= kMaxRows
             ? 0
             : kMaxRows - window_.size();
}

Producer::Taken PostgresWriter::produce(const Message& message) {
  const std::scoped_lock lock(shared_->mutex);
  if (shared_->bytes >= kMaxBytes) return Taken::kLater;
  const bool first = shared_->waiting.empty();
  Block& block = shared_->open_block();
  const std::size_t before = block.text.size();
  Block::Row row;
  if (message.record) {
    if (message.kind == "event") {
      append_event_row(*message.record, message.content, target_.request_detail == RequestDetail::kFull,
                       parts_.node, block.text);
      row.day = day_of(message.record->time_ms);
    }
    row.report = message.record->reported;
    if (row.report) append_report_row(*message.record, message.content, parts_.node, block.text);
  } else {
    append_notice_row(message.kind, message.content, message.time_ms, parts_.node, block.text);
  }
  row.end = block.text.size();
  block.rows.push_back(row);
  window_.sent(row.end - before);
  shared_->bytes += row.end - before;
  if (first) shared_->more.notify_one();
  return Taken::kYes;
}

void PostgresWriter::drain() {
  std::deque<Outcome> outcomes;
  {
    const std::scoped_lock lock(shared_->mutex);
    outcomes.swap(shared_->outcomes);
    shared_->posted = false;
  }
  const std::weak_ptr<Shared> alive = shared_;
  bool answered = false;
  std::optional<std::string> failure;
  for (const Outcome& outcome : outcomes) {
    if (outcome.type == Outcome::Type::kFailed) failure = outcome.text;
    answered |= take(outcome);
    if (outcome.type == Outcome::Type::kUp) {
      const auto up = callbacks_.up;
      up();
      if (alive.expired() || !alive.lock()->owner) return;
    }
  }
  if (window_.waiting() == 0 && window_.held_by_refusal())
    deadline_.start(kRefusalWaitMs);
  else
    deadline_.stop();
  if (answered) {
    const auto tell = callbacks_.answered;
    tell();
    if (alive.expired() || !alive.lock()->owner) return;
  }
  if (failure) give_up(std::move(*failure));
}

// True: the window has changed.
bool PostgresWriter::take(const Outcome& outcome) {
  switch (outcome.type) {
    case Outcome::Type::kUp:
      peer_ = outcome.text;
      return false;
    case Outcome::Type::kTaken:
      for (std::uint64_t id = outcome.first; id < outcome.first + outcome.count; ++id) window_.taken(id);
      last_error_.clear();
      return true;
    case Outcome::Type::kRefused:
      refusal_ = last_error_ = outcome.text;
      window_.refused(outcome.first);
      return true;
    case Outcome::Type::kNoted:
      last_error_ = outcome.text;
      return false;
    case Outcome::Type::kFailed:
      peer_.clear();
      last_error_ = outcome.text;
      return false;
  }
  return false;
}

void PostgresWriter::give_up(std::string why) {
  deadline_.stop();
  const auto failed = callbacks_.failed;
  failed(std::move(why));
}

}  // namespace wafd::forward
