#include "detect/analyze/serialized/serialized_matcher.h"

#include <algorithm>
#include <array>
#include <string>

#include "detect/analyze/java/names.h"
#include "detect/analyze/serialized/keys.tsv.h"
#include "detect/analyze/serialized/modules.tsv.h"
#include "detect/analyze/serialized/php_object.h"
#include "detect/analyze/serialized/pickle.h"
#include "detect/analyze/serialized/signs.tsv.h"
#include "detect/core/byte_finder.h"
#include "detect/core/bytes.h"
#include "detect/core/work_counter.h"
#include "detect/decode/base64.h"

namespace wafd::detect {
namespace {

using namespace serialized;

constexpr std::array<std::string_view, 13> kNames{
    "java_stream", "php_object",    "php_data",   "dotnet_stream", "pickle_call",
    "yaml_object", "xml_object",    "json_class", "node_function", "ruby_object",
    "ruby_gadget", "python_object", "made_object"};

constexpr std::size_t kMaxBase64Bytes = 64u << 10;
constexpr std::size_t kLeastStateBytes = 64;

// Two bytes, letters without case.
constexpr std::size_t pair_of(char first, char second) noexcept {
  return std::size_t{byte(to_lower(first))} << 8 | byte(to_lower(second));
}
// A bit for each pair with which a sign begins.
constexpr std::array<std::uint64_t, 1024> kSignPairs = [] {
  std::array<std::uint64_t, 1024> pairs{};
  for (const SignRow& sign : kSigns) {
    const std::size_t pair = pair_of(sign.text[0], sign.text[1]);
    pairs[pair / 64] |= std::uint64_t{1} << (pair % 64);
  }
  return pairs;
}();
constexpr auto kSignBegins = [] {
  std::array<bool, 256> bytes{};
  for (const SignRow& sign : kSigns) {
    const char c = to_lower(sign.text[0]);
    bytes[byte(c)] = true;
    if (is_lower(c)) bytes[byte(c) ^ 0x20u] = true;
  }
  return bytes;
}();
constexpr std::string_view kJavaHeader("\xac\xed\x00\x05", 4);
// The first base64 digits of PHP's objects and arrays, of pickles and of Ruby's objects.
constexpr std::string_view kPhpHeads[] = {"Tzo", "YTo", "Qzo"};
constexpr std::string_view kPickleHeads[] = {"gASV", "gAJj", "gAJd", "gANj", "gANd", "gAR9", "gAWV"};
// The same in hex, of protocols 2 to 5 and of a function that comes first: "c" and a module.
constexpr std::string_view kHexPickleHeads[] = {"8002", "8003", "8004", "8005", "63"};

// "c" and a module's name, in whole groups of three bytes as base64 writes them.
std::string global_head(std::string_view module) {
  const std::string bytes = "c" + std::string(module) + '\n';
  std::string head;
  for (std::size_t i = 0; i + 3 <= bytes.size(); i += 3) {
    const auto at = [&bytes, i](std::size_t k) { return static_cast<unsigned>(byte(bytes[i + k])); };
    const unsigned group = at(0) << 16u | at(1) << 8u | at(2);
    for (const unsigned shift : {18u, 12u, 6u, 0u}) head.push_back(kBase64Digits[group >> shift & 63]);
  }
  return head;
}
constexpr std::string_view kRubyHead = "BAh";
// Classes with which Ruby's chains begin, in Rails and in the language's own library.
constexpr std::string_view kRubyGadgets[] = {"Gem::", "ActiveSupport::Deprecation", "ERB", "Rack::Session"};

bool is_base64_byte(char c) noexcept { return is_alnum(c) || c == '+' || c == '/' || c == '-' || c == '_'; }

// Json.NET writes its collections so too.
bool is_dotnet_class(std::string_view value) noexcept {
  for (const std::string_view plain :
       {"system.collections", "system.string", "system.int", "system.guid", "system.datetime"}) {
    if (istarts_with(value, plain)) return false;
  }
  return istarts_with(value, "system.") || istarts_with(value, "microsoft.");
}

// GuzzleHttp\Psr7\FnStream, subprocess.Popen, Gem::Installer
bool is_foreign_class(std::string_view key, std::string_view value) noexcept {
  const std::string_view name = value.substr(0, value.find_first_of("\"',} "));
  if (iequals(key, "__class")) return name.find('\\') != std::string_view::npos;
  if (key.starts_with("py/")) return kModules.has(name.substr(0, name.find('.')));
  if (key == "^o" || iequals(key, "json_class"))
    return name.find("::") != std::string_view::npos && is_upper(name[0]);
  return false;
}

// The members by which jsonpickle names what it makes or calls (its "tags"); readers of JSON give each
// member's name by itself.
bool is_python_tag(std::string_view name) noexcept {
  for (const std::string_view tag : {"py/object", "py/reduce", "py/type", "py/function", "py/repr",
                                     "py/newobj", "py/newargs", "py/newargsex", "py/initargs"}) {
    if (name.ends_with(tag) && (name.size() == tag.size() || !is_alnum(name[name.size() - tag.size() - 1])))
      return true;
  }
  return false;
}

class SerializedReader {
 public:
  SerializedReader(std::string_view text, bool file, EvidenceList& out) noexcept
      : text_(text), file_(file), out_(out) {}

  void run() {
    read_signs();
    const std::size_t java = file_ ? std::string_view::npos : text_.find(kJavaHeader);
    if (java != std::string_view::npos) add(SerializedEvidence::kJavaStream, java, java + kJavaHeader.size());
    // A file may be an archive or serialized data by right.
    if (file_ && pickle_file_runs(text_)) add(SerializedEvidence::kPickleCall, 0, text_.size());
    if (file_) return;
    read_php(text_);
    read_keys();
    read_yaml();
    read_handles();
    if (pickle_calls(text_)) add(SerializedEvidence::kPickleCall, 0, text_.size());
    read_ruby(text_);
    read_base64();
    read_hex();
  }

 private:
  void add(SerializedEvidence kind, std::size_t begin, std::size_t end, std::string_view detail = {}) {
    out_.add(kind, Certainty::kCertain, begin, std::min(end, text_.size()), detail);
  }

  void read_signs() {
    for (std::size_t at = 0; at + 1 < text_.size(); ++at) {
      if (!kSignBegins[byte(text_[at])]) continue;
      const std::size_t pair = pair_of(text_[at], text_[at + 1]);
      if ((kSignPairs[pair / 64] >> (pair % 64) & 1) == 0) continue;
      const std::string_view rest = text_.substr(at);
      count_steps(60);
      for (const SignRow& sign : kSigns) {
        if (to_lower(rest[1]) != to_lower(sign.text[1]) || (file_ && !meets(sign.how, How::kFile))) continue;
        if (!(meets(sign.how, How::kExact) ? rest.starts_with(sign.text) : istarts_with(rest, sign.text)))
          continue;
        if (meets(sign.how, How::kEdge) && at > 0 &&
            (is_alnum(text_[at - 1]) || text_[at - 1] == '+' || text_[at - 1] == '/'))
          continue;
        if (meets(sign.how, How::kState) && (at > 0 || text_.size() < kLeastStateBytes)) continue;
        add(sign.kind, at, at + sign.text.size(),
            is_alnum(sign.text[0]) || sign.text[0] == '!' ? sign.text : std::string_view());
      }
    }
  }

  void read_php(std::string_view text) {
    std::size_t begin = 0;
    const PhpObject object = find_php_object(text, begin);
    if (object == PhpObject::kNone) return;
    const SerializedEvidence kind =
        object == PhpObject::kData ? SerializedEvidence::kPhpData : SerializedEvidence::kPhpObject;
    if (text.data() == text_.data())
      add(kind, begin, begin + 64);
    else
      add(kind, 0, text_.size());
  }

  // "@type":"com.sun.rowset.JdbcRowSetImpl", "py/object": "os.system"
  void read_keys() {
    static constexpr ByteFinder kFirst("@$_pjJ^");
    for (std::size_t at = kFirst.find(text_, 0); at < text_.size(); at = kFirst.find(text_, at + 1)) {
      if (at > 0 && (is_alnum(text_[at - 1]) || text_[at - 1] == '_')) continue;
      std::size_t end = at + 1;
      while (end < text_.size() && end - at < 16 &&
             (is_alnum(text_[end]) || text_[end] == '_' || text_[end] == '/'))
        ++end;
      const std::string_view key = text_.substr(at, end - at);
      if (!kClassKeys.has(key)) continue;
      std::size_t value = end;
      while (value < text_.size() && value - end < 16 &&
             std::string_view("\"'\\: ").find(text_[value]) != std::string_view::npos)
        ++value;
      if (value == end) continue;
      const std::string_view name = text_.substr(value, 96);
      if (is_foreign_class(key, name) || java::is_attack_class(name) || is_dotnet_class(name))
        add(SerializedEvidence::kJsonClass, at, value + 32, key);
    }
  }

  // !!javax.script.ScriptEngineManager [...]: SnakeYAML's tags name classes.
  void read_yaml() {
    for (std::size_t at = text_.find("!!"); at != std::string_view::npos; at = text_.find("!!", at + 2)) {
      const std::string_view name = text_.substr(at + 2, 128);
      const bool packaged = istarts_with(name, "javax.") || istarts_with(name, "java.") ||
                            istarts_with(name, "com.sun.") || istarts_with(name, "org.");
      if (packaged || java::is_attack_class(name))
        add(SerializedEvidence::kYamlObject, at, at + 64, text_.substr(at, 16));
    }
  }

  // %TAG ! tag:yaml.org,2002:python/ : a handle for tags that make objects (YAML 1.2.2, 6.8.2)
  void read_handles() {
    constexpr std::string_view kPython = "tag:yaml.org,2002:python/";
    for (std::size_t at = text_.find(kPython); at != std::string_view::npos;
         at = text_.find(kPython, at + 1)) {
      const std::size_t end = at + kPython.size();
      if (end < text_.size() && is_space(text_[end])) add(SerializedEvidence::kYamlObject, at, end, kPython);
    }
  }

  // Marshal 4.8: version, then an object or a list.
  void read_ruby(std::string_view bytes) {
    if (bytes.size() <= 4 || bytes[0] != '\x04' || bytes[1] != '\x08') return;
    const bool gadget =
        std::any_of(std::begin(kRubyGadgets), std::end(kRubyGadgets),
                    [&](std::string_view name) { return bytes.find(name) != std::string_view::npos; });
    if (gadget)
      add(SerializedEvidence::kRubyGadget, 0, text_.size());
    else if (bytes[2] == 'o' || bytes[2] == '[')
      add(SerializedEvidence::kRubyObject, 0, text_.size());
  }

  // Decoders give base64 only if it is text: private members of PHP's objects have NUL in their names.
  void read_base64() {
    const std::string_view value = trim(text_);
    const auto begins = [&](std::string_view head) { return value.starts_with(head); };
    const bool php = std::any_of(std::begin(kPhpHeads), std::end(kPhpHeads), begins);
    const bool pickle =
        std::any_of(std::begin(kPickleHeads), std::end(kPickleHeads), begins) || value.starts_with('Y');
    const bool ruby = begins(kRubyHead);
    if ((!php && !pickle && !ruby) || value.size() > kMaxBase64Bytes) return;
    // Rails signs a cookie behind "--".
    std::size_t end = 0;
    while (end < value.size() && is_base64_byte(value[end]) && value.substr(end, 2) != "--") ++end;
    std::string bytes;
    if (!base64_bytes(value.substr(0, end), bytes)) return;
    if (php) read_php(bytes);
    if (pickle && pickle_calls(bytes)) add(SerializedEvidence::kPickleCall, 0, text_.size());
    if (ruby) read_ruby(bytes);
  }

  // Decoders give hex only if it is text.
  void read_hex() {
    const std::string_view value = trim(text_);
    const auto begins = [&](std::string_view head) { return value.starts_with(head); };
    if (value.size() % 2 != 0 || value.size() > kMaxBase64Bytes ||
        std::none_of(std::begin(kHexPickleHeads), std::end(kHexPickleHeads), begins))
      return;
    std::string bytes;
    for (std::size_t i = 0; i < value.size(); i += 2) {
      const int high = hex_value(value[i]);
      const int low = hex_value(value[i + 1]);
      if (high < 0 || low < 0) return;
      bytes.push_back(static_cast<char>(high * 16 + low));
    }
    if (pickle_calls(bytes)) add(SerializedEvidence::kPickleCall, 0, text_.size());
  }

  std::string_view text_;
  bool file_;
  EvidenceList& out_;
};

class SerializedMatcher final : public Matcher {
 public:
  std::string_view name() const noexcept override { return "deserial"; }
  std::span<const std::string_view> evidence() const noexcept override { return kNames; }
  bool reads_binary() const noexcept override { return true; }

  Needs needs() const override {
    Sign signs{SignKind::kLiterals, {std::string(kJavaHeader)}};
    for (const SignRow& sign : kSigns) signs.parts.push_back(to_lower(sign.text));
    signs.parts.emplace_back("tag:yaml.org,2002:python/");
    Sign keys{SignKind::kLiterals, {}};
    for (const auto& row : kClassKeys.rows()) keys.parts.emplace_back(row.text);
    Sign objects{SignKind::kLiterals, {}};
    for (const char kind : std::string_view("oc")) {
      for (const char digit : std::string_view("+0123456789")) objects.parts.push_back({kind, ':', digit});
    }
    Sign globals{SignKind::kLiterals, {}};
    for (const auto& row : kModules.rows()) {
      for (const char code : std::string_view("ci"))
        globals.parts.push_back(code + std::string(row.text) + '\n');
    }
    Sign heads{SignKind::kLiterals, {to_lower(kRubyHead), "\x04\x08"}};
    for (const std::string_view head : kPhpHeads) heads.parts.push_back(to_lower(head));
    for (const std::string_view head : kPickleHeads) heads.parts.push_back(to_lower(head));
    for (const std::string_view head : kHexPickleHeads) heads.parts.emplace_back(head);
    for (const auto& row : kModules.rows()) heads.parts.push_back(to_lower(global_head(row.text)));
    return {{signs},
            {objects, any_literal({":\"", ":\\"})},
            {keys},
            {any_literal({"::"})},
            {any_literal({"py/re", "py/new", "py/init"})},
            {any_literal({"!!"}), any_byte(".")},
            {globals},
            {any_byte("\x80"), any_byte("\x8c"), any_word(kModules)},
            {heads, any_first("86BTYQg\x04")}};
  }

  void find(std::string_view text, const FieldContext& context, EvidenceList& out) const override {
    SerializedReader(text, context.location == Location::kFile && !context.in_name, out).run();
    // {"json_class":"Gem::Installer"}, of which the value is the text
    const std::size_t dot = context.name.rfind('.') + 1;  // 0 if there is none
    const std::string_view key = context.name.substr(dot);
    if (!context.in_name && (key == "^o" || key == "json_class") && is_foreign_class(key, text))
      out.add(SerializedEvidence::kJsonClass, Certainty::kCertain, 0, text.size(), key);
    if (context.in_name && is_python_tag(text))
      out.add(SerializedEvidence::kPythonObject, Certainty::kCertain, 0, text.size(), text);
  }
};

}  // namespace

std::unique_ptr<Matcher> make_serialized_matcher() { return std::make_unique<SerializedMatcher>(); }

}  // namespace wafd::detect
