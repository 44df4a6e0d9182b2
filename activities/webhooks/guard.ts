import { lookup } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';

/** Whether an address is of the public internet: nothing private, local, reserved or mapped. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

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

/**
 * Checks the address of an endpoint when it is given: https and a public name; http and loopback
 * only where private addresses are allowed. A literal address has no lookup to guard it.
 */
export function isAllowedTarget(text: string, allowPrivate: boolean): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return false;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowPrivate) return true;
  if (isIP(host) !== 0) return isPublicAddress(host);
  return host.includes('.') && !/\.(local|localhost|internal)$/i.test(host);
}

function refusal(): NodeJS.ErrnoException {
  return Object.assign(new Error('the address is not public'), { code: 'FORBIDDEN_TARGET' });
}
