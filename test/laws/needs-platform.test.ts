import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { filesWithoutPlatform } from '../support/runner/needs-platform.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('filesWithoutPlatform', () => {
  const files = filesWithoutPlatform();

  it('includes tests of pure functions', () => {
    expect(files).toContain('test/unit/trust-checks/decide.test.ts');
    expect(files).toContain('test/laws/interface/routes.test.ts');
  });

  it('includes every test in test/unit', () => {
    const unit = globSync('test/unit/**/*.test.ts', { cwd: root });
    expect(unit.length).toBeGreaterThan(100);
    expect(unit.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('excludes a test that calls the API directly or through another module', () => {
    expect(files).not.toContain('test/api/links/create.test.ts');
    expect(files).not.toContain('test/api/trust-checks/submit/face-provider.test.ts');
    expect(files).not.toContain('test/e2e/uncached.test.ts');
  });
});
