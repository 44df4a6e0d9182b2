import { hkdfSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataConverter } from '../../activities/runtime/codec/data-converter.ts';
import { createTracing } from '../../activities/runtime/tracing.ts';
import { bundlesDirectory } from '../../cli/platform/cache.ts';
import { masterRing } from '../../db/sealing/key-ring.ts';
import { bundleWorkflows } from '../../workers/bundle.ts';
import { countActions } from '../histories/count-actions.ts';
import { scenariosInTurn } from '../histories/scenarios.ts';
import { lastingScenarios } from '../histories/scenarios/check-scenarios.ts';
import { recordedSecretHex } from '../histories/secret.ts';
import { mutations } from './mutations.ts';

const scenarios = [...scenariosInTurn, ...lastingScenarios];
const folder = new URL('../histories/', import.meta.url);
const recorded = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(new URL(`${name}/`, folder)).map((file) => `${name}/${file}`))
  .filter((path) => path.endsWith('.json'));

const secret = Buffer.from(
  hkdfSync('sha256', Buffer.from(recordedSecretHex, 'hex'), 'trustcheck', 'temporal-codec', 32),
);
const tracing = await createTracing('replay', undefined);
const converterOf = (key: Uint8Array) =>
  createDataConverter({ ring: masterRing(key), namespace: 'default', failClosed: true });
const dataConverter = converterOf(secret);
/** Built as workers load it, but as plain as possible, so that single lines can be changed. */
let bundle: { code: string };

interface HistoryJson {
  events: { eventType: string; [attributes: string]: unknown }[];
}
const read = (path: string): HistoryJson =>
  JSON.parse(readFileSync(new URL(path, folder), 'utf8')) as HistoryJson;

async function replay(code: string, history: HistoryJson): Promise<void> {
  const options = { workflowBundle: { code }, dataConverter, plugins: [tracing.plugin] };
  await Worker.runReplayHistory(options, historyFromJSON(history));
}

/** The result of replaying each recorded history with the bundle that workers load. */
const outcomes = new Map<string, unknown>();

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
  bundle = await bundleWorkflowCode({
    workflowsPath: new URL('../../workflows/index.ts', import.meta.url).pathname,
    plugins: [tracing.plugin],
    logger: new DefaultLogger('ERROR', () => undefined),
  });
  const options = {
    workflowBundle: await bundleWorkflows(tracing.plugin, bundlesDirectory()),
    dataConverter,
    plugins: [tracing.plugin],
  };
  const histories = recorded.map((path) => ({
    workflowId: path,
    history: historyFromJSON(read(path)),
  }));
  for await (const { workflowId, error } of Worker.runReplayHistories(options, histories)) {
    outcomes.set(workflowId, error ?? 'replayed');
  }
});

// The handler sees every promise of this process; other files install their own.
afterAll(() => globalHandlers.uninstall());

describe('recorded histories', () => {
  it('cover every scenario that can be recorded', () => {
    const names = scenarios.map(({ type, scenario }) => `${type}/${scenario}.json`);
    expect(names.filter((name) => !recorded.includes(name))).toEqual([]);
    expect(recorded.filter((name) => !names.includes(name))).toEqual([]);
  });

  it.each(recorded)('replay without an error: %s', (path) => {
    expect(outcomes.get(path)).toBe('replayed');
  });

  it.each(scenarios)('of $type/$scenario end as the scenario is named', async (scenario) => {
    const { events } = historyFromJSON(read(`${scenario.type}/${scenario.scenario}.json`));
    const last = events?.at(-1);
    const failed = last?.workflowExecutionFailedEventAttributes?.failure;
    if (failed) {
      expect({ failure: failed.applicationFailureInfo?.type }).toEqual(scenario.ends);
      return;
    }
    const completed = last?.workflowExecutionCompletedEventAttributes;
    const [codec] = dataConverter.payloadCodecs ?? [];
    const [payload] = (await codec?.decode([...(completed?.result?.payloads ?? [])])) ?? [];
    const given: unknown = JSON.parse(Buffer.from(payload?.data ?? []).toString());
    expect(given).toMatchObject(scenario.ends);
  });

  it.each(mutations)('of $breaks do not replay with $change', async ({ breaks, from, to }) => {
    expect(bundle.code.split(from)).toHaveLength(2);
    const changed = bundle.code.replace(from, () => to);
    await expect(replay(changed, read(breaks))).rejects.toThrow(/nondeterminis/i);
  });

  it('are encrypted, and cannot be read with another key', async () => {
    const text = JSON.stringify(read('trustCheck/passed.json'));
    for (const plain of ['collecting', 'tos_version', 'code_wrong', '+49151']) {
      expect(Buffer.from(text).includes(plain)).toBe(false);
    }
    const failures = recorded.flatMap((path) =>
      [...JSON.stringify(read(path)).matchAll(/"message":"([^"]*)"/g)].map(([, said]) => said),
    );
    expect(new Set(failures)).toEqual(new Set(['Encoded failure']));
    const other = converterOf(Buffer.alloc(32, 1));
    const options = { workflowBundle: bundle, dataConverter: other, plugins: [tracing.plugin] };
    const history = historyFromJSON(read('trustCheck/passed.json'));
    await expect(Worker.runReplayHistory(options, history)).rejects.toThrow();
  });
});

describe('the budget of a workflow', () => {
  const actionsOf = (history: HistoryJson): number =>
    countActions(historyFromJSON(history).events ?? []);

  it('is 20 actions, 60 events and 25 kB for a check with three proofs', () => {
    const history = read('trustCheck/three-proofs.json');
    const wire = proto.temporal.api.history.v1.History.encode(historyFromJSON(history)).finish();
    expect(actionsOf(history)).toBeLessThanOrEqual(20);
    expect(history.events.length).toBeLessThanOrEqual(60);
    expect(wire.length).toBeLessThanOrEqual(25_000);
  });

  it('is four actions for a connected calendar', () => {
    expect(actionsOf(read('calendarOAuth/connected.json'))).toBe(4);
    expect(actionsOf(read('calendarOAuth/denied.json'))).toBe(3);
  });

  it('is two actions for an affidavit', () => {
    expect(actionsOf(read('issueAffidavit/passed.json'))).toBeLessThanOrEqual(2);
  });
});
