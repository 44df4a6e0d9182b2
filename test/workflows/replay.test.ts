import { hkdfSync } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import proto from '@temporalio/proto';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDataConverter } from '../../activities/codec/data-converter.ts';
import { createTracing } from '../../activities/tracing.ts';
import { countActions } from '../histories/count-actions.ts';
import { recordedSecretHex } from '../histories/secret.ts';

const folder = new URL('../histories/', import.meta.url);
const recorded = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(new URL(`${name}/`, folder)).map((file) => `${name}/${file}`));

const secret = Buffer.from(
  hkdfSync('sha256', Buffer.from(recordedSecretHex, 'hex'), 'trustcheck', 'temporal-codec', 32),
);
const tracing = createTracing('replay', undefined);
const dataConverter = createDataConverter(secret, 'default', true);
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

beforeAll(async () => {
  Runtime.install({ logger: new DefaultLogger('ERROR', () => undefined), shutdownSignals: [] });
  bundle = await bundleWorkflowCode({
    workflowsPath: new URL('../../workflows/index.ts', import.meta.url).pathname,
    plugins: [tracing.plugin],
    logger: new DefaultLogger('ERROR', () => undefined),
  });
}, 60_000);

describe('recorded histories', () => {
  it('are there', () => {
    expect(recorded.length).toBeGreaterThan(3);
  });

  it.each(recorded)('%s replays', async (path) => {
    await expect(replay(bundle.code, read(path))).resolves.toBeUndefined();
  });

  it('would not replay on changed workflows: the corpus bites', async () => {
    const history = read('trustCheck/passed.json');
    const renamed = bundle.code.replaceAll('judgeProof', 'judgeOther');
    expect(renamed).not.toBe(bundle.code);
    await expect(replay(renamed, history)).rejects.toThrow(/nondeterminism|Nondeterminism/i);
  });

  it('are encrypted, and closed to another key', async () => {
    const text = JSON.stringify(read('trustCheck/passed.json'));
    for (const plain of ['collecting', 'tos_version', 'code_wrong', '+49151']) {
      expect(Buffer.from(text).includes(plain)).toBe(false);
    }
    const other = createDataConverter(Buffer.alloc(32, 1), 'default', true);
    const options = { workflowBundle: bundle, dataConverter: other, plugins: [tracing.plugin] };
    const history = historyFromJSON(read('trustCheck/passed.json'));
    await expect(Worker.runReplayHistory(options, history)).rejects.toThrow();
  });
});

describe('the budget of a check', () => {
  const actionsOf = (history: HistoryJson): number =>
    countActions(historyFromJSON(history).events ?? []);

  it('with three proofs is 13 actions, 45 events, 20 kB', () => {
    const history = read('trustCheck/three-proofs.json');
    const wire = proto.temporal.api.history.v1.History.encode(historyFromJSON(history)).finish();
    expect(actionsOf(history)).toBeLessThanOrEqual(13);
    expect(history.events.length).toBeLessThanOrEqual(45);
    expect(wire.length).toBeLessThanOrEqual(20_000);
  });

  it('of an affidavit is two actions', () => {
    expect(actionsOf(read('issueAffidavit/passed.json'))).toBeLessThanOrEqual(2);
  });
});
