// The documentation that the page links to, made of the READMEs beside the code: it is served by the console itself, so that it can be
// read where there is no internet. As much of Markdown as they use: headings, paragraphs, lists, tables, code, emphasis, links.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

// Name below /docs/, and the file.
export const documents = {
  query: 'forward/query/README.md',
  sites: 'detect/policy/README.md',
  rules: 'detect/signatures/rules/README.md',
  syslog: 'forward/target/README.md',
  formats: 'forward/format/FORMATS.md',
  record: 'detect/core/RECORD.md',
  notifications: 'forward/notify/README.md',
  accounts: 'console/credentials/README.md',
  'sign-in': 'console/oidc/README.md',
  api: 'console/README.md',
  settings: 'console/settings/README.md',
  'settings-members': 'console/settings/SETTINGS.md',
  gateways: 'packaging/gateways/README.md',
};

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

// Links lead to other documents of the list alone: to everything else there may be no way.
function link(text, target, file) {
  const [place, part] = target.split('#');
  const path = normalize(join(dirname(file), place));
  const name = Object.keys(documents).find((one) => documents[one] === path || documents[one] === join(path, 'README.md'));
  return name ? `<a href="/docs/${name}${part ? `#${part}` : ''}">${text}</a>` : text;
}

function inline(text, file) {
  return text.split(/(`[^`]+`)/).map((piece) => {
    if (/^`[^`]+`$/.test(piece)) return `<code>${escape(piece.slice(1, -1))}</code>`;
    return escape(piece).replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>').replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, label, target) => link(label, target, file));
  }).join('').replace(/\[<code>(.*?)<\/code>\]\(([^)\s]+)\)/g, (_, label, target) => link(`<code>${label}</code>`, target, file));
}

const cells = (line) => line.replace(/^\||\|$/g, '').split(/(?<!\\)\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/).map((cell) => cell.trim().replace(/\\\|/g, '|'));

export function html_of(text, file) {
  const lines = text.split('\n');
  const out = [];
  let at = 0;
  const run = (test) => {
    const from = at;
    while (at < lines.length && test(lines[at])) ++at;
    return lines.slice(from, at);
  };
  const item = /^(?:- |\d+\. )/;
  const plain = (line) => line.trim() !== '' && !/^(?:#|```|\||- |\d+\. )/.test(line);
  while (at < lines.length) {
    const line = lines[at];
    const heading = /^(#{1,4}) (.*)$/.exec(line);
    if (heading) {
      const id = heading[2].toLowerCase().replace(/[^\p{L}\d -]/gu, '').replace(/ /g, '-');
      out.push(`<h${heading[1].length} id="${id}">${inline(heading[2], file)}</h${heading[1].length}>`);
      ++at;
    } else if (line.startsWith('```')) {
      ++at;
      const code = run((one) => !one.startsWith('```'));
      ++at;
      out.push(`<pre tabindex="0"><code>${escape(code.join('\n'))}</code></pre>`);
    } else if (line.startsWith('|')) {
      const [head, , ...rows] = run((one) => one.startsWith('|')).map(cells);
      const row = (tag, list) => `<tr>${list.map((cell) => `<${tag}>${inline(cell, file)}</${tag}>`).join('')}</tr>`;
      out.push(`<div class="table" tabindex="0"><table><thead>${row('th', head)}</thead><tbody>${rows.map((one) => row('td', one)).join('')}</tbody></table></div>`);
    } else if (item.test(line)) {
      const kind = line.startsWith('- ') ? 'ul' : 'ol';
      const items = [];
      for (const one of run((l) => item.test(l) || /^ {2,}\S/.test(l))) {
        if (item.test(one)) items.push(one.replace(item, ''));
        else items[items.length - 1] += ` ${one.trim()}`;
      }
      out.push(`<${kind}>${items.map((one) => `<li>${inline(one, file)}</li>`).join('')}</${kind}>`);
    } else if (plain(line)) {
      out.push(`<p>${inline(run(plain).join(' '), file)}</p>`);
    } else {
      ++at;
    }
  }
  return out.join('\n');
}

// Name and page of each; `css`: the path of their style sheet.
export function make_documents(root, css, icon) {
  const titles = Object.fromEntries(Object.entries(documents).map(([name, file]) => [name, /^# (.*)$/m.exec(readFileSync(join(root, file), 'utf8'))[1].replace(/`/g, '')]));
  return Object.entries(documents).map(([name, file]) => {
    const nav = Object.keys(documents).map((one) => `<a href="/docs/${one}"${one === name ? ' aria-current="page"' : ''}>${escape(titles[one])}</a>`).join('');
    const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${escape(titles[name])} · wafd</title>
<link rel="icon" type="image/svg+xml" href="${icon}">
<link rel="stylesheet" href="${css}">
</head>
<body>
<nav aria-label="Documents"><a class="home" href="/">wafd</a>${nav}</nav>
<main>
${html_of(readFileSync(join(root, file), 'utf8'), file)}
</main>
</body>
</html>
`;
    return [name, text];
  });
}
