import { scopes, type Scope } from '../../../domain/scopes.ts';
import { Failure, type FailureCode } from '../../../workflows/failures.ts';
import type { AccessRules } from './access-rules.ts';
import type { Caller } from './caller.ts';

type Scoped = Pick<AccessRules, 'id' | 'method' | 'auth' | 'scope'>;

/**
 * Returns the scope that a limited API key needs for an operation: `FAMILY:read` for GET,
 * `FAMILY:write` for all others, unless the row declares another. Null for an operation that admits
 * no keys.
 * @throws Error for a scope that `scopes` does not list
 */
export function keyScopeOf({ id, method, auth, scope }: Scoped): Scope | null {
  if (!auth.includes('key')) return null;
  const [family = ''] = id.split('.');
  const verb = method === 'get' ? 'read' : 'write';
  const name = scope ?? `${family.replaceAll('-', '_')}:${verb}`;
  const known = scopes.find((each) => each === name);
  if (!known) throw new Error(`${id}: the scope ${name} is not listed in domain/scopes.ts`);
  return known;
}

/** @throws Failure `insufficient_scope` with the missing scope, for an API key without it */
export function assertScope(caller: Caller, scope: Scope | null): void {
  if (caller.kind !== 'api-key' || caller.scopes === null || scope === null) return;
  if (!caller.scopes.includes(scope)) throw new Failure('insufficient_scope', { extra: { scope } });
}

/**
 * Refuses an API key without the scope, and one limited to apps where the operation checks no apps.
 * Runs before any object is read.
 * @throws `insufficient_scope`, `app_key_refused`
 */
export function checkKeyLimits(contract: AccessRules, caller: Caller): void {
  assertScope(caller, keyScopeOf(contract));
  if (caller.kind !== 'api-key' || caller.appIds === null || contract.admitsAppKeys) return;
  throw new Failure('app_key_refused');
}

/** Returns the failures that `checkKeyLimits` adds to a row. */
export function keyLimitErrors({ auth, admitsAppKeys }: AccessRules): FailureCode[] {
  if (!auth.includes('key')) return [];
  return admitsAppKeys ? ['insufficient_scope'] : ['insufficient_scope', 'app_key_refused'];
}
