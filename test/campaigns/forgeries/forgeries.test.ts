import { describe, expect, it } from 'vitest';
import { attack, believedOf } from './attacks.ts';
import { families } from './families.ts';
import type { Genuine } from './genuine.ts';

// `npm run forgeries` tries every octet and every length of each vector.
const all = families();
const kinds = 64;
const seed = 20_261_122;

describe.each(all.flatMap(({ genuine }) => genuine))('$name', (one) => {
  it('is accepted unchanged within its time, and rejected when changed or cut', () => {
    const { tried, wrong } = attack(one, { kinds }, seed);
    expect(tried).toBeGreaterThan(4);
    expect(wrong).toEqual([]);
  });
});

it('is rejected with a part of another one', () => {
  const swaps = all.flatMap((family) => family.swaps);
  expect(swaps.length).toBeGreaterThan(500);
  expect(believedOf(swaps)).toEqual([]);
});

it('reports a lax verifier that ignores a part or a limit of its time', () => {
  const at = new Date('2026-11-22T00:00:00Z');
  const lax: Genuine = {
    name: 'lax',
    parts: { judged: Buffer.from('0102'), unread: Buffer.from('text') },
    at,
    validities: [{ name: 'it', from: at, to: at, ends: 'both' }],
    holds: ({ judged = Buffer.alloc(0) }) => Buffer.from('0102').equals(judged),
  };
  const { wrong } = attack(lax, { kinds }, seed);
  expect(wrong).toContain('lax: before the begin of it');
  expect(wrong).toContain('lax: unread, the first 0 octets');
  expect(wrong.join()).not.toContain('judged,');
  expect(believedOf([{ name: 'swapped', of: lax, parts: lax.parts }])).toEqual(['swapped']);
});
