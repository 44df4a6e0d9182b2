import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleOf, NotForBrowsers, packed } from '../../api/verify/bundle.ts';
import { unicodeVersion } from '../../web/verify/unicode.ts';

describe('the verifier as a bundle', () => {
  it('holds nothing that Node alone has, no path of this machine, and stays small', async () => {
    const bundle = await bundleOf('worker.js');
    expect((await packed(bundle)).length).toBeLessThan(2.5 * 1024 * 1024);
    const root = fileURLToPath(new URL('../..', import.meta.url));
    for (const word of ['node:', root, 'WebAssembly', 'importScripts', 'XMLHttpRequest']) {
      expect(bundle.includes(word), word).toBe(false);
    }
    // What the renderer reads of the disk is in it, or its pages could not be laid out again.
    const named = readFileSync(join(root, 'activities/affidavit/renderer-id.ts'), 'utf8');
    const fonts = named.match(/'[^']+\.ttf'/g) ?? [];
    expect(fonts.length).toBeGreaterThan(2);
    for (const font of fonts) expect(bundle).toContain(font.slice(1, -1));
  });

  it('knows the version of Unicode that its engine knows', () => {
    expect(unicodeVersion).toBe(process.versions.unicode);
  });

  it('is refused where it pulls in what has no stand-in', async () => {
    const making = bundleOf('../../cli/read-named.ts', 'pulled');
    await expect(making).rejects.toThrow(NotForBrowsers);
    await expect(making).rejects.toThrow('node:fs');
  });
});
