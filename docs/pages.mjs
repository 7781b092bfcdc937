// The text of configuration.md and of metrics.md, from what the program prints.
const head = (title, how) => `# ${title}\n\nMade by \`node docs/make.mjs\` ${how}; changes here are lost.\n\n`;
const cell = (text) => text.replace(/\|/g, '\\|');

// From what `wafd config defaults` prints: JSON with a comment above each key.
export function configuration_page(defaults) {
  const rows = [];
  const groups = [];
  let meaning = [];
  for (const line of defaults.split('\n')) {
    const text = line.trim();
    const key = /^"([^"]+)": (.*?),?$/.exec(text);
    if (text.startsWith('//')) meaning.push(text.slice(2).trim());
    else if (key?.[2] === '{') groups.push(key[1]);
    else if (key) {
      rows.push(`| \`${[...groups, key[1]].join('.')}\` | \`${cell(key[2])}\` | ${cell(meaning.join(' '))} |`);
      meaning = [];
    } else if (text.startsWith('}')) groups.pop();
  }
  return `${head('Keys of the configuration', 'from what `wafd config defaults` prints')}| key | default | what it means |\n|---|---|---|\n${rows.join('\n')}\n`;
}

// From what GET /metrics answers: HELP and TYPE of each, with the labels that its lines have.
export function metrics_page(exposition) {
  const metrics = new Map();
  for (const line of exposition.split('\n')) {
    const about = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line);
    if (about) metrics.set(about[2], { ...metrics.get(about[2]), [about[1]]: about[3] });
  }
  const rows = [...metrics].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, { HELP = '', TYPE = '' }]) => `| \`${name}\` | ${TYPE} | ${cell(HELP)} |`);
  return `${head('Metrics', 'from what `GET /metrics` of a node answers')}| metric | type | what it counts |\n|---|---|---|\n${rows.join('\n')}\n`;
}
