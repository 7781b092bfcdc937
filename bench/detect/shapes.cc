#include "bench/detect/shapes.h"

#include <string_view>

namespace wafd::bench {
namespace {

constexpr std::string_view kHead =
    "Host: shop.example\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 "
    "Firefox/115.0\r\n"
    "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\nReferer: https://shop.example/list?page=2&sort=price\r\n"
    "Cookie: session=4f1c2a9be07d; theme=dark; consent=1\r\n";

std::string post(std::string_view type, std::string_view body) {
  return "POST /order HTTP/1.1\r\n" + std::string(kHead) + "Content-Type: " + std::string(type) + "\r\n\r\n" +
         std::string(body);
}

std::string repeated(std::string_view piece, std::size_t size) {
  std::string out;
  out.reserve(size + piece.size());
  while (out.size() < size) out += piece;
  return out;
}

std::string text_of(std::string_view piece, std::size_t size) {
  return post("text/plain", repeated(piece, size));
}

std::string form(std::size_t size) {
  std::string body;
  for (int i = 0; body.size() < size; ++i)
    body += "field" + std::to_string(i) + "=some+ordinary+words%2C+number+" + std::to_string(i) + "&";
  return post("application/x-www-form-urlencoded", body);
}

std::string json(std::size_t size) {
  std::string body = "{\"items\":[";
  for (int i = 0; body.size() < size; ++i) {
    body += "{\"id\":" + std::to_string(i) + ",\"name\":\"a thing of number " + std::to_string(i) +
            "\",\"tags\":[\"new\",\"blue\"]},";
  }
  return post("application/json", body + "{}]}");
}

std::string prose(std::size_t size) {
  return text_of("The quick brown fox jumps over the lazy dog, and then it sleeps until noon. ", size);
}

std::string quotes(std::size_t size) { return text_of("'\"`", size); }
std::string sql(std::size_t size) { return text_of("' or 1=1 union select (a),'b' from c where /*", size); }
std::string shell(std::size_t size) { return text_of(";$(`cat ${x} <a >b |id&&c'a't\\\n", size); }
std::string markup(std::size_t size) { return text_of("<a b=\"c\" onx=d(1)><script>e[f](`g`)</", size); }
std::string symbols(std::size_t size) { return text_of("[][(![]+[])[+[]]+(!![]+[])[+!![]]]", size); }
std::string templates(std::size_t size) { return text_of("${{<%=#{T(java.a).b[\"c\"]}@d@e*{f}", size); }
std::string climbing(std::size_t size) { return text_of("..%2f../..\\%c0%ae/", size); }
std::string codings(std::size_t size) {
  return text_of("%252527&lt;&#x26;\\u0027\\x27+ADw-/**/\"$IFS", size);
}
std::string queries(std::size_t size) { return text_of(")(|(a=*)(b'or'1$ne[//c or count(/*)", size); }
std::string every_pattern(std::size_t size) {
  return text_of("' or 1=1--;cat /etc/passwd <script>alert(1)</script>{{7*7}}${jndi:ldap://a}<?php a(1)?>../",
                 size);
}

std::string fields(std::size_t size) {
  std::string body;
  for (int i = 0; body.size() < size; ++i) body += "a" + std::to_string(i) + "=%27or+1&";
  return post("application/x-www-form-urlencoded", body);
}

std::string deep_json(std::size_t size) { return post("application/json", repeated("{\"a\":[", size)); }

std::string escaped_json(std::size_t size) {
  return post("application/json", "[\"" + repeated("\\u0027\\\"\\/\",\"", size) + "\"]");
}

std::string elements(std::size_t size) {
  return post("application/xml", "<a>" + repeated("<b c='&#60;d'>e</b><!--f-->", size) + "</a>");
}

std::string parts(std::size_t size) {
  return post(
      "multipart/form-data; boundary=x",
      repeated("--x\r\nContent-Disposition: form-data; name=\"a\"; filename=\"b.c\"\r\n\r\n'd\r\n", size) +
          "--x--\r\n");
}

std::string base64(std::size_t size) {
  std::string text = "<script>alert('a')</script>";
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  text = repeated(text, size / 6);
  for (int layer = 0; layer < 6; ++layer) {
    std::string out;
    for (std::size_t i = 0; i + 3 <= text.size(); i += 3) {
      const auto at = [&](std::size_t k) {
        return static_cast<unsigned>(static_cast<unsigned char>(text[i + k]));
      };
      const unsigned bits = at(0) << 16 | at(1) << 8 | at(2);
      for (int shift = 18; shift >= 0; shift -= 6) out += kDigits[bits >> shift & 63];
    }
    text = std::move(out);
  }
  return post("text/plain", text);
}

constexpr Shape kShapes[] = {
    {"form", false, form},
    {"json", false, json},
    {"prose", false, prose},
    {"quotes", true, quotes},
    {"sql", true, sql},
    {"shell", true, shell},
    {"markup", true, markup},
    {"symbols", true, symbols},
    {"templates", true, templates},
    {"climbing", true, climbing},
    {"codings", true, codings},
    {"query languages", true, queries},
    {"every pattern", true, every_pattern},
    {"16,384 fields", true, fields},
    {"deep json", true, deep_json},
    {"escaped json", true, escaped_json},
    {"xml", true, elements},
    {"multipart", true, parts},
    {"base64 x 6", true, base64},
};

}  // namespace

std::span<const Shape> shapes() { return kShapes; }

}  // namespace wafd::bench
