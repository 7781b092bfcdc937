// Requests that carry a hostile unit again and again: in bodies of each kind, in a head, and in codings
// inside of codings.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "detect/core/bytes.h"
#include "tests/detect/steps/hostile_units.h"

namespace wafd::detect {

struct HostileRequest {
  const char* name;
  // At least `size` bytes with `unit` in them.
  std::string (*make)(std::string_view unit, std::size_t size);
};

inline std::string escaped(std::string_view text, std::string_view plain) {
  std::string out;
  for (const char c : text) {
    if (is_alnum(c) || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += '%' + to_hex({&c, 1});
    }
  }
  return out;
}
inline std::string percent_coded(std::string_view text) { return escaped(text, "-._"); }
// As browsers send forms.
inline std::string form_coded(std::string_view text) {
  std::string out = escaped(text, "-._ ");
  for (char& c : out) c = c == ' ' ? '+' : c;
  return out;
}
inline std::string json_coded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte(c) < ' ' || byte(c) > '~') {
      out += "\\u00" + to_hex({&c, 1});
    } else {
      out += c;
    }
  }
  return out;
}

inline std::string post(std::string_view type, std::string_view body) {
  return "POST /a HTTP/1.1\r\nHost: a.example\r\nContent-Type: " + std::string(type) + "\r\n\r\n" +
         std::string(body);
}
inline std::string post_form(std::string_view body) {
  return post("application/x-www-form-urlencoded", body);
}
inline std::string post_json(std::string_view text) {
  return post("application/json", "{\"a\":\"" + std::string(text) + "\"}");
}
// `part` with a number in it, again and again.
inline std::string many(std::string_view before, std::string_view behind, std::size_t size) {
  std::string all;
  for (int i = 0; all.size() < size; ++i) all.append(before).append(std::to_string(i)).append(behind);
  return all;
}

inline constexpr std::size_t kShortBytes = 60;
inline constexpr std::size_t kTinyBytes = 8;

inline constexpr HostileRequest kHostileRequests[] = {
    {"text",
     [](std::string_view unit, std::size_t size) { return post("text/plain", repeated(unit, size)); }},
    {"form", [](std::string_view unit,
                std::size_t size) { return post_form("a=" + repeated(form_coded(unit), size)); }},
    {"form_with_sums",
     [](std::string_view unit, std::size_t size) {
       return post_form("a=" + repeated(percent_coded(unit) + "+'", size));
     }},
    {"form_as_it_stands",
     [](std::string_view unit, std::size_t size) { return post_form("a=" + repeated(unit, size)); }},
    {"form_of_short_fields",
     [](std::string_view unit, std::size_t size) {
       return post_form(many("&a", "=" + form_coded(repeated(unit, kShortBytes)), size));
     }},
    {"form_of_tiny_fields",
     [](std::string_view unit, std::size_t size) {
       return post_form(many("&a", "=" + form_coded(repeated(unit, kTinyBytes).substr(0, kTinyBytes)), size));
     }},
    {"form_of_names",
     [](std::string_view unit, std::size_t size) {
       return post_form(many("&" + form_coded(repeated(unit, kTinyBytes)), "=1", size));
     }},
    {"form_coded_twice",
     [](std::string_view unit, std::size_t size) {
       return post_form("a=" + repeated(percent_coded(form_coded(unit)), size));
     }},
    {"form_with_escapes",
     [](std::string_view unit, std::size_t size) {
       return post_form("a=" + repeated(percent_coded(json_coded(unit) + "\\x41&#39;"), size));
     }},
    {"json_in_a_form",
     [](std::string_view unit, std::size_t size) {
       return post_form("a=" + percent_coded("{\"a\":\"" + json_coded(repeated(unit, size)) + "\"}"));
     }},
    {"json",
     [](std::string_view unit, std::size_t size) { return post_json(json_coded(repeated(unit, size))); }},
    {"json_of_short_members",
     [](std::string_view unit, std::size_t size) {
       return post(
           "application/json",
           "{\"z\":1" + many(",\"a", "\":\"" + json_coded(repeated(unit, kShortBytes)) + "\"", size) + "}");
     }},
    {"json_of_short_members_with_escapes",
     [](std::string_view unit, std::size_t size) {
       return post(
           "application/json",
           "{\"z\":1" +
               many(",\"a", "\":\"" + json_coded(repeated(unit, kShortBytes)) + "%41&#x41;\\\\x41\\\\41 \"",
                    size) +
               "}");
     }},
    {"json_in_json",
     [](std::string_view unit, std::size_t size) {
       return post_json(json_coded("{\"a\":\"" + json_coded(repeated(unit, size)) + "\"}"));
     }},
    {"form_in_json", [](std::string_view unit,
                        std::size_t size) { return post_json(repeated(form_coded(unit) + "+", size)); }},
    {"json_with_escapes",
     [](std::string_view unit, std::size_t size) {
       return post_json(repeated(json_coded(unit) + "%41&#x41;\\\\x41\\\\41 ", size));
     }},
    {"cookies",
     [](std::string_view unit, std::size_t size) {
       return "GET /a HTTP/1.1\r\nHost: a.example\r\nCookie: a=" + repeated(percent_coded(unit), size) +
              "\r\n\r\n";
     }},
    {"query",
     [](std::string_view unit, std::size_t size) {
       return "GET /a?a=" + repeated(form_coded(unit), size) + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
     }},
    {"segments_of_a_path",
     [](std::string_view unit, std::size_t size) {
       return "GET /" + repeated(percent_coded(unit) + '/', size) + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
     }},
    {"multipart",
     [](std::string_view unit, std::size_t size) {
       return post("multipart/form-data; boundary=x",
                   "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + repeated(unit, size) +
                       "\r\n--x--\r\n");
     }},
    {"multipart_of_short_parts",
     [](std::string_view unit, std::size_t size) {
       return post("multipart/form-data; boundary=x",
                   many("--x\r\nContent-Disposition: form-data; name=\"a",
                        "\"\r\n\r\n" + repeated(unit, kShortBytes) + "\r\n", size) +
                       "--x--\r\n");
     }},
    {"xml",
     [](std::string_view unit, std::size_t size) {
       return post("application/xml", "<a>" + repeated(percent_coded(unit), size) + "</a>");
     }},
    {"attributes_of_xml",
     [](std::string_view unit, std::size_t size) {
       return post("application/xml",
                   "<a" + many(" a", "=\"" + percent_coded(repeated(unit, kTinyBytes)) + "\"", size) + "/>");
     }},
    {"arguments_of_graphql",
     [](std::string_view unit, std::size_t size) {
       return post("application/graphql",
                   "{a" + many("(b", ":\"" + json_coded(repeated(unit, kTinyBytes)) + "\"){c}", size) + "}");
     }},
    {"heads_of_multipart",
     [](std::string_view unit, std::size_t size) {
       return post(
           "multipart/form-data; boundary=x",
           many("--x\r\nContent-Disposition: form-data; name=\"a",
                "\"; filename=\"" + percent_coded(repeated(unit, kTinyBytes)) + "\"\r\n\r\n1\r\n", size) +
               "--x--\r\n");
     }},
    {"headers",
     [](std::string_view unit, std::size_t size) {
       return "GET /a HTTP/1.1\r\nHost: a.example\r\n" +
              many("X-A", ": " + percent_coded(repeated(unit, kTinyBytes)) + "\r\n", size) + "\r\n";
     }},
    {"cells_of_csv",
     [](std::string_view unit, std::size_t size) {
       return post("text/csv", many("a", "," + percent_coded(repeated(unit, kTinyBytes)) + "\r\n", size));
     }},
    {"members_of_yaml",
     [](std::string_view unit, std::size_t size) {
       return post("application/yaml",
                   many("a", ": \"" + json_coded(repeated(unit, kTinyBytes)) + "\"\n", size));
     }},
};

}  // namespace wafd::detect
