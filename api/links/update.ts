import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import {
  metadataDigests,
  metadataOrNull,
  openLinkValue,
  sealLinkValue,
} from '../../activities/links/sealed-values.ts';
import { transaction } from '../../db/client.ts';
import { findApp } from '../../db/queries/credentials.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { lockLink, updateLink, type LinkChange, type LinkRow } from '../../db/queries/links.ts';
import { openLinkText, sealLinkText, wordDigests } from '../../db/sealing/link-texts.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { callerName } from '../http/auth/caller.ts';
import { handler, type Input } from '../http/contract.ts';
import { omitUndefined } from '../http/fields/omit-undefined.ts';
import { linkContracts } from './contract.ts';
import { checkDates, checkRedirect } from './create.ts';
import { checkOwnership, checkVersion, findLinkOrThrow } from './find.ts';
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
  const found = await findLinkOrThrow(deps, linkUuid, appId);
  input.authorize(found);
  checkOwnership(found, input.caller, callerName(input.caller));
  const { now } = input.call;
  if (input.body.redirect_url) {
    checkRedirect(input.body.redirect_url, await findApp(deps.db, found.app_id));
  }
  const sealed = await sealedChanges(deps, found, input.body);
  const link = await transaction(deps.db, async (tx) => {
    const before = await lockLink(tx, linkUuid);
    if (!before || before.status === 'deleted') throw new Failure('not_found');
    checkVersion(etagOf(before), input.headers['if-match']);
    if (!editable.has(stateOf(before, now))) {
      throw new Failure('invalid_state', { detail: `The link is ${stateOf(before, now)}` });
    }
    const change = changeOf(before, input.body, sealed, now);
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
    body: await presentLink(deps, link, now),
    headers: { ETag: etagOf(link) },
  } as const;
}

/** A change of one sealed value. Applied to the row under its lock. */
type SealedChange = (current: Buffer | null) => Buffer | null;

interface SealedChanges {
  readonly title: SealedChange;
  /** Null if the title does not change. The reference of a link never changes. */
  readonly words: string[] | null;
  readonly matching: SealedChange;
  readonly metadata: SealedChange;
  /** Null if the metadata does not change. */
  readonly digests: Buffer[] | null;
}

async function sealedChanges(
  { sealer }: UpdateDeps,
  found: LinkRow,
  { title, matching_params, metadata }: Body,
): Promise<SealedChanges> {
  const { matching_sealed, metadata_sealed, account_id } = found;
  return {
    title: await titleChange(sealer, found, title),
    words: title === undefined ? null : await wordsWith(sealer, found, title),
    matching: await sealedChange(sealer, found, ['matching', matching_sealed], matching_params),
    metadata: await sealedChange(
      sealer,
      found,
      ['metadata', metadata_sealed],
      metadata && metadataOrNull(metadata),
    ),
    digests: metadata ? metadataDigests(sealer, account_id, metadata) : null,
  };
}

async function titleChange(
  sealer: UpdateDeps['sealer'],
  link: LinkRow,
  given: string | null | undefined,
): Promise<SealedChange> {
  if (given === undefined) return (current) => current;
  const { title_sealed: seen } = link;
  const fresh = await sealLinkText(sealer, link, 'title', given);
  const known = await openLinkText(sealer, link, 'title', seen);
  return known === given ? keptBytes(seen, fresh) : () => fresh;
}

async function wordsWith(
  sealer: UpdateDeps['sealer'],
  link: LinkRow,
  title: string | null,
): Promise<string[]> {
  const reference = await openLinkText(sealer, link, 'reference', link.reference_sealed);
  return wordDigests(sealer, link.account_id, [title, reference]);
}

/** Keeps the sealed bytes of an unchanged value, because sealing it again gives other bytes. */
async function sealedChange(
  sealer: UpdateDeps['sealer'],
  link: LinkRow,
  [column, seen]: readonly ['matching' | 'metadata', Buffer | null],
  given: object | null | undefined,
): Promise<SealedChange> {
  if (given === undefined) return (current) => current;
  if (given === null) return () => null;
  const fresh = await sealLinkValue(sealer, link, column, given);
  const known = await openLinkValue(sealer, link, column, seen);
  if (!isDeepStrictEqual(known, omitUndefined(given))) return () => fresh;
  return keptBytes(seen, fresh);
}

const keptBytes =
  (seen: Buffer | null, fresh: Buffer | null): SealedChange =>
  (current) =>
    current && seen?.equals(current) ? current : fresh;

function changeOf(before: LinkRow, body: Body, sealed: SealedChanges, now: Date): LinkChange {
  const kept = <T>(given: T | undefined, current: T): T => (given === undefined ? current : given);
  const notBefore = kept(body.not_before, before.not_before);
  return {
    title_sealed: sealed.title(before.title_sealed),
    words_blind: sealed.words ?? before.words_blind,
    required_proofs: body.required_proofs ?? before.required_proofs,
    matching_sealed: sealed.matching(before.matching_sealed),
    expires_at: kept(body.expires_at, before.expires_at),
    not_before: notBefore,
    status: statusOf(before, body.paused, notBefore, now),
    redirect_url: kept(body.redirect_url, before.redirect_url),
    metadata_sealed: sealed.metadata(before.metadata_sealed),
    metadata_digests: sealed.digests ?? before.metadata_digests,
    policy: body.policy ? omitUndefined(body.policy) : before.policy,
  };
}

function statusOf(
  before: LinkRow,
  paused: boolean | undefined,
  notBefore: Date | null,
  now: Date,
): LinkRow['status'] {
  if (before.status === 'reserved') {
    if (paused) throw new Failure('invalid_state', { detail: 'An open session uses the link' });
    return 'reserved';
  }
  if (paused ?? before.status === 'paused') return 'paused';
  return notBefore && notBefore > now ? 'scheduled' : 'active';
}

/** Whether a change has no effect: then there is no new version and no event. */
function isNothingNew(before: LinkRow, { status, ...change }: LinkChange, now: Date): boolean {
  const both = { ...before, ...change };
  return (
    status === stateOf(before, now) && isDeepStrictEqual(omitUndefined(both), omitUndefined(before))
  );
}

export const update = handler(linkContracts.update)((input, deps: UpdateDeps) =>
  edit(deps, input.path.link_uuid, input.path.app_id, input),
);
export const updateById = handler(linkContracts.updateById)((input, deps: UpdateDeps) =>
  edit(deps, input.path.link_uuid, input.query.app_id, input),
);
