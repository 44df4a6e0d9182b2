import { z } from 'zod';
import { readDeviceToken } from '../../../../simulator/device/device-token.ts';
import { startProvider, type Provider, type ProviderAnswer } from '../provider.ts';
import { hasToken, receiptTeam } from './app-attest.ts';

export interface DeviceCheckOptions {
  readonly environment: 'development' | 'production';
  readonly now: () => Date;
  readonly team?: string;
}

export interface DeviceCheckStandIn extends Provider {
  /** The stored bits of an iPhone; undefined if none were ever set. */
  bitsOf(hardware: string): Bits | undefined;
}

interface Bits {
  readonly bit0: boolean;
  readonly bit1: boolean;
  readonly last_update_time: string;
}

const common = {
  device_token: z.string(),
  transaction_id: z.uuid(),
  timestamp: z.int(),
};
const forms = {
  '/v1/query_two_bits': z.strictObject(common),
  '/v1/update_two_bits': z.strictObject({ ...common, bit0: z.boolean(), bit1: z.boolean() }),
};
const apartMsMax = 10 * 60_000;

/**
 * An Apple host that stores two bits for each iPhone of a team: `POST /v1/query_two_bits` and
 * `/v1/update_two_bits`, authorized by a bearer token of the team's key. An iPhone's token is valid
 * for one call and its retries. A token of another team or environment is invalid.
 */
export async function startDeviceCheck(options: DeviceCheckOptions): Promise<DeviceCheckStandIn> {
  const { team = receiptTeam, environment } = options;
  const kept = new Map<string, Bits>();
  const used = new Map<string, string>();
  const provider = await startProvider(async ({ method, path, headers, body }) => {
    const form = Object.entries(forms).find(([known]) => known === path)?.[1];
    if (!form) return { status: 404 };
    if (method !== 'POST') return { status: 405, headers: { Allow: 'POST' } };
    const now = options.now();
    const [, bearer] = /^Bearer (\S+)$/.exec(headers.authorization ?? '') ?? [];
    if (!(await hasToken(bearer, team, now))) {
      return { status: 401, text: 'Unable to verify authorization token' };
    }
    const asked = form.safeParse(jsonOf(body)).data;
    if (headers['content-type'] !== 'application/json' || !asked) return malformed;
    if (Math.abs(now.getTime() - asked.timestamp) > apartMsMax) return malformed;
    const phone = readDeviceToken(asked.device_token);
    if (phone?.teamId !== team || phone.environment !== environment) return badToken;
    const call = `${path} ${asked.transaction_id}`;
    if ((used.get(asked.device_token) ?? call) !== call) return badToken;
    used.set(asked.device_token, call);
    if (!('bit0' in asked)) {
      const bits = kept.get(phone.hardware);
      return bits ? { status: 200, body: bits } : { status: 200, text: 'Failed to find bit state' };
    }
    const { bit0, bit1 } = z.object({ bit0: z.boolean(), bit1: z.boolean() }).parse(asked);
    kept.set(phone.hardware, { bit0, bit1, last_update_time: now.toISOString().slice(0, 7) });
    return { status: 200 };
  });
  return { ...provider, bitsOf: (hardware) => kept.get(hardware) };
}

const malformed: ProviderAnswer = { status: 400, text: 'Missing or badly formatted payload' };
const badToken: ProviderAnswer = {
  status: 400,
  text: 'Missing or incorrectly formatted device token payload',
};

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}
