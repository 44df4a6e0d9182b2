import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { settings, settingsPage, settingsPath } from '../../support/runner/write-settings.ts';

const descriptionCharsMax = 240;
const all = Object.entries(settings);

describe('docs/operate/settings.md', () => {
  it('is the page that `npm run settings` writes', () => {
    expect(readFileSync(settingsPath, 'utf8')).toBe(settingsPage());
  });

  it('has each setting of both processes once', () => {
    const names = Array.from(settingsPage().matchAll(/^\| `(\w+)` \|/gm), ([, name = '']) => name);
    expect(names.toSorted()).toEqual(Object.keys(settings).toSorted());
    expect(names.length).toBeGreaterThan(100);
  });

  it('has a description of each setting in its schema', () => {
    const missing = all.filter(([, { description = '' }]) => description.trim() === '');
    expect(missing.map(([name]) => name)).toEqual([]);
  });

  it(`has descriptions of at most ${descriptionCharsMax} characters`, () => {
    const long = all.filter(([, { description = '' }]) => description.length > descriptionCharsMax);
    expect(long.map(([name]) => name)).toEqual([]);
  });
});
