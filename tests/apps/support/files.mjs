// Files that people upload, made on this machine: pictures and a PDF by Chromium, office documents as archives of XML, source files.
import fs from 'node:fs';
import path from 'node:path';

import { openBrowser } from '../../e2e/support/browser.mjs';
import { run } from '../../e2e/support/processes.mjs';
import { people, posts } from './texts.mjs';

const svg = `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="96" height="96" viewBox="0 0 96 96"><title>Plum</title>
<style type="text/css"><![CDATA[ .a{fill:#6b2d8b;stroke:none} .b{fill:url(#g)} ]]></style><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>
<path class="a" d="M48 8c22 0 36 18 36 40S66 90 48 90 12 70 12 48 26 8 48 8z"/><use xlink:href="#p" x="4" y="4"/><text x="10" y="90">d'été</text></svg>\n`;

const officeXml = (body) => `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${body}`;
const contentTypes = (part, type) =>
  officeXml(
    `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${part}" ContentType="application/vnd.openxmlformats-officedocument.${type}"/></Types>`,
  );
const relations = (part) =>
  officeXml(
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="${part}"/></Relationships>`,
  );
const plainText = (html) => html.replace(/<[^>]*>/g, ' ').replace(/&[a-z]+;/g, ' ');

async function archive(to, folder, parts) {
  for (const [name, text] of Object.entries(parts)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const tops = [...new Set(Object.keys(parts).map((name) => name.split('/')[0]))];
  const made = await run('/usr/bin/python3', ['-m', 'zipfile', '-c', to, ...tops], { cwd: folder });
  if (made.code !== 0) throw new Error(`zip: ${made.stderr}`);
  return to;
}

// Makes them in `folder`; gives paths by kind.
export async function makeFiles(folder) {
  const file = (name, content) => {
    fs.writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const browser = await openBrowser();
  await browser.page.setContent(`<h1>${posts[0].title}</h1>${posts.map((post) => post.html).join('<hr>')}`);
  const pictures = {
    png: file("Grandma's cake (1).png", await browser.page.screenshot({ type: 'png' })),
    jpeg: file('IMG_20261118_0815~2.jpg', await browser.page.screenshot({ type: 'jpeg', quality: 70 })),
  };
  const pdf = file('Angebot Nr. 12-2026 #3; Müller & Söhne.pdf', await browser.page.pdf({ format: 'A4' }));
  await browser.close();
  const paragraphs = posts
    .map((post) => `<w:p><w:r><w:t xml:space="preserve">${plainText(post.html).replace(/[<>&]/g, '')}</w:t></w:r></w:p>`)
    .join('');
  const docx = await archive(path.join(folder, "Brief an O'Connor.docx"), fs.mkdtempSync(path.join(folder, 'd-')), {
    '[Content_Types].xml': contentTypes('word/document.xml', 'wordprocessingml.document.main+xml'),
    '_rels/.rels': relations('word/document.xml'),
    'word/document.xml': officeXml(
      `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraphs}</w:body></w:document>`,
    ),
  });
  const rows = people
    .map(
      (one, at) =>
        `<row r="${at + 1}"><c t="inlineStr"><is><t>${one.name.replace(/[<>&]/g, '')}</t></is></c><c><f>SUM(B1:B${at + 1})*1.19</f><v>${at * 119}</v></c></row>`,
    )
    .join('');
  const xlsx = await archive(path.join(folder, 'Umsatz 2026 (Entwurf).xlsx'), fs.mkdtempSync(path.join(folder, 'x-')), {
    '[Content_Types].xml': contentTypes('xl/workbook.xml', 'spreadsheetml.sheet.main+xml'),
    '_rels/.rels': relations('xl/workbook.xml'),
    'xl/workbook.xml': officeXml(
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Q4" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ),
    'xl/worksheets/sheet1.xml': officeXml(
      `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${rows}</sheetData></worksheet>`,
    ),
  });
  const python = file(
    'resize.py',
    `#!/usr/bin/env python3\nimport os, sys, subprocess\n\ndef main(folder):\n    for name in sorted(os.listdir(folder)):\n        if name.endswith('.jpg') and not name.startswith('.'):\n            subprocess.run(['convert', name, '-resize', '50%', 'small/' + name], check=True)\n\nif __name__ == '__main__':\n    main(sys.argv[1] if len(sys.argv) > 1 else '.')\n`,
  );
  const csv = file(
    'members.csv',
    `Name;E-Mail;Phone;City\n${people.map((one) => `"${one.name.replaceAll('"', '""')}";${one.mail};${one.phone};${one.city}`).join('\n')}\n`,
  );
  const zip = await archive(path.join(folder, 'backup-2026-11-18.zip'), fs.mkdtempSync(path.join(folder, 'z-')), {
    'notes/read me.txt': plainText(posts[4].html),
    'src/resize.py': fs.readFileSync(python),
    'src/.env.example': 'DB_PASSWORD="change me"\nURL=http://localhost:8080/\n',
    'cake.png': fs.readFileSync(pictures.png),
  });
  return {
    ...pictures,
    pdf,
    docx,
    xlsx,
    zip,
    svg: file('plum.svg', svg),
    python,
    csv,
    text: file('Notiz – nicht löschen!.txt', posts.map((post) => plainText(post.html)).join('\n\n')),
    html: file(
      'newsletter.html',
      `<!DOCTYPE html><html><head><meta charset="utf-8"><title>News</title><style>body{font:14px/1.5 sans-serif}</style><script src="https://cdn.example/jquery-3.7.1.min.js"></script></head><body onload="init()">${posts[4].html}<script>function init(){document.getElementById('y').textContent=new Date().getFullYear();}</script><span id="y"></span></body></html>`,
    ),
  };
}
