// Bundles tests/console/web/*.test.ts and runs them with Node's own test runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { loader } from './loader.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '../../tests/console/web');
const tests = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
if (tests.length === 0) throw new Error(`no tests in ${folder}`);

const out = mkdtempSync(join(tmpdir(), 'wafd-web-test-'));
try {
  await build({
    entryPoints: tests.map((name) => join(folder, name)),
    bundle: true,
    outdir: out,
    loader,
    define: { CATALOGUES: '{}' },
    platform: 'node',
    format: 'cjs',
    target: 'node18',
    outExtension: { '.js': '.cjs' },
    logLevel: 'warning',
    absWorkingDir: here,
    nodePaths: [join(here, 'node_modules')],
  });
  const files = tests.map((name) => join(out, name.replace(/\.ts$/, '.cjs')));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
