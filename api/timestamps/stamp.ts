import { refusalOf } from '../../activities/keys/timestamps/answer.ts';
import { handler } from '../http/contract.ts';
import { assertContentType } from '../http/parse/raw-type.ts';
import { stampQuery, type SigningDeps } from '../signing.ts';
import { replyType, timestampContracts } from './contract.ts';

/** RFC 3161 over HTTP (§3.4). Tokens differ each time and are not cached. A worker signs them. */
export const stamp = handler(timestampContracts.stamp)(async (input, deps: SigningDeps) => {
  assertContentType(input.call, 'application/timestamp-query');
  const content = refusalOf(input.body) ?? (await stampQuery(deps, input.body));
  return { status: 200, type: replyType, content, headers: { 'Cache-Control': 'no-store' } };
});
