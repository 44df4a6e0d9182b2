import { mintCheckToken } from '../../../../activities/tokens/check-token.ts';
import type { TrustCheckInput } from '../../../../workflows/trust-check/messages.ts';
import { openTestDb } from '../../../support/platform/harness.ts';
import type { Bench, BenchContext } from '../measure/bench.ts';
import { startChild, type Child } from '../measure/child.ts';
import type { BenchResult } from '../measure/judge.ts';
import { alternate } from '../measure/rounds.ts';
import { quantile } from '../measure/statistics.ts';
import type { Change, ChangeRequest } from './changes.ts';
import { listen, type Listeners } from './listeners.ts';
import { addSession, newLink } from './sessions.ts';
import { newBrowser } from '../../../support/http/browser-keys.ts';

const sockets = 1_000;
const perSecond = 200;
const secondsPerRound = 5;
const goal = { p50Ms: 10, p99Ms: 50 };

/** P4: from a state change to the socket of its session, compared with emitting in one process. */
export const change: Bench = { id: 'P4', rounds: 5, run };

interface Round {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly lost: number;
}

async function run(context: BenchContext): Promise<BenchResult> {
  const { facts } = context.platform;
  const closing: (() => Promise<void> | void)[] = [];
  try {
    const settings = { DATABASE_URL: facts.databaseUrl };
    const floor = await startChild('floors/changes.ts', settings);
    closing.push(() => floor.stop());
    const writer = await startChild('candidates/changes.ts', settings);
    closing.push(() => writer.stop());
    const inputs = await addSessions(context);
    await writer.ask({ begin: inputs });
    const tokens = await tokensOf(context, inputs);
    const onFloor = await listen(`http://127.0.0.1:${floor.port}`, tokens);
    closing.push(() => onFloor.close());
    const onCandidate = await listen(facts.baseUrl, tokens);
    closing.push(() => onCandidate.close());
    const sessionIds = inputs.map((input) => input.link_session_id);
    const measure = (child: Child, listeners: Listeners, seconds: number) => () =>
      changeAndListen(child, listeners, { sessionIds, perSecond, count: perSecond * seconds });
    await measure(floor, onFloor, 1)();
    await measure(writer, onCandidate, 1)();
    const seen = await alternate(
      {
        floor: measure(floor, onFloor, secondsPerRound),
        candidate: measure(writer, onCandidate, secondsPerRound),
      },
      context.pace,
    );
    const both = (name: 'p50Ms' | 'p99Ms') => ({
      floor: seen.floor.map((round) => round[name]),
      candidate: seen.candidate.map((round) => round[name]),
    });
    const changes = seen.candidate.length * perSecond * secondsPerRound;
    return {
      id: 'P4',
      title: 'change to socket',
      extent: `${sockets} sockets, ${perSecond} changes/s, ${seen.floor.length} rounds of ${secondsPerRound} s`,
      measures: [
        {
          name: 'p50',
          unit: 'ms',
          ...both('p50Ms'),
          goal: { of: 'candidate', max: goal.p50Ms },
        },
        {
          name: 'p99',
          unit: 'ms',
          ...both('p99Ms'),
          goal: { of: 'candidate', max: goal.p99Ms },
        },
      ],
      counts: [
        {
          name: `lost of ${changes}`,
          value: seen.candidate.reduce((sum, round) => sum + round.lost, 0),
          max: 0,
        },
        { name: 'twice or out of order', value: onCandidate.misplaced(), max: 0 },
      ],
    };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function changeAndListen(
  child: Child,
  listeners: Listeners,
  request: ChangeRequest,
): Promise<Round> {
  const changes = await child.ask<Change[]>(request);
  const { latenciesMs, lost } = await listeners.arrivalsOf(changes);
  return { p50Ms: quantile(latenciesMs, 0.5), p99Ms: quantile(latenciesMs, 0.99), lost };
}

async function addSessions(context: BenchContext): Promise<TrustCheckInput[]> {
  const db = openTestDb(context.platform.facts.databaseUrl);
  try {
    const link = await newLink(context, db);
    const inputs: TrustCheckInput[] = [];
    // Unlimited attempts, so that a session can change during the whole bench.
    const patient = { ...link, max_attempts: 1_000_000 };
    for (let made = 0; made < sockets; made += 1) inputs.push(await addSession(db, patient));
    return inputs;
  } finally {
    await db.end();
  }
}

async function tokensOf(
  { platform }: BenchContext,
  inputs: readonly TrustCheckInput[],
): Promise<Map<string, string>> {
  const tokens = new Map<string, string>();
  const { keys, facts } = platform;
  const { jkt } = await newBrowser();
  for (const { link_session_id: linkSessionId } of inputs) {
    const of = { linkSessionId, jkt };
    const minted = await mintCheckToken(keys.tokens, facts.baseUrl, of, new Date());
    tokens.set(linkSessionId, minted.token);
  }
  return tokens;
}
