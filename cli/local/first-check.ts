import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { verifyAffidavit } from '../../activities/affidavit/verify.ts';
import { createDevice } from '../../simulator/device/device.ts';
import { keepDevice, readDevice } from '../../simulator/device/saved.ts';
import { readDevTrust } from '../../simulator/roots/dev-trust.ts';
import { phoneCheck } from '../../simulator/session/check.ts';
import { createClient, type Call } from '../../simulator/session/client.ts';
import { loadLocalRoot } from '../data-directory/keys.ts';
import type { Seed } from '../data-directory/seed.ts';
import type { LastCheck } from '../data-directory/state.ts';

export interface FirstCheck {
  readonly baseUrl: string;
  readonly dataDir: string;
  readonly seed: Seed;
  readonly say: (line: string) => void;
}

const number = '+4915112345678';
const affidavitMsMax = 60_000;
const lookMs = 100;

/**
 * Runs one check through the public API, from the link to the downloaded and verified affidavit.
 * @throws a one-line error if the check does not pass or the affidavit is not valid
 */
export async function firstCheck({ baseUrl, dataDir, seed, say }: FirstCheck): Promise<LastCheck> {
  const { api_key: token, app_id } = seed;
  const call = createClient(baseUrl);
  const link = await call<{ url: string }>('PUT', `/v2/link/${app_id}`, {
    body: {
      title: 'First check',
      requested_claims: ['full_name', 'age_over_18', 'document_type', 'issuing_country'],
    },
    token,
    idempotencyKey: randomBytes(16).toString('hex'),
  });
  const trust = await readDevTrust(dataDir);
  const saved = await readDevice(dataDir, 'ios');
  const phone = { platform: 'ios', trust, now: () => new Date() } as const;
  const session = await phoneCheck({
    link: link.url,
    number,
    trust,
    device: createDevice({ ...phone, saved }),
    newDevice: saved && (() => createDevice(phone)),
    say,
    keep: (device) => keepDevice(dataDir, device),
  });
  const id = session.link_session_id;
  if (session.status !== 'passed') {
    const reason = session.reason_code ?? 'no reason given';
    throw new Error(`the check ${id} ended ${session.status} (${reason})`);
  }
  await untilIssued(call, id, token);
  const { location } = await call<{ location: string }>(
    'GET',
    `/v2/affidavits/${app_id}/${id}/download`,
    { token },
  );
  const path = join(dataDir, 'affidavits', `${id}.pdf`);
  const pdf = Buffer.from(await (await fetch(location)).arrayBuffer());
  await mkdir(join(dataDir, 'affidavits'), { recursive: true, mode: 0o700 });
  await writeFile(path, pdf, { mode: 0o600 });
  const root = loadLocalRoot(dataDir);
  const { result, reason_code } = await verifyAffidavit(pdf, [root], new Date());
  if (result !== 'valid') throw new Error(`the affidavit ${path} is ${result} (${reason_code})`);
  return { link_session_id: id, affidavit_path: path, verified: true };
}

async function untilIssued(call: Call, id: string, token: string): Promise<void> {
  const deadline = Date.now() + affidavitMsMax;
  for (;;) {
    const { affidavit } = await call<{ affidavit: { status: string } }>(
      'GET',
      `/v2/trust-checks/${id}`,
      { token },
    );
    if (affidavit.status === 'available') return;
    if (Date.now() > deadline) throw new Error(`the affidavit of ${id} was not issued in time`);
    await sleep(lookMs);
  }
}
