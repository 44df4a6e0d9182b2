import type { Seed } from '../../../cli/data-directory/seed.ts';
import type { DevicePlatform } from '../../../domain/names.ts';
import { createDevice } from '../../../simulator/device/device.ts';
import type { DevTrust } from '../../../simulator/roots/dev-trust.ts';
import { phoneCheck, type CheckedSession } from '../../../simulator/session/check.ts';
import { createClient, type Call } from '../../../simulator/session/client.ts';

export interface CheckRequest {
  readonly baseUrl: string;
  readonly account: Seed;
  readonly trust: DevTrust;
  readonly platform: DevicePlatform;
  readonly number: string;
  readonly onSession?: (linkSessionId: string) => void;
  /** How long each call is repeated while the platform is unavailable. */
  readonly patienceMs: number;
}

export interface TimedStep {
  readonly name: string;
  /** Milliseconds from the first attempt to the final answer. */
  readonly ms: number;
}

/** A check by a simulated phone that can wait before any of its steps. */
export interface RunningCheck {
  readonly number: string;
  readonly ended: Promise<CheckedSession>;
  /** The id of the session; null before it began. */
  linkSessionId(): string | null;
  /** The finished steps in order. */
  steps(): readonly TimedStep[];
  /** The step before which it waits, if it waits. */
  standing(): string | null;
  /** Continues until it waits before another step, or to its end. */
  goOn(until: string | null): Promise<void>;
  /** Called with the first good answer of every step; throws to lose that answer. */
  onAnswer: ((step: string) => Promise<void>) | null;
}

/** Names a call as the table of a run does. */
export function stepOf(method: string, path: string): string {
  const { pathname } = new URL(path, 'http://localhost');
  const rest = /^\/v2\/trust-checks\/[^/]+\/(.+)$/.exec(pathname)?.[1];
  if (rest) return rest;
  if (pathname === '/outbox/messages') return 'read the code';
  if (pathname === '/v2/devices/challenge') return 'device challenge';
  if (pathname === '/v2/devices') return 'enroll';
  if (pathname === '/v2/trust-checks') return 'begin';
  if (pathname.startsWith('/v2/trust-checks/')) return 'result';
  return method === 'PUT' ? 'link' : 'preview';
}

/** Starts a check that waits before its first step, which creates the link. */
export function startCheck(request: CheckRequest): RunningCheck {
  const { baseUrl, account, trust, platform, number, patienceMs } = request;
  const steps: TimedStep[] = [];
  let sessionId: string | null = null;
  let goal: string | null = 'link';
  let standing: string | null = null;
  let current = '';
  let arrived = Promise.withResolvers<void>();
  let go = Promise.withResolvers<void>();
  const answered = new Set<string>();

  const fetchOnce: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const bytes = await response.arrayBuffer();
    if (response.status < 400 && !answered.has(current)) {
      answered.add(current);
      await check.onAnswer?.(current);
    }
    const { status, headers } = response;
    return new Response(bytes.byteLength > 0 ? bytes : null, { status, headers });
  };
  const client = createClient(baseUrl, fetchOnce);
  const call: Call = async (method, path, options) => {
    current = stepOf(method, path);
    if (current === goal) {
      standing = current;
      arrived.resolve();
      await go.promise;
      standing = null;
    }
    const started = performance.now();
    const answer = await client(method, path, { ...options, patienceMs });
    steps.push({ name: current, ms: performance.now() - started });
    return answer as never;
  };
  const run = async (): Promise<CheckedSession> => {
    const link = await call<{ url: string }>('PUT', `/v2/${account.app_id}`, {
      token: account.api_key,
      body: {},
      idempotencyKey: `link-of-${number}`,
    });
    const say = (line: string): void => {
      const id = /^session (\w+),/.exec(line)?.[1];
      if (!id) return;
      sessionId = id;
      request.onSession?.(id);
    };
    const device = createDevice({ platform, trust, now: () => new Date() });
    return phoneCheck({ link: link.url, number, trust, device, say, call });
  };
  const ended = run();
  // Waiters receive a failure; without a waiter it must not end the process.
  ended.catch(() => undefined);
  const check: RunningCheck = {
    number,
    ended,
    linkSessionId: () => sessionId,
    steps: () => steps,
    standing: () => standing,
    async goOn(until) {
      goal = until;
      const leave = go;
      arrived = Promise.withResolvers<void>();
      go = Promise.withResolvers<void>();
      leave.resolve();
      if (until === null) await ended;
      else await Promise.race([arrived.promise, ended.then(() => endedEarly(until))]);
    },
    onAnswer: null,
  };
  return check;
}

function endedEarly(until: string): never {
  throw new Error(`the check has ended and never came to ${until}`);
}
