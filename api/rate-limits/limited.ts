import { calendarContracts } from '../calendar/contract.ts';
import { emailContracts } from '../email/contract.ts';
import type { Contract, Limit } from '../http/contract.ts';
import { linkContracts } from '../links/contract.ts';
import { linkVisitorContracts } from '../links/visitor/contracts.ts';
import { consentContracts } from '../meetings/consent/contract.ts';
import { sessionContracts } from '../session/contract.ts';

/** The operations with a limit by session or key. A test requires that no other family has one. */
const contracts: readonly Contract[] = [
  ...Object.values(sessionContracts),
  ...Object.values(emailContracts),
  ...Object.values(linkContracts),
  ...Object.values(linkVisitorContracts),
  ...Object.values(calendarContracts),
  ...Object.values(consentContracts),
].filter(({ limit }: Contract) => limit?.by === 'caller');

export interface Limited {
  readonly name: string;
  readonly limit: Limit;
}

/** Returns the operations that limit callers of this kind. */
export function limitedFor(kind: 'session' | 'api-key'): Limited[] {
  return contracts.flatMap(({ id: name, auth, limit }) => {
    const isAdmitted = auth.includes('key') || (kind === 'session' && auth.includes('session'));
    return isAdmitted && limit ? [{ name, limit }] : [];
  });
}
