import { randomBytes } from 'node:crypto';
import { createDevPki } from '../../../activities/keys/changes/dev-pki.ts';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import {
  createTimestampAuthority,
  type TimestampAuthority,
} from '../../../domain/pki/timestamps/sign-token.ts';

/** Creates an outside time stamp authority in a folder, and returns it with its root in PEM. */
export async function outsideAuthority(
  folder: string,
  baseUrl: string,
): Promise<{ authority: TimestampAuthority; root: string }> {
  await createDevPki(folder, { now: new Date(), baseUrl });
  const { tsa, trustBundlePem: root } = loadKeys(folder);
  return { authority: createTimestampAuthority(tsa, () => new Date(), randomBytes), root };
}
