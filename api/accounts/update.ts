import { updateAccount } from '../../db/queries/accounts.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { handler } from '../http/contract.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { withAccountTransaction } from './access/account-transaction.ts';
import { changesOf } from './access/changes.ts';
import { accountContracts } from './contract.ts';
import { presentAccount } from './present.ts';

const settings = [
  'name',
  'logo_url',
  'verified',
  'image_retention_days',
  'face_provider',
  'subject_reasons',
] as const;

const notConfigured = { msg: 'is not configured on this platform', type: 'not_configured' };

/**
 * Changes the name, logo and settings of an account. Only the operator sets `verified`, after
 * comparing name and logo with their owner. A change of either clears `verified`.
 */
export const update = handler(accountContracts.update)(async (
  input,
  deps: Pick<Deps, 'db' | 'outside'>,
) => {
  const { account_id: accountId } = input.path;
  const { name, logo_url, verified, image_retention_days, face_provider, subject_reasons } =
    input.body;
  if (face_provider && !deps.outside.faceProviders[face_provider]) {
    throw new InvalidRequest([{ loc: ['body', 'face_provider'], ...notConfigured }]);
  }
  const account = await withAccountTransaction(deps, input, accountId, async (administered) => {
    const { tx, account: before, caller, note } = administered;
    const isOperator = caller.roles.includes('POLYADMIN');
    if (verified !== undefined && !isOperator) throw new Failure('role_required');
    const shown = {
      name: name ?? before.name,
      logo_url: logo_url === undefined ? before.logo_url : logo_url,
    };
    const isOther = changesOf<typeof shown>(before, shown, ['name', 'logo_url']) !== null;
    const after = await updateAccount(tx, {
      account_id: accountId,
      ...shown,
      verified: verified ?? (before.verified && (isOperator || !isOther)),
      image_retention_days: image_retention_days ?? before.image_retention_days,
      face_provider: face_provider === undefined ? before.face_provider : face_provider,
      subject_reasons: subject_reasons ?? before.subject_reasons,
    });
    const changes = changesOf(before, after, settings);
    if (changes) await note('account.updated', String(accountId), changes);
    return after;
  });
  return { status: 200, body: presentAccount(account) };
});
