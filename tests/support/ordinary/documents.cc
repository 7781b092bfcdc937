// Texts about programs and texts that programs send: manuals, questions, logs, pages as an editor saves them,
// settings. Code and commands are parts of these texts; none of them is only a statement or a command line.
#include "tests/support/ordinary/ordinary_values.h"

namespace wafd::ordinary {
namespace {

constexpr ValueKind kKinds[] = {
    {"manual", 140, R"~(
What is the difference between ' and " in ‹noun›s?
Server **down** since ‹1-23›:00! `curl -I https://‹domain›` -> 502
nit: `<img src={url} onError={() => set‹a5›(true)} />` needs alt text, ‹first›
Why `SELECT *` here? Please use `SELECT id, name FROM ‹a5› WHERE id = ?` instead.
s/‹a5›/‹a6›/ ; also `catch (e) {}` swallows errors
To install run `sudo apt-get update && sudo apt-get install -y ‹a5›`, then restart the ‹noun› service.
Use `ls -la` to list files, `cat ‹file›.txt` to show one, and `rm ‹file›.tmp` to remove it.
# ‹noun›↵↵## Usage↵↵    $ pip install ‹a6›↵    $ ‹a6› --config ‹a5›.yml↵↵See also: man ‹a5›(1)
```bash↵git clone https://‹domain›/‹a6›.git↵cd ‹a6› && npm install↵npm run build↵```
You can check the disk with df -h; the memory with free -m and the load with uptime.
How do I pipe the output of ls | grep ‹noun› into a file?
brew install ‹a5› && brew services start ‹a5›
Run `systemctl status nginx` and paste the output of `journalctl -u nginx --since today`, ‹first›
0 ‹1-23› * * * /usr/local/bin/‹a6›.sh >> /var/log/‹a6›.log 2>&1
*/‹1-30› * * * * php /var/www/artisan schedule:run
for f in *.jpg; do convert "$f" -resize ‹1-99›% "${f%.jpg}.png"; done
#!/usr/bin/env bash↵set -e↵DIR="$(dirname "$0")"↵echo "‹noun› in $DIR"
The difference between > and >>, and between ; and && in bash; 2>&1 means stderr goes to stdout.
git checkout -b feature/‹a6›; git push -u origin feature/‹a6›
make && make test && sudo make install
npm ERR! code ELIFECYCLE↵npm ERR! errno 1↵npm ERR! ‹a6›@1.0.‹1-99› build: `webpack --mode production`
PS C:\> Get-ChildItem -Recurse | Where-Object {$_.Length -gt ‹1-99›MB}
Why is `chmod 777` a bad idea? And what about `kill -9`? (‹noun›)
version: "3"↵services:↵  ‹a6›:↵    image: ‹a5›:latest↵    ports: ["80‹10-99›:80"]↵    command: ["npm", "run", "start"]
FROM python:3.11-slim↵WORKDIR /app↵COPY requirements.txt .↵RUN pip install -r requirements.txt↵CMD ["python", "‹a6›.py"]
)~"},
    {"questions of databases", 100, R"~(
How can I INSERT INTO ‹a5› (a, b) SELECT a, b FROM ‹a6› without duplicates?
The query "UPDATE ‹a5› SET name = 'x' WHERE id = ‹1-99›" is slow since we upgraded.
You have an error in your SQL syntax; check the manual near '‹noun›' at line ‹1-99›
ERROR: relation "‹a6›" does not exist at character ‹1-99›
When should one use UNION vs UNION ALL? I select from ‹a5› and from ‹a6›.
Difference between DROP TABLE, TRUNCATE and DELETE? ‹first› says there is none.
jql: project = ‹A3› AND status in ("To Do", Open) ORDER BY created DESC
name eq '‹noun›' and price gt ‹1-999›
("‹noun›" OR "‹noun›") AND NOT "‹verb›"
title:‹noun› AND (author:"‹last›" OR year:[2000 TO 20‹10-99›])
‹noun› AND ‹noun› OR ‹verb›
(SUM(price) - ‹1-99›) / COUNT(*)
ORA-00942: table or view does not exist (‹a6›)
SQLSTATE[42S02]: Base table or view not found: 1146 Table '‹a5›.‹a6›' doesn't exist
{"query":{"bool":{"must":[{"match":{"title":"‹noun›"}}],"filter":[{"range":{"price":{"gte":‹1-99›}}}]}},"size":‹1-99›}
)~"},
    {"logs", 120, R"~(
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON (‹a6›.js:‹1-99›)
Error: ‹noun› failed at Object.eval (eval at <anonymous> (‹a6›.js:‹1-99›))
Refused to execute inline script because it violates the following Content Security Policy directive: "script-src 'self'" (‹noun›)
bash: line ‹1-99›: ‹a6›: command not found
java.sql.SQLException: ORA-00933: SQL command not properly ended (‹a6›)
curl: (‹1-99›) Failed to connect to localhost port ‹#4›: Connection refused
[2024-05-‹10-28› 10:11:12] production.ERROR: Undefined variable $‹a6› {"exception":"[object] (ErrorException(code: 0): Undefined variable $‹a6› at /var/www/app/‹a5›.php:‹1-99›)"}
java.lang.IllegalStateException: ‹noun› not ready↵⇥at com.example.‹a6›.Service.run(Service.java:‹1-99›)↵⇥at java.base/java.lang.Thread.run(Thread.java:833)↵Caused by: java.io.IOException: Broken pipe
Traceback (most recent call last):↵  File "/app/‹a5›.py", line ‹1-99›, in <module>↵    import ‹a6›↵ModuleNotFoundError: No module named '‹a6›'
TypeError: Cannot read property '‹a6›' of undefined↵    at Object.<anonymous> (/app/src/‹a5›.js:‹1-99›:‹1-99›)↵    at Module._compile (node:internal/modules/cjs/loader:1105:14)
Jun ‹10-28› 10:00:00 host sshd[‹#5›]: Failed password for root from 203.0.113.‹1-99› port ‹#5› ssh2
203.0.113.‹1-99› - - [10/Jun/2024:13:55:36 +0000] "GET /‹a6›.php?id=‹1-99› HTTP/1.1" 404 ‹#4› "-" "Mozilla/5.0"
kernel: [‹#5›.‹#6›] Out of memory: Killed process ‹#5› (‹a5›) total-vm:‹#6›kB
PHP Warning:  include(‹a6›.php): failed to open stream: No such file or directory in /var/www/html/index.php on line ‹1-99›
level=error ts=2024-06-01T00:00:00Z caller=main.go:‹1-99› msg="failed to open ‹noun›" err="open /etc/‹a6›/‹a5›.yml: permission denied"
Uncaught ReferenceError: ‹a6› is not defined↵    at HTMLButtonElement.onclick ((index):‹1-99›:‹1-99›)
panic: runtime error: index out of range [‹1-99›] with length 3↵↵goroutine 1 [running]:↵main.main()↵⇥/tmp/‹a5›.go:‹1-99› +0x1d
)~"},
    {"pages of an editor", 160, R"~(
<link rel="canonical" href="https://‹domain›/‹a6›">
<h1>‹noun›</h1><pre><code class="language-js">const a = 1 &lt; ‹1-99›;↵alert(a);</code></pre>
<p>Hello <strong>‹first›</strong>,</p><p>thank you for your <em>‹noun›</em>. See <a href="https://‹domain›/‹a5›" target="_blank" rel="noopener">the page</a>.</p>
<h2 style="text-align:center">‹noun› &amp; ‹noun›</h2><ul><li>‹noun›</li><li>‹verb›</li></ul><p><img src="/uploads/‹a6›.jpg" alt="‹noun›" width="‹1-9›00" /></p>
<table border="1" cellpadding="2"><tbody><tr><td>‹noun›</td><td>‹1-99›</td></tr></tbody></table>
<div class="row"><div class="col-md-6" style="background-color:#‹x6›;padding:10px">‹noun›</div></div>
<figure class="image"><img src="https://‹domain›/‹a6›.png"><figcaption>‹noun›</figcaption></figure><blockquote><p>‹noun›</p></blockquote>
<p>&nbsp;</p><p><span style="font-size:14px;font-family:Arial,Helvetica,sans-serif">‹noun›</span></p><hr /><p><br></p>
<!-- wp:paragraph --><p>‹noun› ‹verb›</p><!-- /wp:paragraph --><!-- wp:image {"id":‹1-99›,"sizeSlug":"large"} --><figure class="wp-block-image"><img src="https://‹domain›/‹a6›.jpg" alt=""/></figure><!-- /wp:image -->
<pre><code class="language-js">let ‹a5› = ‹1-99›;</code></pre>
<a href="mailto:info@‹domain›?subject=‹noun›">write</a> or <a href="tel:+49‹#6›">call</a> or <a href="#top">top</a>
<style>.‹a5›{color:#‹x6›;margin:0 auto}@media(max-width:600px){.‹a5›{display:none}}</style><div class="‹a5›">‹noun›</div>
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none"><path d="M12 2L2 7l10 5 10-5-10-5z" stroke="#‹x6›"/></svg>
<html><head><meta charset="utf-8"><title>‹noun›</title></head><body bgcolor="#ffffff"><table width="600"><tr><td>Hi ‹first›</td></tr></table></body></html>
<h1>‹noun›</h1>↵<script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"‹noun›"}</script>
<form class="search" action="/search" method="get"><input type="text" name="q" placeholder="‹noun›"><button type="submit">Go</button></form>
[url=https://‹domain›/‹a5›]‹noun›[/url] [b]‹noun›[/b] [img]https://‹domain›/‹a6›.png[/img]
<mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0" value="‹noun›" style="rounded=0;whiteSpace=wrap;html=1;"/></root></mxGraphModel>
)~"},
    {"sources", 120, R"~(
import os↵import sys↵def main():↵    print(os.path.join("‹a5›", sys.argv[1]))↵if __name__ == "__main__":↵    main()
const express = require('express');↵const app = express();↵app.get('/‹a5›', (req, res) => res.send('Hello ‹noun›'));↵app.listen(‹#4›);
$("#‹a5›").on("click", function(){ $(this).toggleClass("active"); });
public static void main(String[] args) { System.out.println("‹noun› " + args.length); }
fn main() { println!("{}", vec![1, 2, ‹1-99›].iter().sum::<i32>()); }
package main↵import "fmt"↵func main() { fmt.Println("‹noun›") }
{% extends "base.html" %}{% block content %}<h1>{{ ‹a5›.title }}</h1>{% for i in ‹a5›.items %}<li>{{ i }}</li>{% endfor %}{% endblock %}
Hello {{ user.first_name }}, your ‹noun› #{{ order.id }} has shipped.
Dear ${name}, your ‹noun› is ready at ${time}.
#include <stdio.h>↵int main(void) { printf("%d\n", ‹1-99›); return 0; }
diff --git a/‹a5›.c b/‹a5›.c↵--- a/‹a5›.c↵+++ b/‹a5›.c↵@@ -1,3 +1,3 @@↵-int ‹a4› = 1;↵+int ‹a4› = ‹1-99›;
let re = /^(?:https?:\/\/)?([\w.-]+)\/(‹a5›)$/gi;
const total = items.reduce((a, b) => a + b.price * b.qty, 0);
try { JSON.parse(s) } catch (e) { console.error(e) } // ‹verb› the ‹noun›
window.dataLayer = window.dataLayer || []; function gtag(){dataLayer.push(arguments);} gtag('js', new Date(‹#6›));
if (typeof ‹a5› !== 'undefined' && ‹a5›.length > ‹1-99›) { return ‹a5›[0]; }
x = [i**2 for i in range(‹1-99›) if i % 2 == 0]
std::cout << "‹noun›" << std::endl;
try { ‹a5›(); } catch (Exception e) { e.printStackTrace(); }
)~"},
    {"searches", 120, R"~(
‹colour› ‹noun› site:‹domain›
"‹noun› ‹noun›" OR "‹verb› ‹noun›" -‹colour›
python -‹a5›
which ‹noun› is the best?
kill bill ‹1-3›
type ‹1-2› diabetes
head of ‹noun›
time in ‹city›
history of ‹city›
cat food ‹1-9› kg
node ‹a5› tutorial
more ‹noun›s & less ‹noun›s
‹company› and‹1-9› or ‹company›
sleep ‹1-9› hours; wake at ‹1-9›
top ‹1-99› of 20‹10-99›
ping pong table ‹colour›
Can someone explain eval() in JavaScript to me, and why `exec` is dangerous?
$‹1-999› or less
C++ vs. C# (‹1-99› answers)
true or false? 1 or 0? yes AND no? x=‹1-9›!
)~"},
    {"addresses of pages", 120, R"~(
https://‹domain›/‹a6›?a=‹1-99›&b=‹a5›#x
http://localhost:3000/callback?state=‹a8›
http://localhost:8080/‹a5›
http://127.0.0.1:5500/‹a5›.html
https://localhost/‹a5›.html
http://192.168.1.‹1-99›:8080/
https://accounts.example.com/o/oauth2/auth?redirect_uri=https%3A%2F%2F‹domain›%2Fcb&scope=openid%20email
https://‹domain›/‹a5›.php?id=‹1-99›
https://‹domain›/‹a5›.txt
//cdn.‹domain›/‹a5›.js
myapp://callback?code=‹x32›
blob:https://‹domain›/‹u›
ws://localhost:‹#4›/ws
ftp://ftp.‹domain›/pub/‹a5›.zip
chrome-extension://‹a8›‹a8›‹a8›‹a8›/‹a5›.html
capacitor://localhost/‹a5›.html
https://en.wikipedia.org/wiki/‹noun›_(‹noun›)
git@github.com:‹a6›/‹a5›.git
ssh://git@‹domain›:22/‹a6›/‹a5›.git
jdbc:postgresql://db.‹domain›:5432/‹a6›
postgres://app:‹a8›@db.‹domain›:5432/‹a6›
s3://‹a6›-bucket/‹a5›/‹1-99›.parquet
/home/‹a5›/docs/‹file›.pdf
C:\Users\‹first›\Desktop\‹file›.docx
~/projects/‹a6›
/var/www/‹a6›/public
src/main/java/com/example/‹a6›.java
%APPDATA%\‹a6›
)~"},
    {"settings and data", 120, R"~(
jdbc:mysql://‹a5›:3306/‹a6›
{"command":["/bin/sh","-c","‹a6› -g 'daemon off;'"],"port":‹1-99›}
=VLOOKUP(A‹1-99›,Sheet2!A:B,2,FALSE)
=HYPERLINK("https://‹domain›/‹a5›","‹noun›")
=CONCATENATE(A‹1-99›," ",B‹1-99›)
^(?=.*[a-z])(?=.*\d).{‹1-9›,}$
(?i)\b(‹noun›|‹verb›)\b
$.store.book[?(@.price < ‹1-99›)].title
//div[@class="‹a5›"]/a
#‹a5› > .‹a5›:nth-child(2n+1) a[href^="http"]
-----BEGIN CERTIFICATE-----↵MIID‹b40›↵-----END CERTIFICATE-----
{"op":"replace","path":"/‹a5›/0","value":"‹noun›"}
{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/‹a6›"}
mutation M { save(input: {title: "‹noun›", body: "it's ‹colour›"}) { ok } }
<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_‹x32›"><saml:Issuer>https://‹domain›/</saml:Issuer></saml:Assertion>
org.springframework.web.servlet.‹A1›‹a6›Servlet
com.example.‹a6›.‹A1›‹a5›Activity
System.Collections.Generic.List`1[System.String] ‹a5›
0 0 ‹1-28› * ? *
2024-06-01T00:00:00Z/P‹1-9›M
data.items[‹1-99›].name
‹a5›[name]
[Unit]↵Description=‹noun›↵[Service]↵ExecStart=/opt/‹a6›/bin/run --port=‹#4›↵Restart=always
server:↵  host: "‹domain›"↵  port: ‹#4›↵  path: /‹a5›
from: ‹a6›@‹domain›; to: ‹a6›@‹domain›
<urlset xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.sitemaps.org/schemas/sitemap/0.9 http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd"><url><loc>https://‹domain›/</loc></url></urlset>
)~"},
};

}  // namespace

std::span<const ValueKind> document_kinds() { return kKinds; }

}  // namespace wafd::ordinary
