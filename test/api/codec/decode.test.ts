import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { createCodec } from '../../../activities/runtime/codec/codec.ts';
import { masterRing } from '../../../db/sealing/key-ring.ts';
import { call, type Answer } from '../../support/http/client.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import { startSecondApi, type SecondApi } from '../../support/platform/second-api.ts';

const token = 'operator-token-of-a-test-of-the-codec';
let api: SecondApi;
beforeAll(async () => {
  const { temporalUiUrl } = ownPlatform();
  api = await startSecondApi({
    CODEC_OPERATOR_TOKEN: token,
    TEMPORAL_UI_URL: temporalUiUrl,
    CODEC_KEY: `k2:${Buffer.alloc(32, 2).toString('base64')}`,
    CODEC_KEYS_RETIRED: 'k1:master',
  });
});
afterAll(() => api.stop());

interface Wire {
  readonly metadata: Record<string, string>;
  readonly data?: string;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const plain: Wire = { metadata: { encoding: base64('json/plain') }, data: base64('"a word"') };
const ask = (name: 'encode' | 'decode', payloads: readonly Wire[]): Promise<Answer> =>
  call('POST', `/codec/${name}`, {
    at: api.origin,
    body: { payloads },
    headers: { 'x-operator-token': token },
  });

async function sealed(): Promise<Wire & { data: string }> {
  const { status, body } = await ask('encode', [plain]);
  expect(status).toBe(200);
  const [payload] = body['payloads'] as (Wire & { data: string })[];
  if (!payload) throw new Error('nothing was sealed');
  return payload;
}

it('an operator can decode what was encoded', async () => {
  const payload = await sealed();
  expect(payload.data).not.toContain(plain.data);
  expect((await ask('decode', [payload])).body).toEqual({ payloads: [plain] });
});

it('an operator encodes with the current key and decodes with retired keys', async () => {
  const { metadata } = await sealed();
  expect(metadata['encryption-key-id']).toBe(base64('k2'));
  const ring = masterRing(loadKeys(`${ownPlatform().dataDir}/keys`).secret('temporal-codec'));
  const before = createCodec({ ring, namespace: 'default', failClosed: true });
  const [old] = await before.encode([
    { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from('"a word"') },
  ]);
  const wire = {
    metadata: Object.fromEntries(
      Object.entries(old?.metadata ?? {}).map(([name, value]) => [
        name,
        Buffer.from(value).toString('base64'),
      ]),
    ),
    data: Buffer.from(old?.data ?? []).toString('base64'),
  };
  expect(wire.metadata['encryption-key-id']).toBe(base64('k1'));
  expect((await ask('decode', [wire])).body).toEqual({ payloads: [plain] });
  const gone = { ...wire, metadata: { ...wire.metadata, 'encryption-key-id': base64('k0') } };
  const refused = await ask('decode', [wire, gone]);
  const msg = 'a payload is encrypted under key k0, which the ring does not have';
  expect(refused.status).toBe(422);
  expect(refused.body['detail']).toEqual([{ loc: ['body'], msg, type: 'payload_unreadable' }]);
});

const damages: Record<string, (payload: Wire & { data: string }) => Wire> = {
  'a changed one': (payload) => {
    const bytes = Buffer.from(payload.data, 'base64');
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    return { ...payload, data: bytes.toString('base64') };
  },
  'a cut one': (payload) => ({ ...payload, data: payload.data.slice(0, 8) }),
  'one without data': ({ metadata }) => ({ metadata }),
  'one under another key': (payload) => ({
    ...payload,
    metadata: { ...payload.metadata, 'encryption-key-id': base64('none') },
  }),
};

it.each(Object.entries(damages))(
  '%s is refused, and no other payload is decoded',
  async (_, damage) => {
    const payload = await sealed();
    const refused = await ask('decode', [payload, damage(payload)]);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('payload_unreadable');
    expect(refused.text).not.toContain('a word');
  },
);
