// Answers of a RELP receiver: any bytes. Fragments of any size give the same frames and the same
// session; nothing is settled that was not answered; what the writer frames is read back.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "forward/protocol/relp_session.h"

namespace {

using wafd::forward::RelpFrame;
using wafd::forward::RelpFrameReader;
using wafd::forward::RelpSession;

constexpr std::size_t kMaxData = 64;
constexpr std::uint64_t kMessages = 5;

std::string frames(std::string_view stream, std::size_t fragment, bool write_again) {
  RelpFrameReader reader(kMaxData);
  std::string out;
  for (std::size_t at = 0; at < stream.size(); at += fragment) {
    reader.feed(stream.substr(at, fragment));
    for (RelpFrame f; reader.next(f);) {
      if (f.data.size() > kMaxData || f.command.empty() || f.command.size() > 32) std::abort();
      wafd::forward::append_relp_frame(f.txnr, f.command, f.data, "", out);
    }
  }
  if (write_again && frames(out, 5, false) != out) std::abort();
  return out + std::string(reader.error());
}

// Opened, with messages on their way if `greeted`, else the bytes are all there is.
std::string session(std::string_view stream, std::size_t fragment, bool greeted) {
  RelpSession s({});
  std::string sent = s.open(0);
  if (greeted) {
    if (!s.on_bytes("1 rsp 37 200 OK\nrelp_version=0\ncommands=syslog\n", 0) || !s.is_open()) std::abort();
    for (std::uint64_t i = 0; i < kMessages; ++i) s.append("<1>", "x", 0, sent);
  }
  const std::uint64_t all = s.window().sent_bytes();
  for (std::size_t at = 0; at < stream.size() && !s.failed(); at += fragment) {
    (void)s.on_bytes(stream.substr(at, fragment), 1);
    (void)s.on_time(2);
  }
  const auto& w = s.window();
  if (w.first() + w.size() != (greeted ? kMessages : 0) || w.waiting() > w.size() ||
      w.rejected() > w.first() || w.settled_bytes() > all || (w.size() == 0) != (w.settled_bytes() == all))
    std::abort();
  // A message is settled by at least an answer of its own: "2 rsp 3 200\n".
  if (w.first() * 12 > stream.size()) std::abort();
  return s.error() + "/" + std::to_string(w.first()) + "/" + std::to_string(w.waiting()) + "/" +
         std::to_string(w.rejected()) + "/" + std::to_string(s.room());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string whole = frames(bytes, size + 1, true);
  const std::string opened = session(bytes, size + 1, true), fresh = session(bytes, size + 1, false);
  for (const std::size_t fragment : {1u, 2u, 3u, 7u})
    if (frames(bytes, fragment, false) != whole || session(bytes, fragment, true) != opened ||
        session(bytes, fragment, false) != fresh)
      std::abort();
  return 0;
}
