import { randomBytes } from 'node:crypto';
import type { Payload } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { createCodec, UnknownKey } from '../../../activities/runtime/codec/codec.ts';

const first = randomBytes(32);
const second = randomBytes(32);
const plain: Payload = {
  metadata: { encoding: Buffer.from('json/plain') },
  data: Buffer.from(JSON.stringify({ link_session_id: 'tc_1', status: 'collecting' })),
};

const codecOf = (
  currentId: string,
  keys: Readonly<Record<string, Uint8Array>>,
  options: { namespace?: string; failClosed?: boolean } = {},
) =>
  createCodec({
    ring: { currentId, keys: new Map(Object.entries(keys)) },
    namespace: 'default',
    failClosed: true,
    ...options,
  });

async function one(payloads: Promise<Payload[]>): Promise<Payload> {
  const [payload] = await payloads;
  if (!payload) throw new Error('no payload');
  return payload;
}

const textOf = ({ data }: Payload): string => Buffer.from(data ?? []).toString();

describe('the codec', () => {
  const codec = codecOf('k1', { k1: first });

  it('decrypts what it encrypted, with another ciphertext each time', async () => {
    const sealed = await codec.encode([plain, plain]);
    expect(new Set(sealed.map(textOf)).size).toBe(2);
    for (const payload of await codec.decode(sealed)) {
      expect(textOf(payload)).toBe(textOf(plain));
      expect(Buffer.from(payload.metadata?.['encoding'] ?? []).toString()).toBe('json/plain');
    }
    const empty = await one(codec.decode(await codec.encode([{ metadata: {} }])));
    expect(textOf(empty)).toBe('');
  });

  it('does not decrypt a payload with a flipped bit or a cut end', async () => {
    const sealed = await one(codec.encode([plain]));
    const data = Buffer.from(sealed.data ?? []);
    for (let at = 0; at < data.length * 8; at += 1) {
      const changed = Buffer.from(data);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      await expect(codec.decode([{ ...sealed, data: changed }])).rejects.toThrow();
    }
    for (let length = 0; length < data.length; length += 1) {
      const cut = { ...sealed, data: data.subarray(0, length) };
      await expect(codec.decode([cut])).rejects.toThrow();
    }
  });

  it('decrypts only under the same key id and namespace', async () => {
    const sealed = await codec.encode([plain]);
    const moved = codecOf('k1', { k1: first }, { namespace: 'other' });
    await expect(moved.decode(sealed)).rejects.toThrow();
    const renamed = codecOf('k2', { k2: first });
    await expect(renamed.decode(sealed)).rejects.toThrow();
    const [payload] = sealed;
    const relabelled = {
      ...payload,
      metadata: { ...payload?.metadata, 'encryption-key-id': Buffer.from('k2') },
    };
    await expect(renamed.decode([relabelled])).rejects.toThrow();
  });

  it('decrypts with a retired key, and encrypts with the current one', async () => {
    const rotated = codecOf('k2', { k1: first, k2: second });
    expect(textOf(await one(rotated.decode(await codec.encode([plain]))))).toBe(textOf(plain));
    const sealed = await one(rotated.encode([plain]));
    expect(Buffer.from(sealed.metadata?.['encryption-key-id'] ?? []).toString()).toBe('k2');
    await expect(codec.decode([sealed])).rejects.toThrow(new UnknownKey('k2').message);
  });

  it('names the missing key when the id of the key is valid', async () => {
    const [sealed] = await codec.encode([plain]);
    const under = (id: string): Promise<Payload[]> => {
      const metadata = { ...sealed?.metadata, 'encryption-key-id': Buffer.from(id) };
      return codecOf('k9', { k9: second }).decode([{ ...sealed, metadata }]);
    };
    const refusal = (named: string) => ({
      name: 'UnknownKey',
      message: `a payload is encrypted under ${named}, which the ring does not have`,
    });
    await expect(under('k1')).rejects.toMatchObject(refusal('key k1'));
    for (const id of ['', 'k1\nk2', 'K1', 'k'.repeat(33), '\u202ek1', '__proto__']) {
      await expect(under(id)).rejects.toMatchObject(refusal('a key without a proper id'));
    }
    const { 'encryption-key-id': _, ...metadata } = sealed?.metadata ?? {};
    await expect(codec.decode([{ ...sealed, metadata }])).rejects.toThrow(UnknownKey);
  });

  it('accepts an unencrypted payload only when it may', async () => {
    await expect(codec.decode([plain])).rejects.toThrow();
    const open = codecOf('k1', { k1: first }, { failClosed: false });
    expect(await open.decode([plain])).toEqual([plain]);
  });

  it('returns a decoded payload in its own memory, so that no larger buffer is kept alive', async () => {
    const decoded = await one(codec.decode(await codec.encode([plain])));
    expect(decoded.data?.buffer.byteLength).toBeLessThan(2 * textOf(plain).length);
  });
});
