import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { transaction } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { lockLink, updateLink, type LinkChange, type LinkRow } from '../../db/queries/links.ts';
import { accountOwner } from '../../db/sealed.ts';
import { Failure } from '../../workflows/failures.ts';
import { callerName } from '../auth/caller.ts';
import { handler, type Input } from '../contract.ts';
import type { Deps } from '../deps.ts';
import { givenOf } from '../given.ts';
import { linkContracts } from './contract.ts';
import { checkDates, checkRedirect } from './create.ts';
import { checkOwnership, checkVersion, mustFindLink } from './find.ts';
import { etagOf, presentLink, stateOf } from './present.ts';
import { checkSubject } from './sandbox-subject.ts';
import type { updateLinkRequest } from './schemas.ts';

type Body = z.output<typeof updateLinkRequest>;
type UpdateDeps = Pick<Deps, 'db' | 'sealer' | 'ids' | 'settings'>;
type Common = Pick<
  Input<typeof linkContracts.update>,
  'caller' | 'authorize' | 'call' | 'headers' | 'body'
>;

const editable = new Set(['scheduled', 'active', 'paused', 'reserved']);

async function edit(deps: UpdateDeps, linkUuid: string, appId: string | undefined, input: Common) {
  const found = await mustFindLink(deps, linkUuid, appId);
  input.authorize(found);
  checkOwnership(found, input.caller, callerName(input.caller));
  const { now } = input.call;
  if (input.body.redirect_url) {
    checkRedirect(input.body.redirect_url, await findApp(deps.db, found.app_id));
  }
  const matchingOf = await matchingFor(deps, found, input.body);
  const link = await transaction(deps.db, async (tx) => {
    const before = await lockLink(tx, linkUuid);
    if (!before || before.status === 'deleted') throw new Failure('not_found');
    checkVersion(etagOf(before), input.headers['if-match']);
    if (!editable.has(stateOf(before, now))) {
      throw new Failure('invalid_state', { detail: `The link is ${stateOf(before, now)}` });
    }
    const change = changeOf(before, input.body, matchingOf(before), now);
    if (input.body.expires_at || input.body.not_before) checkDates(change, now);
    checkSubject(before.sandbox_subject, { ...before, ...change }, 'required_proofs');
    if (isNothingNew(before, change, now)) return before;
    const after = await updateLink(tx, linkUuid, change, now);
    if (!after) throw new Failure('not_found');
    await appendEvents(tx, { ids: deps.ids, now }, [
      linkEvent(after, 'link.updated', before.status),
    ]);
    return after;
  });
  return {
    status: 200,
    body: presentLink(deps.settings.baseUrl, link, now),
    headers: { ETag: etagOf(link) },
  } as const;
}

type Sealed = LinkRow['matching_sealed'];

/** What is matched after the change, by the row as it is under its lock. */
async function matchingFor(
  { sealer }: UpdateDeps,
  { account_id, link_uuid, matching_sealed: seen }: LinkRow,
  { matching_params: given }: Body,
): Promise<(before: LinkRow) => Sealed> {
  if (given === undefined) return ({ matching_sealed: sealed }) => sealed;
  if (given === null) return () => null;
  const [owner, context] = [accountOwner(account_id), `links|matching|${link_uuid}`];
  const fresh = await sealer.seal(owner, context, JSON.stringify(given));
  // Sealed again the same values would be other bytes.
  const known = seen && JSON.parse((await sealer.open(owner, context, seen)).toString());
  if (!isDeepStrictEqual(known, givenOf(given))) return () => fresh;
  return ({ matching_sealed: sealed }) => (sealed && seen?.equals(sealed) ? sealed : fresh);
}

function changeOf(
  before: LinkRow,
  body: Body,
  matchingSealed: Buffer | null,
  now: Date,
): LinkChange {
  const kept = <T>(given: T | undefined, current: T): T => (given === undefined ? current : given);
  const notBefore = kept(body.not_before, before.not_before);
  return {
    title: kept(body.title, before.title),
    required_proofs: body.required_proofs ?? before.required_proofs,
    matching_sealed: matchingSealed,
    expires_at: kept(body.expires_at, before.expires_at),
    not_before: notBefore,
    status: statusOf(before, body.paused, notBefore, now),
    redirect_url: kept(body.redirect_url, before.redirect_url),
    metadata: body.metadata ?? before.metadata,
    policy: body.policy ? givenOf(body.policy) : before.policy,
  };
}

function statusOf(
  before: LinkRow,
  paused: boolean | undefined,
  notBefore: Date | null,
  now: Date,
): LinkRow['status'] {
  if (before.status === 'reserved') {
    if (paused) throw new Failure('invalid_state', { detail: 'A session holds the link' });
    return 'reserved';
  }
  if (paused ?? before.status === 'paused') return 'paused';
  return notBefore && notBefore > now ? 'scheduled' : 'active';
}

/** Whether a change leaves all as it is: then there is no new version, and nothing to tell. */
function isNothingNew(before: LinkRow, { status, ...change }: LinkChange, now: Date): boolean {
  const both = { ...before, ...change };
  return status === stateOf(before, now) && isDeepStrictEqual(givenOf(both), givenOf(before));
}

export const update = handler(linkContracts.update)((input, deps: UpdateDeps) =>
  edit(deps, input.path.link_uuid, input.path.app_id, input),
);
export const updateById = handler(linkContracts.updateById)((input, deps: UpdateDeps) =>
  edit(deps, input.path.link_uuid, input.query.app_id, input),
);
