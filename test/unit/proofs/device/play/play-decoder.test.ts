import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createPlayDecoder,
  serviceAccount,
  type PlayDecoder,
} from '../../../../../activities/proofs/device/google/play-decoder.ts';
import { at, packageName, payloadOf } from '../../../../support/fixtures/devices/play-fixtures.ts';
import { eventually } from '../../../../support/platform/harness.ts';
import {
  startPlayIntegrity,
  type PlayIntegrityStandIn,
} from '../../../../support/stand-ins/phones/play-integrity.ts';
import { patienceMsWith, type Fault } from '../../../../support/stand-ins/provider.ts';

let play: PlayIntegrityStandIn;
let now = at;
let decoder: PlayDecoder;
const payload = payloadOf();
const asked = () => play.requests.map(({ path }) => path);
const decode = `/v1/${packageName}:decodeIntegrityToken`;
const decoderOf = (account: object = play.account, timeoutMs = patienceMsWith(null)) =>
  createPlayDecoder({
    account: serviceAccount.parse(account),
    url: play.url,
    clock: () => now,
    timeoutMs,
  });

beforeEach(async () => {
  now = at;
  play = await startPlayIntegrity(() => now);
  decoder = decoderOf();
});
afterEach(async () => play.stop());

it('decodes tokens of the app, with one access token for many', async () => {
  const tokens = [1, 2, 3].map((number) => play.issue(packageName, { number }));
  const decoded = await Promise.all(tokens.map((token) => decoder.decode(packageName, token)));
  expect(decoded).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
  expect(asked()).toEqual(['/token', decode, decode, decode]);
});

it('returns null for a token of another app, an invalid token and a token that is too long', async () => {
  const token = play.issue('com.example.other', payload);
  expect(await decoder.decode(packageName, token)).toBeNull();
  expect(await decoder.decode(packageName, 'invented')).toBeNull();
  expect(await decoder.decode(packageName, 'A'.repeat(16 * 1024 + 1))).toBeNull();
  expect(asked()).toEqual(['/token', decode, decode]);
});

it('renews the access token in its last minute, and after a refusal', async () => {
  const token = play.issue(packageName, payload);
  expect(await decoder.decode(packageName, token)).toEqual(payload);
  now = new Date(at.getTime() + 3540_000 - 1);
  expect(await decoder.decode(packageName, token)).toEqual(payload);
  now = new Date(at.getTime() + 3540_000);
  expect(await decoder.decode(packageName, token)).toEqual(payload);
  expect(asked()).toEqual(['/token', decode, decode, '/token', decode]);
  play.endAccess();
  await expect(decoder.decode(packageName, token)).rejects.toMatchObject({
    code: 'dependency_unavailable',
  });
  now = new Date(now.getTime() + 1000);
  expect(await decoder.decode(packageName, token)).toEqual(payload);
});

it.each<[Fault, number | undefined]>([
  [{ status: 429, headers: { 'Retry-After': '17' } }, 17],
  [{ status: 500 }, 5],
  [{ status: 403 }, 5],
  [{ status: 200 }, 5],
  [{ status: 200, body: 'x'.repeat(70_000) }, 5],
  [{ status: 302, headers: { Location: 'http://127.0.0.1:9' } }, 5],
  ['hang', 5],
  ['reset', 5],
  ['trickle', 5],
])('fails as unavailable without a usable answer: %o', async (fault, retryAfterSeconds) => {
  const token = play.issue(packageName, payload);
  const patient = decoderOf(play.account, patienceMsWith(fault));
  const down = { code: 'dependency_unavailable', retryAfterSeconds };
  play.failNext(fault);
  await expect(patient.decode(packageName, token)).rejects.toMatchObject(down);
  const decoded = () => patient.decode(packageName, token).catch(() => null);
  expect(await eventually('an answer', decoded)).toEqual(payload);
  play.failNext(fault);
  await expect(patient.decode(packageName, token)).rejects.toMatchObject(down);
});

it('fails as unavailable with the key of another account', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const other = decoderOf({ ...play.account, private_key: pem });
  await expect(other.decode(packageName, 'any')).rejects.toMatchObject({
    code: 'dependency_unavailable',
  });
  expect(serviceAccount.safeParse({ ...play.account, private_key: 'none' }).success).toBe(false);
});
