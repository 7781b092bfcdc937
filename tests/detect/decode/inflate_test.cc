#include "detect/decode/content/inflate.h"

#include <string>

#include <bzlib.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace wafd::detect {
namespace {

// With zlib itself as the sender. 31: gzip, 15: zlib, -15: raw.
std::string deflated(std::string_view text, int window_bits) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string varied(std::size_t size) {
  std::string text;
  std::uint32_t x = 1;
  while (text.size() < size) {
    x = x * 1664525 + 1013904223;
    text.push_back(static_cast<char>('a' + (x >> 24) % 26));
  }
  return text;
}

TEST(Inflate, RoundTrips) {
  std::string out;
  for (const std::size_t size : {0u, 1u, 17u, 16384u, 300'000u}) {
    const std::string text = varied(size);
    EXPECT_EQ(inflate(deflated(text, 31), ContentCoding::kGzip, {}, out), InflateEnd::kComplete);
    EXPECT_EQ(out, text);
    EXPECT_EQ(inflate(deflated(text, 15), ContentCoding::kDeflate, {}, out), InflateEnd::kComplete);
    EXPECT_EQ(out, text);
    EXPECT_EQ(inflate(deflated(text, -15), ContentCoding::kDeflate, {}, out), InflateEnd::kComplete);
    EXPECT_EQ(out, text);
  }
}

TEST(Inflate, Brotli) {
  // "hello" uncompressed meta-block, RFC 7932 section 9.2: made by hand.
  const std::string_view stream("\x0b\x02\x80hello\x03", 9);
  std::string out;
  EXPECT_EQ(inflate(stream, ContentCoding::kBrotli, {}, out), InflateEnd::kComplete);
  EXPECT_EQ(out, "hello");
  EXPECT_EQ(inflate(stream.substr(0, 5), ContentCoding::kBrotli, {}, out), InflateEnd::kTruncated);
  EXPECT_EQ(inflate("\xff\xff\xff\xff\xff", ContentCoding::kBrotli, {}, out), InflateEnd::kBroken);
}

// By hand, after the format's description: a literal, then copies with offsets of one, two and four bytes.
TEST(Inflate, Snappy) {
  using std::string_view_literals::operator""sv;
  const std::string_view stream =
      "\x1c"  // 28 bytes in all
      "\x0c"
      "abcd"      // a literal of 4
      "\x09\x04"  // 6 from 4 back: it reaches into what it makes
      "\xf0\x05"
      "123456"                   // a literal whose length has a byte of its own
      "\x1e\x06\x00"             // 8 from 6 back
      "\x0f\x01\x00\x00\x00"sv;  // 4 from 1 back
  std::string out;
  EXPECT_EQ(inflate(stream, ContentCoding::kSnappy, {}, out), InflateEnd::kComplete);
  EXPECT_EQ(out, "abcdabcdab123456123456122222");
  for (std::size_t size = 1; size < stream.size(); ++size) {
    EXPECT_EQ(inflate(stream.substr(0, size), ContentCoding::kSnappy, {}, out), InflateEnd::kTruncated)
        << size;
    EXPECT_TRUE(std::string_view("abcdabcdab123456123456122222").starts_with(out)) << size;
  }
  const InflateLimits ten{.any_ratio_bytes = 10, .max_ratio = 0, .max_output_bytes = 10};
  EXPECT_EQ(inflate(stream, ContentCoding::kSnappy, ten, out), InflateEnd::kLimit);
  EXPECT_EQ(out, "abcdabcdab");
  for (const std::string_view broken : {"\x04\x01\x01"sv,
                                        "\x05\x0c"
                                        "abcd\x01\x00"sv,
                                        "\x05\x0c"
                                        "abcd\x01\x05"sv,
                                        "\x03\x0c"
                                        "abcd"sv,
                                        "\xff\xff\xff\xff\xff\xff"sv,
                                        "\x04\x0c"
                                        "abcde"sv})
    EXPECT_EQ(inflate(broken, ContentCoding::kSnappy, {}, out), InflateEnd::kBroken);
  EXPECT_EQ(parse_content_coding("Snappy"), ContentCoding::kSnappy);
}

TEST(Inflate, GzipMembersFollowOneAnother) {
  std::string out;
  EXPECT_EQ(inflate(deflated("one ", 31) + deflated("two", 31), ContentCoding::kGzip, {}, out),
            InflateEnd::kComplete);
  EXPECT_EQ(out, "one two");
}

TEST(Inflate, EndsThatAreNotComplete) {
  std::string out;
  const std::string text = varied(50'000);
  const std::string gzip = deflated(text, 31);
  EXPECT_EQ(inflate(std::string_view(gzip).substr(0, gzip.size() / 2), ContentCoding::kGzip, {}, out),
            InflateEnd::kTruncated);
  EXPECT_TRUE(text.starts_with(out));
  EXPECT_GT(out.size(), 10'000u);
  EXPECT_EQ(inflate("not compressed at all", ContentCoding::kGzip, {}, out), InflateEnd::kBroken);
  EXPECT_EQ(out, "");
  EXPECT_EQ(inflate("", ContentCoding::kGzip, {}, out), InflateEnd::kTruncated);
}

TEST(Inflate, BombsStopAtALimit) {
  std::string out;
  const std::string bomb = deflated(std::string(8u << 20, 'x'), 31);
  EXPECT_LT(bomb.size(), 16'000u);
  const auto inflated = [&](const InflateLimits& limits) {
    EXPECT_EQ(inflate(bomb, ContentCoding::kGzip, limits, out), InflateEnd::kLimit);
    return out.size();
  };
  EXPECT_EQ(inflated({.max_output_bytes = 100'000}), 100'000u);
  EXPECT_EQ(inflated({.any_ratio_bytes = 50'000, .max_ratio = 10}), 10 * bomb.size());
  EXPECT_EQ(inflated({.any_ratio_bytes = 500'000, .max_ratio = 1}), 500'000u);
  EXPECT_EQ(inflated({}), InflateLimits{}.any_ratio_bytes);
}

TEST(Inflate, SumsAndHeadsThatSomeReadersIgnore) {
  const std::string text = varied(5000);
  const std::string good = deflated(text, 31);
  std::string out;
  const auto complete = [&](const std::string& gzip) {
    out.clear();
    return inflate(gzip, ContentCoding::kGzip, {}, out) == InflateEnd::kComplete && out == text;
  };
  std::string sum = good;
  sum[sum.size() - 7] ^= 1;
  EXPECT_TRUE(complete(sum));
  EXPECT_TRUE(complete(good + "junk"));
  EXPECT_TRUE(complete(good.substr(0, good.size() - 3)));
  std::string reserved = good;
  reserved[3] = '\x80';
  EXPECT_TRUE(complete(reserved));
  std::string all = good;
  all[3] = 2 | 4 | 8 | 16;
  all.insert(10, std::string("\3\0abcname\0comment\0xx", 20));
  EXPECT_TRUE(complete(all));
  // A second member that is none takes nothing from the first.
  inflate(good + good.substr(0, 10) + "\xff\xff\xff", ContentCoding::kGzip, {}, out);
  EXPECT_EQ(out, text);
  std::string zlib = deflated(text, 15);
  zlib.back() ^= 1;
  EXPECT_EQ(inflate(zlib, ContentCoding::kDeflate, {}, out), InflateEnd::kComplete);
  EXPECT_EQ(out, text);
}

TEST(Inflate, Bzip2) {
  const std::string text = varied(50'000);
  std::string packed(text.size() + 1000, '\0');
  auto size = static_cast<unsigned>(packed.size());
  ASSERT_EQ(BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 9, 0, 0),
            BZ_OK);
  packed.resize(size);
  std::string out;
  EXPECT_EQ(sniff_content_coding(packed), ContentCoding::kBzip2);
  EXPECT_EQ(inflate(packed, ContentCoding::kBzip2, {}, out), InflateEnd::kComplete);
  EXPECT_EQ(out, text);
  EXPECT_EQ(inflate(packed, ContentCoding::kBzip2, {.max_output_bytes = 1000}, out), InflateEnd::kLimit);
  EXPECT_EQ(out.size(), 1000u);
  EXPECT_EQ(inflate(packed.substr(0, 500), ContentCoding::kBzip2, {}, out), InflateEnd::kTruncated);
  EXPECT_EQ(inflate("BZh1no", ContentCoding::kBzip2, {}, out), InflateEnd::kBroken);
}

TEST(Inflate, NamesAndMagic) {
  EXPECT_EQ(parse_content_coding(" GZip "), ContentCoding::kGzip);
  EXPECT_EQ(parse_content_coding("br"), ContentCoding::kBrotli);
  EXPECT_EQ(parse_content_coding("identity"), std::nullopt);
  EXPECT_EQ(sniff_content_coding(deflated("hello hello", 31)), ContentCoding::kGzip);
  EXPECT_EQ(sniff_content_coding(deflated("hello hello", 15)), ContentCoding::kDeflate);
  EXPECT_EQ(sniff_content_coding("x of the text"), std::nullopt);
  std::string out;
  std::uint32_t flags = 0;
  EXPECT_TRUE(compressed_decode(deflated("<script>alert(1)</script>", 31), out, flags));
  EXPECT_EQ(out, "<script>alert(1)</script>");
  EXPECT_FALSE(compressed_decode("plain", out, flags));
}

}  // namespace
}  // namespace wafd::detect
