import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import type { UpdateDefinition } from '@temporalio/common';
import { createDataConverter } from '../../../activities/runtime/codec/data-converter.ts';
import { createTracing } from '../../../activities/runtime/tracing.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { addSubmission } from '../../../db/queries/proofs.ts';
import { findTrustCheck } from '../../../db/queries/trust-checks.ts';
import { masterRing } from '../../../db/sealing/key-ring.ts';
import { accountOwner, createSealer, type Sealer } from '../../../db/sealing/sealed.ts';
import { masterWrapper } from '../../../db/sealing/wrapper.ts';
import * as attributes from '../../../workflows/search-attributes.ts';
import { taskQueues } from '../../../workflows/task-queues.ts';
import * as messages from '../../../workflows/trust-check/messages.ts';
import { countActions } from '../../histories/count-actions.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { addSession, newLink, proofs } from './http/sessions.ts';
import type { Bench, BenchContext } from './measure/bench.ts';
import { startChild, type Child } from './measure/child.ts';
import type { BenchResult } from './measure/judge.ts';
import { cpuMsOf } from './measure/procfs.ts';
import { alternate } from './measure/rounds.ts';
import { median } from './measure/statistics.ts';

const checksPerRound = 12;
const warmUpChecks = 15;
const goal = { p50: 1.25, actions: 20, events: 60, kilobytes: 25 };
const floorQueue = 'bench-floor';
const deadlineMs = 30 * 60_000;

/** P3: orchestration of a trust check with three proofs, compared with an empty workflow. */
export const trustCheck: Bench = { id: 'P3', rounds: 9, run };

interface Round {
  readonly p50Ms: number;
  readonly cpuMsPerCheck: number;
}

/** The cost of a check so far: the time of its updates, and the CPU time of the worker. */
interface Spent {
  ms: number;
  cpuMs: number;
}

type Check = (pid: number) => Promise<Spent>;

async function run(context: BenchContext): Promise<BenchResult> {
  const { platform, pace } = context;
  // The measured worker needs the queues of the platform’s worker.
  await platform.worker.stop();
  const children: Child[] = [];
  const db = openTestDb(platform.facts.databaseUrl);
  const connection = await Connection.connect({ address: platform.facts.temporalAddress });
  try {
    const floor = await startChild('floors/trust-check/worker.ts', {
      TEMPORAL_ADDRESS: platform.facts.temporalAddress,
      TASK_QUEUE: floorQueue,
    });
    children.push(floor);
    const candidate = await startChild('candidates/worker.ts', platform.settings);
    children.push(candidate);
    const driver = await createDriver(context, db, connection);
    const measure = (child: Child, check: Check, count: number) => () =>
      measureChecks(child, check, count, pace.signal);
    await measure(floor, driver.floorCheck, warmUpChecks)();
    await measure(candidate, driver.candidateCheck, warmUpChecks)();
    const seen = await alternate(
      {
        floor: measure(floor, driver.floorCheck, checksPerRound),
        candidate: measure(candidate, driver.candidateCheck, checksPerRound),
      },
      pace,
    );
    const both = (name: keyof Round) => ({
      floor: seen.floor.map((round) => round[name]),
      candidate: seen.candidate.map((round) => round[name]),
    });
    return {
      id: 'P3',
      title: 'trust check, 3 proofs',
      extent: `${seen.floor.length} rounds of ${checksPerRound} checks`,
      measures: [
        {
          name: 'p50 of six updates',
          unit: 'ms',
          ...both('p50Ms'),
          goal: { of: 'ratio', max: goal.p50 },
        },
        { name: 'worker CPU a check', unit: 'ms', ...both('cpuMsPerCheck') },
      ],
      counts: await driver.counts(),
    };
  } finally {
    await Promise.allSettled(children.map((child) => child.stop()));
    await connection.close();
    await db.end();
  }
}

async function measureChecks(
  child: Child,
  check: Check,
  count: number,
  signal: AbortSignal,
): Promise<Round> {
  const checks: Spent[] = [];
  for (let done = 0; done < count; done += 1) {
    signal.throwIfAborted();
    checks.push(await check(child.pid));
  }
  const cpuMs = checks.reduce((sum, spent) => sum + spent.cpuMs, 0);
  return { p50Ms: median(checks.map(({ ms }) => ms)), cpuMsPerCheck: cpuMs / count };
}

/** Sums the time of the updates of one check, one after another, as the API sends them. */
function stopwatch(pid: number) {
  const spent = { ms: 0, cpuMs: 0 };
  const cpuBefore = cpuMsOf(pid);
  return {
    async time<T>(update: () => Promise<T>): Promise<T> {
      const started = performance.now();
      const result = await update();
      spent.ms += performance.now() - started;
      spent.cpuMs = cpuMsOf(pid) - cpuBefore;
      return result;
    },
    spent: (): Spent => spent,
  };
}

async function createDriver(context: BenchContext, db: Db, connection: Connection) {
  const { keys } = context.platform;
  const link = await newLink(context, db);
  const tracing = await createTracing('trustcheck-bench', undefined);
  const sealer = createSealer(
    db,
    masterWrapper(keys.secret('data-keys')),
    keys.secret('blind-index'),
  );
  const plain = new Client({ connection });
  // The client of the API process, with its codec, failure converter and tracing.
  const client = new Client({
    connection,
    dataConverter: createDataConverter({
      ring: masterRing(keys.secret('temporal-codec')),
      namespace: 'default',
      failClosed: false,
    }),
    plugins: [tracing.plugin],
  });
  let lastId = '';
  return {
    floorCheck: (pid: number) => checkFloor(plain, pid),
    candidateCheck: async (pid: number) => {
      const { id, spent } = await checkCandidate({ db, client, sealer, link }, pid);
      lastId = id;
      return spent;
    },
    /** What one check leaves behind, as reported by the server. */
    async counts() {
      const handle = client.workflow.getHandle(messages.trustCheckWorkflowId(lastId));
      const [{ historySize }, { events }] = await Promise.all([
        handle.describe(),
        handle.fetchHistory(),
      ]);
      return [
        { name: 'actions', value: countActions(events ?? []), max: goal.actions },
        { name: 'events', value: events?.length ?? Number.NaN, max: goal.events },
        {
          name: 'history',
          value: (historySize ?? Number.NaN) / 1000,
          unit: 'kB',
          max: goal.kilobytes,
        },
      ];
    },
  };
}

async function checkFloor(client: Client, pid: number): Promise<Spent> {
  const watch = stopwatch(pid);
  const workflowId = `bench-floor/${randomIds.uuid()}`;
  const startWorkflowOperation = new WithStartWorkflowOperation('floorCheck', {
    workflowId,
    taskQueue: floorQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    args: [{ proofs: proofs.length, deadlineMs }],
  });
  await watch.time(() =>
    client.workflow.executeUpdateWithStart('move', { startWorkflowOperation, args: ['begin'] }),
  );
  const handle = client.workflow.getHandle(workflowId);
  const update = (name: string, argument: string) =>
    watch.time(() => handle.executeUpdate(name, { args: [argument] }));
  await update('move', 'pair');
  await update('move', 'consent');
  for (const proof of proofs) await update('submit', proof);
  await handle.result();
  return watch.spent();
}

interface CandidateDeps {
  readonly db: Db;
  readonly client: Client;
  readonly sealer: Sealer;
  readonly link: LinkRow;
}

/** Sends the updates of a check as the API does. Work between the updates is not timed. */
async function checkCandidate(
  deps: CandidateDeps,
  pid: number,
): Promise<{ id: string; spent: Spent }> {
  const { db, client } = deps;
  const input = await addSession(db, deps.link);
  const id = input.link_session_id;
  const submissions = await addSubmissions(deps, id, input.account_id);
  const workflowId = messages.trustCheckWorkflowId(id);
  const startWorkflowOperation = new WithStartWorkflowOperation('trustCheck', {
    workflowId,
    taskQueue: taskQueues.core,
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    workflowIdConflictPolicy: 'USE_EXISTING',
    staticSummary: `Trust check: ${proofs.join(', ')}; account ${input.account_id}`,
    typedSearchAttributes: [
      { key: attributes.flowKindKey, value: 'trustCheck' },
      { key: attributes.accountIdKey, value: String(input.account_id) },
      { key: attributes.appIdKey, value: deps.link.app_id },
      { key: attributes.linkUuidKey, value: deps.link.link_uuid },
      { key: attributes.proofTypesKey, value: [...proofs] },
    ],
    args: [input],
  });
  const watch = stopwatch(pid);
  await watch.time(() =>
    client.workflow.executeUpdateWithStart(messages.beginUpdate, {
      startWorkflowOperation,
      args: [{ opened: true }],
      updateId: `begin/${id}`,
    }),
  );
  const handle = client.workflow.getHandle(workflowId);
  const update = async <Args extends [unknown, ...unknown[]]>(
    definition: UpdateDefinition<messages.TrustCheckSnapshot, Args>,
    args: Args,
    updateId: string,
  ): Promise<void> => {
    await watch.time(() => handle.executeUpdate(definition, { args, updateId }));
  };
  await update(messages.pairUpdate, [{ device_id: null, poly_user_id: null }], `pair/${id}/web`);
  const consent = { accepted: true, tos_version: '1', claims: [] };
  await update(messages.consentUpdate, [consent], `consent/${id}/true`);
  for (const { proof, submission_id } of submissions) {
    await update(messages.submitProofUpdate, [{ proof, submission_id }], submission_id);
  }
  await settle(deps, id);
  return { id, spent: watch.spent() };
}

/** Stores the sealed submissions before the workflow is notified. */
async function addSubmissions(deps: CandidateDeps, sessionId: string, accountId: number) {
  const added = proofs.map((proof) => ({ proof, submission_id: randomIds.make('sub') }));
  for (const { proof, submission_id } of added) {
    const context = `proof_submissions|input|${submission_id}`;
    const inputSealed = await deps.sealer.seal(accountOwner(accountId), context, '{}');
    const now = new Date();
    await addSubmission(deps.db, { id: submission_id, sessionId, proof, inputSealed, now });
  }
  return added;
}

/** Waits for the end of the workflow before the next check, and asserts that it passed. */
async function settle({ db, client }: CandidateDeps, id: string): Promise<void> {
  await client.workflow.getHandle(messages.trustCheckWorkflowId(id)).result();
  const session = await findTrustCheck(db, id);
  if (session?.status !== 'passed' || !session.affidavit_id) {
    throw new Error(`the check ${id} is ${session?.status ?? 'gone'}`);
  }
}
