import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { witnessFolder } from './witness-folder.ts';

const nodeNeeded = 24;
const report = join(tmpdir(), `trustcheck-report-${process.pid}.json`);

/**
 * `npm test`: the whole suite; its last line is `N passed, N failed`. A whole run is held against the
 * law of declared errors too, which counts as one test; with arguments only what they name is run.
 * `npm run test:uncached` is the end-to-end part once more, with no workflow kept in memory.
 */
async function main(): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < nodeNeeded) {
    process.stderr.write(`the tests need Node ${nodeNeeded}; npm ci brings it\n`);
    return 1;
  }
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const config = new URL('./vitest.config.ts', import.meta.url).pathname;
  const isWhole = process.argv.length === 2;
  const asked = isWhole ? ['--project', 'suite'] : process.argv.slice(2);
  const folder = await mkdtemp(join(tmpdir(), 'trustcheck-witness-'));
  const flags = ['run', '--config', config, '--reporter=default', '--reporter=json'];
  const child = spawn(
    process.execPath,
    [vitest, ...flags, `--outputFile.json=${report}`, ...asked],
    { stdio: 'inherit', env: { ...process.env, ...(isWhole ? { [witnessFolder]: folder } : {}) } },
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  const code = await new Promise<number>((resolve) => {
    child.once('exit', (exit) => resolve(exit ?? 1));
  });
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

/** Loaded after the run: a service that does not even load is reported by the tests themselves. */
async function breachesIn(folder: string): Promise<string[]> {
  const { breachesOf, seenErrors } = await import('./declared-errors.ts');
  return breachesOf(seenErrors(folder));
}

process.exitCode = await main();
