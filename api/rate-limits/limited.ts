import type { Contract, Limit } from '../contract.ts';
import { linkContracts } from '../links/contract.ts';
import { sessionContracts } from '../session/contract.ts';

/** Operations that count sessions and keys; a test holds that no other does. */
const contracts: readonly Contract[] = [linkContracts.send, sessionContracts.switchAccount];

export interface Limited {
  readonly name: string;
  readonly limit: Limit;
}

/** What counts callers of this kind. */
export function limitedFor(kind: 'session' | 'api-key'): Limited[] {
  return contracts.flatMap(({ id: name, auth, limit }) => {
    const isAdmitted = auth.includes('key') || (kind === 'session' && auth.includes('session'));
    return isAdmitted && limit ? [{ name, limit }] : [];
  });
}
