// The gate announces every analyser that would find something: attacks, cut and spliced at random.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/detect/analyze/analyze_support.h"
#include "tests/fuzz/analyzer_gate.h"

namespace wafd::detect {
namespace {

constexpr const char* kPieces[] = {
    "<script>x</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=confirm`1`>",
    "\" onfocus=alert(1) x=\"",
    "javascript:alert(1)",
    "jav\tascript:alert(1)",
    "';alert(1)//",
    "window['al'+'ert'](1)",
    "top[/al/.source+/ert/.source](1)",
    "self['\\x61lert'](1)",
    "[][(![]+[])[+[]]+(!![]+[])[+[]]]",
    "a=alert;a(1)",
    "[1].map(alert)",
    "location=name",
    "document.cookie",
    "x.constructor('alert(1)')()",
    "{{constructor.constructor('alert(1)')()}}",
    "<style>@import'http://e.example'</style>",
    "<a href='&#x6a;avascript:alert(1)'>",
    "\\u0061lert(1)",
    "Reflect.apply.call`${alert}`",
    "f('alert(1)')()",
    "x.innerHTML=y",
    "onerror=eval;throw 1",
    ";cat /etc/passwd",
    "|whoami",
    "$(id)",
    "`id`",
    "&&c'a't /etc/hosts",
    "wh``oami",
    "$IFS",
    "${IFS}",
    "/?"
    "?"
    "?/c?t",
    "() { :;}; x",
    "0>/dev/tcp/1.2.3.4/5",
    "id>a.php",
    "${PATH:0:1}",
    "$'\\x63at' /etc/passwd",
    "for %a in (b) do c",
    "if exist c:\\a (b)",
    "IEX(DownloadString(1))",
    ";a -b",
    ";$a /b",
    "cat<<<x",
    "strace ifconfig",
    "sh$x -c id",
    "\\cat /etc/passwd",
    "../../etc/passwd",
    "..;/..;/x",
    "....//....//x",
    "/etc/passwd",
    "a.php\x01.jpg",
    ".ssh/id_rsa",
    "c:\\windows\\win.ini",
    "%2e%2e/%2e%2e/a",
    "php://input",
    "file:///etc/passwd",
    "data:text/plain,a",
    "jar:http://a!/b",
    "http://1.2.3.4/a.php",
    "http://a/b.php?",
    "http://169.254.169.254/",
    "http://0x7f.1/",
    "gopher://a/",
    "http://a.b@c/",
    "http://a#@127.0.0.1/",
    "//169.254.169.254/",
    "//10.0.0.1.nip.io/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://::1/",
    "unix:/var/run/docker.sock",
    "\\\\.\\pipe\\x",
    "\\\\1.2.3.4\\x",
    "http://1\u30022",
    "http://localhost:22/",
    "localhost/",
    "<?php ",
    "<?= $a",
    "system('id')",
    "$_GET[1]",
    "phpinfo()",
    "('sys'.'tem')('id')",
    "[system][0](1)",
    "$a['b'](1)",
    "${'a'}(1)",
    "include $_GET",
    "allow_url_include=1",
    "{php}",
    "eval(base64_decode(1))",
    "${jndi:ldap://a}",
    "${${lower:j}ndi:a}",
    "${::-j}",
    "${env:A}",
    "@java.lang.Runtime@getRuntime()",
    "(#a=b)",
    "T(java.lang.Runtime).b",
    "java.lang.Runtime",
    "class.module.classLoader",
    "a.getClass().forName(b)",
    "${a.class}",
    "InvokerTransformer",
    "rO0ABXNy",
    "O:1:\"a\":0:{}",
    "AAEAAAD/////",
    "_$$ND_FUNC$$_",
    "!!python/object",
    "{\"@type\":\"com.sun.a\"}",
    "cos\nsystem\n",
    "\x04\x08o:",
    "{{7*7}}",
    "<%= 7*7 %>",
    "{{''.__class__}}",
    "#set($a=1)",
    "<#assign a>",
    "<!--#exec a-->",
    "<esi:a>",
    "@{[a]}",
    "().__class__.__base__",
    "{% a %}",
    "{7*7}",
    "{system('id')}",
    "require('child_process')",
    "process.env",
    "__proto__[a]",
    "constructor.prototype",
    "$1:constructor:x",
    "os.system('a')",
    "while(1)",
    "'ab'.execute()",
    "__import__('os')",
    "module.exports=1",
    "<!ENTITY a SYSTEM 'b'>",
    "<!DOCTYPE a SYSTEM 'http://b//'>",
    "<xi:include a>",
    "a\r\nSet-Cookie: b",
    "a\nHTTP/1.1 200",
    "a@b\nBcc: c",
    "/.git/config",
    "/a/.env",
    "/index.php.bak",
    "/a.php~",
    "/dump.sql",
    "{,id}",
    "f(){ f|f& };f",
    "alias a=id",
    "\r\nMAIL FROM:<a>",
    "\r\na1 UID COPY 1:2",
    ".shell id",
    "\\! id",
    ">/tmp/a",
    "pi<()ng 1.1.1.1",
    "/usr/bin/x",
    "Get-Item -Path x",
    "$((1+1))",
    "!!",
    "~+",
    "a=id;$a",
    "nohup who",
    "http://[::1]/",
    "http://a/@b.cc/",
    "ftp://a/b",
    "web.config",
    "/a/etc/passwd",
};

TEST(Gate, AnnouncesWhatAnalysersFind) {
  AnalyzerGate gate;
  std::size_t found = 0;
  std::vector<std::string> texts(std::begin(kPieces), std::end(kPieces));
  Dice dice(11);
  for (int made = 0; made < 6000; ++made) {
    std::string text = kPieces[dice.roll(std::size(kPieces))];
    if (dice.roll(3) == 0) text += kPieces[dice.roll(std::size(kPieces))];
    for (std::uint64_t edits = dice.roll(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = dice.roll(text.size());
      switch (dice.roll(4)) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, " \t\n\"'`/\\;()[]{}$<>=.+-%\0x"[dice.roll(26)]);
          break;
        case 2:
          text[at] = static_cast<char>(dice.roll(256));
          break;
        default:
          text = text.substr(at) + text.substr(0, at);
          break;
      }
    }
    texts.push_back(std::move(text));
  }
  for (const std::string& text : texts) {
    for (const char* name : {"xss", "cmd", "path", "inclusion", "ssrf", "php", "java", "deserial", "ssti",
                             "code", "xxe", "crlf", "leak"}) {
      for (const bool in_name : {false, true}) {
        SCOPED_TRACE(text);
        if (!gate.announced(name, text, in_name, found))
          ADD_FAILURE() << name << " finds what the gate does not announce: " << text;
      }
    }
  }
  EXPECT_GT(found, 5000u);
}

TEST(Gate, AnnouncesEveryHeaderBehindALineEnd) {
  AnalyzerGate gate;
  std::size_t found = 0;
  for (const char* end : {"\r\n", "\n", "\r", "\n\t", "\xe5\x98\x8a", "\xe5\x98\x8d\xe5\x98\x8a "}) {
    for (const char* line : {"Set-Cookie: a",
                             "set-cookie2:a",
                             "Location: b",
                             "Content-Location: b",
                             "Content-Type: a",
                             "Content-Transfer-Encoding: a",
                             "Access-Control-Allow-Origin: *",
                             "X-Forwarded-For: a",
                             "HTTP/1.1 200",
                             "HTTP/2 200",
                             "GET / HTTP/1.1",
                             "PATCH /a HTTP/2",
                             "Bcc: a",
                             "cc:a",
                             "to: a",
                             "Reply-To: a",
                             "From: a",
                             "Disposition-Notification-To: a",
                             "WWW-Authenticate: a",
                             "X-Mailer: a",
                             "MIME-Version: 1.0",
                             "Clear-Site-Data: a",
                             "Last-Modified: a",
                             "Sender: a",
                             "Host: a",
                             "Cookie: a",
                             "Pragma: a"}) {
      const std::size_t before = found;
      const std::string text = std::string("a@b.example") + end + line;
      EXPECT_TRUE(gate.announced("crlf", text, false, found)) << text;
      EXPECT_GT(found, before) << text;
    }
  }
}

}  // namespace
}  // namespace wafd::detect
