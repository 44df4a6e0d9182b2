import { spawn } from 'node:child_process';

/**
 * Runs tests of the suite as a campaign asks for, on a platform of their own; gives how it ended.
 * @param settings what tells them how much they have to do
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
