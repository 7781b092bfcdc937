// Patterns of values by kind.
#include "tests/support/ordinary/ordinary_values.h"

namespace wafd::ordinary {
namespace {

constexpr ValueKind kKinds[] = {
    {"name", 70, R"~(
‹first› ‹last›
‹last›, ‹first›
‹first› "‹noun›" ‹last›
‹first› '‹verb›' ‹last›
Dr. ‹first› ‹last› (‹city›)
‹namecjk›
‹namert›
‹namert› / ‹first› ‹last›
‹first› & ‹first› ‹last›
‹first› ‹last› or ‹first› ‹last›
‹last› and ‹last› v. ‹last›
Mr. and Mrs. ‹last›-‹last› Jr.
‹namecjk› (‹first› ‹last›)
‹company›
‹company› c/o ‹first› ‹last›
‹first›‹#2›
‹first›.‹last›_‹#4›
@‹first›_‹a6›
‹first› ‹last›; ‹first› ‹last›
‹first› ‹last› <‹first›.‹last›@‹domain›>
)~"},
    {"address", 60, R"~(
‹1-299› ‹street›, ‹city› ‹#5›
‹street› ‹1-99›, D-‹#5› ‹city›
‹1-99› bis, ‹street›, ‹#5› ‹city› Cedex ‹1-9›
Apt. #‹1-99›, ‹1-2999› ‹street›, ‹city›
Flat ‹1-9›/‹1-4›, ‹street›; ‹city›
P.O. Box ‹#4›, ‹city›
‹1-99›-‹1-99› ‹street› (rear entrance), ‹city›
c/o ‹first› ‹last›, ‹street› ‹1-99›--‹1-99›, ‹city›
Unit ‹1-9› & ‹1-9›, ‹company›, ‹street›
‹street› ‹1-99›↵‹#5› ‹city›
〒‹#3›-‹#4› ‹city› ‹1-9›丁目‹1-30›番‹1-20›号
г. ‹city›, ‹street›, д. ‹1-99›, кв. ‹1-200›
corner of ‹street› and ‹street›
From ‹street› to ‹street›, where the ‹noun› is
)~"},
    {"English", 100, R"~(
I'd like to ‹verb› the ‹noun› from the ‹noun› where it's ‹colour›.
Please ‹verb› from the list and ‹verb› the ‹noun› by ‹month›.
Don't ‹verb› my ‹noun›; it's ‹first›'s!
How do I ‹verb› a ‹noun› into a ‹noun› in SQL?
You can't ‹verb› or ‹verb› it -- it's broken.
The union of ‹noun› and ‹noun› will select a new leader from its members.
The select committee's report, where it was published, had no ‹noun› in it.
We ‹verb› all from one ‹noun› to another, and 1 or 2 from ‹city›.
Is 1 = 1 and is ‹1-9› = ‹1-9›? ‹first›'s teacher says "it depends".
‹first› said: "I'll ‹verb› it", or '‹verb› it', or so.
Either ‹1-9› or ‹1-9› = fine, I don't mind...
Drop the ‹noun› at ‹company›, then ‹verb› the ‹noun›; thanks
Table for ‹1-9› at ‹1-12›:‹#2›, order by phone, and sleep (well) afterwards
Having a ‹noun› is like having a ‹noun› (only better)
‹company› vs. ‹company›: who'd ‹verb›?
It's ‹1-12› o'clock & the ‹noun› isn't ‹colour›; what now?
Ain't no ‹noun› like a ‹colour› ‹noun›
Rock 'n' roll, fish 'n' chips, and '‹#2›s music
The users' ‹noun›s' ‹noun›
If you insert into the slot the values on the card, update and set the clock
Delete from your phone; then ‹verb› from the store
Create a table or alter the database? ‹first› would grant all to us
‹first›'s ‹noun› -- or ‹last›'s ‹noun› -- is ‹colour›
Send ‹price› to ‹first› or ‹last› & ‹verb› the rest
$‹1-999› OR best offer
100% cotton, 50% off & free ‹noun›
(‹noun›) or (‹noun›) or both; see page ‹1-300› # 3
What does "x' or 'y" mean in ‹first›'s essay?
cat & dog; mouse
I love you <3 ‹emoji›
1 < 2 and 3 > 2
Use `‹verb›` with ‹noun› (see the docs); then type ‹noun› and press Enter
Run the installer, and if it fails; ping me | ‹first›
ls is to Linux what dir is to Windows; cat shows files
The script tag? An alert (again) for the ‹noun› was confirmed
The document.pdf and the window seat; location: ‹city›
on error, click = bad; on load = good
Exec summary: ‹noun› up ‹1-99›%, ‹noun› down ‹1-99›%; sleep on it
while (I was out) you could ‹verb› it for me; if not, echo
My e-mail isn't working: "‹verb› failed: ‹noun› not found" (error ‹#3›)
Select * from the menu: all but the soup ‹emoji›
Wait for delay at ‹city›: ‹1-9›:‹#2›:‹#2› h
convert int to char, cast the dice, and declare a ‹noun›
Great ‹product›! Would buy again & again; ‹1-5›/5 ‹emoji›
)~"},
    {"French", 40, R"~(
L'ordre d'aujourd'hui n'est pas l'union d'hier, c'est l'‹noun›
J'ai besoin d'un ‹noun› où qu'il soit; s'il vous plaît
C'est l'été à ‹city›: 35°, l'eau est à 20° & on s'amuse
Qu'est-ce que c'est que l'‹noun› d'‹first› ?
« D'accord », dit-elle, « mais l'un ou l'autre »
N'oubliez pas d'‹noun› l'adresse: ‹1-99›, ‹street›
Aujourd'hui j'‹noun› et l'an prochain aussi #‹city›
Jusqu'à ‹price› d'économies, ou plus, sur l'‹product›
)~"},
    {"Italian and Spanish", 40, R"~(
L'albero dell'amico è all'angolo d'‹street›
Un po' d'acqua, c'è un'‹noun› e quell'altro
Dall'inizio all'‹noun›: com'è andata l'estate '‹#2›?
¿Dónde está la ‹noun›? ¡Está aquí! -- o allí
Selección de tablas y órdenes; unión de ‹city›
El usuario desde donde actualiza y borra la tabla
D'altronde l'unione fa la forza; 'sto ‹noun› no
Niños & niñas de ‹1-9› a ‹1-12› años (o más) = gratis
)~"},
    {"German and Nordic", 40, R"~(
Rechtsschutzversicherungsgesellschaften für ‹noun› und ‹noun›
Wie geht's? Mir geht's gut; und Ihr'm ‹noun›?
Ich hab' ‹1-9› Tische -- oder ‹1-9› -- ab ‹price› (VB)
Straßenbahnhaltestelle ‹street›/‹street›, Gleis ‹1-9›
Müller's Büro & Söhne: „Grüß Gott“, sagte ‹first›
Kjøp ‹1-9› & få ‹1-9› gratis; gjelder t.o.m. ‹1-31›. ‹month›
Räksmörgås på ‹street›, 45:- st
Það er ‹noun› í ‹city›; hvað með það?
't is een ‹noun› uit 's-Hertogenbosch, z'n auto's
)~"},
    {"Slavic, Greek and Turkish", 60, R"~(
Привет, как дела? Это ‹noun› или ‹noun›?
Выбрать таблицу и удалить заказ № ‹#5› -- или нет
Об'єднання «‹noun›» м. ‹city›, п'ять п'ятниць
Заказ №‹#6› от ‹1-31›.‹#2›.2024; сумма ‹price›
Zażółć gęślą jaźń; cena: ‹price›
Příliš žluťoučký kůň úpěl ďábelské ódy (‹1-9›)
Καλημέρα κόσμε· τι κάνεις; ‹noun› ή ‹noun›
Diyarbakır'da ısı ‹1-40›°C; İstanbul'un ‹noun›'ı
Türkiye'nin en iyi ‹noun›'u & Ağrı'nın ‹noun›'si
Šta je to? To je ‹noun› ili ‹noun›; hvala
)~"},
    {"Arabic, Hebrew and Indic", 50, R"~(
مرحبا بك في ‹city›؛ كيف حالك؟ ‹#4›
طلب رقم ‹#6› -- السعر ‹price› (أو أفضل عرض)
שלום, מה שלומך? צה"ל ודו"ח ‹#3›
ז'קט או ג'ינס? ‹price›
नमस्ते, आप कैसे हैं? ऑर्डर नंबर ‹#6›
ক্রয় আদেশ ‹#5› এবং ‹noun›
தமிழ் ‹noun› & ‹noun› (‹1-99›)
"‹namert›" و '‹namert›' = ‹1-9›
ราคา ‹price› บาท หรือ ‹1-9› ชิ้น; ส่งฟรี
)~"},
    {"East Asian", 50, R"~(
你好，世界！订单号：‹#8›；价格＝‹price›
请选择“表格”或者‘订单’，然后删除（‹1-9›）
‹namecjk›说：《‹noun›》1＜2，3＞2
こんにちは。注文番号は‹#6›です。「‹noun›」または『‹noun›』
‹namecjk›さんの商品 ‹product›【送料無料】★‹1-5›
안녕하세요? ‹namecjk›의 주문 ‹#5›번; ‹price›
ｆｕｌｌｗｉｄｔｈ　ｔｅｘｔ　‹#3›；ｏｒ　１＝１番
繁體中文（臺灣）：‹street›‹1-99›號
Đơn hàng ‹#5› của ‹first› -- giá ‹price›
)~"},
    {"product", 60, R"~(
‹product›, ‹colour›, size ‹30-50›
‹product› (‹1-12›-pack) -- ‹price›
‹product› & ‹product› set / ‹colour›
‹product› w/ ‹product›; ‹1-99›% off
‹company› ‹product› "‹colour›" #‹#4›
‹product› 1/2" x ‹1-9›' ‹1-11›"
[NEW] ‹product› ‹colour›* ★‹1-5›.‹#1›
‹product›|‹colour›|‹30-50›
‹product› > ‹product› > ‹colour›
‹1-99›x ‹product› @ ‹price› each = ‹price›
)~"},
    {"number and time", 80, R"~(
‹1-31›.‹#2›.20‹#2›
20‹#2›-0‹1-9›-1‹#1›T1‹#1›:‹0-5›‹#1›:‹0-5›‹#1›.‹#3›Z
20‹#2›-0‹1-9›-1‹#1› 1‹#1›:‹0-5›‹#1›:00+02:00
‹1-12›/‹1-28›/20‹#2› ‹1-12›:‹0-5›‹#1› PM
‹1-31› ‹month› 20‹#2›
+‹1-99› ‹#3› ‹#3› ‹#4›
(‹#3›) ‹#3›-‹#4› ext. ‹#2›
0‹#3›/‹#6›-‹1-99›
tel:+1-‹#3›-555-‹#4›
‹price›
-‹1-999›.‹#2›
‹1-9›.‹#3›e-‹1-9›
‹1-9›,‹#3›,‹#3›
‹1-99›%
0x‹x8›
‹1-90›°‹1-59›'‹1-59›" N ‹1-179›°‹1-59›'‹1-59›" E
‹1-6›' ‹1-11›"
‹1-999›.‹#1› mm x ‹1-999› mm
±‹1-9›.‹#1› kg/m²
192.168.‹0-255›.‹0-255›
10.‹0-255›.0.0/16
2001:db8:‹x4›::‹x4›
‹1-9›.‹0-20›.‹0-20›-rc.‹1-9›+build.‹#4›
‹#13›
‹1-9› - ‹1-9› = ‹1-9›
‹1-9›*‹1-9›+(‹1-99›/‹1-9›)^2
x=‹1-9›; y=‹1-9›
a<b && b>c || c==‹1-9›
f(x) = ‹1-9›x² + ‹1-9›x - ‹1-9›
>= ‹1-99› and <= ‹100-999›
‹1-99› or more
1..‹1-99›
)~"},
    {"address of the net", 80, R"~(
‹first›.‹last›@‹domain›
‹first›+‹a5›@‹domain›
"‹first› ‹last›" <‹a6›@‹domain›>
https://‹domain›/‹a6›/‹a8›?id=‹#5›&ref=‹a4›#‹a5›
https://‹domain›/search?q=‹verb›+‹noun›&page=‹1-99›
http://‹domain›:80‹#2›/‹a5›/index.html
//‹domain›/img/‹a8›.png
/shop/‹a6›/‹a8›.html?sort=price&order=asc
../‹a6›/‹a7›.css
./img/‹a5›.png
mailto:‹a6›@‹domain›?subject=‹noun›
www.‹domain›/‹a5›_‹a5›;jsessionid=‹x32›
https://‹domain›/wiki/‹noun›_(‹noun›)
https://‹domain›/login?return=%2Faccount%2F‹a6›%3Ftab%3D‹1-9›
https://user-‹a4›.‹domain›/?utm_source=‹a6›&utm_medium=cpc&gclid=‹b30›
C:\Users\anna\My Documents\‹file›.‹ext›
\\server‹1-9›\share\‹file›.‹ext›
/home/‹a5›/Documents/‹file›.‹ext›
‹file›.‹ext›
‹file› - Copy (‹1-9›).‹ext›
magnet:?xt=urn:btih:‹x40›&dn=‹a8›
geo:‹1-89›.‹#4›,‹1-179›.‹#4›
urn:isbn:978‹#10›
android-app://com.example.‹a6›
)~"},
    {"token", 60, R"~(
‹u›
{‹u›}
‹x32›
‹x40›
‹x64›
‹b24›
‹b33›
‹b64›
sk_‹a4›_‹x24›
eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI‹#9›In0.‹x43›
GA1.2.‹#9›.‹#10›
_ga=GA1.1.‹#9›.‹#10›; _gid=GA1.2.‹#9›.‹#10›
fb.1.‹#13›.‹#10›
OptanonConsent=isGpcEnabled=0&datestamp=Mon+Jun+10+2024&version=202‹#3›.1.0&groups=C0001%3A1%2CC0002%3A0
__utmz=‹#9›.‹#10›.1.1.utmcsr=(direct)|utmccn=(direct)|utmcmd=(none)
s_cc=true; s_sq=%5B%5BB%5D%5D; AMCV_‹x24›%40AdobeOrg=MCMID|‹#38›|vVersion|5.‹0-5›.0
W/"‹x4›-‹x11›"
SKU-‹A3›-‹#5›/‹A1›
‹A2›‹#6›‹A1›
‹A4›-‹#4›-‹A4›-‹#4›
‹a5›_‹a6›_id[‹1-9›]
‹a5›.‹a6›.‹a4›
btn btn-‹a6› col-md-‹1-12› mt-‹1-5›
sha256-‹b32›
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA‹b90›
data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7
)~"},
    {"chat and Markdown", 70, R"~(
lol ‹emoji› ‹verb› it!!1
‹emoji› ‹emoji› ‹first› u there?
brb; ‹noun› & stuff ‹emoji›
> ‹first› wrote:↵> I'll ‹verb› it↵↵ok -- thx
**‹noun›** and _‹noun›_, see [‹noun›](https://‹domain›/‹a5›)
# ‹noun›↵↵- ‹verb›↵- ‹verb›↵1. `‹noun›`
| ‹noun› | ‹noun› |↵|---|---|↵| ‹1-9› | ‹1-9› |
```↵int ‹noun› = ‹1-9›;↵```
~~‹verb›~~ --> ‹verb›
![‹noun›](/img/‹a6›.png "‹noun›")
#‹noun› #‹verb›4life @‹a6›
-----↵‹first› ‹last›↵‹company› | ‹city›
TL;DR: ‹verb› the ‹noun›... or not ‹emoji›
‹verb› && ‹verb› || ‹verb› ‹emoji›
<‹first›> hi; <‹first›> hello
*‹verb›s the ‹noun›*
"‹noun›" != '‹noun›'
if (‹noun›) ‹verb›; else ‹verb› lol
P.S.: don't ‹verb›(!) the ‹noun›(s)
)~"},
    {"data", 80, R"~(
{"event":"click","t":‹#13›,"x":‹1-999›,"y":‹1-999›,"el":"div#‹a5› > a.‹a6›:nth-child(‹1-9›)"}
{"event":"error","msg":"TypeError: Cannot read properties of undefined (reading '‹a6›')","src":"https://‹domain›/js/app.‹x8›.js","line":‹1-99›,"col":‹#5›}
{"user":{"id":‹#6›,"name":"‹first› ‹last›","tags":["‹noun›","‹verb›"]},"ok":true}
[{"id":‹1-99›,"qty":‹1-9›},{"id":‹1-99›,"qty":‹1-9›}]
{"filter":{"price":{"min":‹1-99›,"max":‹100-999›}},"sort":["-price","name"],"select":["id","name"]}
query { ‹a5›(id: ‹1-99›) { id name ‹a6› { id } } }
query Get($id: ID!, $n: Int = 10) { node(id: $id) { ... on User { name friends(first: $n) { edges { node { id } } } } } }
mutation { update‹A1›‹a4›(input: {id: "‹#4›", title: "‹noun›"}) { ok } }
id,name,price↵‹1-9›,"‹product›",‹1-99›.‹#2›↵‹1-9›,'‹noun›',‹1-99›
"‹last›";"‹first›";"‹city›";"=‹1-9›+‹1-9›"
M‹1-99›.‹#1› ‹1-99›l‹1-9›-‹1-9›c0,‹1-9› ‹1-9›,‹1-9› ‹1-9›,0z m-‹1-9› ‹1-9›h‹1-9›v-‹1-9›H‹1-99›V‹1-99›Z
translate(‹1-99›,‹1-99›) rotate(-‹1-90›) scale(1.‹#1›)
rgba(‹0-255›, ‹0-255›, ‹0-255›, .‹#1›)
calc(100% - ‹1-99›px)
linear-gradient(to right, #‹x6› 0%, #‹x6› 100%)
matrix(1 0 0 1 ‹1-99› ‹1-99›)
20‹#2›-06-1‹#1› 1‹#1›:‹0-5›‹#1›:‹0-5›‹#1›,‹#3› ERROR [main] com.example.‹a6›.Service - Could not ‹verb› ‹noun› '‹a5›' (code=‹#3›)
127.0.0.1 - - [10/Jun/2024:1‹#1›:‹0-5›‹#1›:‹0-5›‹#1› +0000] "GET /‹a6› HTTP/1.1" 200 ‹#4› "-" "curl/7.8‹#1›.0"
Exception in thread "main" java.lang.NullPointerException↵⇥at com.example.‹a6›.Main.run(Main.java:‹1-99›)
Traceback (most recent call last):↵  File "app/‹a6›.py", line ‹1-99›, in <module>↵    ‹a4›.‹a5›()↵KeyError: '‹a5›'
Error: ‹noun› at Object.<anonymous> (/app/src/‹a5›.js:‹1-99›:‹1-99›)
<?xml version="1.0" encoding="UTF-8"?><order id="‹#5›"><item qty="‹1-9›">‹noun›</item></order>
‹a5›=‹#4›&‹a6›=‹a7›&_=‹#13›
‹browser›
‹a6›:‹#4›|c|@0.‹#1›
BEGIN:VCARD↵VERSION:3.0↵N:‹last›;‹first›↵TEL:+1‹#10›↵END:VCARD
width=device-width, initial-scale=1
max-age=‹#5›, must-revalidate; path=/; SameSite=Lax
attachment; filename="‹file›.‹ext›"
text/html;charset=utf-8;q=0.‹#1›
)~"},
    {"code", 60, R"~(
for (int i = 0; i < ‹1-99›; ++i) sum += ‹a5›[i];
def ‹a6›(‹a3›, ‹a4›=‹1-9›):↵    return ‹a3› + ‹1-9›
let ‹a5› = ‹a5›.map(x => x * ‹1-9›);
const { ‹a5›, ‹a6› } = props;
func (s *‹A1›‹a5›) Run(ctx context.Context) error { return nil }
fn ‹a6›(x: &str) -> Option<u‹1-9›> { None }
#include <vector>↵std::vector<int> ‹a5›;
.‹a6› > li:hover { color: #‹x6›; margin: 0 ‹1-9›px }
if (‹a5› == null || ‹a5›.length > ‹1-9›) return;
public class ‹A1›‹a6› extends ‹A1›‹a5› { }
‹a5›[‹1-9›] = '‹a4›';
// TODO(‹a5›): ‹verb› the ‹noun›
# ‹verb› the ‹noun› here
@media (max-width: ‹#3›px)
git commit -m "‹verb› ‹noun›"
npm i --save-dev ‹a6›@^‹1-9›.‹0-9›
‹a4›->‹a5› = &‹a4›;
int ‹a5› = (a > b) ? a : b;
=SUM(A‹1-9›:A‹10-99›)
=IF(B‹1-9›>0;"‹noun›";"")
/^[a-z0-9._-]{‹1-9›,}$/i
^(\d{‹1-9›})-(\w+)$
%d %s %.2f
‹a5›::‹a6›<‹a4›>
)~"},
};

}  // namespace

std::span<const ValueKind> kinds() { return kKinds; }

}  // namespace wafd::ordinary
