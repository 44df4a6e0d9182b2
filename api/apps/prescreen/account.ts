import { Failure } from '../../../workflows/failures.ts';
import { handler } from '../../http/contract.ts';
import { prescreenContracts } from './contracts.ts';

/** Returns the account of the calling API key. No role is needed. */
export const prescreenAccount = handler(prescreenContracts.prescreenAccount)(async ({ caller }) => {
  if (caller.kind !== 'api-key') throw new Failure('api_key_required');
  return { status: 200, body: { account_id: caller.accountId } };
});
