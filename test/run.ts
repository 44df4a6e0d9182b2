import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const nodeNeeded = 24;
const report = join(tmpdir(), `trustcheck-report-${process.pid}.json`);

/** `npm test`: the whole suite; its last line is `N passed, N failed`. */
async function main(): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < nodeNeeded) {
    process.stderr.write(`the tests need Node ${nodeNeeded}; npm ci brings it\n`);
    return 1;
  }
  const vitest = new URL('../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const config = new URL('./vitest.config.ts', import.meta.url).pathname;
  const flags = ['run', '--config', config, '--reporter=default', '--reporter=json'];
  const child = spawn(
    process.execPath,
    [vitest, ...flags, `--outputFile.json=${report}`, ...process.argv.slice(2)],
    { stdio: 'inherit' },
  );
  const code = await new Promise<number>((resolve) => {
    child.once('exit', (exit) => resolve(exit ?? 1));
  });
  const text = await readFile(report, 'utf8').catch(() => null);
  await rm(report, { force: true });
  if (text === null) {
    process.stdout.write('0 passed, 1 failed\n');
    return 1;
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(text) as {
    numPassedTests: number;
    numFailedTests: number;
    numFailedTestSuites: number;
  };
  const failed =
    numFailedTests > 0 ? numFailedTests : code === 0 ? 0 : Math.max(numFailedTestSuites, 1);
  process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
