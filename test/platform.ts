import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createPlatform, type PlatformFacts } from './harness.ts';

declare module 'vitest' {
  interface ProvidedContext {
    platform: PlatformFacts;
  }
}

/** Starts what the tests run on, once for all files: a whole platform on real parts. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-test-'));
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  // All files share its accounts.
  const settings = { TRUSTED_PROXIES: 'loopback', WEBHOOK_ENDPOINTS_MAX: '1000' };
  const platform = await createPlatform(directory, say, settings);
  project.provide('platform', platform.facts);
  return async () => {
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  };
}
