import { newSession } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { addUser } from '../../../db/queries/seeding.ts';
import { newPhone } from '../../support/checks/phone.ts';
import { call, done } from '../../support/http/client.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';
import type { Ground } from './cells.ts';
import { mintAll } from './credentials.ts';
import { newStage } from './things.ts';

/** Creates two accounts with one of each object, and the credentials of all principals. */
export async function newGround(db: Db): Promise<Ground> {
  const { baseUrl } = ownPlatform();
  const mark = randomIds.bytes(4).toString('hex');
  const now = new Date();
  const subject = randomIds.make('pu');
  await addUser(db, [subject, 'cert', now]);
  const deps = { db, keys: platformKeys(), ids: randomIds, baseUrl };
  const subjectToken = await newSession(deps, subject, null, [], now);
  const [own, foreign, phone] = await Promise.all([
    newStage(db, `own-${mark}`, subject, 'both modes'),
    newStage(db, `foreign-${mark}`, subject),
    newPhone('android'),
  ]);
  const credentials = await mintAll({ db, own, foreign }, subjectToken);
  const path = `/v2/link/${own.seed.app_id}`;
  const headers = credentials.MEMBER;
  const made = await done('a link', () => call('PUT', path, { headers, body: {} }));
  const challenge = randomIds.bytes(32).toString('base64url');
  const enrollment = await phone.enrollment(challenge, own.seed.app_id);
  const madeLink = String(made.body['link_uuid']);
  return { own, foreign, madeLink, credentials, common: { db, enrollment } };
}
