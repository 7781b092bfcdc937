// What people write into applications: prose in several languages, names, mails, searches, passwords. Nothing here was chosen to
// provoke; what was stands in technical.mjs.
export const people = [
  { name: "Siobhán O'Connor", mail: 'siobhan.oconnor@mail.example', phone: '+353 1 496 0123', city: 'Dún Laoghaire' },
  { name: 'Jean-Luc D’Hondt', mail: 'jl.dhondt@brussel.example', phone: '+32 2 555 12 12', city: "Braine-l'Alleud" },
  { name: 'Müller & Söhne GmbH', mail: 'info+rechnung@mueller-soehne.example', phone: '+49 (0)89 / 123 45-67', city: 'Weißenburg i. Bay.' },
  { name: "Niccolò Dell'Acqua", mail: 'n.dellacqua@studio.example', phone: '+39 055 123456', city: "L'Aquila" },
  { name: 'Şükrü Özdoğan', mail: 'sukru@ozdogan.example', phone: '+90 212 555 00 11', city: 'Kadıköy/İstanbul' },
  { name: 'Nguyễn Thị Hương', mail: 'huong.nt@hanoi.example', phone: '+84 24 3825 0000', city: 'Hà Nội' },
  { name: '山田 太郎', mail: 'taro@yamada.example', phone: '03-1234-5678', city: '東京都千代田区' },
  { name: 'Олександр Коваленко', mail: 'o.kovalenko@kyiv.example', phone: '+380 44 123 45 67', city: 'Київ' },
  { name: 'Robert "Bob" Smith Jr.; CPA', mail: 'bob@smith-cpa.example', phone: '(212) 555-0199 x12', city: 'New York, NY' },
  { name: "Ng'ang'a wa Mwangi", mail: 'nganga@nairobi.example', phone: '+254 20 555 0100', city: 'Nairobi' },
  { name: 'María José Núñez-O’Shea', mail: 'mj.nunez@correo.example', phone: '+34 91 555 01 23', city: 'A Coruña' },
  { name: "d'Artagnan -- Charles de Batz", mail: 'charles@mousquetaires.example', phone: '05 62 00 00 00', city: 'Lupiac (Château de Castelmore)' },
];

export const passwords = [
  "kT7'#x--9;Qz",
  '"; Mmw%8=Lp<3',
  "it's 5 o'clock somewhere!",
  '`Zx]|q&2{v}$(',
  'a\'b"c\\d/e#f;g--h',
  '%41%zz+&=?#',
  'correct horse battery staple',
  "')Jv8(*&^;!~",
  '<Ru5>t"or"7=7',
  "O'Reilly&Sons#1",
  'пароль-Ключ_42!',
  "x' -- y/*z*/",
  '${7*q}#{w}',
  'Tr0ub4dor&3',
  '||9!=8;#\'"',
];

// Posts as a writer's editor sends them: title, HTML, and the same kind of thing as Markdown further below.
export const posts = [
  {
    title: "Grandma's plum cake: don't skip the cinnamon",
    language: 'en',
    tags: ['baking', "grandma's kitchen", 'cakes & pies'],
    html: `<p>It's that time of year again: the plums at the farmers' market are cheap, ripe and <em>almost</em> too soft. My grandmother's rule was simple &mdash; select only the ones that give a little from both sides, and don't wash them until just before baking.</p>
<h2>What you'll need</h2>
<ul><li>500&nbsp;g flour (type 405 or "all-purpose")</li><li>2 eggs &amp; 1 pinch of salt</li><li>1/2 tsp cinnamon; more if you're like me</li><li>250 ml milk @ 30 &deg;C</li></ul>
<p>Bake at 180 &deg;C for 35&ndash;40 min. If the top gets dark, cover it with foil and wait for it. "Is it done?" &mdash; insert a toothpick; where it comes out clean, the cake's ready.</p>
<blockquote><p>"A cake from love tastes better than a cake from the union of butter and sugar." &mdash; Oma Gerda, 1974</p></blockquote>`,
  },
  {
    title: 'Wir ziehen um: neue Öffnungszeiten & Anfahrt',
    language: 'de',
    tags: ['Möbel', 'Umzug', 'Öffnungszeiten'],
    html: `<p>Ab dem <strong>1. März</strong> finden Sie uns in der Straße "Am alten Güterbahnhof 7–9" (Hof links, 2. OG). Parkplätze gibt's direkt vorm Haus; die ersten 30&nbsp;Minuten sind kostenlos.</p>
<table><thead><tr><th>Tag</th><th>von</th><th>bis</th></tr></thead><tbody><tr><td>Mo–Fr</td><td>9:00</td><td>18:30</td></tr><tr><td>Sa</td><td>10:00</td><td>14:00</td></tr><tr><td>So</td><td colspan="2">geschlossen</td></tr></tbody></table>
<p>Fragen? Schreiben Sie an <a href="mailto:info@moebel.example?subject=Umzug&amp;body=Guten%20Tag">info@moebel.example</a> oder rufen Sie an: 089 / 123 45-67. Die Größe B&times;H&times;T der Schränke steht in Klammern (z.&nbsp;B. 80&times;200&times;60).</p>`,
  },
  {
    title: "L'été en Bretagne : où manger, où dormir ?",
    language: 'fr',
    tags: ['où dormir', 'Bretagne', "l'été"],
    html: `<p>Qu'on aime la mer ou non, l'arrivée à Concarneau vaut le détour : aujourd'hui encore, les chalutiers rentrent à l'aube, et l'odeur du « kouign-amann » s'échappe des fours. D'ailleurs, n'oubliez pas d'en acheter ; c'est 3,50&nbsp;€ la part.</p>
<p>Côté hébergement, l'auberge d'Armelle (12, rue de l'Église) propose 4 chambres à partir de 68&nbsp;€. S'il pleut — et il pleuvra — le musée de la Pêche est ouvert jusqu'à 18&nbsp;h.</p>
<figure><img src="/wp-content/uploads/port.jpg" alt="Le port, vu d'en haut" width="640" height="427" /><figcaption>Le port, vu d'en haut (photo : A. Le Goff)</figcaption></figure>`,
  },
  {
    title: '¿Vale la pena? Mi opinión sobre el curso «SQL desde cero»',
    language: 'es',
    tags: ['cursos', 'opinión', 'datos'],
    html: `<p>¡Hola a todos! Después de seis semanas, puedo decirlo: sí, vale la pena. El profesor explica todo desde el principio (¿qué es una tabla?, ¿qué es una fila?) y no da nada por hecho. Lo único malo: los ejercicios se entregan por correo y a veces tardan 2 o 3 días en corregirlos.</p>
<p>Nota final: 8/10. Precio: 49 € &lt; 60 € que cuesta el otro. ¿Alguien más lo ha hecho? Os leo en los comentarios :-)</p>`,
  },
  {
    title: 'Release notes 4.2: faster search, fewer surprises',
    language: 'en',
    tags: ['release', 'changelog', 'v4.2'],
    html: `<h3>New</h3><ul><li>Search understands quotes ("exact phrase") and minus (-word).</li><li>Export to CSV; columns can be selected from the menu.</li><li>Dark mode: <span style="color:#eee;background-color:#222;padding:2px 4px">like this</span>.</li></ul>
<h3>Fixed</h3><ol><li>Dates before 1970-01-01 no longer end in the year 2038.</li><li>Names with an apostrophe (O'Brien) can be deleted &amp; renamed.</li><li>The update from 4.1 drops table caches on its own; no need to delete them where they are.</li></ol>
<p>Questions? <a href="https://forum.example/t/release-4-2/1187?page=2&amp;order=desc#post-31" target="_blank" rel="noopener noreferrer">Join the thread</a>. Thanks to everybody who reported bugs, and to the team at <a href="https://hosting.example/?utm_source=blog&amp;utm_medium=post&amp;utm_campaign=4.2">our host</a>.</p>
<p><!-- wp:more --><!--more--><!-- /wp:more --></p><p>P.S. If you update by hand, remember the order: 1) back up, 2) update, 3) have a tea.</p>`,
  },
  {
    title: 'Городские птицы: кто живёт у нас под крышей',
    language: 'ru',
    tags: ['птицы', 'город'],
    html: `<p>Стрижи прилетают в начале мая и улетают уже в августе — «сто дней», как говорил дед. Их легко спутать с ласточками, но у стрижа крылья длиннее, а хвост короче; и он никогда не садится на провода.</p><p>Если вы нашли птенца: 1) не поите его; 2) не подбрасывайте; 3) позвоните в центр: <a href="tel:+74951234567">+7 (495) 123-45-67</a>.</p>`,
  },
  {
    title: '週末の京都さんぽ：紅葉と甘味処',
    language: 'ja',
    tags: ['京都', '紅葉', 'おでかけ'],
    html: `<p>先週末、京都へ行ってきました。朝7時の清水寺はまだ人が少なくて、空気がひんやりして気持ちいい。おすすめは「よもぎ団子（3本で450円）」です！</p><p>・行き：新大阪→京都（15分）<br>・帰り：京都→新大阪（24分／各駅停車）</p><p>次は「嵐山」へ行きたい…＼(^o^)／</p>`,
  },
  {
    title: 'Jak naprawić stary rower? Część 2: hamulce',
    language: 'pl',
    tags: ['rower', 'zrób to sam'],
    html: `<p>W pierwszej części zdjęliśmy koła; teraz pora na hamulce. Potrzebne będą: klucz 5&nbsp;mm, linka (ok. 6&nbsp;zł) i trochę cierpliwości. Jeśli szczęki ocierają z jednej strony, poluzuj śrubę, naciśnij klamkę i dokręć z powrotem — to działa w 9 przypadkach na 10.</p><p>Uwaga: nie smarować tarcz! Kto tego nie posłucha, będzie hamował butem ;)</p>`,
  },
  {
    title: 'A reader asks: "Should I select a plan from the list, or wait?"',
    language: 'en',
    tags: ['money', 'insurance'],
    html: `<p>Dear Agony Aunt, my employer offers three health plans and I have to pick one or the other by Friday. Plan A costs 120 and covers 80%; plan B costs 200 and covers everything where you pay first and are reimbursed later; plan C = A + dental. My husband says 1 or 2 visits a year is all we've had since '09. Having read the brochure twice, I'm none the wiser.</p>
<p>Dear reader, if x is what you pay and y what you'd get back, you want y &gt; x. With two kids &lt; 10, that's plan B. And don't let anybody tell you it's "union or nothing".</p>`,
  },
  {
    title: 'Notes on √2, e and π — and why 1/3 + 1/3 ≠ 0.67',
    language: 'en',
    tags: ['maths', 'LaTeX'],
    html: `<p>Let \\(f(x) = \\frac{1}{\\sqrt{2\\pi\\sigma^2}} e^{-\\frac{(x-\\mu)^2}{2\\sigma^2}}\\). Then for all \\(x \\in \\mathbb{R}\\) we have $$\\int_{-\\infty}^{\\infty} f(x)\\,dx = 1 \\quad\\text{and}\\quad \\sum_{k=0}^{n} \\binom{n}{k} = 2^n.$$</p><p>Exercise: show that |a+b| &le; |a|+|b|; when does "=" hold? (Hint: a*b &gt;= 0.) If {a,b} = {1,-1} then a+b=0 &amp;&amp; a&ne;b.</p>`,
  },
  {
    title: 'عطلة نهاية الأسبوع في المدينة القديمة',
    language: 'ar',
    tags: ['سفر', 'مدن'],
    html: `<p dir="rtl">زرنا المدينة القديمة يوم الجمعة، وكان السوق مزدحمًا كالعادة. اشترينا القهوة والهيل (250 غ) من محل «أبو أحمد»، ثم جلسنا في المقهى حتى المغرب.</p>`,
  },
  {
    title: 'Protokoll der Mitgliederversammlung vom 12.11.',
    language: 'de',
    tags: ['Verein', 'Protokoll'],
    html: `<p>TOP 1: Begrüßung; TOP 2: Bericht des Vorstands; TOP 3: Kasse (+1.204,50 € / -988,17 €); TOP 4: Wahlen. Anwesend: 23 von 41 Mitgliedern, d.h. > 50 %.</p><p>Zu TOP 3 fragt Frau D'Angelo, ob/wann die Beiträge erhöht werden. Antwort: "Nein, oder erst 2027." Abstimmung: 19 ja | 2 nein | 2 Enth.</p><p>Nächster Termin: Do, 14.01., 19:30 Uhr, Gasthaus "Zum Goldenen Lamm" -- Gäste willkommen!</p>`,
  },
];

export const comments = [
  "Thanks, that's exactly what I've been looking for! Quick question: can I use spelt instead of wheat, or won't it rise?",
  '+1, me too. Mine sank in the middle :-( -- any idea why?? (oven: 180C, no fan)',
  "Danke für den Tipp! Bei uns hat's mit 200g Zucker & 3 Eiern geklappt; die Kinder waren begeistert <3",
  "J'ai testé hier soir : c'était délicieux, même si j'ai dû l'laisser 10 min de plus. Merci d'avoir partagé !",
  '@bob I disagree. See https://en.wikipedia.example/wiki/Plum_(fruit)#Cultivation and http://fruit.example/index.php?id=12&lang=en for details.',
  "> insert a toothpick\n\nOr a knife. Or just look at it: where the dough is brown and the fruit sinks, it's done.\n\nCheers,\nO'Neil",
  'Nice post!!! Check the price: $12.99 (50% off w/ code PLUM-50) or 2 for $20 => total = $20 + tax',
  'И как это хранить? В холодильнике или так? Спасибо заранее!',
  'すごく美味しそう！レシピをありがとうございます🍰✨ 週末に作ってみます(≧▽≦)',
  'I had the same; then my wife said "let it rest" and... union of flavours! 10/10 would bake again',
];

export const markdown = [
  `# Setting up the shared printer\n\n1. Open **Settings → Printers**.\n2. Choose *Add*, then enter \`ipp://printer.office.example:631/ipp/print\`.\n3. Print a test page; if it's blank, turn it off and on again ;-)\n\n| Model | Where | Duplex? |\n|-------|-------|---------|\n| LS-5502 | 2nd floor, kitchen | yes |\n| M404dn | Anna's office | no |\n\n> **Note:** don't select "A4" from the *tray 2* menu -- it holds letterheads.\n\nSee also [the manual](https://docs.example/manual.pdf#page=12) and [[People|who to ask]].\n`,
  `## Meeting notes 2026-11-18\n\n- [x] Siobhán: draft of the offer (O'Brien & Sons)\n- [ ] Marek: numbers for Q4; compare with Q3 (+12 % or so)\n- [ ] all: read the union's proposal\n\n**Decision:** we'll go with option B, *not* A/C. Costs: 1,200 € + 19 % VAT = 1,428 €.\n\n---\n\nNext meeting: Tue 10:00–10:30, room \`E-214\`. Dial-in: +49 89 123456,,4711#\n`,
  `### FAQ\n\n**Where do I find my password?** In the letter; it's behind the line "Kennwort".\n\n**What if I've lost it?** Click *Forgot password?*, wait for the mail, and follow the link <https://id.example/reset?token=…>.\n\n**Which browsers work?** Firefox ≥ 115, Chrome >= 118, Safari 16+. Internet Explorer < 11 doesn't.\n\nMath: $a^2 + b^2 = c^2$, and for $n \\geq 3$: \\[ \\sum_{i=1}^n i = \\frac{n(n+1)}{2} \\]\n`,
  `# Deploying the wiki\n\nWe use \`git\`, \`make\` and a small script:\n\n\`\`\`sh\ngit pull --ff-only && make -j4 all\nsudo systemctl restart wiki.service\ncurl -fsS http://localhost:8080/health || echo "not healthy" >&2\n\`\`\`\n\nThe configuration lies in \`/etc/wiki/config.yml\`:\n\n\`\`\`yaml\ndatabase:\n  host: db.internal.example\n  name: wiki\n  user: \${WIKI_USER}\nmail: { from: "wiki@example.org", retries: 3 }\n\`\`\`\n\nThe query that the nightly report runs:\n\n\`\`\`sql\nSELECT title, COUNT(*) AS edits FROM revisions WHERE created > NOW() - INTERVAL 1 DAY GROUP BY title ORDER BY edits DESC LIMIT 20;\n\`\`\`\n`,
];

// Phrases as people type them into a search box.
export const searches = [
  'plum cake',
  "grandma's cake",
  "O'Connor",
  'Öffnungszeiten Samstag',
  '"exact phrase" -word',
  "l'été",
  'c++ vs c#',
  'AT&T 50% off',
  'having fun',
  'union of workers',
  '4x4 (used)',
  'how to select a plan',
  'foo AND bar OR baz',
  'title:cake author:anna',
  '京都 紅葉',
  'R&D; budget',
  'where is my order?',
  '100% wool',
  "rock 'n' roll",
  'price < 20',
  '#hashtag',
  'C:\\Users\\anna',
  'drop off point',
  'order by phone',
  '1 or 2 bedrooms',
  'sleep(ing) bags',
  'a=b',
  "it's",
  '2026-11-18',
  'me@mail.example',
  'update 4.2',
  'https://forum.example/t/1187',
  'cat photos',
  'who is who',
  'top 10',
  'man & woman',
];

export const agents = {
  iphone: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  samsung:
    'Mozilla/5.0 (Linux; Android 14; SM-S918B Build/UP1A.231005.007; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.6723.58 Mobile Safari/537.36 Instagram 355.1.0.44.103 Android (34/14; 480dpi; 1080x2115; samsung; SM-S918B; dm3q; qcom; de_DE; 655195034)',
  lenovo: 'Mozilla/5.0 (Linux; Android 5.1; LS-5502 Build/LMY47D) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/43.0.2357.65 Mobile Safari/537.36',
  huawei:
    'Mozilla/5.0 (Linux; U; Android 9; zh-cn; JKM-AL00b Build/HUAWEIJKM-AL00b) AppleWebKit/537.36 (KHTML, like Gecko) MQQBrowser/11.0 Mobile Safari/537.36 COVC/045737',
  googlebot:
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; +http://www.google.com/bot.html) Chrome/130.0.6723.69 Safari/537.36',
  bing: 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  facebook: 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  feed: 'Tiny Tiny RSS/21.11-7cfc30a (https://tt-rss.org/)',
  outlook: 'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17328; Pro)',
  curl: 'curl/7.88.1',
  wget: 'Wget/1.21.3',
  go: 'Go-http-client/1.1',
  tv: 'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 WebAppManager',
  monitor: 'check_http/v2.3.3 (monitoring-plugins 2.3.3)',
};
