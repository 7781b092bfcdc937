#include "console/io/fleet/fleet_streams.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "console/events/event_answers.h"
#include "console/events/export_text.h"
#include "console/events/viewer_mask.h"
#include "console/io/fleet/background_query.h"
#include "console/io/fleet/fleet_answers.h"

namespace wafd::console {
namespace {

constexpr std::size_t kExportPage = 500;
// No place in a tail is behind it, whatever a browser says.
constexpr std::uint64_t kLatestUs = 4'000'000'000'000'000;  // 2096

class FleetExport final : public BodySource {
 public:
  FleetExport(forward::FleetDatabase& database, Background& pool, const EventFilter& filter,
              ExportFormat format)
      : database_(database),
        masked_(filter.masked),
        format_(format),
        filter_(std::make_shared<const forward::FleetFilter>(fleet_filter(filter))),
        pages_(pool) {}

  Next pull(std::string& out, std::size_t room, std::int64_t) override {
    if (!begun_ && format_ == ExportFormat::kCsv) append_csv_head(out);
    begun_ = true;
    while (at_ < page_.size() && out.size() < room) {
      const std::string& record = page_[at_++].record;
      append_exported(masked_ ? masked_record(record) : record, format_, out);
    }
    if (at_ < page_.size()) return Next::kMore;
    if (auto page = pages_.take()) {
      if (!*page) return Next::kBroken;
      page_ = std::move(**page);
      at_ = 0;
      last_ = page_.size() < kExportPage;
      if (!page_.empty()) before_ = page_.back().place;
      // The next page is read while this one is sent.
      if (!last_) ask();
      return page_.empty() ? Next::kEnd : Next::kMore;
    }
    if (last_) return Next::kEnd;
    if (!pages_.busy()) ask();
    return Next::kWait;
  }

 private:
  void ask() {
    pages_.ask([&database = database_, filter = filter_, before = before_](const auto& over) {
      return ask_fleet(database, over, [&](forward::PgConnection& connection) {
        return forward::FleetEvents(connection).list(*filter, kExportPage, before);
      });
    });
  }

  forward::FleetDatabase& database_;
  const bool masked_;
  const ExportFormat format_;
  std::shared_ptr<const forward::FleetFilter> filter_;
  BackgroundQuery<std::vector<forward::FleetEvent>> pages_;
  std::optional<forward::FleetPlace> before_;
  std::vector<forward::FleetEvent> page_;
  std::size_t at_ = 0;
  bool begun_ = false;
  bool last_ = false;
};

class FleetLiveTail final : public BodySource {
 public:
  FleetLiveTail(std::shared_ptr<FleetTailHub> hub, TailOptions options)
      : hub_(std::move(hub)), ended_(std::move(options.ended)) {
    watcher_.filter = std::make_shared<const forward::FleetFilter>(fleet_filter(options.filter));
    watcher_.masked = options.filter.masked;
    if (options.after)
      watcher_.after_us = given_us_ = static_cast<std::int64_t>(std::min(*options.after, kLatestUs));
    hub_->join(watcher_);
  }
  ~FleetLiveTail() override { hub_->leave(watcher_); }

  Next pull(std::string& out, std::size_t room, std::int64_t now_ms) override {
    if (ended_) {
      if (const std::string reason = ended_(now_ms); !reason.empty()) {
        out += fmt::format("event: end\ndata: {{\"reason\":\"{}\"}}\n\n", reason);
        return Next::kEnd;
      }
    }
    const std::size_t before = out.size();
    hub_->turn(now_ms);
    if (!placed_ && watcher_.upto_us != 0) {  // a place that is not there yet is the present end
      given_us_ = std::min(given_us_, watcher_.upto_us);
      placed_ = true;
    }
    tell_state(out);
    tell_begin(out);
    tell_skipped(out);
    for (; !watcher_.waiting.empty() && out.size() - before < room; watcher_.waiting.pop_front())
      tell(watcher_.waiting.front(), out);
    // Where it goes on by the clock of the last look, once all up to there was given.
    if (watcher_.waiting.empty()) given_us_ = std::max(given_us_, watcher_.upto_us);
    if (out.size() > before) {
      last_ms_ = now_ms;
    } else if (now_ms - last_ms_ >= kCommentMs) {
      out += given_us_ == 0 ? std::string(": still here\n\n")
                            : fmt::format("id: {0}\nevent: position\ndata: {{\"after\":{0}}}\n\n", given_us_);
      last_ms_ = now_ms;
    }
    return watcher_.waiting.empty() ? Next::kWait : Next::kMore;
  }

 private:
  void tell_begin(std::string& out) {
    if (greeted_ || (watcher_.upto_us == 0 && given_us_ == 0)) return;
    out += fmt::format("retry: 2000\nevent: hello\ndata: {{\"end\":{}}}\n\n",
                       (given_us_ == 0 ? watcher_.upto_us : given_us_) + 1);
    greeted_ = true;
  }

  // Once, when it changes.
  void tell_state(std::string& out) {
    if (watcher_.why == why_) return;
    why_ = watcher_.why;
    out += fmt::format("event: fleet\ndata: {}\n\n",
                       why_.empty() ? fleet_answered() : fleet_did_not_answer(why_));
  }

  void tell_skipped(std::string& out) {
    if (watcher_.skipped == 0 && watcher_.unknown == 0) return;
    out += fmt::format("event: skipped\ndata: {{\"count\":{},\"unknown\":{}}}\n\n", watcher_.skipped,
                       watcher_.unknown);
    watcher_.skipped = watcher_.unknown = 0;
  }

  // Ids go up: a client that comes back goes on behind the last one.
  void tell(const FleetTailHub::Told& told, std::string& out) {
    given_us_ = std::max(given_us_, told.stored_us);
    out += fmt::format("id: {}\nevent: event\ndata: {}\n\n", given_us_, *told.event);
  }

  std::shared_ptr<FleetTailHub> hub_;
  std::function<std::string(std::int64_t)> ended_;
  FleetTailHub::Watcher watcher_;
  std::int64_t given_us_ = 0;
  std::int64_t last_ms_ = 0;
  std::string why_;
  bool greeted_ = false;
  bool placed_ = false;
};

}  // namespace

std::unique_ptr<BodySource> export_fleet(forward::FleetDatabase& database, Background& pool,
                                         const EventFilter& filter, ExportFormat format) {
  return std::make_unique<FleetExport>(database, pool, filter, format);
}

std::unique_ptr<BodySource> tail_fleet(std::shared_ptr<FleetTailHub> hub, TailOptions options) {
  return std::make_unique<FleetLiveTail>(std::move(hub), std::move(options));
}

}  // namespace wafd::console
