import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandHere, type Ended } from './command-here.ts';
import { ownDirectory } from './run-command.ts';
import { call } from '../http/client.ts';
import { eventually } from '../platform/harness.ts';
import { ownPlatform } from '../platform/own-platform.ts';

/** Waits for the affidavit of a check, downloads it and verifies it with the command. */
export async function verifyAffidavitOf(check: string): Promise<Ended> {
  const { dataDir, own } = ownPlatform();
  const token = own.api_key;
  await eventually(`the affidavit of ${check}`, async () => {
    const { body } = await call('GET', `/v2/trust-checks/${check}`, { token });
    return (body['affidavit'] as { status: string }).status === 'available';
  });
  const path = `/v2/affidavits/${own.app_id}/${check}/download`;
  const { headers } = await call('GET', path, { token });
  const pdf = await fetch(headers.get('location') ?? '');
  const directory = await ownDirectory();
  try {
    const file = join(directory.path, 'affidavit.pdf');
    writeFileSync(file, Buffer.from(await pdf.arrayBuffer()));
    const root = join(dataDir, 'keys', 'root.cer.pem');
    return await commandHere(directory.path, ['verify', file, '--root', root]);
  } finally {
    await directory.remove();
  }
}
