import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { phoneBundle } from '../../../simulator/device/bundle.ts';
import { createDevice, type Device } from '../../../simulator/device/device.ts';
import { readDevTrust } from '../../../simulator/roots/dev-trust.ts';
import { phoneCheck } from '../../../simulator/session/check.ts';
import { CallFailed, createClient, type Call } from '../../../simulator/session/client.ts';
import { signing } from '../../support/http/browser-keys.ts';
import { sentTo } from '../../support/http/sent-to.ts';
import type { PlatformFacts } from '../../support/platform/harness.ts';

/** Calls that clients make continuously while keys change. */
export interface Load {
  /** Does everything once with all objects made since the start; does not throw. */
  settle(): Promise<void>;
  readonly counts: Readonly<Record<string, number>>;
  /** Answers that refused a valid request. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

interface Begun {
  readonly link_session_id: string;
  readonly check_token: string;
  readonly pair_url: string;
}

interface Kept {
  /** Made under keys that may have been rotated since. */
  readonly checks: { readonly id: string; readonly token: string; pair: string }[];
  readonly sessions: string[];
  readonly devices: Device[];
}

const patienceMs = 120_000;
const keptMax = 60;
/** Pause between two rounds, so that a fast machine stays below the limits per address. */
const pauseMs = 6_000;

/**
 * Begins and reads checks, signs in with bundles that carry the claims of an earlier check, and
 * reads with sessions. Uses all origins in turn, and all objects made since it began. Counts
 * refusals; retries while a process restarts, as every client does.
 */
export async function startLoad(facts: PlatformFacts, origins: readonly string[]): Promise<Load> {
  const counts: Record<string, number> = {};
  const refused: string[] = [];
  const calls = origins.map((origin) => createClient(facts.baseUrl, signing(sentTo(origin))));
  const { own, baseUrl } = facts;
  const kept: Kept = { checks: [], sessions: [own.admin.session_token], devices: [] };
  const trust = await readDevTrust(facts.dataDir);
  let turn = 0;
  let numbered = 0;
  const next = (): Call => {
    turn += 1;
    const call = calls[turn % calls.length];
    if (!call) throw new Error('no origin');
    return call;
  };
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      counts[what] = (counts[what] ?? 0) + 1;
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      refused.push(`${what}: ${error.message}`);
    }
  };
  const newLink = (body: object): Promise<{ url: string; link_uuid: string }> =>
    next()('PUT', `/v2/${own.app_id}`, { token: own.api_key, body, patienceMs });
  const link = await newLink({ single_use: false, required_proofs: ['phone'] });

  const begin = (): Promise<void> =>
    attempt('checks begun', async () => {
      const begun = await next()<Begun>('POST', '/v2/trust-checks', {
        body: { link_uuid: link.link_uuid, client: 'web' },
        patienceMs,
      });
      if (kept.checks.length >= keptMax) kept.checks.splice(keptMax / 2, 1);
      const [, pair = ''] = begun.pair_url.split('#p=');
      kept.checks.push({ id: begun.link_session_id, token: begun.check_token, pair });
    });
  const readChecks = async (): Promise<void> => {
    for (const check of pick(kept.checks)) {
      const { id, token } = check;
      await attempt('checks read', async () => {
        await next()('GET', `/v2/trust-checks/${id}`, { token, patienceMs });
      });
      // A pair token works once, and `settle` runs beside a round.
      const { pair } = check;
      check.pair = '';
      if (pair === '') continue;
      await attempt('pairs resumed', async () => {
        const body = { link_uuid: link.link_uuid, client: 'web', pair_token: pair };
        // A repeat after a lost answer must be recognized.
        const idempotencyKey = randomUUID();
        const options = { body, patienceMs, idempotencyKey };
        const joined = await next()<Begun>('POST', '/v2/trust-checks', options);
        check.pair = joined.pair_url.split('#p=')[1] ?? '';
      });
    }
  };
  const readSessions = async (): Promise<void> => {
    for (const token of pick(kept.sessions)) {
      await attempt('sessions used', async () => {
        await next()('GET', '/v2/logs/me', { token, patienceMs });
      });
    }
  };
  const signIn = async (): Promise<void> => {
    for (const device of pick(kept.devices)) {
      await attempt('sign-ins', async () => {
        const opened = await fresh(async () => {
          const raw_jwt = await phoneBundle(device, { baseUrl, now: new Date() });
          const body = { raw_jwt };
          const call = next();
          return call<{ session_token: string }>('POST', '/portal_login', { body, patienceMs: 0 });
        });
        if (kept.sessions.length >= keptMax) kept.sessions.splice(keptMax / 2, 1);
        kept.sessions.push(opened.session_token);
      });
    }
  };
  const wholeCheck = (): Promise<void> =>
    attempt('whole checks', async () => {
      const { url } = await newLink({ requested_claims: ['full_name'] });
      const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
      numbered += 1;
      const number = `+49151777${String(numbered).padStart(5, '0')}`;
      const say = (): void => undefined;
      const call: Call = (method, path, options) =>
        next()(method, path, { ...options, patienceMs }) as never;
      const session = await phoneCheck({ link: url, number, trust, device, say, call });
      if (session.status !== 'passed') throw new CallFailed(0, { detail: session.status });
      if (device.verifiedClaims === null) throw new Error('the check gave its phone no claims');
      kept.devices.push(device);
    });

  const ending = new AbortController();
  const round = async (): Promise<void> => {
    await begin();
    await readChecks();
    await readSessions();
    await signIn();
  };
  const repeat = async (work: () => Promise<void>): Promise<void> => {
    while (!ending.signal.aborted) {
      await work();
      await sleep(pauseMs, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };
  await wholeCheck();
  const running = [repeat(round), repeat(wholeCheck)];
  // The caller of `stop` gets the error.
  for (const run of running) run.catch(() => undefined);
  return {
    counts,
    refused,
    async settle() {
      await round();
      await wholeCheck();
    },
    async stop() {
      ending.abort();
      await Promise.all(running);
    },
  };
}

/** A bundle works once, so a new one is signed after a lost answer. */
async function fresh<T>(work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const isAway = error instanceof CallFailed && (error.status === 0 || error.status === 503);
      if (!isAway || Date.now() > deadline) throw error;
      await sleep(250);
    }
  }
}

/** Returns the oldest, the newest and one between. */
function pick<T>(all: readonly T[]): T[] {
  const places = new Set([0, Math.floor(all.length / 2), all.length - 1]);
  return [...places].flatMap((at) => all.slice(at, at + 1));
}
