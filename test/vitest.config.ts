import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/platform.ts'],
    pool: 'forks',
    isolate: false,
    // Patience, not a measure: the suite also runs beside other work on two cores.
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});
