import { setTimeout as sleep } from 'node:timers/promises';
import type { Part } from '../../support/platform/parts.ts';
import type { Field } from './field.ts';
import type { RunningCheck } from './running-check.ts';

/**
 * When a part is killed, relative to events and not to a clock. `away`: before the steps begin. A
 * share: from 0, all requests are sent, to 1, all are answered. `stored`: when the store has the
 * file of the affidavit. `delay`: some time after the decision.
 */
export type Moment =
  | { readonly kind: 'away' }
  | { readonly kind: 'share'; readonly share: number }
  | { readonly kind: 'stored' }
  | { readonly kind: 'delay'; readonly ms: number };

export function nameOf(moment: Moment): string {
  if (moment.kind === 'share') return `${Math.round(moment.share * 100)} % answered`;
  return moment.kind === 'delay' ? `${Math.round(moment.ms)} ms after the decision` : moment.kind;
}

/** The effect of one kill on one check. */
export interface Hit {
  readonly step: string;
  readonly part: Part;
  readonly moment: Moment;
  /**
   * Milliseconds from the restart of the part to the end of the step; null when the step never
   * ended.
   */
  readonly healedMs: number | null;
  readonly fault: string | null;
}

export interface Volley {
  readonly part: Part;
  readonly moment: Moment;
  /** Waiting checks, each with the next step to wait before, or null for its end. */
  readonly targets: readonly { readonly check: RunningCheck; readonly next: string | null }[];
}

/** Deliveries that waited when the part was killed, and open sockets. */
export interface VolleyResult {
  readonly hits: readonly Hit[];
  readonly heldDeliveries: number;
  readonly openSockets: number;
}

const pollMs = 2;
const awayMs = 500;
const storedMsMax = 30_000;

/**
 * Lets every check take its step, kills the part at the given moment and restarts it. Answers that
 * the API gave by then are lost, and webhooks sent meanwhile wait until after the kill. Resolves
 * when the part is up, with a promise that resolves when every step is done.
 */
export async function fire(
  field: Field,
  volley: Volley,
): Promise<{ healed: Promise<VolleyResult> }> {
  const { platform, receiver } = field;
  const { part, moment, targets } = volley;
  const killed = Promise.withResolvers<void>();
  const trigger = triggerOf(field, volley);
  receiver.hold();
  if (moment.kind === 'away') await platform.kill(part);
  let upAt = Number.POSITIVE_INFINITY;
  const hits = targets.map(async ({ check, next }): Promise<Hit> => {
    const isOfIssue = moment.kind === 'stored' || moment.kind === 'delay';
    const step = isOfIssue ? 'affidavit' : (check.standing() ?? 'no step');
    const hit = { step, part, moment };
    check.onAnswer = async () => {
      check.onAnswer = null;
      trigger.answered();
      if (part !== 'api' || moment.kind === 'away') return;
      await killed.promise;
      throw new Error('the answer is lost');
    };
    try {
      await check.goOn(next);
      if (next === null) await field.issued(check);
      return { ...hit, healedMs: Math.max(0, performance.now() - upAt), fault: null };
    } catch (error) {
      trigger.answered();
      return { ...hit, healedMs: null, fault: String(error) };
    }
  });
  await (moment.kind === 'away' ? sleep(awayMs) : trigger.due);
  const heldDeliveries = receiver.held();
  const openSockets = field.followers.filter((follower) => follower.isConnected()).length;
  if (moment.kind !== 'away') await platform.kill(part);
  killed.resolve();
  receiver.release();
  await platform.restart(part);
  upAt = performance.now();
  const result = { heldDeliveries, openSockets };
  return { healed: Promise.all(hits).then((done) => ({ ...result, hits: done })) };
}

interface Trigger {
  readonly due: Promise<void>;
  answered(): void;
}

function triggerOf(field: Field, { moment, targets }: Volley): Trigger {
  let answers = 0;
  const { promise: due, resolve } = Promise.withResolvers<void>();
  const wanted = moment.kind === 'share' ? Math.round(moment.share * targets.length) : 1;
  const onEnough = async (): Promise<void> => {
    if (moment.kind === 'delay') await sleep(moment.ms);
    const ids = targets.flatMap(({ check }) => check.linkSessionId() ?? []);
    const deadline = performance.now() + storedMsMax;
    while (moment.kind === 'stored' && performance.now() < deadline) {
      if (ids.some((id) => field.hasFile(id))) break;
      await sleep(pollMs);
    }
    resolve();
  };
  if (wanted === 0) setImmediate(resolve);
  return {
    due,
    answered() {
      answers += 1;
      if (answers === wanted) void onEnough();
    },
  };
}
