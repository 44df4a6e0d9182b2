import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { witnessFolder } from './support/http/witness-folder.ts';
import { readOptions, WrongWords, wordsOf } from './support/runner/words.ts';

const nodeNeeded = 24;
const report = join(tmpdir(), `trustcheck-report-${process.pid}.json`);

const usage = `npm test -- [PATH]… [-t NAME] [--whole | --uncached | --scaled]
  PATH runs the tests whose path holds it: test/api/links, test/cli/command.test.ts
  -t runs those whose name matches it, an expression
  --whole adds those that start, kill and end the programs themselves, which a PATH may name, too
  --uncached runs the end-to-end part with no workflow in memory
  --scaled runs it on two APIs and two workers behind one proxy, each killed and restarted in turn
`;

interface Options {
  /** Whether all is run that brings about what the interface declares. */
  readonly isWhole: boolean;
  /** For vitest. */
  readonly flags: readonly string[];
}

function optionsOf(words: string[]): Options {
  const { values, positionals } = wordsOf(words, {
    whole: { type: 'boolean', default: false },
    uncached: { type: 'boolean', default: false },
    scaled: { type: 'boolean', default: false },
    testNamePattern: { type: 'string', short: 't' },
  });
  const { whole, uncached, scaled, testNamePattern: name } = values;
  if ([whole, uncached, scaled].filter(Boolean).length > 1) {
    throw new WrongWords('--whole, --uncached or --scaled');
  }
  const files = readdirSync(fileURLToPath(new URL('.', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  }).filter((path) => path.endsWith('.test.ts'));
  const paths = positionals.map((path) => normalize(path));
  const missing = paths.find((path) => !files.some((file) => join('test', file).includes(path)));
  if (missing !== undefined) throw new WrongWords(`${missing}: no test has it in its path`);
  const isPart = positionals.length > 0 || name !== undefined;
  const special = uncached ? 'uncached' : scaled ? 'scaled' : null;
  const projects = special
    ? [special]
    : isPart
      ? ['platform', 'pure']
      : [whole ? 'whole' : 'suite'];
  return {
    isWhole: special === null && !isPart,
    flags: [
      ...projects.flatMap((project) => ['--project', project]),
      ...(name === undefined ? [] : ['-t', name]),
      ...paths,
    ],
  };
}

/**
 * `npm test`: the suite, of one platform that all share; `--whole` adds what starts programs of its
 * own. The last line is `N passed, N failed`. Both are compared with the law of declared answers,
 * which counts as one test; with arguments only what they name is run. `--uncached` is the
 * end-to-end part once more, with no workflow kept in memory.
 */
async function main(): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < nodeNeeded) {
    process.stderr.write(`the tests need Node ${nodeNeeded}; npm ci brings it\n`);
    return 1;
  }
  const read = readOptions(optionsOf, usage);
  if (read.options === null) return read.code;
  const { isWhole } = read.options;
  const folder = await mkdtemp(join(tmpdir(), 'trustcheck-witness-'));
  const code = await runTests(read.options, folder);
  const text = await readFile(report, 'utf8').catch(() => null);
  const breaches = isWhole && text !== null ? await breachesIn(folder) : [];
  await Promise.all([report, folder].map((path) => rm(path, { recursive: true, force: true })));
  if (text === null) {
    process.stdout.write('0 passed, 1 failed\n');
    return 1;
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(text) as {
    numPassedTests: number;
    numFailedTests: number;
    numFailedTestSuites: number;
  };
  for (const breach of breaches) process.stdout.write(`${breach}\n`);
  const lawPassed = isWhole && breaches.length === 0 ? 1 : 0;
  const lawFailed = breaches.length > 0 ? 1 : 0;
  const failedTests =
    numFailedTests > 0 ? numFailedTests : code === 0 ? 0 : Math.max(numFailedTestSuites, 1);
  const failed = failedTests + lawFailed;
  process.stdout.write(`${numPassedTests + lawPassed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

async function runTests({ isWhole, flags }: Options, folder: string): Promise<number> {
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const config = new URL('./support/runner/vitest.config.ts', import.meta.url).pathname;
  const always = ['run', '--config', config, '--reporter=default', '--reporter=json'];
  const child = spawn(
    process.execPath,
    [vitest, ...always, `--outputFile.json=${report}`, ...flags],
    { stdio: 'inherit', env: { ...process.env, ...(isWhole ? { [witnessFolder]: folder } : {}) } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise<number>((resolve) => {
    child.once('exit', (exit) => resolve(exit ?? 1));
  });
}

/** Loaded after the run: a service that does not even load is reported by the tests themselves. */
async function breachesIn(folder: string): Promise<string[]> {
  const { breachesOf, seenAnswers } = await import('./support/runner/declared-errors.ts');
  return breachesOf(seenAnswers(folder));
}

process.exitCode = await main();
