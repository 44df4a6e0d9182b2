import { describe, expect, it } from 'vitest';
import { codecConfig, codecRing } from '../../../activities/runtime/codec/config.ts';
import { parseConfig } from '../../../activities/runtime/config.ts';
import { createKeyRing, ringKeysMax } from '../../../db/sealing/key-ring.ts';

const master = Buffer.alloc(32, 1);
const keyOf = (byte: number, length = 32): string => Buffer.alloc(length, byte).toString('base64');
const ringOf = (CODEC_KEY?: string, CODEC_KEYS_RETIRED?: string) =>
  codecRing(parseConfig(codecConfig, { CODEC_KEY, CODEC_KEYS_RETIRED }), master);
const listOf = (count: number): string =>
  Array.from({ length: count }, (_, index) => `r${index}:${keyOf(100 + index)}`).join(',');

describe('the keys of the codec', () => {
  it.each([
    [undefined, undefined],
    ['', ''],
    ['k1:master', undefined],
  ])('default to the key of the master secret: %s, %s', (current, retired) => {
    expect(ringOf(current, retired)).toEqual({ currentId: 'k1', keys: new Map([['k1', master]]) });
  });

  it('are the current key and the retired ones, which only decrypt', () => {
    const ring = ringOf(`2026-11:${keyOf(2)}`, ` k1:master, old_3:${keyOf(3)} `);
    expect(ring.currentId).toBe('2026-11');
    expect([...ring.keys.keys()]).toEqual(['2026-11', 'k1', 'old_3']);
    expect(ring.keys.get('k1')).toBe(master);
    expect(ring.keys.get('2026-11')).toEqual(Buffer.alloc(32, 2));
    expect(ringOf(`k2:${keyOf(2)}`).keys.has('k1')).toBe(false);
    expect(ringOf(`k2:${keyOf(2)}`, listOf(ringKeysMax - 1)).keys.size).toBe(ringKeysMax);
  });

  const form = 'must be ID:KEY, with an id of at most 32 from a-z, 0-9, ".", "_" and "-"';
  it.each([
    ['no key', ',', undefined, `CODEC_KEY: ${form}`],
    ['no id', keyOf(2), undefined, `CODEC_KEY: ${form}`],
    ['an empty id', `:${keyOf(2)}`, undefined, `CODEC_KEY: ${form}`],
    ['a long id', `${'k'.repeat(33)}:${keyOf(2)}`, undefined, `CODEC_KEY: ${form}`],
    ['an id with a bar', `k|2:${keyOf(2)}`, undefined, `CODEC_KEY: ${form}`],
    ['three parts', `k2:${keyOf(2)}:x`, undefined, `CODEC_KEY: ${form}`],
    ['two keys', `k2:${keyOf(2)},k3:${keyOf(3)}`, undefined, `CODEC_KEY: ${form}`],
    ['no retired key', undefined, ',', `CODEC_KEYS_RETIRED, key 1: ${form}`],
    ['a comma too many', undefined, `k2:${keyOf(2)},`, `CODEC_KEYS_RETIRED, key 2: ${form}`],
    ['no padding', `k2:${keyOf(2).slice(0, -1)}`, undefined, 'CODEC_KEY: the key is not base64'],
    ['base64url', `k2:${'-_'.repeat(21)}A=`, undefined, 'CODEC_KEY: the key is not base64'],
    ['an empty key', 'k2:', undefined, 'CODEC_KEY: the key is not base64'],
    [
      'a short key',
      undefined,
      `k2:${keyOf(2, 16)}`,
      'CODEC_KEYS_RETIRED, key 1: the key has 16 bytes, and needs 32',
    ],
    [
      'a long key',
      `k2:${keyOf(2, 33)}`,
      undefined,
      'CODEC_KEY: the key has 33 bytes, and needs 32',
    ],
    ['hex', `k2:${'0f'.repeat(32)}`, undefined, 'CODEC_KEY: the key has 48 bytes, and needs 32'],
    [
      'another k1',
      `k1:${keyOf(2)}`,
      undefined,
      'CODEC_KEY: k1:master is the key of the master secret, and no other',
    ],
    [
      'another master',
      'k2:master',
      undefined,
      'CODEC_KEY: k1:master is the key of the master secret, and no other',
    ],
    [
      'one id twice',
      `k2:${keyOf(2)}`,
      `k3:${keyOf(3)},k2:${keyOf(4)}`,
      'CODEC_KEY, CODEC_KEYS_RETIRED: two codec keys are called k2',
    ],
    [
      'the master secret twice',
      undefined,
      'k1:master',
      'CODEC_KEY, CODEC_KEYS_RETIRED: two codec keys are called k1',
    ],
    [
      'one key twice',
      `k2:${keyOf(2)}`,
      `k3:${keyOf(2)}`,
      'CODEC_KEY, CODEC_KEYS_RETIRED: codec keys k2 and k3 are the same key',
    ],
    [
      'twenty keys',
      `k2:${keyOf(2)}`,
      listOf(19),
      'CODEC_KEY, CODEC_KEYS_RETIRED: there are 20 codec keys, and at most 16 are taken',
    ],
  ])('are refused in one line that contains no key: %s', (_, current, retired, fault) => {
    expect(() => ringOf(current, retired)).toThrow(new Error(`wrong settings: ${fault}`));
  });

  it('include at least one, with a valid id and length', () => {
    expect(() => createKeyRing([], 'codec')).toThrow('there is no codec key');
    expect(() => createKeyRing([{ id: 'K 2', key: master }], 'codec')).toThrow(
      'is not well-formed',
    );
    expect(() => createKeyRing([{ id: 'k2', key: Buffer.alloc(31) }], 'codec')).toThrow(
      'codec key k2 has 31 bytes, and needs 32',
    );
  });
});
