import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const directory = mkdtempSync(join(tmpdir(), 'trustcheck-check-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const root = new URL('../..', import.meta.url);
const { scripts } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  scripts: Record<string, string>;
};

it.each([
  ['', 0, ''],
  ['check:types', 1, 'failed: types\n'],
  ['check:lint|check:format', 1, 'failed: lint, format; npm run format puts the format right\n'],
])(
  'npm run check runs all its tools, and reports those that fail: %j',
  (failing, status, stderr) => {
    const npm = `#!/bin/sh\necho "$3"\ncase "$3" in ${failing || 'none'}) exit 2 ;; esac\n`;
    writeFileSync(join(directory, 'npm'), npm);
    chmodSync(join(directory, 'npm'), 0o755);
    const file = new URL('test/support/runner/check.ts', root).pathname;
    expect(scripts['check']).toBe('node test/support/runner/check.ts');
    const env = { ...process.env, PATH: `${directory}:/usr/bin:/bin` };
    const ran = spawnSync(process.execPath, [file], { encoding: 'utf8', env });
    const all = Object.keys(scripts).filter((name) => name.startsWith('check:'));
    expect([ran.status, ran.stderr, ran.stdout.trim().split('\n')]).toEqual([status, stderr, all]);
  },
);
