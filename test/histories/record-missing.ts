import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createDataConverter } from '../../activities/runtime/codec/data-converter.ts';
import { masterRing } from '../../db/sealing/key-ring.ts';
import { readDevTrust } from '../../simulator/roots/dev-trust.ts';
import { createClient } from '../../simulator/session/client.ts';
import { signing } from '../support/http/browser-keys.ts';
import { createPlatform, openTestDb } from '../support/platform/harness.ts';
import { calendarSettings, startCalendarProvider } from '../support/stand-ins/oauth/calendar-provider.ts';
import { appAttestSettings, startSandbox } from '../support/stand-ins/phones/app-attest.ts';
import { startDeviceCheck } from '../support/stand-ins/phones/device-check.ts';
import type { Scenario, Stage } from './scenario.ts';
import { scenariosInTurn } from './scenarios.ts';
import { lastingScenarios } from './scenarios/check-scenarios.ts';
import { recordedSecretHex } from './secret.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const fileOf = ({ type, scenario }: Scenario): URL =>
  new URL(`./${type}/${scenario}.json`, import.meta.url);
const isMissing = (scenario: Scenario): boolean => !existsSync(fileOf(scenario));

async function record(stage: Stage, scenario: Scenario): Promise<void> {
  say(`${scenario.type}/${scenario.scenario}`);
  const handle = stage.client.workflow.getHandle(await scenario.play(stage));
  const given: unknown = await handle.result().catch(failureOf);
  assert.partialDeepStrictEqual(given, scenario.ends);
  const history = await handle.fetchHistory();
  await mkdir(new URL('.', fileOf(scenario)), { recursive: true });
  const text = `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`;
  await writeFile(fileOf(scenario), text, { flag: 'wx' });
}

function failureOf(error: unknown): { failure: string | null | undefined } {
  const cause = error instanceof WorkflowFailedError ? error.cause : undefined;
  if (!(cause instanceof ApplicationFailure)) throw error;
  return { failure: cause.type };
}

async function recordMissing(stage: Stage): Promise<void> {
  const inTurn = async (): Promise<void> => {
    for (const scenario of scenariosInTurn.filter(isMissing)) await record(stage, scenario);
  };
  const lasting = lastingScenarios.filter(isMissing).map((each) => record(stage, each));
  await Promise.all([inTurn(), ...lasting]);
}

/** Records them on a platform of its own, which is removed afterwards. */
export async function recordHistories(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-record-'));
  const calendar = await startCalendarProvider('');
  const appAttest = await startSandbox(directory);
  const deviceCheck = await startDeviceCheck({
    environment: 'development',
    now: () => new Date(),
  });
  const settings = {
    ...calendarSettings(calendar),
    ...appAttestSettings(appAttest, directory),
    DEVICECHECK_SANDBOX_URL: deviceCheck.url,
  };
  const { facts, keys, stop } = await createPlatform(directory, say, settings, recordedSecretHex);
  calendar.redirectUri = `${facts.baseUrl}/cal/oauth/callback`;
  const connection = await Connection.connect({ address: facts.temporalAddress });
  const dataConverter = createDataConverter({
    ring: masterRing(keys.secret('temporal-codec')),
    namespace: 'default',
    failClosed: true,
  });
  const db = openTestDb(facts.databaseUrl);
  try {
    await recordMissing({
      facts,
      call: createClient(facts.baseUrl, signing(fetch)),
      client: new Client({ connection, dataConverter }),
      db,
      keys,
      trust: await readDevTrust(directory),
      calendarUrl: calendar.url,
    });
  } finally {
    await Promise.all([connection.close(), db.end()]);
    await stop();
    await Promise.all([calendar.stop(), appAttest.stop(), deviceCheck.stop()]);
    await rm(directory, { recursive: true, force: true });
  }
}
