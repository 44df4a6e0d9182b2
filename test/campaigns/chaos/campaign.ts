import { trustCheckStream } from '../../../db/queries/events.ts';
import type { Part } from '../../support/platform/parts.ts';
import type { Field } from './field.ts';
import type { RunningCheck } from './running-check.ts';
import { fire, nameOf, type Moment, type VolleyResult } from './volley.ts';

/** What an undisturbed check does, for comparison with the disturbed ones. */
export interface Rehearsal {
  /** The steps in order; kills are assigned to them. */
  readonly steps: readonly string[];
  /** The events of the session, in their order. */
  readonly eventTypes: readonly string[];
  /** Milliseconds from the decision until the affidavit is available. */
  readonly issueMs: number;
}

/** A kill during every step at once, or during the issuing of one affidavit. */
export interface Planned {
  readonly part: Part;
  readonly moment: Moment;
}

const isOfIssue = ({ moment }: Planned): boolean =>
  moment.kind === 'stored' || moment.kind === 'delay';
/** Number of checks that move to their places at once. */
const lanes = 6;

/** Runs one undisturbed check. */
export async function rehearse(field: Field): Promise<Rehearsal> {
  const check = field.addCheck();
  await check.goOn(null);
  const decidedAt = performance.now();
  await field.issued(check);
  const issueMs = performance.now() - decidedAt;
  return {
    steps: [...new Set(check.steps().map(({ name }) => name))],
    eventTypes: await eventTypesOf(field, check),
    issueMs,
  };
}

/**
 * Returns the types of a check’s events in order, without the event that a proof is `processing`. A
 * kill in the middle of a call makes it longer, so that it is answered before the judgment.
 */
export async function eventTypesOf(field: Field, check: RunningCheck): Promise<string[]> {
  const { rows } = await field.db.query<{ type: string }>(
    `SELECT type::text FROM events WHERE stream = $1
      AND data->'object'->>'proof_status' IS DISTINCT FROM 'processing' ORDER BY seq`,
    [trustCheckStream(check.linkSessionId() ?? '')],
  );
  return rows.map(({ type }) => type);
}

/**
 * Fires one volley after another. One check waits before every step. A volley moves each on by one,
 * and a new check takes the first place. So every volley hits every step, and a check lives through
 * one kill per remaining step. Checks for the kills of the issuing wait beside them.
 */
export async function runVolleys(
  field: Field,
  { steps }: Rehearsal,
  plan: readonly Planned[],
  say: (line: string) => void,
): Promise<VolleyResult[]> {
  const lastProof = steps.findLast((step) => step.startsWith('proofs/')) ?? '';
  const issuers = plan.filter(isOfIssue).map(() => lastProof);
  const places = [...steps, ...issuers];
  const standing = places.map(() => field.addCheck());
  await inLanes(standing, async (check, index) => {
    const place = places[index];
    if (place && place !== check.standing()) await check.goOn(place);
  });
  const marching = new Set(standing.slice(0, steps.length));
  const waiting = standing.slice(steps.length);
  const results: Promise<VolleyResult>[] = [];
  for (const planned of plan) {
    const one = isOfIssue(planned) ? waiting.shift() : undefined;
    const targets = one
      ? [{ check: one, next: null }]
      : [...marching].map((check) => ({ check, next: after(steps, check) }));
    const started = performance.now();
    const { healed } = await fire(field, { ...planned, targets });
    const told = healed.then((result) => {
      for (const line of linesOf(planned, result, performance.now() - started)) say(line);
      return result;
    });
    results.push(told);
    // An affidavit may recover during the following kills; a step must be done first.
    if (one) continue;
    const { hits } = await told;
    // The hits contain the failures; the other checks continue.
    for (const [at, { check, next }] of targets.entries()) {
      if (next === null || hits[at]?.fault) marching.delete(check);
    }
    marching.add(field.addCheck());
  }
  await inLanes([...marching, ...waiting], async (check) => {
    if (check.standing()) await check.goOn(null).catch(() => undefined);
  });
  return Promise.all(results);
}

function after(steps: readonly string[], check: RunningCheck): string | null {
  return steps[steps.indexOf(check.standing() ?? '') + 1] ?? null;
}

async function inLanes<T>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const left = [...items.entries()];
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await work(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

function linesOf({ part, moment }: Planned, result: VolleyResult, ms: number): string[] {
  const { hits, heldDeliveries, openSockets } = result;
  const worstMs = Math.max(...hits.map(({ healedMs }) => healedMs ?? 0));
  const seconds = (of: number): string => `${(of / 1000).toFixed(1)} s`;
  return [
    [
      `kill -9 ${part}, ${nameOf(moment)}:`,
      `${hits.length} steps, ${heldDeliveries} deliveries, ${openSockets} sockets;`,
      `done ${seconds(worstMs)} after it was up (${seconds(ms)} in all)`,
    ].join(' '),
    ...hits.flatMap(({ fault, step }) => (fault ? [`  ${step}: ${fault}`] : [])),
  ];
}
