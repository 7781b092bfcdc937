// Shared by the programs of this folder: a ring full of ordinary records, CPU time, medians.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "forward/format/message.h"
#include "forward/format/sample_event.h"
#include "forward/protocol/framing.h"
#include "forward/ring/ring.h"
#include "forward/target/target_settings.h"
#include "ingest/io/kit/system.h"

namespace wafd::bench {

// CPU seconds of the calling thread.
inline double thread_cpu_s() {
  rusage u{};
  getrusage(RUSAGE_THREAD, &u);
  const auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return s(u.ru_utime) + s(u.ru_stime);
}

inline double percentile(std::vector<double> v, double share) {
  if (v.empty()) return 0;
  std::sort(v.begin(), v.end());
  return v[std::min(v.size() - 1, static_cast<std::size_t>(share * static_cast<double>(v.size())))];
}
inline double median(std::vector<double> v) { return percentile(std::move(v), 0.5); }

// A record of 2.2 KB, the size of an ordinary attack.
inline EventRecord ordinary_record(const EventId& id, std::int64_t now_us, forward::ZoneTime& zone) {
  EventRecord r = forward::sample_event(id, "node-1", now_us, zone);
  r.json.insert(r.json.find("\"body\":\"") + 8, std::string(640, 'b'));
  return r;
}

// A ring in the temporary folder, removed at the end with the cursors that a bench keeps beside it.
struct Rig {
  kit::SystemClock clock;
  kit::SystemRandom random;
  forward::ZoneTime utc;
  std::string path =
      (std::filesystem::temp_directory_path() / ("wafd-bench-" + std::to_string(getpid()))).string();
  std::unique_ptr<forward::Ring> ring;

  explicit Rig(std::uint64_t bytes) {
    forward::RingOptions options;
    options.path = path;
    options.size_bytes = bytes;
    options.sync_interval_ms = 0;
    ring = forward::Ring::open(options).value();
  }
  ~Rig() {
    ring.reset();
    remove_files();
  }
  // For a bench that ends its process without coming back. The mappings go on.
  void remove_files() const {
    std::filesystem::remove(path);
    std::filesystem::remove(cursors());
  }
  std::string cursors() const { return path + ".cursors"; }
  // Returns the record's bytes, 0 if it was refused.
  std::size_t append(const EventId& id) {
    const EventRecord r = ordinary_record(id, clock.unix_us(), utc);
    return ring->append(r) ? r.json.size() : 0;
  }
};

inline forward::TargetSettings target(forward::Transport transport, const Endpoint& to) {
  forward::TargetSettings t;
  t.id = t.name = "bench";
  t.transport = transport;
  t.host = to.address.text();
  t.port = to.port;
  t.max_message_bytes = 65507;
  t.framing = forward::Framing::kOctetCounting;
  return t;
}

}  // namespace wafd::bench
