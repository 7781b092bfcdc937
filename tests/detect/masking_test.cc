#include "detect/masking.h"

#include <gtest/gtest.h>

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
      {"IBAN=DE02", "IBAN=***"},
      {"card=4111111111111111", "card=***"},
      {"card=4111-1111-1111-1111&n=2", "card=***&n=2"},
      {"card=4111+1111+1111+1111", "card=***"},
      {"card=4111%201111%201111%201111", "card=***"},
      {"card=4111111111111112", "card=4111111111111112"},  // Luhn fails
      {"t=1760000000123", "t=1760000000123"},
      {"a=b=c&password=x=y", "a=b=c&password=***"},
      {"&&=&;", "&&=&;"},
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
  };
  for (const auto& row : rows) EXPECT_EQ(masker.body(row.in, row.type).text, row.out) << row.in;
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
