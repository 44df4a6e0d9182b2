import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMailer } from '../../../activities/delivery/mail/config.ts';
import { createOutbox } from '../../../activities/delivery/outbox.ts';
import { createEmailActivities } from '../../../activities/identity/email/activities.ts';
import { keepEmailRequest } from '../../../activities/identity/email/requests.ts';
import { randomIds } from '../../../db/ids.ts';
import { readAddress } from '../../../domain/identity/email-address.ts';
import { platformKeys } from '../../support/keys/bundles.ts';
import { ownSealer } from '../../support/keys/own-sealer.ts';
import { createDatabase, openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const { baseUrl, databaseUrl } = ownPlatform();
let database: Awaited<ReturnType<typeof createDatabase>>;
beforeAll(async () => {
  database = await createDatabase(databaseUrl);
});
afterAll(() => database.drop());

it('a mail is not sent until it can be counted', async () => {
  const { db } = database;
  const clock = (): Date => new Date();
  const sealer = ownSealer(db);
  const keys = platformKeys();
  const address = readAddress('person@example.test');
  if (!address) throw new Error('no address');
  const requestId = randomIds.make('er');
  const ids = { ...randomIds, make: () => requestId };
  const nothing = { polyUserId: null, network: null, appId: null, returnTo: null, locale: null };
  const asked = { purpose: 'login', address, ...nothing } as const;
  await keepEmailRequest({ db, sealer, ids, keys }, asked, clock());
  const mailer = createMailer({ PROFILE: 'development' }, createOutbox(db, randomIds, clock));
  // Opens a new connection each time, which has no prepared statements yet.
  const send = async () => {
    const own = openTestDb(database.url);
    const deps = { db: own, sealer, mailer, clock, baseUrl, keys };
    try {
      return await createEmailActivities(deps).sendEmail({ request_id: requestId });
    } finally {
      await own.end();
    }
  };
  const sent = async (): Promise<number> =>
    (await db.query('SELECT 1 FROM outbox_messages')).rowCount ?? -1;
  // Removes the column that counts mails, and nothing else.
  await db.query('ALTER TABLE email_requests RENAME mailed_at TO gone');
  await expect(send()).rejects.toThrow('mailed_at');
  expect(await sent()).toBe(0);
  await db.query('ALTER TABLE email_requests RENAME gone TO mailed_at');
  expect([await send(), await sent()]).toEqual([{ status: 'sent' }, 1]);
});
