// Notes of people at work who have nothing to do with computers: what a nurse, a lawyer, a gardener or a knitter writes down, with the
// signs and short forms of the trade. `text` is plain; `html` and `md` are what editors make of such texts.
export const notes = [
  {
    trade: 'nurse',
    title: "Übergabe Zi. 12/2: Hr. O'Dwyer, 78 J.",
    text: 'RR 145/90 (re.) -> 138/85 (li.), HF 72, SpO2 96% @ 2 l O2; Temp. 37,4° (aur.)\nBZ: 8:00 = 112, 12:00 = 189!! / 18:00 = 134 mg/dl\nMed.: Ramipril 5 mg 1-0-1; Metoprolol 47,5 1-0-0; Pantozol 40 mg 0-0-1, b. Bed. Novalgin 500 max. 4x/d\nVW: Wunde 3x4 cm, Rand o.B.; <1 cm tief -- Foto in Akte. Pat. ist orientiert, isst & trinkt selbst. "Will nach Hause" (Tochter ruft an: 0171/555 01 23 ab 17h)',
  },
  {
    trade: 'lawyer',
    title: "Az. 12 O 345/26 – Müller ./. Dell'Acqua u.a.",
    text: 'Anspruch aus § 823 Abs. 1 i.V.m. § 249 S. 1 BGB; hilfsweise §§ 280 Abs. 1, 241 Abs. 2. Streitwert: 12.450,-- EUR zzgl. 5 %-Punkte ü.B. seit dem 03.02.2026.\nvgl. BGHZ 127, 378 (384 f.); a.A. OLG Köln, NJW-RR 2019, 1234 Rn. 17 ff. (str.)\n"Es wird beantragt, 1. die Bekl. zu verurteilen, an den Kl. ... zu zahlen; 2. festzustellen, dass ..." Frist: 14 Tage (§ 276 I 1 ZPO) // WV 18.11.',
  },
  {
    trade: 'solicitor',
    title: "Smith & Sons v O'Malley [2026] EWHC 1187 (Ch)",
    text: 'Where the tenant "or any person deriving title under him" has, or had, an interest in the property, the landlord may (a) forfeit; or (b) select such other remedy as he thinks fit, from those set out in Sch. 2, para 4(1)(b)-(d).\nCf. s.146(1) LPA 1925; CPR r.55.3(2). Counsel\'s fee: £1,250 + VAT @ 20% = £1,500. NB: don\'t serve before 1 Dec -- notice must be "in writing" and delete words in brackets where not applicable*.\n*[the Tenant/the Guarantor] /s/ J.O\'M.',
  },
  {
    trade: 'accountant',
    title: 'Buchungen Nov. 2026; Skonto & Rückstellungen',
    text: '1200 an 8400/1776: 1.190,00 (19 %)\n4930; 1576 an 1600 -> 59,50 brutto = 50,00 + 9,50\nAfA linear: (24.000 - 1) / 6 = 3.999,83 p.a.; GWG < 800 netto sofort\n=SUMME(B2:B14)*1,19 ; =WENN(C5>0;"S";"H") ; =SVERWEIS(A2;Konten!$A$2:$D$99;3;FALSCH)\nIBAN DE02 1203 0000 0000 2020 51, BIC BYLADEM1001; Ust-IdNr. DE123456789; Rg.-Nr. #2026-0815/A; offen: -1.204,50 (!!)',
  },
  {
    trade: 'gardener',
    title: "Plan de rotation : potager de l'école (4 carrés de 1,20 x 1,20 m)",
    text: "Carré n°1 : tomates 'Cœur de Bœuf' + basilic ; n°2 : pois/fèves -> poireaux (après le 15/07)\nEngrais N-P-K 5-8-10, 40 g/m² ; pH 6,5 < x < 7. Paillage : 8 à 10 cm.\nJ'ai semé les carottes 'Nantaise' à 1 cm, éclaircies à 3-4 cm ; d'après M. L'Hermitte c'est \"trop serré\" !\nArrosage : ma/je/sa, 10' par carré (vanne n° 3, ouverte à 1/2).",
  },
  {
    trade: 'knitter',
    title: 'Ärmel, Gr. 38/40 (42) -- Muster B',
    text: 'R1: *2 re, 2 li; ab * wdh. bis Ende.\nR2: RM, 1 re, [1 U, 2 re zus.] x 12, 1 re. (= 26 M)\nRow 3: k1, *yo, k2tog; rep from * to last st, k1. Row 5: p1; (k3, p1) 6 times; sl 1 -- turn.\n4" = 22 sts x 30 rows on US 7 (4.5 mm); needle #2: 60 (64, 70) sts. "Repeat from ** until piece is 16 1/2"".',
  },
  {
    trade: 'chess club',
    title: 'Runde 4, Brett 2: Żurek – Nguyễn 1/2:1/2',
    text: '1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. La4 Sf6 5. O-O Sxe4!? 6. d4 b5 7. Lb3 d5 8. dxe5 Le6 +/= (Offener Spanier)\n[Event "Vereinsmeisterschaft"] [Site "?"] [Date "2026.11.18"] [White "Żurek, Paweł"] [Result "1/2-1/2"]\n23... Dxd4?? 24. Txe8# -- {hier hatte ich den Turm übersehen} $6 (24... Kf8 25. De7+ -+)\nr1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3',
  },
  {
    trade: 'chemist',
    title: 'Synthese ASS: Ansatz 3 (Ausbeute 82 %)',
    text: '2 C7H6O3 + (CH3CO)2O --[H+, 60 °C]--> C9H8O4 + CH3COOH; ΔH < 0\nSMILES: CC(=O)OC1=CC=CC=C1C(=O)O ; CN1C=NC2=C1C(=O)N(C(=O)N2C)C ; [Na+].[Cl-]\nInChI=1S/C9H8O4/c1-6(10)13-8-5-3-2-4-7(8)9(11)12/h2-5H,1H3,(H,11,12)\nH302, H315, H319; P305+P351+P338. pKs = 3,5; Smp. 136 °C; Rf 0,45 (EtOAc/Hex 1:1).',
  },
  {
    trade: 'musician',
    title: 'Proben für den 1. Advent: Sopran & Alt',
    text: "[Am]Es ist ein [G]Ros' ent-[C]sprungen | [F]aus [G]einer [Am]Wurzel [E]zart ||\nX:1\nT:O'Carolan's Concerto\nM:4/4\nL:1/8\nK:D\n|:A2|d2 cd BdAF|G2 BG E2 A>G|F2 DF A2 (3efg|1 f2 ed d2:|2 f2 ed d4||\nTakt 17-24: p < mf > p, \"dolce\"; T. 33 ff. attacca! Alt: statt fis' -> gis' (Druckfehler)",
  },
  {
    trade: 'carpenter',
    title: "Kitchen for Mrs. D'Arcy: cut list rev. 3",
    text: '2 @ 23-5/8" x 30 1/4" (sides) | 1 @ 22 1/8" x 11 3/4" (top; grain ->) | 4 @ 2x4x8\'\nStud spacing 16" o.c.; ceiling 8\'2", door 6\'8" x 2\'6"; slope 1:12 (= 8.33%).\nOak 3/4" ply: $89.90/sheet * 3 = $269.70 + 7% = $288.58. Drawer slides 18" (full ext.), screws #8 x 1-1/4".\nDon\'t glue the back -- it\'s got to come off where the pipe runs; "leave 1/8 gap".',
  },
  {
    trade: 'geneticist',
    title: 'Primer & Varianten, Familie 12 (BRCA1)',
    text: "fwd 5'-ATGGATTTATCTGCTCTTCGC-3', rev 5'-GGTTGTATCCGCTGCTTTGT-3'; Tm 58,4/59,1 °C\nNM_007294.4:c.68_69delAG (p.Glu23fs), c.5266dupC; rs80357906 (het.); chr17:g.43057062_43057063insG\n>seq1 Homo sapiens\nATGGATTTATCTGCTCTTCGCGTTGAAGAAGTACAAAATGTCATTAATGCTATGCAGAAAATCTTAGAGTGTCCCATCTGTCTGGAGTTGATC\n46,XX,t(9;22)(q34;q11.2) ; p < 0.001 (n = 41, 95% CI [1.2; 3.4])",
  },
  {
    trade: 'pastor',
    title: 'Kazanie na niedzielę: Łk 15,11-32 („syn marnotrawny”)',
    text: '„Był pewien człowiek, który miał dwóch synów” (Łk 15,11; por. Mt 21,28; Iz 1,18).\nPieśni: nr 123 (1-3), 77, 401/2; modlitwa: Ps 51[50],3-6a.12-13. Ogłoszenia: 1) zbiórka -- nd. 24.11., 2) próba chóru: śr. 19:30; 3) remont dachu: 12.500 zł / 30.000 zł (= 41,7 %).\nP. Kowalski pyta: czy św. Andrzeja 30.11. czy 1.12.?',
  },
  {
    trade: 'navigator',
    title: 'Logbuch Törn 14: Dún Laoghaire -> Holyhead',
    text: "06:15 ab 53°18'05\"N 006°07'58\"W, Kurs rw 095°, Wind SW 4-5 Bft., See 1,5 m; QNH 1013\n08:40 53°17.9'N / 5°41.2'W; FüG 6,2 kn, 15 sm; 0,5 Kn Strom -> BS +7°\nWegpunkte: WP3 = 53 18.1N;005 12.4W ; \"South Stack\" Fl. 10s 60m 24M. Funk: Ch 16 / 67, MMSI 211 234 567\nMotor 2h 10', Diesel 38 l (<1/4!), Crew: O'Neill, Jörg, Anaïs",
  },
  {
    trade: 'teacher',
    title: 'Klasse 7b – Arbeit Nr. 2 (Brüche & Prozente)',
    text: "1a) 3/4 + 1/6 = 11/12  b) 2 1/2 : 5/8 = 4  c) x - 7 = 12 => x = 19\n2) Ein Pulli kostet 40 €. 15 % Rabatt; wie viel zahlt man? (3 P.)\n3*) |x| < 5 und x ∈ ℤ: {-4; -3; ...; 4}. f(x) = -2x² + 3; f(-1) = 1\nNoten: 1: 3x, 2: 7x, 3: 8x, 4: 4x, 5: 2x, 6: --; Ø 2,79. Nachschreiben: Ayşe, Seán O'B. (entsch.)",
  },
  {
    trade: 'editor of crosswords',
    title: 'Crossword 1,187: clues & answers',
    text: '1 Across: Union of two, or one\'s better half (6) -- SPOUSE. 9: Select few from the list, drop the end (5): ELITE\n14 Down: "Where\'s the table?" order by the French (4,2,5). 17: Update insert, delete all but the last (3)\n22: Sleep! (5) 23: Execute a turn? Alter character set (8)\nSetter\'s note: 14D can\'t have "having" in it; see 3A. Grid 15x15, 38 words, <1/6 black.',
  },
  {
    trade: 'bicycle shop',
    title: '修理メモ：田中様 クロスバイク(700x28C)',
    text: '・前ブレーキ：シュー交換 ¥1,200×2＝¥2,400（税込10%）\n・変速：8段 11-32T；ワイヤー<伸び>あり → 調整\n・「来週の土曜、午後3時～」に引取り。TEL 090-1234-5678（留守電OK）\n※見積り：部品 ¥3,800 + 工賃 ¥2,500 = ¥6,300。。。お客様は「高い！」とのこと(^_^;)',
  },
  {
    trade: 'archivist',
    title: 'Findbuch, Bestand 7: Urkunden 1387–1612',
    text: 'Nr. 14: [1]412 Febr. 3, "Johannes dictus Grawe ... vendidit" (Or. Perg., 1 S. fehlt; dorsal: >Lit. C n° 7<)\nNr. 15: o. D. [vor 1420]; Abschr. 17. Jh., fol. 12r-13v; Regest: ebd. S. 44 Anm. 3; s. a. StA Mz. 12/345, Bl. 7 ff.\nLagerung: R 3 / Reg. 12 / F. 4 -- nicht > 18 °C, 45-55 % rF. Benutzung nur lt. § 6 (2) BenO; Kopie: 0,50 €/S.',
  },
  {
    trade: 'vet',
    title: "Luna (Hündin, 4 J., 23,5 kg) -- D'Angelo",
    text: 'Anamn.: seit 2 d Durchfall, frisst n. (nur Wasser), T 39,6! Abdomen dolent ++, Schleimhäute o.b.B., KFZ < 2 s\nTh.: Metro 15 mg/kg 2x tgl. x 5 d; Diät (Huhn/Reis 1:2), NaCl 0,9% 500 ml s.c.; Kontrolle Fr. 8:40\nChip 276 0987 6543 2101; Impf.: SHPPi+L4 11/25, T 10/24 -> fällig! GOT 2-fach. Rg. 148,60 (bar)',
  },
];

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
for (const note of notes) {
  const lines = note.text.split('\n');
  note.html = `<h2>${escape(note.title)}</h2>${lines.map((line, at) => (at % 2 ? `<p>${escape(line)}</p>` : `<p><strong>${escape(line.slice(0, 12))}</strong>${escape(line.slice(12))}</p>`)).join('\n')}`;
  note.md = `## ${note.title}\n\n${lines.map((line) => `- ${line}`).join('\n')}\n\n> *${note.trade}*, 18.11.2026\n`;
}

// What such people type into a search box.
export const lookups = [
  "O'Dwyer Zi. 12",
  'RR > 140',
  '§ 823 Abs. 1 BGB',
  'Art. 6 (1) lit. f',
  '1200 an 8400',
  '4" x 8\'',
  '53°18\'05"N',
  'K+ < 3,5',
  'CC(=O)O',
  '1. e4 e5; 2. Nf3',
  'k2tog; yo',
  'c.68_69delAG',
  'Ps 51(50)',
  'n° 3 OR n° 4',
  'R&D -tax',
  '"dolce" T. 17-24',
  'SHPPi+L4',
  '田中様 ¥6,300',
  "l'arrosage",
  'Łk 15,11-32',
  'union of two (6)',
  'drop leaf table',
  'select oak 3/4"',
  'order by 1 Dec',
  '50% off; or 2 for 1',
  'fol. 12r-13v',
  'x = 1 or x = -1',
  "rock'n'roll & 60s",
  '<1 cm',
  'insert into slot B',
];
