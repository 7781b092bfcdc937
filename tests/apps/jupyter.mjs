// Jupyter Notebook of Debian: notebooks of analyses written, saved, renamed, copied and searched, files, by its page in Chromium and its interface.
import { makeFiles } from './support/files.mjs';
import * as technicalTexts from './support/technical.mjs';
import { comments, markdown, people, posts, searches } from './support/texts.mjs';

export const title = 'Jupyter Notebook';

export async function prepare(stage) {
  stage.folder = stage.temp('notebooks');
  stage.files = await makeFiles(stage.temp('files'));
}
export async function start(stage) {
  const options = [
    '--no-browser',
    '--allow-root',
    '--ip=127.0.0.1',
    `--port=${stage.appPort}`,
    `--notebook-dir=${stage.folder}`,
    '--NotebookApp.token=',
    '--NotebookApp.password=',
    '--NotebookApp.allow_remote_access=True',
    '--NotebookApp.disable_check_xsrf=True',
    '--NotebookApp.terminals_enabled=False',
  ];
  stage.run('jupyter-notebook', options, { env: stage.env, cwd: stage.folder, detached: true });
  await stage.answers('/tree');
}

// Cells of somebody who looks at figures.
const analyses = [
  `%matplotlib inline\nimport pandas as pd\nimport numpy as np\nimport matplotlib.pyplot as plt\nfrom pathlib import Path\n\npd.set_option('display.max_rows', 20)\ndata = Path('data')`,
  `df = pd.read_csv(data / 'orders.csv', sep=';', parse_dates=['created'], dtype={'zip': str})\ndf = df[(df.price > 0) & (df.country.isin(['DE', 'FR'])) | df.name.str.contains("O'")]\ndf.groupby(['country', df.created.dt.month])['price'].agg(['sum', 'mean', 'count']).sort_values('sum', ascending=False).head(10)`,
  `def clean(text: str) -> str:\n    """Takes spaces and tags out of a text."""\n    import re\n    text = re.sub(r'<[^>]+>', ' ', text)\n    return re.sub(r'\\s{2,}', ' ', text).strip().lower()\n\ndf['note'] = df['note'].fillna('').map(clean)\nprint(f"{len(df)} rows, {df.note.str.len().max()} letters")`,
  `fig, ax = plt.subplots(1, 2, figsize=(12, 4))\nax[0].hist(df.price, bins=40, color='#6b2d8b')\nax[1].scatter(df.age, df.price, s=4, alpha=.5)\nfor a in ax: a.set_xlabel("price in €"); a.grid(True)\nfig.savefig('out/prices.png', dpi=150)`,
  `import requests\nanswer = requests.get('https://api.weather.example/v1/forecast', params={'lat': 50.9, 'lon': 6.9, 'hourly': 'temp,rain'}, timeout=10)\nanswer.raise_for_status()\nrows = [(hour['time'], hour['temp']) for hour in answer.json()['hourly'] if hour['temp'] is not None]`,
  `from sqlalchemy import create_engine\nengine = create_engine('sqlite:///data/shop.db')\norders = pd.read_sql("SELECT id, name, price FROM orders WHERE created >= '2026-01-01' ORDER BY price DESC LIMIT 100", engine)\norders.merge(df, on='id', how='left', suffixes=('', '_old'))`,
  `!pip install -q pandas matplotlib\n!ls -la data/*.csv | head -3\n!wc -l data/orders.csv`,
  `import os, json\nfrom collections import Counter\nhome = os.environ.get('HOME', '/tmp')\nwith open(os.path.join(home, 'config.json')) as file:\n    config = json.load(file)\nCounter(word for line in open('notes.txt') for word in line.split()).most_common(5)`,
  `model = Pipeline([('scale', StandardScaler()), ('tree', RandomForestClassifier(n_estimators=200, max_depth=None))])\nx_train, x_test, y_train, y_test = train_test_split(x, y, test_size=.2, random_state=42)\nmodel.fit(x_train, y_train)\nassert model.score(x_test, y_test) > 0.8, "it's worse than before"`,
  `class Tree:\n    def __init__(self, left=None, right=None):\n        self.__dict__.update(left=left, right=right)\n    def __repr__(self):\n        return '{}({!r}, {!r})'.format(self.__class__.__name__, self.left, self.right)\n\nmax((getattr(one, 'depth', 0) for one in trees), default=None); eval('1 + 1')`,
];
const cell = (kind, source, outputs = []) => ({
  cell_type: kind,
  metadata: {},
  source,
  ...(kind === 'code' ? { execution_count: 1, outputs, metadata: { trusted: true } } : {}),
});
const notebook = (cells) => ({
  metadata: {
    kernelspec: { name: 'python3', display_name: 'Python 3', language: 'python' },
    language_info: { name: 'python', file_extension: '.py', mimetype: 'text/x-python', pygments_lexer: 'ipython3' },
  },
  nbformat: 4,
  nbformat_minor: 5,
  cells,
});
const stream = (text) => [{ output_type: 'stream', name: 'stdout', text }];
const table = [
  {
    output_type: 'execute_result',
    execution_count: 1,
    metadata: {},
    data: {
      'text/html':
        '<div>\n<style scoped>\n  .dataframe tbody tr th { vertical-align: top; }\n</style>\n<table border="1" class="dataframe">\n<tr style="text-align: right;"><th></th><th>sum</th></tr>\n<tr><th>O\'Neil &amp; Söhne</th><td>1.5</td></tr>\n</table>\n</div>',
      'text/plain': '   sum\n0  1.5',
    },
  },
];
const failure = [
  {
    output_type: 'error',
    ename: 'KeyError',
    evalue: "'price'",
    traceback: [
      '\u001b[0;31mKeyError\u001b[0m  Traceback (most recent call last)',
      '\u001b[0;32m/usr/lib/python3/dist-packages/pandas/core/frame.py\u001b[0m in __getitem__(self, key)',
      "KeyError: 'price'",
    ],
  },
];

async function write(stage, { posts, comments, markdown }) {
  const save = (name, content) =>
    stage.sendJson('PUT', `/api/contents/${encodeURIComponent(`${stage.part} ${name}`)}.ipynb`, { type: 'notebook', content });
  const mixed = [...markdown, ...posts.map((post) => post.html)];
  for (const [at, text] of mixed.entries())
    await save(
      posts[at % posts.length].title.replaceAll('/', ' '),
      notebook([
        cell('markdown', text),
        cell('code', analyses[at % analyses.length], [stream(comments[at % comments.length]), table, failure][at % 3]),
      ]),
    );
  for (const [at, text] of comments.entries())
    await stage.sendJson('PUT', `/api/contents/${stage.part}-${at}.txt`, { type: 'file', format: 'text', content: text, mimetype: 'text/plain' });
}

export async function drive(stage) {
  for (const [at, text] of analyses.entries()) {
    await stage.sendJson('PUT', `/api/contents/analysis-${at}.ipynb`, {
      type: 'notebook',
      content: notebook([cell('code', text, stream('done\n'))]),
    });
    await stage.sendJson('PUT', `/api/contents/analysis-${at}.py`, { type: 'file', format: 'text', content: text.replace(/^[!%].*$/gm, '') });
    await stage.sendJson('POST', `/api/contents/analysis-${at}.ipynb/checkpoints`, {});
  }
  await write(stage, { posts, comments, markdown });
  for (const one of people) {
    await stage.sendJson('POST', '/api/contents/', { type: 'directory' });
    await stage.sendJson('PUT', `/api/contents/${encodeURIComponent(one.name.replaceAll('/', ' '))}`, { type: 'directory' });
    await stage.sendJson('POST', `/api/contents/${encodeURIComponent(one.name)}`, { copy_from: '/analysis-1.ipynb' });
    await stage.sendJson('PATCH', `/api/contents/${encodeURIComponent(one.name)}/analysis-1-Copy1.ipynb`, {
      path: `${one.name}/${one.city.replaceAll('/', ' ')}.ipynb`,
    });
    await stage.send('GET', `/tree/${encodeURIComponent(one.name)}?sort=last-modified`);
  }
  const page = await stage.page();
  await stage.go(page, '/tree');
  for (const kind of ['png', 'csv', 'text', 'python', 'zip', 'pdf', 'xlsx'])
    await stage.step(`upload ${kind}`, async () => {
      await page.locator('input.fileinput').first().setInputFiles([stage.files[kind]]);
      await page.locator('.upload_button').first().click();
      await page.waitForTimeout(700);
    });
  for (const [at, text] of analyses.entries())
    await stage.step(`write in a notebook ${at}`, async () => {
      await page.goto(`${stage.url}/notebooks/analysis-${at}.ipynb`);
      await page.waitForFunction(() => window.Jupyter?.notebook?.get_cells?.().length);
      await page.evaluate(
        async ([text, note, name]) => {
          const { notebook } = window.Jupyter;
          notebook.insert_cell_below('markdown').set_text(note);
          notebook.insert_cell_below('code').set_text(text);
          await notebook.save_notebook();
          await notebook.rename(`${name}.ipynb`);
          await notebook.save_checkpoint();
        },
        [text, comments[at % comments.length], posts[at].title.replace(/[/\\:]/g, ' ')],
      );
      await page.waitForTimeout(1000);
    });
  for (const where of [
    '/tree#running',
    '/edit/analysis-1.py',
    '/view/analysis-2.py',
    '/nbconvert/html/analysis-3.ipynb?download=true',
    '/api/status',
    '/api/kernelspecs',
    '/api/config/notebook',
    '/nbextensions',
    ...searches.slice(0, 6).map((text) => `/tree/${encodeURIComponent(text)}`),
  ])
    await stage.send('GET', where);
  await stage.sendJson('PATCH', '/api/config/notebook', {
    load_extensions: { 'codefolding/main': true },
    CodeCell: { cm_config: { extraKeys: { 'Ctrl-/': 'toggleComment' } } },
  });
}

export async function driveTechnical(stage) {
  await write(stage, technicalTexts);
}
