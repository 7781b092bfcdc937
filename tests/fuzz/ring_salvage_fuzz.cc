// A ring's file with any bytes changed: opening never crashes, and every record given afterwards is one that
// was appended, unchanged, in order; the ring then goes on taking records.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "detect/core/record_json.h"
#include "forward/ring/ring.h"
#include "tests/support/temp_folder.h"

namespace {

constexpr std::uint64_t kSize = 8192 + 64 * 1024;
constexpr std::uint64_t kAppended = 60;  // more than a lap

void require(bool condition) {
  if (!condition) std::abort();
}

wafd::EventRecord event(std::uint64_t number) {
  wafd::AttackEvent e;
  e.body.assign(number * 29 % 900, static_cast<char>('a' + number % 26));
  std::memcpy(e.event_id.bytes.data(), &number, sizeof number);
  wafd::EventRecord r;
  r.id = e.event_id;
  r.src_ip = "192.0.2.1";
  r.site_uuid = "0";
  r.rule_id = "m_sqli/0";
  r.offsets = wafd::append_record_json(e, r.json);
  r.detail = "{}";
  return r;
}

std::string read_file(const std::string& path) {
  std::string bytes(kSize, '\0');
  const int fd = ::open(path.c_str(), O_RDONLY);
  require(fd >= 0 && ::pread(fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  return bytes;
}

void write_file(const std::string& path, const std::string& bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  require(fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

const std::string& pristine(const std::string& path) {
  static const std::string bytes = [&path] {
    ::unlink(path.c_str());
    {
      auto ring = wafd::forward::Ring::open({path, kSize, 0, 1});
      require(ring.has_value());
      for (std::uint64_t n = 0; n < kAppended; ++n) {
        require((*ring)->append(event(n)).has_value());
        wafd::ResponseReport report;
        report.id = event(n).id;
        report.status = 200;
        if (n % 4 == 0) (*ring)->amend(report);
      }
    }
    return read_file(path);
  }();
  return bytes;
}

void check(const wafd::forward::Ring& ring) {
  wafd::forward::RingReader reader(ring);
  std::uint64_t last = 0;
  for (;;) {
    std::uint64_t overtaken = 0;
    const auto views = reader.read(16, 64 * 1024, overtaken);
    if (views.empty()) return;
    for (const auto& view : views) {
      require(view.seq > last);
      last = view.seq;
      if (view.seq > kAppended) continue;
      const auto expected = event(view.seq - 1);
      require(view.json == expected.json && view.id == expected.id && view.detail == expected.detail);
      reader.merged_json(view);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const wafd::test::TempFolder folder;
  static const std::string path = folder.path + "/ring";
  std::string bytes = pristine(path);
  // Each 4 bytes of the input change one place: two to say where, one how many, one what.
  for (std::size_t i = 0; i + 4 <= size && i < 256; i += 4) {
    const std::size_t at =
        ((data[i] | static_cast<std::size_t>(data[i + 1]) << 8) * 8 + data[i + 2] % 8) % bytes.size();
    const std::size_t count =
        std::min<std::size_t>(1u + data[i + 2] * (data[i + 2] % 5 == 0 ? 64u : 1u), bytes.size() - at);
    if (data[i + 3] % 3 == 0) {
      std::memset(bytes.data() + at, data[i + 3], count);
    } else if (data[i + 3] % 3 == 1) {
      bytes[at] = static_cast<char>(bytes[at] ^ data[i + 3]);
    } else {  // a piece of the file somewhere else
      std::memmove(bytes.data() + at, bytes.data() + (at * 31 + data[i + 3] * 8u) % (bytes.size() - count),
                   count);
    }
  }
  write_file(path, bytes);
  if (auto beside = wafd::forward::Ring::open_read_only(path)) check(**beside);
  {
    auto ring = wafd::forward::Ring::open({path, kSize, 0, kAppended + 1});
    if (!ring) {
      require(!ring.error().what.empty());
      ::unlink(path.c_str());
      return 0;
    }
    check(**ring);
    for (std::uint64_t n = 0; n < 3; ++n) require((*ring)->append(event(n)).has_value());
    check(**ring);
    require((*ring)->end() >= kAppended + 4);
  }
  auto again = wafd::forward::Ring::open({path, kSize, 0, 1});
  require(again.has_value());
  check(**again);
  return 0;
}
