#include "detect/redact/masking.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace wafd::detect {
namespace {

MaskSettings site() {
  MaskSettings s;
  s.headers = {"X-Api-Key"};
  s.cookies = {"sid"};
  s.parameters = {"iban"};
  s.card_numbers = true;
  return s;
}

struct Row {
  const char* in;
  const char* out;
};

TEST(Masking, Query) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  const Row rows[] = {
      {"", ""},
      {"a=1&b=2", "a=1&b=2"},
      {"user=x&password=hunter2&q=1", "user=x&password=***&q=1"},
      {"PassWord=hunter2", "PassWord=***"},
      {"password=", "password="},
      {"password", "password"},
      {"p%61ssword=x", "p%61ssword=***"},
      {"p%2561ssword=x", "p%2561ssword=***"},
      {"user%5Bpassword%5D=x;y=z", "user%5Bpassword%5D=***;y=z"},
      {"user[new_password][0]=x", "user[new_password][0]=***"},
      {"api_key=k&apikey=k&API-KEY=k", "api_key=***&apikey=***&API-KEY=***"},
      {"access_token=a.b.c&client_secret=s", "access_token=***&client_secret=***"},
      {"pin=1234&pinned=1234", "pin=***&pinned=1234"},
      {"pass=x&passenger=y&compass=z", "pass=***&passenger=y&compass=z"},
      {"userpass=x&db_pass=y&passport=z&bypass=w", "userpass=***&db_pass=***&passport=z&bypass=w"},
      {"retype=x&retyped=y", "retype=***&retyped=y"},
      {"IBAN=DE02", "IBAN=***"},
      {"card=4111111111111111", "card=***"},
      {"card=4111-1111-1111-1111&n=2", "card=***&n=2"},
      {"card=4111+1111+1111+1111", "card=***"},
      {"card=4111%201111%201111%201111", "card=***"},
      {"card=4111111111111112", "card=4111111111111112"},  // Luhn fails
      {"t=1760000000123", "t=1760000000123"},
      {"a=b=c&password=x=y", "a=b=c&password=***"},
      {"&&=&;", "&&=&;"},
      // Values that hold names and values themselves.
      {"next=%2Fa%3Fpassword%3Dhunter2%26b%3D1", "next=%2Fa%3Fpassword%3D***%26b%3D1"},
      {"next=%252Fa%253Fpassword%253Dhunter2", "next=%252Fa%253Fpassword%253D***"},
      {"j={\"password\":\"a b\",\"x\":1}", "j={\"password\":\"***\",\"x\":1}"},
      {"j=%7B%22pin%22%3A1234%7D", "j=%7B%22pin%22%3A***%7D"},
      {"q=how do I reset my password: please", "q=how do I reset my password: please"},
      {"q=passwords", "q=passwords"},
  };
  for (const auto& row : rows) EXPECT_EQ(masker.query(row.in).text, row.out) << row.in;
}

TEST(Masking, CardsOnlyWhenAsked) {
  const MaskSettings none;
  EXPECT_EQ(Masker(none).query("card=4111111111111111&sid=1").text, "card=4111111111111111&sid=1");
}

TEST(Masking, Head) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  const Row rows[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET / HTTP/1.1\nHost: a\n\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET / HTTP/1.1", "GET / HTTP/1.1\r\n\r\n"},
      {"GET / HTTP/1.1\r\nHost: a", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"GET /?pwd=x HTTP/1.1\r\n\r\n", "GET /?pwd=*** HTTP/1.1\r\n\r\n"},
      {"GET /?q=a b&pwd=x HTTP/1.1\r\n\r\n", "GET /?q=a b&pwd=*** HTTP/1.1\r\n\r\n"},
      {"GET / HTTP/1.1\r\nAuthorization: Basic eA==\r\nA: b\r\n\r\n",
       "GET / HTTP/1.1\r\nAuthorization: ***\r\nA: b\r\n\r\n"},
      {"GET / HTTP/1.1\r\nproxy-authorization:\tBearer x\r\n\r\n",
       "GET / HTTP/1.1\r\nproxy-authorization:\t***\r\n\r\n"},
      {"GET / HTTP/1.1\r\nAuthorization : x\r\n y\r\nB: c\r\n\r\n",
       "GET / HTTP/1.1\r\nAuthorization : ***\r\n ***\r\nB: c\r\n\r\n"},
      {"GET / HTTP/1.1\r\nAuthorization:\r\n\r\n", "GET / HTTP/1.1\r\nAuthorization:\r\n\r\n"},
      {"GET / HTTP/1.1\r\nx-api-key: k\r\nCookie: a=1; sid=77;password=p\r\n\r\n",
       "GET / HTTP/1.1\r\nx-api-key: ***\r\nCookie: a=1; sid=***;password=***\r\n\r\n"},
      {"GET / HTTP/1.1\r\nReferer: https://u:pw@h/x?token=1&secret=2#access_token=3\r\n\r\n",
       "GET / HTTP/1.1\r\nReferer: https://u:***@h/x?token=1&secret=***#access_token=***\r\n\r\n"},
      {"GET / HTTP/1.1\r\nX-Original-URI: /a?password=1\r\n\r\n",
       "GET / HTTP/1.1\r\nX-Original-URI: /a?password=***\r\n\r\n"},
      {"", "\r\n\r\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(masker.head(row.in).text, row.out) << row.in;
}

TEST(Masking, Body) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  struct BodyRow {
    const char* type;
    const char* in;
    const char* out;
  };
  const BodyRow rows[] = {
      {"application/x-www-form-urlencoded", "a=1&password=x&b=2", "a=1&password=***&b=2"},
      {"application/json", R"({"user":"u","password":"p\"q","n":1})",
       R"({"user":"u","password":"***","n":1})"},
      {"application/json", R"({ "pwd" : 12 , "pin":null})", R"({ "pwd" : "***" , "pin":"***"})"},
      {"application/json", R"([{"secret":{"a":["}",2]},"b":1}])", R"([{"secret":"***","b":1}])"},
      {"application/json", R"({"p\u0061ssword":"x"})", R"({"p\u0061ssword":"***"})"},
      {"application/json", R"({"password":"cut of)", R"({"password":"***")"},
      {"application/json", R"({"password")", R"({"password")"},
      {"application/json", R"({"password":)", R"({"password":)"},
      {"application/json", R"({"a":"password: x","card":"4111 1111 1111 1111"})",
       R"({"a":"password: x","card":"***"})"},
      {"text/plain", R"({"password":"x"})", R"({"password":"***"})"},  // a wrong type does not undo it
      {"", "password=x", "password=***"},
      {"application/json", "password=x", "password=***"},
      {"multipart/form-data; boundary=B",
       "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nhunter2\r\n--B\r\n"
       "Content-Disposition: form-data; name=\"q\"; filename=\"password\"\r\n\r\nv\r\n--B--\r\n",
       "--B\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n***\r\n--B\r\n"
       "Content-Disposition: form-data; name=\"q\"; filename=\"password\"\r\n\r\nv\r\n--B--\r\n"},
      {"multipart/form-data; boundary=\"B\"",
       "--B\nContent-Disposition: form-data; filename=x; name=password\n\nhunter2",
       "--B\nContent-Disposition: form-data; filename=x; name=password\n\n***"},
      {"multipart/form-data", "password=x", "password=***"},
      {"text/xml", "<a><password>x y</password><b>1</b></a>", "<a><password>***</password><b>1</b></a>"},
      {"text/xml", "<s:Envelope><o:Password Type=\"t\">x</o:Password></s:Envelope>",
       "<s:Envelope><o:Password Type=\"t\">***</o:Password></s:Envelope>"},
      {"", "<user password='x' name=\"n\"/>", "<user password='***' name=\"n\"/>"},
      {"", "<secret><a b=\"c\">x<d>y</d></a>\n</secret><e>z</e>",
       "<secret><a b=\"***\">***<d>***</d></a>\n</secret><e>z</e>"},
      {"", "<field name=\"password\">x</field><field name=\"q\">y</field>",
       "<field name=\"password\">***</field><field name=\"q\">y</field>"},
      {"", "<p value='x' key=\"pwd\"/><p value='x' key=\"k\"/>",
       "<p value='***' key=\"pwd\"/><p value='x' key=\"k\"/>"},
      {"", "<member><name>password</name><value><string>x</string></value></member><b>y</b>",
       "<member><name>password</name><value><string>***</string></value></member><b>y</b>"},
      {"", "<dict><key>passcode</key>\n<string>x</string></dict>",
       "<dict><key>passcode</key>\n<string>***</string></dict>"},
      {"", "<password><![CDATA[x]]></password><!-- password=x -->",
       "<password><![CDATA[***]]></password><!-- password=*** -->"},
      {"", "<password>cut of", "<password>***"},
      {"", "<password", "<password"},
      {"", "<a b", "<a b"},
      {"application/json",
       R"({"query":"mutation { login(user: \"u\", password: \"x y\") { id } }","variables":{"password":"v"}})",
       R"({"query":"mutation { login(user: \"u\", password: \"***\") { id } }","variables":{"password":"***"}})"},
      {"application/json", R"({"a":"{\"password\":\"x\",\"b\":1}"})",
       R"({"a":"{\"password\":\"***\",\"b\":1}"})"},
      {"application/json", R"({"url":"https://h/?access_token=x&b=1"})",
       R"({"url":"https://h/?access_token=***&b=1"})"},
  };
  for (const auto& row : rows) EXPECT_EQ(masker.body(row.in, row.type).text, row.out) << row.in;
}

TEST(Masking, CompressedBodiesAreShownInflated) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  const std::string plain = "a=1&password=hunter2&b=2";
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string gzip(200, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(gzip.data());
  stream.avail_out = static_cast<uInt>(gzip.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  gzip.resize(stream.total_out);
  deflateEnd(&stream);
  for (const char* coding : {"gzip", "", "identity"}) {
    const MaskedText body = masker.body(gzip, "", coding);
    EXPECT_EQ(body.text, "a=1&password=***&b=2") << coding;
    EXPECT_TRUE(body.masked());
    EXPECT_EQ(body.position_of(0), 0u);
    EXPECT_EQ(body.position_of(gzip.size()), body.text.size());
  }
  // A body that is declared compressed and is not stays as it came.
  EXPECT_EQ(masker.body("a=1", "", "gzip").text, "a=1");
}

TEST(Masking, ScrubbedExcerpts) {
  const MaskSettings settings = site();
  const MaskedText head = Masker(settings).query("q=1&password=hun%74er+2two");
  const struct {
    const char* excerpt;
    const char* out;
  } rows[] = {
      {"before hunter 2two behind", "before *** behind"},
      {"hun%74er+2two", "***"},
      {"er 2two&b=<svg>", "***&b=<svg>"},
      {"<svg>&password=hunter", "<svg>&password=***"},
      {"two", "two"},
      {"", ""},
  };
  for (const auto& row : rows) {
    std::string text = row.excerpt;
    head.scrub(text);
    EXPECT_EQ(text, row.out) << row.excerpt;
  }
}

TEST(Masking, PositionsFollowTheMasks) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  const MaskedText query = masker.query("password=longvalue&q=1");  // password=***&q=1
  EXPECT_EQ(query.position_of(0), 0u);
  EXPECT_EQ(query.position_of(9), 9u);
  EXPECT_EQ(query.position_of(12), 9u);
  EXPECT_EQ(query.position_of(18), 12u);
  EXPECT_EQ(query.position_of(21), 15u);
  EXPECT_TRUE(query.hides(8, 10));
  EXPECT_TRUE(query.hides(17, 30));
  EXPECT_FALSE(query.hides(18, 30));
  EXPECT_FALSE(query.hides(0, 9));
  const MaskedText head = masker.head("GET /\nA: b\n\n");  // GET /\r\nA: b\r\n\r\n
  EXPECT_EQ(head.text.substr(head.position_of(6), 4), "A: b");
  EXPECT_FALSE(head.masked());
  EXPECT_FALSE(head.hides(0, 12));
}

TEST(Masking, LongTextKeepsItsLength) {
  const MaskSettings settings = site();
  const Masker masker(settings);
  const std::string text(200'000, 'a');
  const MaskedText body = masker.body(text, "");
  EXPECT_EQ(body.text.size(), text.size());
  EXPECT_EQ(body.text.substr(0, 20), text.substr(0, 20));
  EXPECT_EQ(body.text.back(), '*');
}

}  // namespace
}  // namespace wafd::detect
