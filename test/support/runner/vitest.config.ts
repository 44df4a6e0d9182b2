import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { compiledDirectory, hasCache } from '../../../cli/platform/cache.ts';
import { LongestFirst } from './longest-first.ts';
import { filesWithoutPlatform } from './needs-platform.ts';

/** Only where no workflow is kept in memory. */
const uncachedOnly = 'test/e2e/uncached.test.ts';
/**
 * What starts, kills and ends the programs themselves, or a platform of its own: a third of the
 * time, and seldom what a change breaks alone. `npm test` leaves it out, `npm test -- --whole` does
 * not.
 */
const programs = [
  ...['chaos', 'failpoints', 'rotation'].map((at) => `test/campaigns/${at}/**`),
  'test/{cli,workers}/**',
  'test/api/system/tracing.test.ts',
  'test/workflows/actions.test.ts',
];

const withoutPlatform = filesWithoutPlatform();

/** Files that share one platform. */
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

// For the processes of the tests, which load what services and commands load.
if (hasCache()) process.env['NODE_COMPILE_CACHE'] ??= compiledDirectory();

export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    pool: 'forks',
    isolate: false,
    // A young generation that fits what a file makes: a twentieth less CPU for the whole.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=64'],
    // Node strips the types itself and runs our modules as services run them. What a bundler makes
    // of them costs its making in each process, and more CPU in every loop over an import.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // All files share one platform, on machines of any size; each process has its own accounts.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    // Patience, not a measure: the suite also runs beside other work on two cores.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      sharing('suite', programs),
      sharing('whole', []),
      // What a developer names: the platform starts only where one of the files needs it.
      sharing('platform', withoutPlatform),
      { extends: true, test: { name: 'pure', include: withoutPlatform } },
      {
        extends: true,
        test: {
          // What follows checks from end to end, once more: every workflow task is a replay.
          name: 'uncached',
          include: [
            'test/e2e/*.test.ts',
            'test/api/events/stream.test.ts',
            'test/api/events/webhooks.test.ts',
            'test/api/trust-checks/session.test.ts',
            'test/api/trust-checks/submit/three-proofs.test.ts',
            'test/workflows/{deadlines,link-invitation}.test.ts',
          ],
          globalSetup: ['test/support/platform/platform-uncached.ts'],
        },
      },
      {
        extends: true,
        test: {
          // What follows checks from end to end, while processes are killed. The others that are
          // left out start or kill an API of their own, or look into the only worker's cache.
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
