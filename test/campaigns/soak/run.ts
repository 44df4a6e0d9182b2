import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readOptions, readRounds, wordsOf, WrongWords } from '../../support/runner/words.ts';

const busyMax = 16;
const usage = `npm run soak -- [PATH]… [--rounds N] [--busy N]
  runs every test (or those whose path holds PATH) N (10) times, beside N (2) processes that keep a
  core busy each, and prints how each round ended; 0 when all of them are green
`;

interface Options {
  readonly paths: readonly string[];
  readonly rounds: number;
  readonly busy: number;
}

function optionsOf(words: string[]): Options {
  const { values, positionals } = wordsOf(words, {
    rounds: { type: 'string', default: '10' },
    busy: { type: 'string', default: '2' },
  });
  const busy = Number(values.busy);
  if (!Number.isInteger(busy) || busy < 0 || busy > busyMax) {
    throw new WrongWords(`--busy: a number from 0 to ${busyMax}`);
  }
  return { paths: positionals, rounds: readRounds(values.rounds), busy };
}

/** Keeps one core busy; ends when this process ends. */
function keepBusy(): ChildProcess {
  const parent = process.pid;
  const program = `
    const isThere = () => { try { process.kill(${parent}, 0); return true; } catch { return false; } };
    for (let turn = 0; ; turn += 1) if (turn % 1e8 === 0 && !isThere()) process.exit();`;
  return spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
}

/** Runs the tests once, and returns the last line, "N passed, N failed". */
async function runTests(paths: readonly string[]): Promise<string> {
  const runner = fileURLToPath(new URL('../../run.ts', import.meta.url));
  const words = paths.length > 0 ? paths : ['--whole'];
  const child = spawn(process.execPath, [runner, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    last = `${last}${text}`.slice(-500);
  });
  await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  return last.trimEnd().split('\n').at(-1) ?? '';
}

async function main(): Promise<number> {
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { paths, rounds, busy } = read.options;
  const others = Array.from({ length: busy }, keepBusy);
  const ends: string[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const startedMs = performance.now();
      const end = await runTests(paths);
      const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
      ends.push(end);
      process.stdout.write(`round ${round} of ${rounds}: ${end}, ${minutes} min\n`);
    }
  } finally {
    for (const child of others) child.kill('SIGKILL');
  }
  const green = ends.filter((end) => /^[1-9]\d* passed, 0 failed$/.test(end)).length;
  process.stdout.write(`${green} of ${rounds} rounds green beside ${busy} busy processes\n`);
  return green === rounds ? 0 : 1;
}

process.exitCode = await main();
