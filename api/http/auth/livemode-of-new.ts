import { InvalidRequest } from '../problem/problem.ts';
import type { Caller } from './caller.ts';

/**
 * Returns the mode of an object that the caller creates: the requested one, else that of their key,
 * else live.
 * @throws InvalidRequest for a live object that a test key requests
 */
export function livemodeOfNew(caller: Caller, asked: boolean | undefined): boolean {
  const isTestKey = caller.kind === 'api-key' && !caller.livemode;
  if (isTestKey && asked) {
    const msg = 'must be false: a test key creates objects in test mode only';
    throw new InvalidRequest([{ loc: ['body', 'livemode'], msg, type: 'test_mode' }]);
  }
  return asked ?? !isTestKey;
}
