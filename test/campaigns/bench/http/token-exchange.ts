import { createPublicKey } from 'node:crypto';
import { addMembership } from '../../../../db/queries/seeding.ts';
import { publicJwkOf } from '../../../../domain/pki/x509/thumbprint.ts';
import { phoneBundle } from '../../../../simulator/device/bundle.ts';
import { createDevice, type Device } from '../../../../simulator/device/device.ts';
import { readDevTrust } from '../../../../simulator/roots/dev-trust.ts';
import { enroll } from '../../../../simulator/session/enroll.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import type { Bench, BenchContext } from '../measure/bench.ts';
import { startChild } from '../measure/child.ts';
import { compareHttp } from './compare-http.ts';
import type { LoadRequest } from './load-http.ts';

const requests = 1_500;
const goal = 1.5;

/**
 * P2: a bundle exchanged for a session token, compared with one verification, select, insert and
 * signature.
 */
export const tokenExchange: Bench = { id: 'P2', rounds: 9, run };

async function run(context: BenchContext) {
  const { platform } = context;
  const { facts } = platform;
  const device = await newMember(context);
  const floor = await startChild('floors/token-exchange.ts', {
    DATABASE_URL: facts.databaseUrl,
    USER_KEY: JSON.stringify(publicJwkOf(createPublicKey(device.signingKey))),
  });
  try {
    const path = '/api/v1/auth/token';
    const { rounds, both } = await compareHttp(context, {
      floor: { url: `http://127.0.0.1:${floor.port}${path}`, pid: floor.pid },
      candidate: { url: `${facts.baseUrl}${path}`, pid: platform.api.child.pid ?? 0 },
      requests,
      warmUpRequests: 3_000,
      connections: 16,
      makeLoad: (count) => exchanges(device, facts.baseUrl, count),
    });
    return {
      id: 'P2',
      title: 'token exchange',
      extent: `${rounds} rounds of ${requests} exchanges`,
      measures: [
        {
          name: 'CPU an exchange',
          unit: 'µs',
          ...both('cpuUsPerRequest'),
          goal: { of: 'ratio', max: goal },
        },
        { name: 'p50', unit: 'ms', ...both('p50Ms'), goal: { of: 'ratio', max: goal } },
        { name: 'p99', unit: 'ms', ...both('p99Ms') },
      ],
      counts: [],
    } as const;
  } finally {
    await floor.stop();
  }
}

/** Enrolls a phone for a member of the account. */
async function newMember({ platform, call }: BenchContext): Promise<Device> {
  const { databaseUrl, dataDir, own } = platform.facts;
  const trust = await readDevTrust(dataDir);
  const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
  await enroll(call, device, own.app_id);
  const db = openTestDb(databaseUrl);
  try {
    const polyUserId = device.enrolled?.polyUserId ?? '';
    await addMembership(db, [polyUserId, own.account_id, ['MEMBER'], new Date()]);
  } finally {
    await db.end();
  }
  return device;
}

/**
 * Signs a bundle for each request, because a bundle works once. Each comes from another address,
 * below every limit.
 */
async function exchanges(device: Device, baseUrl: string, count: number): Promise<LoadRequest[]> {
  const made: LoadRequest[] = [];
  for (let place = 0; place < count; place += 1) {
    const jwt = await phoneBundle(device, { baseUrl, now: new Date() });
    made.push({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `10.${(place >> 16) & 255}.${(place >> 8) & 255}.${place & 255}`,
      },
      body: JSON.stringify({ grant_type: 'jwt_exchange', jwt }),
    });
  }
  return made;
}
