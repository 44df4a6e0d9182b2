#!/usr/bin/env node
// Runs on any Node npm itself runs on, and hands over to the Node the project is pinned to.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { constants, homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
 * (cli/platform/cache.ts, which an old Node cannot load).
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
  // `start` ends with its parent, which this process is now (cli/platform/supervise.ts).
  const TRUSTCHECK_STARTER = String(process.pid);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, TRUSTCHECK_STARTER, NODE_COMPILE_CACHE: compiled };
  if (!isKept) delete env.NODE_COMPILE_CACHE;
  const child = spawn(node, flags, { stdio: 'inherit', env });
  const starter = Number(process.env.TRUSTCHECK_STARTER);
  setInterval(() => starter && process.ppid !== starter && process.exit(1), 500).unref();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal));
  }
  // As a shell says it: 128 and the signal.
  child.on('exit', (code, signal) =>
    process.exit(signal ? 128 + constants.signals[signal] : (code ?? 1)),
  );
}
