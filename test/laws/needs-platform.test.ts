import { describe, expect, it } from 'vitest';
import { filesWithoutPlatform } from '../support/runner/needs-platform.ts';

describe('the files that run without the shared platform', () => {
  const files = filesWithoutPlatform();

  it('include a test of pure functions', () => {
    expect(files).toContain('test/unit/proofs/passport/hostile.test.ts');
    expect(files).toContain('test/laws/interface/routes.test.ts');
  });

  it('exclude a test that calls the API directly or through another module', () => {
    expect(files).not.toContain('test/api/links/create.test.ts');
    expect(files).not.toContain('test/api/trust-checks/submit/face-provider.test.ts');
    expect(files).not.toContain('test/e2e/uncached.test.ts');
  });
});
