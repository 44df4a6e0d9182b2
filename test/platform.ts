import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { endAllWithUs } from './end-with-us.ts';
import { createPlatform, type PlatformFacts } from './harness.ts';

declare module 'vitest' {
  interface ProvidedContext {
    platform: PlatformFacts;
  }
}

/** Starts what the tests run on, once for all files: a whole platform on real parts. */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return providePlatform(project, {}, () => Promise.resolve());
}

/** Starts a platform with settings of its own; what it leaves behind is looked at before its end. */
export async function providePlatform(
  project: TestProject,
  settings: Readonly<Record<string, string>>,
  inspect: (facts: PlatformFacts) => Promise<void>,
): Promise<() => Promise<void>> {
  endAllWithUs();
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-test-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const platform = await createPlatform(directory, say, {
    TRUSTED_PROXIES: 'loopback',
    // All files share its accounts.
    WEBHOOK_ENDPOINTS_MAX: '1000',
    ...settings,
  });
  project.provide('platform', platform.facts);
  return async () => {
    try {
      await inspect(platform.facts);
    } finally {
      await platform.stop();
      await rm(directory, { recursive: true, force: true });
    }
  };
}
