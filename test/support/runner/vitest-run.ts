import { spawn } from 'node:child_process';

/**
 * Runs tests of the suite for a campaign, on a platform of their own. Returns the result.
 * @param settings environment variables that set the amount of work
 */
export async function runVitest(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const vitest = new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const config = new URL('./vitest.config.ts', import.meta.url).pathname;
  const flags = ['run', '--config', config, '--project', 'whole', ...words];
  const child = spawn(process.execPath, [vitest, ...flags], {
    stdio: 'inherit',
    env: { ...process.env, ...settings },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
