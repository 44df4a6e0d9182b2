import { spawn } from 'node:child_process';
import { createHash, randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../cli/platform/ports.ts';
import { startService, type Service } from '../../../cli/platform/services.ts';
import type { Db } from '../../../db/client.ts';
import * as der from '../../../domain/pki/write-der.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import { readDevTrust } from '../../../simulator/roots/dev-trust.ts';
import { createClient } from '../../../simulator/session/client.ts';
import { imprintOf, queryType } from '../../support/keys/timestamps.ts';
import { endWithUs } from '../../support/platform/end-with-us.ts';
import {
  createPlatform,
  eventually,
  openTestDb,
  type TestPlatform,
} from '../../support/platform/harness.ts';
import { roundsSetting } from './campaign.ts';

const program = fileURLToPath(new URL('signing-worker.ts', import.meta.url));
/** Longer than the server waits for a killed worker, which is ten seconds. */
const patientSeconds = 40;
/** Patience on a busy machine. */
const stepMsMax = 90_000;
/** APIs with callers that wait shorter or longer than the server needs to miss a killed worker. */
type Waiting = 'impatient' | 'patient';
let directory: string;
let platform: TestPlatform;
let patient: Service;
let urls: Readonly<Record<Waiting, string>>;
let db: Db;
let temporal: Client;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'trustcheck-signing-'));
  platform = await createPlatform(directory, () => undefined);
  const { databaseUrl, temporalAddress, baseUrl } = platform.facts;
  db = openTestDb(databaseUrl);
  temporal = new Client({ connection: await Connection.connect({ address: temporalAddress }) });
  const [port, metricsPort] = [await freePort(), await freePort()];
  urls = { impatient: baseUrl, patient: `http://127.0.0.1:${port}` };
  patient = await startService({
    name: 'api',
    settings: {
      ...platform.settingsOf('api'),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
      TEMPORAL_CALL_SECONDS: String(patientSeconds),
    },
    healthUrl: `${urls.patient}/readyz`,
    logFile: join(directory, 'logs', 'patient.log'),
    onSpawn: endWithUs,
  });
  await platform.kill('worker');
}, 300_000);
afterAll(async () => {
  await Promise.allSettled([patient.stop(), db.end(), temporal.connection.close()]);
  await platform.stop();
  await rm(directory, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly bytes: Buffer;
}

async function send(url: string, init: RequestInit): Promise<Reply> {
  const answer = await fetch(url, init);
  const retryAfter = answer.headers.get('retry-after');
  return { status: answer.status, retryAfter, bytes: Buffer.from(await answer.arrayBuffer()) };
}

/**
 * Starts a worker that kills itself at a step of a signature. It is the only worker. Returns a
 * function that waits for its end and returns its output.
 */
async function startDying(step: string): Promise<() => Promise<string>> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ...platform.settingsOf('worker'), LOG_LEVEL: 'fatal' };
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, [program, step], { env, stdio: [...stdio] });
  endWithUs('worker', child.pid ?? 0);
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => void (printed += chunk.toString()));
  const exit = once(child, 'exit', { signal: AbortSignal.timeout(stepMsMax) });
  exit.catch(() => child.kill('SIGKILL'));
  await eventually('a worker that polls', async () => printed.includes('ready\n'), stepMsMax);
  return async () => {
    expect([step, ...(await exit)]).toEqual([step, null, 'SIGKILL']);
    return printed;
  };
}

/**
 * Sends a request while the only worker dies at a step of its signature. Then starts another
 * worker, and repeats the request while the answer is 503. Returns the statuses in order, the last
 * answer, and the DER that the killed worker had signed.
 */
async function dying(step: string, request: () => Promise<Reply>) {
  const died = await startDying(step);
  const first = request();
  const printed = await died();
  const [answer] = await Promise.all([first, platform.restart('worker')]);
  const replies = [answer];
  const last = await eventually('an answer', async () => {
    const reply = replies.at(-1);
    if (reply?.status !== 503) return reply;
    expect(reply.retryAfter).toMatch(/^\d+$/);
    replies.push(await request());
    return null;
  });
  await eventually('the end of each signature', async () => {
    const query = "WorkflowType = 'signing' AND ExecutionStatus = 'Running'";
    return (await temporal.workflow.count(query)).count === 0;
  });
  await platform.kill('worker');
  const statuses = replies.map(({ status }) => status);
  return { statuses, last, lost: /^signed (.+)$/m.exec(printed)?.[1] ?? '' };
}

/**
 * The patient caller waits for the next worker; the other one is refused and repeats its request.
 */
function expectStatuses(waiting: Waiting, statuses: readonly number[], good: number): void {
  expect(statuses.at(-1)).toBe(good);
  if (waiting === 'patient') expect(statuses).toEqual([good]);
  else expect(statuses.slice(0, -1)).toContain(503);
}

/** Combines each step with both callers in a campaign, else with alternating callers. */
const withCallers = (...steps: string[]): [Waiting, string][] =>
  steps.flatMap((step, place): [Waiting, string][] => {
    const both: [Waiting, string][] = [
      ['impatient', step],
      ['patient', step],
    ];
    return process.env[roundsSetting] === undefined ? both.slice(place % 2, (place % 2) + 1) : both;
  });

describe('kill -9 of a worker with a caller that is', () => {
  it.each(withCallers('people-ca sign done', 'returned'))(
    '%s: leaves one certificate of an enrollment after: %s',
    async (waiting, step) => {
      const { baseUrl, own } = platform.facts;
      const trust = await readDevTrust(directory);
      const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
      const call = createClient(baseUrl);
      const { challenge } = await call<{ challenge: string }>('POST', '/v2/devices/challenge');
      const body = JSON.stringify(await device.enrollment(challenge, own.app_id));
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
      const enrolling = () =>
        send(`${urls[waiting]}/v2/devices`, { method: 'POST', body, headers });
      const { statuses, last, lost } = await dying(`user_certificate: ${step}`, enrolling);
      expectStatuses(waiting, statuses, 201);
      const enrolled = JSON.parse(last.bytes.toString()) as Record<string, unknown>;
      const leaf = new X509Certificate((enrolled['certificate_chain'] as string[])[0] ?? '');
      const { rows } = await db.query<{ serial: string; der: Buffer | null }>(
        `SELECT c.serial, c.der FROM certificates c JOIN devices d USING (device_id)
         WHERE d.device_id = $1`,
        [enrolled['device_id']],
      );
      expect(rows).toEqual([{ serial: leaf.serialNumber.toLowerCase(), der: leaf.raw }]);
      const all = await db.query('SELECT 1 FROM certificates WHERE public_jwk = $1', [
        JSON.stringify(leaf.publicKey.export({ format: 'jwk' })),
      ]);
      expect(all.rows).toHaveLength(1);
      if (step !== 'returned') return;
      // The certificate signed by the killed worker has another serial, and no row.
      const other = new X509Certificate(Buffer.from(lost, 'base64'));
      expect(other.checkPrivateKey(device.signingKey)).toBe(true);
      expect(other.serialNumber).not.toBe(leaf.serialNumber);
      const found = await db.query('SELECT 1 FROM certificates WHERE serial = $1', [
        other.serialNumber.toLowerCase(),
      ]);
      expect(found.rows).toEqual([]);
    },
    180_000,
  );

  it.each(withCallers('sql timestamps.insert done', 'tsa sign done', 'returned'))(
    '%s: leaves one time stamp after: %s',
    async (waiting, step) => {
      const text = randomUUID();
      const body = der.sequence(der.integer(1), imprintOf(text));
      const stamping = () =>
        send(`${urls[waiting]}/tsa`, { method: 'POST', body, headers: queryType });
      const { statuses, last } = await dying(`time_stamp: ${step}`, stamping);
      expectStatuses(waiting, statuses, 200);
      const { rows } = await db.query<{ serial: string }>(
        'SELECT serial FROM timestamps WHERE imprint = $1',
        [createHash('sha256').update(text).digest()],
      );
      // Each attempt stores its own serial before it signs. No attempt outlives its caller.
      const isRepeated = waiting === 'patient';
      expect(rows.length).toBeGreaterThanOrEqual(2);
      expect(rows.length).toBeLessThanOrEqual(isRepeated ? 2 : statuses.length);
      const used = rows.filter(({ serial }) => last.bytes.includes(Buffer.from(serial, 'hex')));
      expect(used).toHaveLength(1);
    },
    180_000,
  );

  it.each(withCallers('people-ca sign done', 'sql COMMIT done', 'returned'))(
    '%s: leaves one revocation list after: %s',
    async (waiting, step) => {
      const { kid } = platform.keys.peopleCa;
      const listOf = async () => {
        const text = 'SELECT number, der, is_stale FROM crls WHERE issuer_kid = $1';
        return (await db.query<{ number: number; der: Buffer | null }>(text, [kid])).rows[0];
      };
      await db.query('UPDATE crls SET is_stale = true WHERE issuer_kid = $1', [kid]);
      const number = (await listOf())?.number ?? 0;
      const listing = () => send(`${urls[waiting]}/pki/${kid}.crl`, {});
      const { statuses, last } = await dying(`revocation_list: ${step}`, listing);
      // A recorded list answers a repeat, and also a caller that gave up meanwhile.
      expect(statuses.at(-1)).toBe(200);
      expect(await listOf()).toEqual({ number: number + 1, der: last.bytes, is_stale: false });
    },
    180_000,
  );
});
