import { join } from 'node:path';
import { loadKeys } from '../../../activities/keys/directory/load-keys.ts';
import { seed } from '../../../cli/data-directory/seed.ts';
import type { Db } from '../../../db/client.ts';
import { randomIds } from '../../../db/ids.ts';
import { ownPlatform } from '../platform/own-platform.ts';
import { sidOf } from './sid-of.ts';

/** A condition that a session depends on, with functions that remove and restore it. */
export interface Loss {
  readonly take: () => Promise<unknown>;
  readonly give: () => Promise<unknown>;
}

/** A member of their own account, which no other test uses. */
export interface Member {
  readonly token: string;
  /** Conditions that end the session early when removed, each under a description of its loss. */
  readonly losses: Readonly<Record<string, Loss>>;
}

export async function newMember(db: Db): Promise<Member> {
  const { baseUrl, dataDir } = ownPlatform();
  const keys = loadKeys(join(dataDir, 'keys'));
  const name = `member-${randomIds.bytes(4).toString('hex')}`;
  const made = await seed({ db, keys, ids: randomIds, baseUrl }, name, new Date());
  const { poly_user_id: userId, session_token: token } = made.member;
  const sid = sidOf(token);
  const account = [made.account_id];
  const membership = [userId, made.account_id];
  const ofMembership = 'WHERE poly_user_id = $1 AND account_id = $2';
  const loss = (take: string, give: string, values: readonly unknown[]): Loss => ({
    take: () => db.query(take, [...values]),
    give: () => db.query(give, [...values]),
  });
  const losses = {
    'its revocation': loss(
      'UPDATE sessions SET revoked_at = now() WHERE sid = $1',
      'UPDATE sessions SET revoked_at = NULL WHERE sid = $1',
      [sid],
    ),
    'the end of its membership': loss(
      `DELETE FROM memberships ${ofMembership}`,
      `INSERT INTO memberships (poly_user_id, account_id, roles, created_at)
       VALUES ($1, $2, '{MEMBER}', now())`,
      membership,
    ),
    'the loss of a role': loss(
      `UPDATE memberships SET roles = '{VIEWER}' ${ofMembership}`,
      `UPDATE memberships SET roles = '{MEMBER}' ${ofMembership}`,
      membership,
    ),
    'the end of its account': loss(
      'UPDATE accounts SET disabled_at = now() WHERE account_id = $1',
      'UPDATE accounts SET disabled_at = NULL WHERE account_id = $1',
      account,
    ),
  };
  return { token, losses };
}
