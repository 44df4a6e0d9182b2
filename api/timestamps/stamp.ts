import { answerQuery } from '../../activities/timestamps/answer.ts';
import { handler } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { mustBeOfType } from '../raw-type.ts';
import { replyType, timestampContracts } from './contract.ts';

/** RFC 3161 over HTTP (§3.4). Each token is another one: none is kept. */
export const stamp = handler(timestampContracts.stamp)(async (
  input,
  { db, keys, clock, ids }: Pick<Deps, 'db' | 'keys' | 'clock' | 'ids'>,
) => {
  mustBeOfType(input.call, 'application/timestamp-query');
  const deps = { db, tsa: keys.tsa, clock, randomBytes: ids.bytes };
  const content = await answerQuery(deps, input.body);
  return { status: 200, type: replyType, content, headers: { 'Cache-Control': 'no-store' } };
});
