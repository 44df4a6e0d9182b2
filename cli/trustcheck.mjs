#!/usr/bin/env node
// Runs on any Node npm itself runs on, and hands over to the Node the project is pinned to.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { constants, homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Who has started this, before it can end unseen: platform/watch-starter.ts asks for them again.
process.env.TRUSTCHECK_STARTER = String(process.ppid);
process.env.TRUSTCHECK_LAUNCHER = '';
const newestNeeded = 24;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// Half of a short command is compiling: what is compiled is kept where the services keep theirs
// (cli/platform/cache.ts).
const named = process.env.XDG_CACHE_HOME ?? '';
const cache = isAbsolute(named) ? named : join(homedir() || userInfo().homedir, '.cache');
const compiled = process.env.NODE_COMPILE_CACHE || join(cache, 'trustcheck', 'compiled');
const isKept = made(compiled);

// From 24.12 on Node strips types without a warning: nothing is to be told it on its command line.
if (major > newestNeeded || (major === newestNeeded && minor >= 12)) {
  if (isKept) module.enableCompileCache(compiled);
  await import('./main.ts');
} else handOver(major === newestNeeded ? process.execPath : pinned());

/**
 * Whether a directory is there or can be made. Node itself would try for ever below /proc
 * (platform/make-directory.ts, which an old Node cannot load).
 * @param {string} path
 * @returns {boolean}
 */
function made(path) {
  if (existsSync(path)) return true;
  if (!made(dirname(path))) return false;
  try {
    mkdirSync(path);
    return true;
  } catch {
    // Another command may have made it in between.
    return existsSync(path);
  }
}

function pinned() {
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  if (existsSync(node)) return node;
  const way = 'npm ci brings it where there is one for this platform';
  process.stderr.write(`trustcheck needs Node ${newestNeeded} or newer; ${way}\n`);
  // Of `verify` 2 is a verdict.
  process.exit(process.argv[2] === 'verify' ? 1 : 2);
}

/** @param {string} node */
function handOver(node) {
  const main = fileURLToPath(new URL('./main.ts', import.meta.url));
  const flags = ['--disable-warning=ExperimentalWarning', main, ...process.argv.slice(2)];
  const TRUSTCHECK_LAUNCHER = String(process.pid);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, TRUSTCHECK_LAUNCHER, NODE_COMPILE_CACHE: compiled };
  if (!isKept) delete env.NODE_COMPILE_CACHE;
  const child = spawn(node, flags, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  // As a shell says it: 128 and the signal.
  child.on('exit', (code, signal) =>
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)),
  );
}
