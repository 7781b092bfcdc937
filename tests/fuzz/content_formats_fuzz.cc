// An event made of hostile bytes as CEF, LEEF and ECS, under any settings: sound for parsers that share
// nothing with the writers, every key what the record says, cut only in its structure, never longer than the
// target takes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <boost/json.hpp>

#include "forward/format/text_cut.h"
#include "tests/support/format_property.h"

namespace {

// An audit line made of the bytes, cut: one object still, with the same names before the last, sound UTF-8.
bool audit_line_stays_sound(std::string_view bytes, std::size_t max) {
  namespace json = boost::json;
  const std::size_t third = bytes.size() / 3;
  std::string text;  // JSON wants UTF-8: what is none is shown
  wafd::append_json_text(bytes, text);
  const std::string whole = "{\"seq\":" + std::to_string(third) + ",\"user\":\"" + text +
                            "\",\"detail\":{\"a\":\"" + text + "\",\"b\":[1,\"" + text + "\"]}}";
  std::string out;
  wafd::forward::cut_json_object(whole, max, out);
  boost::system::error_code ec;
  const json::value v = json::parse({out.data(), out.size()}, ec);
  return !ec && v.is_object() && v.as_object().size() == 3 && v.as_object().contains("seq") &&
         wafd::test::check_utf8(out).empty() && (max < 128 || out.size() <= max);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wafd;
  if (size < 7) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 7, size - 7);
  std::uint32_t seed = 0;
  for (int i = 0; i < 4; ++i) seed = seed << 8 | data[i];
  forward::TargetSettings t;
  t.bom = data[4] & 1;
  t.sequence_id = data[4] & 2;
  t.time_precision = data[4] & 4 ? 6 : 3;
  t.header = data[4] & 8 ? forward::HeaderFormat::kRfc3164 : forward::HeaderFormat::kRfc5424;
  const std::size_t max = data[5] * 256u + data[6];
  if (!audit_line_stays_sound(bytes, max)) std::abort();
  const std::string wrong = test::check_formats(test::hostile_event(bytes, seed), t, max);
  if (wrong.empty()) return 0;
  std::fprintf(stderr, "%s\n", wrong.c_str());
  std::abort();
}
