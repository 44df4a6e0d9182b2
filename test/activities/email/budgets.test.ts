import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dailyMails } from '../../../activities/identity/email/activities.ts';
import { randomIds } from '../../../db/ids.ts';
import { admitEmailRequest } from '../../../db/queries/email-requests.ts';
import { newEmailUser } from '../../support/people/email-users.ts';
import { openTestDb } from '../../support/platform/harness.ts';
import { ownPlatform } from '../../support/platform/own-platform.ts';

const db = openTestDb(ownPlatform().databaseUrl);
afterAll(() => db.end());
let mine = '';
let theirs = '';
beforeAll(async () => {
  [mine = '', theirs = ''] = (await Promise.all([newEmailUser(db), newEmailUser(db)])).map(
    ({ polyUserId }) => polyUserId,
  );
});

interface Mails {
  readonly count: number;
  readonly purpose: 'login' | 'attach';
  /** The person or network that requests the mails; a new one for each with `many`. */
  readonly by: 'me' | 'them' | 'many' | 'nobody';
  readonly to?: 'elsewhere';
  readonly state?: 'consumed';
  readonly hoursAgo?: number;
}

/** Inserts rows that no worker handles, as mailed or still to be admitted. */
async function addMails(address: Buffer, mails: Mails, isMailed = true): Promise<string> {
  const { purpose, by, count, to, state = 'sent', hoursAgo = 0 } = mails;
  const id = randomIds.make('er');
  const person = { me: mine, them: theirs, many: theirs, nobody: null }[by];
  const network = { me: 'mine', them: 'theirs', many: 'many', nobody: null }[by];
  await db.query(
    `INSERT INTO email_requests (request_id, purpose, poly_user_id, address_blind, address_sealed,
       token_hash, browser_hash, network_blind, state, created_at, expires_at, taken_at, admitted_at)
     SELECT $1 || '-' || n, $2::email_purpose, $3, $4, 'x', convert_to($1 || n, 'UTF8'), 'x',
       convert_to($5 || CASE $5 WHEN 'many' THEN n::text ELSE '' END, 'UTF8'),
       $6::email_request_state, now(), now() + interval '10 minutes', now(),
       CASE WHEN $7 THEN now() - $8 * interval '1 hour' END
     FROM generate_series(1, $9::int) n`,
    [
      id,
      purpose,
      purpose === 'attach' ? person : null,
      to ? randomIds.bytes(32) : address,
      purpose === 'login' ? network : null,
      state,
      isMailed,
      hoursAgo,
      count,
    ],
  );
  return `${id}-1`;
}

const ask = (purpose: 'login' | 'attach', by: Mails['by'] = 'me'): Mails => ({
  count: 1,
  purpose,
  by,
});
const { login, attach } = dailyMails;
const one = { purpose: 'login', by: 'them' } as const;

describe('the daily mail budget of an address', () => {
  it.each<[string, Mails, readonly Mails[], boolean]>([
    ['the last', ask('login'), [{ ...one, by: 'many', count: login.toAddress - 1 }], true],
    ['one too many', ask('login'), [{ ...one, by: 'many', count: login.toAddress }], false],
    ['of yesterday', ask('login'), [{ ...one, by: 'many', count: 30, hoursAgo: 25 }], true],
    ['of one stranger', ask('login'), [{ ...one, count: 19 }], true],
    ['of my network', ask('login'), [{ ...one, by: 'me', count: login.toAddressByAsker }], false],
    ['mine, answered', ask('login'), [{ ...one, by: 'me', count: 9, state: 'consumed' }], true],
    [
      'from an unknown network',
      ask('login', 'nobody'),
      [{ ...one, by: 'nobody', count: 19 }],
      true,
    ],
    ['attached by strangers', ask('login'), [{ count: 30, purpose: 'attach', by: 'them' }], true],
    ['signed in by strangers', ask('attach'), [{ ...one, by: 'many', count: 30 }], true],
    [
      'attached by me',
      ask('attach'),
      [{ ...ask('attach'), count: attach.toAddressByAsker }],
      false,
    ],
    [
      'attached by others',
      ask('attach'),
      [{ count: attach.toAddress, purpose: 'attach', by: 'them' }],
      false,
    ],
    [
      'attached elsewhere by me',
      ask('attach'),
      [{ ...ask('attach'), count: attach.byPerson, to: 'elsewhere', state: 'consumed' }],
      false,
    ],
    [
      'attached elsewhere by others',
      ask('attach'),
      [{ count: attach.byPerson, purpose: 'attach', by: 'them', to: 'elsewhere' }],
      true,
    ],
  ])('%s', async (_what, asked, before, isAdmitted) => {
    const address = randomIds.bytes(32);
    // Requests of an earlier case must not count.
    await db.query('DELETE FROM email_requests WHERE poly_user_id = ANY ($1)', [[mine, theirs]]);
    for (const mails of before) await addMails(address, mails);
    const id = await addMails(address, asked, false);
    const admit = (): Promise<boolean> =>
      admitEmailRequest(db, id, new Date(), dailyMails[asked.purpose]);
    expect(await admit()).toBe(isAdmitted);
    expect(await admit()).toBe(isAdmitted);
  });

  it('is smaller for attaching than for signing in, and no asker can use all of it', () => {
    expect(attach.toAddress).toBeLessThan(login.toAddress);
    expect(attach.toAddressByAsker).toBeLessThan(attach.toAddress);
    expect(login.toAddressByAsker).toBeLessThan(login.toAddress / 2);
  });
});
