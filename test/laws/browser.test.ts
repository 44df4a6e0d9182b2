import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleOf, NotForBrowsers, packed } from '../../api/verify/bundle.ts';
import type { AffidavitVerdict } from '../../domain/affidavit/verify/verdict.ts';
import { withoutPages } from '../../web/verify/fonts-missing.ts';
import { unicodeVersion } from '../../web/verify/node/unicode.ts';

describe('the browser bundle of the verifier', () => {
  it('contains no Node module and no local path, and has less than 2.5 MiB compressed', async () => {
    const bundle = await bundleOf('worker.js');
    expect((await packed(bundle)).length).toBeLessThan(2.5 * 1024 * 1024);
    const root = fileURLToPath(new URL('../..', import.meta.url));
    for (const word of ['node:', root, 'WebAssembly', 'importScripts', 'XMLHttpRequest']) {
      expect(bundle.includes(word), word).toBe(false);
    }
    // The bundle contains the fonts of the renderer, which lays the pages out again.
    const named = readFileSync(join(root, 'activities/pdf/renderer-id.ts'), 'utf8');
    const fonts = named.match(/'[^']+\.ttf'/g) ?? [];
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) expect(bundle).toContain(font.slice(1, -1));
  });

  it('has the Unicode version of its engine', () => {
    expect(unicodeVersion).toBe(process.versions.unicode);
  });

  it('skips the check of pages without their fonts, and hides no other failure', () => {
    const checked = (...failed: [string, string][]): AffidavitVerdict => ({
      result: 'invalid',
      reason_code: 'malformed',
      checks: ['chains', 'pages', 'in_force', 'standing'].map((name) => {
        const detail = failed.find(([each]) => each === name)?.[1];
        return detail ? { name, result: 'failed', detail } : { name, result: 'ok' };
      }),
      facts: { sha256: '' },
    });
    const noFont = ['file a-font.ttf'];
    const fontless = withoutPages(checked(['pages', 'malformed']), noFont);
    expect(fontless).toMatchObject({ result: 'valid', reason_code: null });
    expect(fontless.checks[1]).toMatchObject({ name: 'pages', result: 'skipped' });
    const late = checked(['pages', 'malformed'], ['in_force', 'timestamp_expired']);
    expect(withoutPages(late, noFont)).toMatchObject({
      result: 'indeterminate',
      reason_code: 'timestamp_expired',
    });
    const stolen = checked(['pages', 'malformed'], ['standing', 'revoked']);
    const revoked = { result: 'invalid', reason_code: 'revoked' };
    expect(withoutPages(stolen, noFont)).toMatchObject(revoked);
    for (const [verdict, missed] of [
      [checked(['pages', 'malformed']), []],
      [checked(['pages', 'malformed']), [...noFont, 'RSA-PSS']],
      [checked(['pages', 'pages_differ']), noFont],
      [checked(['chains', 'malformed'], ['pages', 'malformed']), noFont],
    ] as const) {
      expect(withoutPages(verdict, missed)).toBe(verdict);
    }
  });

  it('is refused when it imports a module without a browser replacement', async () => {
    const making = bundleOf('../../cli/verify/read-named.ts', 'pulled');
    await expect(making).rejects.toThrow(NotForBrowsers);
    await expect(making).rejects.toThrow('node:fs');
  });
});
