// Words: names, places, things, in many languages and scripts.
#include "tests/support/ordinary/ordinary_values.h"

namespace wafd::ordinary {
namespace {

constexpr List kLists[] = {
    {"first", R"~(
Anna
Seán
D'Arcy
M'hamed
Ge'ez
Zoë
François
Łukasz
İbrahim
Işıl
Jürgen
Þórdís
Søren
Ngọc
Mehmet
Yuki
Chloé
Siobhán
Tama'i
Null
Drop
Selecta
Order
Union
Li
O
Björk
João
Señor
Dominik
Aoife
Ca'Brea
Wen-Li
Jean-François
Mary Ann
)~"},
    {"last", R"~(
O'Brien
D'Angelo
O'Reilly-Smith
Dell'Orto
L'Hôpital
N'Diaye
McDonald
Null
True
Test
Select
Table
Where
Having
Like
Case
Cast
Union
Exec
Sleep
van der Berg
de la Cruz
Müller-Lüdenscheidt
Ó Súilleabháin
Żółć
Đặng
Çelik
Ağaoğlu
Grant
Grant's
Byte
Script
Onload
Cat
Ping
Curl
Bash
Nash
Ng
Passwd
Etcheverry
)~"},
    {"namecjk", R"~(
王小明
李娜
陈建国
山田太郎
佐藤花子
김민수
이영희
欧阳修
高橋・マリア
林黛玉
)~"},
    {"namert", R"~(
Иван Петров
Мария Сидорова
Анна-Мария Д'Артаньян
محمد عبد الله
فاطمة الزهراء
אברהם כהן
रमेश कुमार
सुनीता शर्मा
Γιώργος Παπαδόπουλος
สมชาย ใจดี
Олександр Об'єднаний
Ольга Дем'яненко
)~"},
    {"city", R"~(
London
Paris
São Paulo
L'Aquila
L'Haÿ-les-Roses
Villeneuve-d'Ascq
's-Hertogenbosch
's-Gravenhage
Coeur d'Alene
King's Lynn
Bishop's Stortford
Union City
Sleepy Hollow
Table Mountain
Drop City
Łódź
Kraków
İstanbul
Diyarbakır
北京市
東京都
서울특별시
Москва
القاهرة
मुंबई
Αθήνα
Kópavogur
Aix-en-Provence
Sant'Angelo
Reggio nell'Emilia
)~"},
    {"street", R"~(
Union Square
Select Street
St. John's Road
Rue de l'Église
Rue d'Alésia
Via dell'Indipendenza
Piazza Sant'Andrea
Straße des 17. Juni
Königsallee
Ulica Żeglarska
Calle O'Donnell
Rua 25 de Março
Drop Lane
Order Court
Table Bay Road
Atatürk Bulvarı
улица Ленина
شارع التحرير
महात्मा गांधी मार्ग
中关村大街
Sleepers Hill
Exec Park Drive
Server Road
King's Cross
Executive Blvd
)~"},
    {"company", R"~(
Drop Table Tennis Club
Select Committee
Johnson & Johnson
Procter & Gamble
AT&T
R&D
M&M's
H&M
Marks & Spencer; London
Ben & Jerry's
Toys "R" Us
Yahoo!
7-Eleven
Union Select Insurance
Union & Sons (2019) Ltd.
Where's Waldo? Books
Script & Seal
Bash & Sons
Cat & Fiddle
Order By Phone GmbH
Load File Systems, Inc.
Sleep (Beds) Ltd
Benchmark Capital
Update Set & Go
Insert Coin
Delete This Film
Group By Nature
Having Fun Ltd.
Exec Search & Partners
Null Island Travel
Shutdown Computing
Dörte's Café & Bäckerei
L'Oréal
Dunkin' Donuts
Domino's
)~"},
    {"product", R"~(
Men's running shoes
Women's 3/4 sleeve top
USB-C -> HDMI adapter
Kids' table & 2 chairs
Drop-leaf table
Union Jack flag 5' x 3'
Monitor 27" 4K
Monitor 27'' IPS
Tablet 10.1"
TV 55" (139 cm)
Nails 3/4" x 100
Screw M6*40
Torx T10/T15/T20 set
Select comfort mattress
Sleep mask
Insert for ring binder
Update kit
Script font pack
Cat food; dog food
Cat tree
Bash bar
Curl cream
Wax & hair curl
Echo dot
Kill-a-watt meter
Ping-pong balls
Head lamp
Less-salt soy sauce
More milk
Sort box
Touch screen pen
Find-it notebook
Type-C cable
Nice biscuits
Tail light
Who T-shirt
Date palm
Printf mug
Java beans 1kg
PHP elephant plush
Python snake toy
Perl earrings
Ruby ring
Node-less antenna
C# cheat sheet
)~"},
    {"colour", R"~(
red
blue/green
off-white
black & white
rosé
weiß
noir
青
schwarz
"Midnight"
'ecru'
#ff8800
)~"},
    {"noun", R"~(
table
order
union
index
view
user
column
group
script
alert
database
password
select committee
sleep
benchmark
char
case
system
shell
cat
head
tail
host
file
path
node
object
image
frame
body
style
event
load
error
mouse
click
)~"},
    {"verb", R"~(
select
insert
update
delete
drop
alter
create
union
grant
execute
exec
sleep
wait for
order
join
load
echo
kill
find
sort
touch
ping
curl
print
eval
alert
confirm
prompt
)~"},
    {"emoji", R"~(
😀
😂😂
❤️
<3
</3
:-)
;-)
:'(
>:(
^_^
¯\_(ツ)_/¯
(╯°□°)╯︵ ┻━┻
🇫🇷
👨‍👩‍👧‍👦
👍🏽
xD
:P
-_-;
o_O
)~"},
    {"domain", R"~(
example.com
shop.example
example.org
mail.example.net
münchen.example
intranet.example
cdn.example.com
sub.domain.example.co
)~"},
    {"file", R"~(
report
Rechnung März
Lebenslauf_O'Brien
photo (1)
IMG_‹#4›
2024-05-‹#2› minutes
résumé final FINAL v2
数据
данные
table.select
notes & ideas
invoice#‹#5›
50% off
a+b
C++ guide
.gitignore notes
~draft
[old] plan
{copy} budget
)~"},
    {"ext", R"~(
pdf
docx
xlsx
jpg
JPG
png
csv
txt
zip
tar.gz
mp4
odt
)~"},
    {"month", R"~(
Jan
Feb
März
avril
Mai
Juni
juillet
août
Sept.
октября
декабря
Aralık
)~"},
    {"price", R"~(
$‹1-999›.‹#2›
€‹1-99›,‹#2›
‹1-999› EUR
£‹1-9›,‹#3›.00
¥‹#4›
‹1-99›.‹#3›,‹#2› €
CHF ‹1-9›'‹#3›.—
₹‹1-9›,‹#2›,‹#3›
‹1-99› zł
)~"},
    {"browser", R"~(
Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/‹90-130›.0.‹#4›.‹#3› Safari/537.36
Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:‹90-130›.0) Gecko/20100101 Firefox/‹90-130›.0
Mozilla/5.0 (iPhone; CPU iPhone OS 17_‹0-6› like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.‹0-6› Mobile/15E148 Safari/604.1
Mozilla/5.0 (Linux; Android 1‹0-4›; SM-G99‹#1›B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/‹90-130›.0.‹#4›.‹#2› Mobile Safari/537.36 [FBAN/EMA;FBLC/de_DE;FBAV/‹#3›.0.0.12.‹#3›;]
Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)
Dalvik/2.1.0 (Linux; U; Android 1‹0-4›; Redmi Note ‹7-13› Build/RKQ1.‹#6›.002)
okhttp/4.‹0-12›.‹0-9›
Opera/9.80 (Windows NT 6.1; U; ru) Presto/2.10.289 Version/12.0‹0-9›
)~"},
};

}  // namespace

std::span<const List> word_lists() { return kLists; }

}  // namespace wafd::ordinary
