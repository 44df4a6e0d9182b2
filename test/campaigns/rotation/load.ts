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

/** What callers do all the time while keys change. */
export interface Load {
  /** Does everything once with what was made since the beginning; throws nothing. */
  settle(): Promise<void>;
  readonly counts: Readonly<Record<string, number>>;
  /** Each answer that refused what was good. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

interface Begun {
  readonly link_session_id: string;
  readonly check_token: string;
  readonly pair_url: string;
}

interface Kept {
  /** Made under keys that may have been replaced since. */
  readonly checks: { readonly id: string; readonly token: string; pair: string }[];
  readonly sessions: string[];
  readonly devices: Device[];
}

const patienceMs = 120_000;
const keptMax = 60;
/** Between two rounds: a fast machine would exceed the limits of calls by address otherwise. */
const pauseMs = 6_000;

/**
 * Begins and reads checks, signs in by bundles that carry the claims of an earlier check, and reads
 * by sessions, at all origins in turn, with all that was made since it began. A refusal is counted; a
 * process that is being restarted is asked again, as every client does.
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
      // A pair token works once, and `settle` runs a round beside another.
      const { pair } = check;
      check.pair = '';
      if (pair === '') continue;
      await attempt('pairs resumed', async () => {
        const body = { link_uuid: link.link_uuid, client: 'web', pair_token: pair };
        // A repeat after a lost answer has to be known as one.
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
  // The caller that stops it gets the fault.
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

/** A bundle is good once: after a lost answer another one is signed. */
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

/** The oldest, the newest and one between. */
function pick<T>(all: readonly T[]): T[] {
  const places = new Set([0, Math.floor(all.length / 2), all.length - 1]);
  return [...places].flatMap((at) => all.slice(at, at + 1));
}
