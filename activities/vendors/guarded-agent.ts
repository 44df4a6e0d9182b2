import { lookup } from 'node:dns';
import { Agent } from 'undici';
import { isPublicAddress, refusal } from './guard.ts';

/**
 * An agent for addresses that customers give us: a name is resolved once, every address it stands
 * for is checked, and the connection goes to the checked one, so that a name cannot turn to another
 * address in between. Redirects are not followed.
 */
export function createGuardedAgent(allowPrivate: boolean): Agent {
  return new Agent({
    connections: 1,
    pipelining: 1,
    connect: {
      timeout: 5_000,
      lookup: (hostname, options, callback) => {
        lookup(hostname, { ...options, all: true }, (error, found) => {
          if (error) return callback(error, []);
          const isFine = allowPrivate || found.every(({ address }) => isPublicAddress(address));
          if (!isFine) return callback(refusal(), []);
          return callback(null, found);
        });
      },
    },
  });
}
