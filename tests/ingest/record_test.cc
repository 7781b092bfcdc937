#include "ingest/record.h"

#include <gtest/gtest.h>

#include "ingest/record_lines.h"

namespace wafd::ingest {
namespace {

std::string dump(const OwnedRequest& r) {
  std::string out = r.head + r.body;
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"scheme", r.scheme},
                                    {"src", r.src_ip},
                                    {"socket", r.socket_ip},
                                    {"dest", r.dest_ip},
                                    {"upstream", r.upstream_addr},
                                    {"proxy", r.proxy_name},
                                    {"host", r.host},
                                    {"sport", r.src_port ? std::to_string(r.src_port) : ""},
                                    {"dport", r.dest_port ? std::to_string(r.dest_port) : ""},
                                    {"start", r.start_time_us ? std::to_string(r.start_time_us) : ""}}) {
    if (!value.empty()) out += std::string(" ") + name + "=" + value;
  }
  return out;
}

TEST(Record, Reads) {
  const struct {
    const char* name;
    const char* line;
    const char* dump;
  } rows[] = {
      {"least", R"({"method":"GET","uri":"/a?b=c"})", "GET /a?b=c HTTP/1.1\r\n\r\n"},
      {"all",
       R"({"method":"POST","uri":"/","http_version":"HTTP/2.0","headers":[["A","b"],["A","c"]],"body":"x=1","src_ip":"192.0.2.1",
          "src_port":5,"socket_ip":"::ffff:192.0.2.2","dest_ip":"2001:db8::1","dest_port":443,"upstream_addr":"u","scheme":"https",
          "host":"shop.example","req_start_time":1766000000123,"proxy_name":"gw","other":{"a":[1]}})",
       "POST / HTTP/2.0\r\nHost: shop.example\r\nA: b\r\nA: c\r\n\r\nx=1 scheme=https src=192.0.2.1 "
       "socket=192.0.2.2 "
       "dest=2001:db8::1 upstream=u proxy=gw host=shop.example sport=5 dport=443 start=1766000000123000"},
      {"Host header stays", R"({"method":"GET","uri":"/","host":"a","headers":[["hOST","b"]]})",
       "GET / HTTP/1.1\r\nhOST: b\r\n\r\n host=a"},
      {"base64", R"({"method":"POST","uri":"/","body_base64":"aGVsbG8="})", "POST / HTTP/1.1\r\n\r\nhello"},
      {"nulls", R"({"method":"GET","uri":"/","headers":null,"src_ip":null,"src_port":null})",
       "GET / HTTP/1.1\r\n\r\n"},
  };
  for (const auto& row : rows) {
    const auto record = parse_record(row.line);
    ASSERT_TRUE(record) << row.name << ": " << record.error().what;
    EXPECT_EQ(dump(*record), row.dump) << row.name;
  }
}

TEST(Record, RefusedSaysWhichMember) {
  const struct {
    const char* line;
    const char* what;
  } rows[] = {
      {"", "expected a JSON object: "},
      {"{", "expected a JSON object: "},
      {"[]", "expected a JSON object"},
      {R"({"uri":"/"})", "method: expected a string, it is missing"},
      {R"({"method":"GET"})", "uri: expected a string, it is missing"},
      {R"({"method":"","uri":"/"})", "method: expected at least one character"},
      {R"({"method":1,"uri":"/"})", "method: expected a string"},
      {R"({"method":"GET","uri":"/","headers":{"a":"b"}})",
       "headers: expected a list of [name, value] pairs"},
      {R"({"method":"GET","uri":"/","headers":[["a"]]})", "headers: expected a list of [name, value] pairs"},
      {R"({"method":"GET","uri":"/","body":"a","body_base64":"YQ=="})",
       "body_base64: expected either this or body"},
      {R"({"method":"GET","uri":"/","body_base64":"***"})", "body_base64: expected base64"},
      {R"({"method":"GET","uri":"/","src_ip":"nobody"})", "src_ip: expected an IP address"},
      {R"({"method":"GET","uri":"/","src_port":65536})", "src_port: expected an integer of 0..65535"},
      {R"({"method":"GET","uri":"/","dest_port":"80"})", "dest_port: expected an integer of 0..65535"},
      {R"({"method":"GET","uri":"/","x":[[[[[[[[[1]]]]]]]]]})", "expected a JSON object: "},
  };
  for (const auto& row : rows) {
    const auto record = parse_record(row.line);
    ASSERT_FALSE(record) << row.line;
    EXPECT_EQ(record.error().what.substr(0, std::string(row.what).size()), row.what) << row.line;
  }
}

TEST(RecordLines, SaysTheSameInAnyFragmentation) {
  const struct {
    std::string input;
    const char* dump;
  } rows[] = {
      {"", ""},
      {"a\nbc\r\n\nd", "1:a 2:bc 4:d "},
      {"12345\n123456\nx\n", "1:12345 2:too long 3:x "},
      {"123456", "1:too long "},
      {"\n\n", ""},
      {"1234567890123\nab\n", "1:too long 2:ab "},
  };
  for (const auto& row : rows) {
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 1000u}) {
      RecordLines lines(5);
      std::string out;
      const auto take = [&](std::uint64_t number, std::string_view line, bool too_long) {
        out += std::to_string(number) + ":" + (too_long ? "too long" : std::string(line)) + " ";
      };
      std::string_view rest = row.input;
      for (; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
        lines.feed(rest.substr(0, piece), take);
      lines.finish(take);
      EXPECT_EQ(out, row.dump) << row.input << " in pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace wafd::ingest
