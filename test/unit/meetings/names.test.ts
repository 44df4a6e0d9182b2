import { describe, expect, it } from 'vitest';
import { nameDigests, soughtDigests } from '../../../activities/identity/names.ts';
import { createSealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';

/** Look-ups by value need no database. */
const sealer = createSealer(
  { query: () => Promise.reject(new Error('no database')) },
  masterWrapper(Buffer.alloc(32, 1)),
  Buffer.alloc(32, 2),
);
const names = (accountId: number, ...all: string[]) =>
  new Set(all.flatMap((name) => nameDigests(sealer, accountId, name)));
const finds = (text: string, kept: ReadonlySet<string>, accountId = 1): boolean => {
  const sought = soughtDigests(sealer, accountId, text);
  return sought !== null && sought.every((digest) => kept.has(digest));
};

describe('the searchable names of a meeting', () => {
  const kept = names(1, 'Erika Mustermann-Schäfer', 'Ōe 李小龍');

  it.each(['er', 'Erika', 'erika muster', 'MUSTERMANN', 'schafer', 'SCHÄ', 'oe', '李小', 'ōe'])(
    'are found by %s',
    (text) => expect(finds(text, kept)).toBe(true),
  );

  it.each(['rika', 'mann', 'Erika Meier', 'e', '', '%', '_', "' OR 1=1 --", 'erikaa', '龍'])(
    'are not found by %s',
    (text) => expect(finds(text, kept)).toBe(false),
  );

  it('are found only in their own account', () => {
    expect(finds('erika', kept, 2)).toBe(false);
  });

  it('need few digests even for many long words', () => {
    const long = Array.from({ length: 1000 }, (_, at) => `${at}${'x'.repeat(1000)}`).join(' ');
    expect(nameDigests(sealer, 1, long).length).toBeLessThanOrEqual(16 * 11);
    expect(finds(`0${'x'.repeat(500)}`, names(1, long))).toBe(true);
  });
});
