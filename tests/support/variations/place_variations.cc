// The same text in another coding, wrapping or place.
#include <fmt/format.h>

#include "tests/support/variations/codings.h"
#include "tests/support/variations/text_tools.h"
#include "tests/support/variations/variations.h"

namespace wafd::variations {
namespace {

constexpr Types kAny = ~Types{0};
// Texts that do the same in whatever value an application reads.
constexpr Types kValues =
    bit(AttackType::kSqli) | bit(AttackType::kXss) | bit(AttackType::kCmdInjection) |
    bit(AttackType::kCodeInjection) | bit(AttackType::kPathTraversal) | bit(AttackType::kFileInclusion) |
    bit(AttackType::kDeserialization) | bit(AttackType::kExpressionInjection) | bit(AttackType::kSsti) |
    bit(AttackType::kSsrf) | bit(AttackType::kLdapInjection) | bit(AttackType::kXpathInjection);

// URLs are ordinary in headers and where users came from: there they are no attack by themselves.
constexpr Types kTexts = kValues & ~(bit(AttackType::kFileInclusion) | bit(AttackType::kSsrf));

bool percent_place(const Attack& attack) {
  const Place place = attack.leaf.place;
  return place == Place::kQuery || place == Place::kForm || place == Place::kRefererQuery ||
         place == Place::kCookie;
}
std::string_view raw_of(const Attack& attack) {
  return std::string_view(attack.request.bytes)
      .substr(attack.leaf.begin, attack.leaf.end - attack.leaf.begin);
}
bool put_raw(const Attack& attack, std::string_view raw, std::string& out) {
  out = replace_bytes(attack.request, attack.leaf.begin, attack.leaf.end, raw);
  return true;
}

// --- codings of the place itself ---------------------------------------------------------------------------
bool percent_all(const Attack& attack, std::string& out) {
  return percent_place(attack) && put_raw(attack, percent_encode_all(attack.leaf.value, false), out);
}
bool percent_lower(const Attack& attack, std::string& out) {
  return percent_place(attack) && put_raw(attack, percent_encode_all(attack.leaf.value, true), out);
}
bool percent_least(const Attack& attack, std::string& out) {
  return percent_place(attack) && attack.leaf.place != Place::kCookie &&
         put_raw(attack, percent_encode(attack.leaf.value, "._-~!$'()*,;:@/?<>\"`{}[]|\\^"), out);
}
bool plus(const Attack& attack, std::string& out) {
  std::string raw;
  return percent_place(attack) && attack.leaf.place != Place::kCookie &&
         replace_all(percent_encode(attack.leaf.value, "._-~"), "%20", "+", raw) && put_raw(attack, raw, out);
}
bool percent_twice(const Attack& attack, std::string& out) {
  return percent_place(attack) &&
         put_raw(attack, percent_encode_all(percent_encode(attack.leaf.value, "._-~"), false), out);
}
bool percent_twice_least(const Attack& attack, std::string& out) {
  return percent_place(attack) &&
         put_raw(attack, percent_encode(percent_encode(attack.leaf.value, "._-~"), "._-~"), out);
}
bool percent_thrice(const Attack& attack, std::string& out) {
  const std::string once = percent_encode(attack.leaf.value, "._-~");
  return percent_place(attack) && put_raw(attack, percent_encode(percent_encode(once, "._-~"), "._-~"), out);
}
bool iis(const Attack& attack, std::string& out) {
  return percent_place(attack) && put_raw(attack, percent_u(attack.leaf.value), out);
}
bool overlong_utf8(const Attack& attack, std::string& out) {
  return percent_place(attack) && put_raw(attack, overlong(attack.leaf.value), out);
}
bool path_percent(const Attack& attack, std::string& out) {
  if (attack.leaf.place != Place::kPath) return false;
  std::string raw;
  for (const char c : raw_of(attack))
    raw += is_alnum(c) && raw.size() % 3 == 1 && !raw.ends_with('%')
               ? percent_encode_all(std::string_view(&c, 1), false)
               : std::string(1, c);
  if (raw_of(attack).find('%') != std::string_view::npos) return false;
  return put_raw(attack, raw, out);
}
bool json_unicode(const Attack& attack, std::string& out) {
  return attack.leaf.place == Place::kJson && put_raw(attack, json_escape_all(attack.leaf.value), out);
}
bool xml_hex(const Attack& attack, std::string& out) {
  return attack.leaf.place == Place::kXml &&
         put_raw(attack, xml_references(attack.leaf.value, true, true), out);
}
bool xml_cdata(const Attack& attack, std::string& out) {
  return attack.leaf.place == Place::kXml && put_raw(attack, "<![CDATA[" + attack.leaf.value + "]]>", out);
}

// --- wrappings in the same place ---------------------------------------------------------------------------
bool wrap(const Attack& attack, const std::string& text, std::string& out) {
  return !attack.leaf.in_name && attack.leaf.place != Place::kPath && attack.leaf.place != Place::kFileName &&
         replace_value(attack.request, attack.leaf, text, out);
}
bool in_base64(const Attack& attack, std::string& out) {
  return wrap(attack, base64(attack.leaf.value, false), out);
}
bool in_base64_url(const Attack& attack, std::string& out) {
  return wrap(attack, base64(attack.leaf.value, true), out);
}
bool in_base64_twice(const Attack& attack, std::string& out) {
  return wrap(attack, base64(base64(attack.leaf.value, false), false), out);
}
bool in_json(const Attack& attack, std::string& out) {
  return is_utf8(attack.leaf.value) &&
         wrap(attack, R"({"page":3,"q":")" + json_escape(attack.leaf.value) + R"(","sort":"name"})", out);
}
bool in_json_escaped(const Attack& attack, std::string& out) {
  return wrap(attack, R"({"q":")" + json_escape_all(attack.leaf.value) + R"("})", out);
}
bool in_json_list(const Attack& attack, std::string& out) {
  return is_utf8(attack.leaf.value) &&
         wrap(attack, R"(["red",")" + json_escape(attack.leaf.value) + R"("])", out);
}
bool in_base64_json(const Attack& attack, std::string& out) {
  return is_utf8(attack.leaf.value) &&
         wrap(attack, base64(R"({"user":"anna","q":")" + json_escape(attack.leaf.value) + R"("})", false),
              out);
}
bool in_json_base64(const Attack& attack, std::string& out) {
  return wrap(attack, R"({"state":")" + base64(attack.leaf.value, false) + R"("})", out);
}
bool in_php(const Attack& attack, std::string& out) {
  return wrap(attack,
              fmt::format(R"(a:2:{{s:4:"name";s:{}:"{}";s:3:"age";i:7;}})", attack.leaf.value.size(),
                          attack.leaf.value),
              out);
}
bool in_percent(const Attack& attack, std::string& out) {
  return wrap(attack, percent_encode(attack.leaf.value, "._-~"), out);
}
bool in_js_escapes(const Attack& attack, std::string& out) {
  std::string text;
  for (const char c : attack.leaf.value)
    text += is_alnum(c) || byte(c) >= 0x80 ? std::string(1, c) : fmt::format("\\x{:02x}", byte(c));
  return wrap(attack, text, out);
}
bool in_references(const Attack& attack, std::string& out) {
  return wrap(attack, xml_references(attack.leaf.value, true, false), out);
}

// --- other places ------------------------------------------------------------------------------------------
// As the value in a request of ours.
bool moved(const Attack& attack) { return !attack.leaf.in_name && attack.leaf.place != Place::kPath; }
bool encoded(const Attack& attack, Place place, std::string& raw) {
  return moved(attack) && write_as(place, attack.leaf.value, raw);
}

bool to_query(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kQuery, raw)) return false;
  out = make_request("/shop/items?page=3&find=" + raw + "&sort=name", "", "");
  return true;
}
bool to_segment(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kQuery, raw)) return false;
  out = make_request("/shop/items/" + raw + "/view", "", "");
  return true;
}
bool to_form(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kForm, raw)) return false;
  out = make_request("/shop/find", "application/x-www-form-urlencoded", "page=3&find=" + raw + "&go=Go");
  return true;
}
bool to_form_untyped(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kForm, raw)) return false;
  out = make_request("/shop/find", "text/plain", "page=3&find=" + raw + "&go=Go");
  return true;
}
bool to_json(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kJson, raw)) return false;
  out = make_request("/api/find", "application/json",
                     R"({"page": 3, "find": ")" + raw + R"(", "tags": ["a"]})");
  return true;
}
bool to_deep_json(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kJson, raw)) return false;
  out = make_request("/api/find", "text/plain",
                     R"({"a":[{"b":{"c":[1,true,null,{"find":")" + raw + R"("}]}}]})");
  return true;
}
bool to_graphql(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kJson, raw)) return false;
  out = make_request(
      "/graphql", "application/json",
      R"({"query":"query Find($q: String!) { items(find: $q) { id name } }","variables":{"q":")" + raw +
          R"("}})");
  return true;
}
bool to_cookie(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kCookie, raw)) return false;
  out = make_request("/shop/", "", "", "Cookie: theme=dark; last=" + raw + "; lang=en\r\n");
  return true;
}
bool to_referer(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kRefererQuery, raw)) return false;
  out = make_request("/shop/", "", "", "Referer: https://shop.example/find?page=3&q=" + raw + "\r\n");
  return true;
}
bool to_header(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kHeader, raw)) return false;
  out = make_request("/shop/", "", "", "X-Client-Name: " + raw + "\r\n");
  return true;
}
bool to_agent(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kHeader, raw)) return false;
  out =
      fmt::format("GET /shop/ HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: {}\r\nAccept: */*\r\n\r\n", raw);
  return true;
}
bool to_multipart(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kMultipart, raw)) return false;
  out =
      make_request("/shop/find", "multipart/form-data; boundary=----aB3x9",
                   "------aB3x9\r\nContent-Disposition: form-data; name=\"page\"\r\n\r\n3\r\n------aB3x9\r\n"
                   "Content-Disposition: form-data; name=\"find\"\r\n\r\n" +
                       raw + "\r\n------aB3x9--\r\n");
  return true;
}
bool to_xml(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kXml, raw)) return false;
  out = make_request("/api/find", "application/xml",
                     "<?xml version=\"1.0\"?><find><page>3</page><q>" + raw + "</q></find>");
  return true;
}
bool to_xml_attribute(const Attack& attack, std::string& out) {
  std::string raw;
  std::string quoted;
  if (!encoded(attack, Place::kXml, raw)) return false;
  quoted = xml_references(attack.leaf.value, false, false);
  out = make_request("/api/find", "text/xml", "<find><item page=\"3\" q=\"" + quoted + "\"/></find>");
  return true;
}
bool to_gzip(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kForm, raw)) return false;
  out = make_request("/shop/find", "application/x-www-form-urlencoded", gzip("page=3&find=" + raw + "&go=Go"),
                     "Content-Encoding: gzip\r\n");
  return true;
}
bool behind_much(const Attack& attack, std::string& out) {
  std::string raw;
  if (!encoded(attack, Place::kForm, raw)) return false;
  std::string body;
  for (int i = 0; i < 2000; ++i)
    body += fmt::format("item{}=The+{}+little+{}+boats&", i, i * 7 % 31, i % 5 != 0 ? "red" : "blue");
  out = make_request("/shop/find", "application/x-www-form-urlencoded", body + "find=" + raw);
  return true;
}

// --- documents with entities -------------------------------------------------------------------------------
constexpr Types kXxe = bit(AttackType::kXxe);
bool change_document(const Attack& attack, bool (*change)(std::string_view, std::string&), std::string& out) {
  const std::string_view body = std::string_view(attack.request.bytes).substr(attack.request.body);
  std::string changed;
  if (body.find("<!DOCTYPE") == std::string_view::npos || !change(body, changed)) return false;
  out = replace_bytes(attack.request, attack.request.body, attack.request.bytes.size(), changed);
  return true;
}
bool entity_newlines(const Attack& attack, std::string& out) {
  return change_document(
      attack,
      [](std::string_view in, std::string& to) { return replace_all(in, "<!ENTITY ", "<!ENTITY\n\t", to); },
      out);
}
bool entity_quotes(const Attack& attack, std::string& out) {
  return change_document(
      attack,
      [](std::string_view in, std::string& to) {
        const std::size_t at = in.find("SYSTEM \"");
        const std::size_t end = at == std::string_view::npos ? at : in.find('"', at + 8);
        if (end == std::string_view::npos) return false;
        to = in;
        to[at + 7] = to[end] = '\'';
        return to.find('\'', at + 8) == end;
      },
      out);
}
bool entity_public(const Attack& attack, std::string& out) {
  return change_document(
      attack,
      [](std::string_view in, std::string& to) {
        return replace_all(in, "SYSTEM \"", "PUBLIC \"-//A//B//EN\" \"", to);
      },
      out);
}
bool document_utf16(const Attack& attack, std::string& out) {
  return change_document(
      attack,
      [](std::string_view in, std::string& to) {
        to = "\xfe\xff";
        for (const char c : in) {
          if (byte(c) >= 0x80) return false;
          to += '\0';
          to += c;
        }
        return in.find("encoding=") == std::string_view::npos;
      },
      out);
}
bool document_untyped(const Attack& attack, std::string& out) {
  if (std::string_view(attack.request.bytes).substr(attack.request.body).find("<!DOCTYPE") ==
      std::string_view::npos)
    return false;
  for (const Leaf& leaf : attack.request.leaves) {
    if (leaf.place != Place::kHeader || !iequals(leaf.name, "Content-Type")) continue;
    out = attack.request.bytes;
    out.replace(leaf.begin, leaf.end - leaf.begin, "text/plain");
    return true;
  }
  return false;
}

constexpr const char* kPlace = "any: the place itself is coded so";
constexpr const char* kTwice = "applications that decode again";
constexpr const char* kReads = "applications that read values so wrapped";
constexpr const char* kMoved = "any value that an application reads there";
constexpr const char* kDocument = "XML documents with a document type";
constexpr Variation kVariations[] = {
    {"percent everything", kPlace, kAny, nullptr, percent_all},
    {"percent everything, lower case", kPlace, kAny, nullptr, percent_lower},
    {"percent what must be", kPlace, kAny, nullptr, percent_least},
    {"plus for space", kPlace, kAny, nullptr, plus},
    {"percent in the path", kPlace, kAny, nullptr, path_percent},
    {"percent twice", kTwice, kAny, nullptr, percent_twice},
    {"percent twice, what must be", kTwice, kAny, nullptr, percent_twice_least},
    {"percent three times", kTwice, kAny, nullptr, percent_thrice},
    {"%uHHHH", "IIS, classic ASP", kAny, nullptr, iis},
    {"overlong UTF-8", "decoders that do not check (Java before 6u11, Tomcat, old IIS)", kAny, nullptr,
     overlong_utf8},
    {"JSON \\u", kPlace, kAny, nullptr, json_unicode},
    {"XML references", kPlace, kAny, nullptr, xml_hex},
    {"XML CDATA", kPlace, kAny, nullptr, xml_cdata},
    {"base64", kReads, kValues, nullptr, in_base64},
    {"base64 for URLs", kReads, kValues, nullptr, in_base64_url},
    {"base64 twice", kReads, kValues, nullptr, in_base64_twice},
    {"in JSON", kReads, kValues, nullptr, in_json},
    {"in JSON with \\u", kReads, kValues, nullptr, in_json_escaped},
    {"in a JSON list", kReads, kValues, nullptr, in_json_list},
    {"JSON in base64", kReads, kValues, nullptr, in_base64_json},
    {"base64 in JSON", kReads, kValues, nullptr, in_json_base64},
    {"serialised by PHP", kReads, kValues, nullptr, in_php},
    {"percent in the value", kTwice, kValues, nullptr, in_percent},
    {"\\xHH in the value", kReads, kValues, nullptr, in_js_escapes},
    {"references in the value", kReads, kValues, nullptr, in_references},
    {"to a query", kMoved, kValues, nullptr, to_query},
    {"to a path segment", kMoved, kValues, nullptr, to_segment},
    {"to a form", kMoved, kValues, nullptr, to_form},
    {"to a form of the wrong type", kMoved, kValues, nullptr, to_form_untyped},
    {"to JSON", kMoved, kValues, nullptr, to_json},
    {"to deep JSON of the wrong type", kMoved, kValues, nullptr, to_deep_json},
    {"to GraphQL variables", kMoved, kValues, nullptr, to_graphql},
    {"to a cookie", kMoved, kValues, nullptr, to_cookie},
    {"to Referer's query", kMoved, kTexts, nullptr, to_referer},
    {"to a header", kMoved, kTexts, nullptr, to_header},
    {"to User-Agent", kMoved, kTexts, nullptr, to_agent},
    {"to multipart", kMoved, kValues, nullptr, to_multipart},
    {"to XML text", kMoved, kValues, nullptr, to_xml},
    {"to an XML attribute", kMoved, kValues, nullptr, to_xml_attribute},
    {"to a gzip form", kMoved, kValues, nullptr, to_gzip},
    {"behind 2,000 parameters", kMoved, kValues, nullptr, behind_much},
    {"xxe newlines", kDocument, kXxe, nullptr, entity_newlines},
    {"xxe single quotes", kDocument, kXxe, nullptr, entity_quotes},
    {"xxe PUBLIC", kDocument, kXxe, nullptr, entity_public},
    {"xxe UTF-16", kDocument, kXxe, nullptr, document_utf16},
    {"xxe wrong type", kDocument, kXxe, nullptr, document_untyped},
};

}  // namespace

std::span<const Variation> place_variations() { return kVariations; }

}  // namespace wafd::variations
