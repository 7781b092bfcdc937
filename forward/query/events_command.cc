#include "forward/query/events_command.h"

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include <fmt/format.h>
#include <sys/stat.h>

#include "forward/query/event_line.h"
#include "forward/query/event_search.h"

namespace wafd::forward {
namespace {

struct Options {
  std::string query;
  std::string state_dir = "/var/lib/wafd";
  std::size_t limit = 100;
  bool follow = false;
  bool json = false;
};

// How often a followed ring is looked at: its writer is another process, and stores to a mapped file wake
// nobody.
constexpr auto kFollowInterval = std::chrono::milliseconds(200);

std::string line_of(const std::string& merged, bool json) {
  return json ? merged + "\n" : event_line(merged);
}

// Which file a path names now: the daemon may put another ring in its place (another size).
std::pair<dev_t, ino_t> identity(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? std::pair(status.st_dev, status.st_ino)
                                            : std::pair<dev_t, ino_t>();
}

class Command {
 public:
  Command(const Options& options, EventQuery query) : options_(options), query_(std::move(query)) {}

  int run() {
    const std::string path = options_.state_dir + "/ring";
    auto file = identity(path);
    auto opened = Ring::open_read_only(path);
    if (!opened) {
      fmt::print(stderr, "wafd: {}\n", opened.error().what);
      return 1;
    }
    std::unique_ptr<Ring> ring = std::move(*opened);
    if (!ring->recovery().text.empty()) fmt::print(stderr, "wafd: {}\n", ring->recovery().text);
    auto reader = std::make_unique<RingReader>(*ring);
    std::uint64_t next = ring->end();
    if (!print_newest(*reader, next)) return 0;
    while (options_.follow) {
      reader->seek(next);
      if (!print_from(*reader)) return 0;
      next = reader->next_seq();
      std::this_thread::sleep_for(kFollowInterval);
      if (const auto now = identity(path); now != file && now != std::pair<dev_t, ino_t>()) {
        if (auto again = Ring::open_read_only(path)) {
          reader.reset();
          ring = std::move(*again);
          reader = std::make_unique<RingReader>(*ring);
          file = now;
        }
      }
    }
    return 0;
  }

 private:
  // False: nobody reads us any more.
  static bool put(const std::string& text) {
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  }

  // The newest matches below `end`, the oldest of them first.
  bool print_newest(RingReader& reader, std::uint64_t end) {
    SearchRange range;
    range.before = end;
    if (options_.limit == 0) {
      reader.seek(0);
      return print_from(reader, end) && std::fflush(stdout) == 0;
    }
    range.limit = options_.limit;
    std::vector<std::string> lines;
    search_newest_first(reader, query_, range, [&](const RecordView& view) {
      lines.push_back(line_of(reader.merged_json(view), options_.json));
      return true;
    });
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      if (!put(*line)) return false;
    }
    return std::fflush(stdout) == 0;
  }

  // Everything from the reader's position on.
  bool print_from(RingReader& reader, std::uint64_t end = UINT64_MAX) {
    bool first = true;
    for (;;) {
      std::uint64_t overtaken = 0;
      const bool from_begin = first && reader.next_seq() == 0;
      const auto views = reader.read(256, 1 << 20, overtaken);
      if (overtaken > 0 && !from_begin)
        fmt::print(stderr, "wafd: {} events are gone from the ring\n", overtaken);
      first = false;
      if (views.empty()) return std::fflush(stdout) == 0;
      for (const RecordView& view : views) {
        if (view.seq >= end) return true;
        if (query_.matches(view) && !put(line_of(reader.merged_json(view), options_.json))) return false;
      }
    }
  }

  const Options& options_;
  EventQuery query_;
};

int run(const Options& options) {
  auto query = EventQuery::parse(options.query);
  if (!query) {
    fmt::print(stderr, "wafd: query, at character {}: {}\n", query.error().offset + 1, query.error().what);
    return 2;
  }
  return Command(options, std::move(*query)).run();
}

}  // namespace

void add_events_command(CLI::App& app, int& status) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("events", "Print events from the ring, the oldest first");
  command->add_option("query", options->query, "Which events, as in the console: type:sqli -src:10.0.0.0/8")
      ->type_name("QUERY");
  command->add_option("--state-dir", options->state_dir, "Folder of the ring")->capture_default_str();
  command->add_option("--limit", options->limit, "At most that many, the newest; 0: all there are")
      ->capture_default_str();
  command->add_flag("--follow", options->follow, "Go on with events as they arrive");
  command->add_flag("--json", options->json, "One JSON record a line, a response report merged in");
  command->callback([options, &status] { status = run(*options); });
}

}  // namespace wafd::forward
