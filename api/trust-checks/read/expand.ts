import { listStream, trustCheckStream } from '../../../db/queries/events.ts';
import { findLink } from '../../../db/queries/links.ts';
import type { TrustCheckRow } from '../../../db/queries/trust-checks.ts';
import { hasRole, type Role } from '../../../domain/names.ts';
import type { Scope } from '../../../domain/scopes.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { assertScope } from '../../http/auth/scopes.ts';
import { personIn } from '../../http/auth/session-scope.ts';
import type { Input } from '../../http/contract.ts';
import { isReasonWithheld, presentEvent } from '../../running-checks/subject-view.ts';
import { presentLink } from '../../links/present.ts';
import { presignAffidavit } from '../../logs/affidavit.ts';
import type { trustCheckContracts } from '../contract.ts';
import { isOf } from '../person.ts';
import type { Expanded, Expansion } from '../schemas/expansions.ts';

type ExpandDeps = Pick<Deps, 'db' | 'files' | 'settings' | 'sealer'>;
type Asked = Pick<Input<typeof trustCheckContracts.get>, 'caller' | 'call' | 'query'>;

const eventsMax = 100;

/**
 * Returns the members that a caller requests with `expand`. Each needs the rights of the operation
 * that returns it separately. All rights are checked before anything is read.
 * @throws Failure `insufficient_scope`, `expand_refused` with the expansion and its operation
 */
export async function expand(
  deps: ExpandDeps,
  { caller, call, query }: Asked,
  session: TrustCheckRow,
): Promise<Expanded> {
  const asked: readonly Expansion[] = query.expand ?? [];
  for (const name of asked) await assertExpansionAllowed(deps, caller, session, name);
  const has = (name: Expansion): boolean => asked.includes(name);
  return {
    ...(has('link') ? { link: await linkOf(deps, session, call.now) } : {}),
    ...(has('affidavit') ? { affidavit: await presignAffidavit(deps, session, call.now) } : {}),
    ...(has('events') ? { events: await firstEvents(deps, session, caller) } : {}),
  };
}

async function linkOf(deps: ExpandDeps, { link_uuid }: TrustCheckRow, now: Date) {
  const link = await findLink(deps.db, link_uuid);
  return link && link.status !== 'deleted' ? presentLink(deps, link, now) : null;
}

async function firstEvents(
  { db, sealer }: ExpandDeps,
  { link_session_id }: TrustCheckRow,
  caller: Asked['caller'],
) {
  const rows = await listStream(db, [trustCheckStream(link_session_id), 0, eventsMax + 1]);
  const items = rows.slice(0, eventsMax);
  return {
    items: await Promise.all(items.map((row) => presentEvent(sealer, row, caller))),
    next_after: String(items.at(-1)?.seq ?? 0),
    has_more: rows.length > eventsMax,
  };
}

/** The operation that returns an expansion separately; null for one that belongs to the check. */
const operations: Readonly<
  Record<Expansion, { readonly id: string; readonly scope: Scope; readonly role: Role } | null>
> = {
  link: { id: 'links.list', scope: 'links:read', role: 'VIEWER' },
  affidavit: { id: 'logs.affidavit', scope: 'logs:read', role: 'ADMIN' },
  events: null,
};

async function assertExpansionAllowed(
  deps: ExpandDeps,
  caller: Asked['caller'],
  session: TrustCheckRow,
  name: Expansion,
): Promise<void> {
  const operation = operations[name];
  if (!operation) return;
  assertScope(caller, operation.scope);
  if (caller.kind !== 'check-token') {
    if (hasRole(caller.roles, operation.role)) return;
    const person = personIn(caller, session.account_id);
    const isShown = name === 'affidavit' && !isReasonWithheld(session);
    if (isShown && (await isOf(deps, session, person))) return;
  }
  throw new Failure('expand_refused', { extra: { expand: name, operation: operation.id } });
}
