import { Failure } from '../../../workflows/failures.ts';
import { handler } from '../../http/contract.ts';
import { prescreenContracts } from './contracts.ts';

/** The account of the API key that asks: no role is needed, and no other account is told of. */
export const prescreenAccount = handler(prescreenContracts.prescreenAccount)(async ({ caller }) => {
  if (caller.kind !== 'api-key') throw new Failure('api_key_required');
  return { status: 200, body: { account_id: caller.accountId } };
});
