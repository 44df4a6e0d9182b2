#!/usr/bin/env node
// Runs on any Node npm itself runs on, and hands over to the Node the project is pinned to.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const newestNeeded = 24;
const main = fileURLToPath(new URL('./main.ts', import.meta.url));
const pinned = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
const isNew = Number(process.versions.node.split('.')[0]) >= newestNeeded;
const node = isNew ? process.execPath : existsSync(pinned) ? pinned : null;

if (node === null) {
  const way = 'npm ci brings it where there is one for this platform';
  process.stderr.write(`trustcheck needs Node ${newestNeeded} or newer; ${way}\n`);
  process.exit(2);
}
const flags = ['--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)];
// Half of a short command is compiling: what is compiled is kept where the services keep theirs
// (cli/platform/cache.ts).
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const compiled = join(cache, 'trustcheck', 'compiled');
const env = { NODE_COMPILE_CACHE: compiled, ...process.env };
const child = spawn(node, flags, { stdio: 'inherit', env });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
// As a shell says it: 128 and the signal.
child.on('exit', (code, signal) =>
  process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)),
);
