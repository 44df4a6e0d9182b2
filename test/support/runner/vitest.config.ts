import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { compiledDirectory, hasCache } from '../../../cli/platform/cache.ts';
import { LongestFirst } from './longest-first.ts';
import { filesWithoutPlatform } from './needs-platform.ts';

/** Runs only without a workflow cache. */
const uncachedOnly = 'test/e2e/uncached.test.ts';
/**
 * Tests that start, kill and stop the programs themselves, or a platform of their own. They take a
 * third of the time and rarely are the only ones to fail. `npm test` skips them; `npm test --
 * --whole` includes them.
 */
const programs = [
  ...['chaos', 'failpoints', 'rotation'].map((at) => `test/campaigns/${at}/**`),
  'test/{cli,workers}/**',
  'test/api/system/tracing.test.ts',
  'test/workflows/actions.test.ts',
];

const withoutPlatform = filesWithoutPlatform();

/** Test files that share one platform. */
const sharing = (name: string, exclude: string[]): TestProjectInlineConfiguration => ({
  extends: true,
  test: {
    name,
    include: ['test/**/*.test.ts'],
    exclude: [uncachedOnly, ...exclude],
    globalSetup: ['test/support/platform/platform.ts'],
    setupFiles: ['test/support/http/leave-no-endpoints.ts'],
  },
});

// For the test processes, which load the same modules as services and commands.
if (hasCache()) process.env['NODE_COMPILE_CACHE'] ??= compiledDirectory();

export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    pool: 'forks',
    isolate: false,
    // A young generation that fits the garbage of a file saves a twentieth of the total CPU.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
    // Node strips the types and runs our modules as services do. Bundling would cost time in each
    // process, and more CPU in every loop over an import.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // The same number on machines of any size. All files share one platform, and each process has
    // its own accounts.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Generous, because the suite also runs beside other work on two cores.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      sharing('suite', programs),
      sharing('whole', []),
      // For files that a developer names: the platform starts only if one of them needs it.
      sharing('platform', withoutPlatform),
      { extends: true, test: { name: 'pure', include: withoutPlatform } },
      {
        extends: true,
        test: {
          // Runs the end-to-end tests again with a replay in every workflow task.
          name: 'uncached',
          include: [
            'test/e2e/*.test.ts',
            'test/api/events/stream.test.ts',
            'test/api/events/webhooks.test.ts',
            'test/api/trust-checks/session.test.ts',
            'test/api/trust-checks/submit/full-check.test.ts',
            'test/workflows/{deadlines,link-invitation}.test.ts',
          ],
          globalSetup: ['test/support/platform/platform-uncached.ts'],
        },
      },
      {
        extends: true,
        test: {
          // Runs the end-to-end tests while processes are killed. Excluded files start or kill
          // their own API, or depend on the only worker's cache.
          name: 'scaled',
          include: ['test/e2e/*.test.ts'],
          exclude: ['test/e2e/{reconnect,temporal-ui,uncached}.test.ts'],
          globalSetup: ['test/support/platform/platform-scaled.ts'],
          setupFiles: ['test/support/http/leave-no-endpoints.ts'],
        },
      },
    ],
  },
});
