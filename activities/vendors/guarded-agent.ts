import { lookup } from 'node:dns';
import { Agent } from 'undici';
import { isPublicAddress, refusal } from './guard.ts';

/**
 * Creates an agent for URLs that customers supply. It resolves a name once, checks every address,
 * and connects to a checked one. The name cannot resolve to another address in between. The agent
 * does not follow redirects.
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
