import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createPlatform } from '../harness.ts';
import { recordedSecretHex } from './secret.ts';
import { createClient } from '../../cli/phone/client.ts';
import { phoneCheck, type PhoneFailure } from '../../cli/phone/check.ts';
import { readDevTrust } from '../../cli/phone/dev-trust.ts';
import { createDevice } from '../../cli/phone/device.ts';

/**
 * Records histories from a real server into `test/histories/<type>/<scenario>.json`: run it by hand
 * when a workflow gains a path, and commit what is new. Recorded files are never changed.
 */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

interface Scenario {
  readonly scenario: string;
  readonly proofs: readonly string[];
  readonly fail?: PhoneFailure;
}

const three = ['device', 'nfc_passport', 'phone'];
const scenarios: readonly Scenario[] = [
  { scenario: 'passed', proofs: ['phone'] },
  { scenario: 'wrong-code', proofs: ['phone'], fail: 'wrong_code' },
  { scenario: 'three-proofs', proofs: three },
  { scenario: 'clone', proofs: three, fail: 'nfc_clone' },
];

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-record-'));
  const platform = await createPlatform(directory, say, {}, recordedSecretHex);
  const { facts } = platform;
  const call = createClient(facts.baseUrl);
  const connection = await Connection.connect({ address: facts.temporalAddress });
  const client = new Client({ connection });
  const newLink = async (required_proofs: readonly string[]): Promise<string> => {
    const link = await call<{ url: string }>('PUT', `/v2/${facts.own.app_id}`, {
      token: facts.own.api_key,
      body: { title: 'recorded', required_proofs },
    });
    return link.url;
  };
  const save = async (type: string, scenario: string, workflowId: string): Promise<void> => {
    const handle = client.workflow.getHandle(workflowId);
    await handle.result().catch(() => undefined);
    const history = await handle.fetchHistory();
    await mkdir(new URL(`./${type}/`, import.meta.url), { recursive: true });
    const file = new URL(`./${type}/${scenario}.json`, import.meta.url);
    // One that is there stays as it was recorded.
    await writeFile(file, `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`, {
      flag: 'wx',
    }).catch(() => say(`${type}/${scenario} is there already`));
  };
  const record = async ({ scenario, proofs, fail }: Scenario, index: number): Promise<void> => {
    const trust = await readDevTrust(directory);
    const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
    const link = await newLink(proofs);
    const number = `+491511234568${index}`;
    const session = await phoneCheck({ link, number, trust, device, say, fail });
    await save('trustCheck', scenario, `trust-check/${session.link_session_id}`);
    const { affidavit } = await call<{ affidavit: { affidavit_id: string } }>(
      'GET',
      `/v2/trust-checks/${session.link_session_id}`,
      { token: facts.own.api_key },
    );
    await save('issueAffidavit', scenario, `affidavit/${affidavit.affidavit_id}`);
  };
  try {
    for (const [index, scenario] of scenarios.entries()) await record(scenario, index);
  } finally {
    await connection.close();
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
