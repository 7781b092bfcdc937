// T1K: bytes in any fragmentation give the same messages, kept bytes stay within the limits, and EXTRA's
// views lie within its section, as what is read of a response report.
#include <cstdlib>
#include <string>

#include "ingest/t1k/t1k.h"
#include "ingest/t1k/t1k_extra.h"
#include "ingest/t1k/t1k_session.h"

namespace {

using namespace wafd::ingest::t1k;

void require(bool so) {
  if (!so) std::abort();
}

bool within(std::string_view view, std::string_view data) {
  return view.empty() ||
         (view.data() >= data.data() && view.data() + view.size() <= data.data() + data.size());
}

void show(std::string& out, const Section& section, std::size_t limit) {
  require(section.data.size() <= limit && section.data.size() <= section.length);
  out += section.present ? std::to_string(section.length) + ":" + section.data + ";" : "-;";
}

// `next_piece` gives the size of each fragment.
template <class NextPiece>
std::string dump(std::string_view input, const Limits& limits, NextPiece next_piece) {
  MessageReader reader(limits);
  std::string out;
  while (!input.empty()) {
    auto part = input.substr(0, next_piece());
    input.remove_prefix(part.size());
    while (true) {
      const auto complete = reader.next(part);
      if (!complete) return out + to_string(complete.error());
      if (!*complete) break;
      const auto& m = reader.message();
      out += std::to_string(static_cast<int>(m.kind()));
      show(out, m.head, limits.max_head_bytes);
      show(out, m.body, limits.max_body_bytes);
      for (const auto* meta : {&m.extra, &m.version, &m.context, &m.rsp_head, &m.rsp_body, &m.rsp_extra})
        show(out, *meta, limits.max_meta_bytes);
      const auto extra = parse_extra(m.extra.data);
      for (const auto view : {extra.uuid, extra.remote_addr, extra.local_addr, extra.scheme,
                              extra.server_name, extra.proxy_name})
        require(within(view, m.extra.data) && view.find('\n') == std::string_view::npos);
      const auto report = parse_extra(m.rsp_extra.data);
      require(report.rsp_begin_us >= 0 && report.rsp_end_us >= 0 &&
              report.rsp_bytes.value_or(0) <= 1ull << 53);
      wafd::ResponseReport response;
      read_response(m.rsp_head.data, m.rsp_body.length, response);
      require(response.status <= 999 && response.reason_phrase.size() <= m.rsp_head.data.size() &&
              response.reason_phrase.find('\n') == std::string::npos);
    }
    require(part.empty());
  }
  return out + (reader.in_message() ? "..." : "");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Limits limits{64, 48, 32};
  const std::size_t pieces[] = {1u + data[0] % 7u, 1u + data[1] % 31u};
  const std::string_view input(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto whole = dump(input, limits, [&] { return input.size(); });
  std::size_t turn = 0;
  require(dump(input, limits, [&] { return pieces[turn++ % 2]; }) == whole);
  return 0;
}
