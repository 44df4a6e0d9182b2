import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { createPlatform } from '../harness.ts';
import { recordedSecretHex } from './secret.ts';
import { createClient } from '../../cli/phone/client.ts';
import { phoneCheck } from '../../cli/phone/check.ts';
import { readDevTrust } from '../../cli/phone/dev-trust.ts';
import { createDevice } from '../../cli/phone/device.ts';

/**
 * Records histories from a real server into `test/histories/<type>/<scenario>.json`: run it by hand
 * when a workflow gains a path, and commit what is new. Recorded files are never changed.
 */
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'trustcheck-record-'));
  const platform = await createPlatform(directory, say, {}, recordedSecretHex);
  const { facts } = platform;
  const call = createClient(facts.baseUrl);
  const connection = await Connection.connect({ address: facts.temporalAddress });
  const client = new Client({ connection });
  const newLink = async (): Promise<string> => {
    const link = await call<{ url: string }>('PUT', `/v2/${facts.own.app_id}`, {
      token: facts.own.api_key,
      body: { title: 'recorded' },
    });
    return link.url;
  };
  const save = async (type: string, scenario: string, workflowId: string): Promise<void> => {
    const history = await client.workflow.getHandle(workflowId).fetchHistory();
    await mkdir(new URL(`./${type}/`, import.meta.url), { recursive: true });
    const file = new URL(`./${type}/${scenario}.json`, import.meta.url);
    await writeFile(file, `${JSON.stringify(JSON.parse(historyToJSON(history)))}\n`);
  };
  try {
    for (const [scenario, fail] of [['passed', undefined], ['wrong-code', 'wrong_code']] as const) {
      const link = await newLink();
      const number = fail ? '+4915112345671' : '+4915112345672';
      const trust = await readDevTrust(directory);
      const device = createDevice({ platform: 'ios', trust, now: () => new Date() });
      const session = await phoneCheck({ link, number, trust, device, say, fail });
      const id = session.link_session_id;
      await client.workflow.getHandle(`trust-check/${id}`).result().catch(() => undefined);
      await save('trustCheck', scenario, `trust-check/${id}`);
      const { affidavit } = await call<{ affidavit: { affidavit_id: string } }>(
        'GET',
        `/v2/trust-checks/${id}`,
        { token: facts.own.api_key },
      );
      await client.workflow.getHandle(`affidavit/${affidavit.affidavit_id}`).result().catch(() => undefined);
      await save('issueAffidavit', scenario, `affidavit/${affidavit.affidavit_id}`);
    }
  } finally {
    await connection.close();
    await platform.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
