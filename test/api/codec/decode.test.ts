import { afterAll, beforeAll, expect, it } from 'vitest';
import { call, type Answer } from '../../client.ts';
import { ownPlatform } from '../../own-platform.ts';
import { startSecondApi, type SecondApi } from '../../second-api.ts';

const token = 'operator-token-of-a-test-of-the-codec';
let api: SecondApi;
beforeAll(async () => {
  const { temporalUiUrl } = ownPlatform();
  api = await startSecondApi({ CODEC_OPERATOR_TOKEN: token, TEMPORAL_UI_URL: temporalUiUrl });
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

it('an operator opens what was sealed', async () => {
  const payload = await sealed();
  expect(payload.data).not.toContain(plain.data);
  expect((await ask('decode', [payload])).body).toEqual({ payloads: [plain] });
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

it.each(Object.entries(damages))('%s is refused, and nothing else is opened', async (_, damage) => {
  const payload = await sealed();
  const refused = await ask('decode', [payload, damage(payload)]);
  expect(refused.status).toBe(422);
  expect(refused.text).toContain('payload_unreadable');
  expect(refused.text).not.toContain('a word');
});
