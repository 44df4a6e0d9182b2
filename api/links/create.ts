import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { blindOfText } from '../../activities/identity/email/requests.ts';
import {
  metadataDigests,
  metadataOrNull,
  sealLinkValue,
  type SealedColumn,
} from '../../activities/links/sealed-values.ts';
import { transaction, type Tx } from '../../db/client.ts';
import { findApp, findOnlyApp, type AppRow } from '../../db/queries/credentials.ts';
import { appendEvents } from '../../db/queries/events.ts';
import { linkEvent } from '../../db/queries/link-leases.ts';
import { findLink, insertLink, type LinkRow, type NewLink } from '../../db/queries/links.ts';
import { referenceDigest, sealLinkText, wordDigests } from '../../db/sealing/link-texts.ts';
import type { LinkType } from '../../domain/names.ts';
import { Failure } from '../../workflows/failures.ts';
import type { Deps } from '../deps.ts';
import { reachOf, type Access } from '../http/auth/authorize.ts';
import { callerName, type Caller } from '../http/auth/caller.ts';
import { handler, type Input } from '../http/contract.ts';
import { omitUndefined } from '../http/fields/omit-undefined.ts';
import { assertAllowedOrigin, originsOf } from '../http/fields/return-to.ts';
import { InvalidRequest } from '../http/problem/problem.ts';
import { linkContracts } from './contract.ts';
import { etagOf, presentLink } from './present.ts';
import { checkSubject } from './sandbox-subject.ts';
import type { createLinkRequest } from './schemas.ts';

type Body = z.output<typeof createLinkRequest>;
export type CreateDeps = Pick<Deps, 'db' | 'sealer' | 'ids' | 'settings'>;

/** The facts of a creation that do not come from the body. */
export interface CreateContext {
  readonly appId: string;
  readonly linkType: LinkType | undefined;
  readonly caller: Caller;
  readonly seed: string;
  readonly now: Date;
  readonly authorize: Access['authorize'];
  /** The recipient of an emailed link, which is always single-use. */
  readonly recipient?: { readonly email: string; readonly name?: string; readonly note?: string };
}

/** Creates a link with its event. The same seed returns the same link. */
export async function createLink(
  deps: CreateDeps,
  body: Body,
  context: CreateContext,
): Promise<LinkRow> {
  const app = await findApp(deps.db, context.appId);
  if (!app) throw new Failure('not_found');
  context.authorize(app);
  const link = await draftLink(deps, app, body, context);
  return transaction(deps.db, (tx) => keepLink(tx, deps, link));
}

/** Returns a link that is validated and sealed, but not stored. */
export async function draftLink(
  deps: CreateDeps,
  app: AppRow,
  body: Body,
  context: Omit<CreateContext, 'appId' | 'authorize'>,
): Promise<NewLink> {
  checkDates(body, context.now);
  checkUses(body, context.recipient !== undefined);
  checkRedirect(body.redirect_url, app);
  const { livemode } = app;
  const required_proofs = body.required_proofs ?? app.default_proofs;
  checkSubject(body.sandbox_subject, { livemode, required_proofs });
  const linkUuid = uuidFrom(context.seed);
  const key = { account_id: app.account_id, link_uuid: linkUuid };
  const metadata = body.metadata ?? {};
  const { title, reference_id: reference } = body;
  const seal = (column: SealedColumn, value: object | null | undefined) =>
    sealLinkValue(deps.sealer, key, column, value);
  const emailed = context.recipient !== undefined;
  return {
    link_uuid: linkUuid,
    app_id: app.app_id,
    account_id: app.account_id,
    link_type: context.linkType ?? body.link_type ?? 'trust_check',
    title_sealed: await sealLinkText(deps.sealer, key, 'title', title),
    status: body.not_before && body.not_before > context.now ? 'scheduled' : 'active',
    single_use: emailed || (body.single_use ?? false),
    emailed,
    livemode,
    sandbox_subject: body.sandbox_subject ?? null,
    max_uses: emailed ? 1 : (body.max_uses ?? null),
    max_attempts: body.max_attempts ?? 3,
    required_proofs,
    requested_claims: body.requested_claims ?? [],
    matching_sealed: await seal('matching', body.matching_params),
    recipient_sealed: await seal('recipient', context.recipient),
    recipient_blind: context.recipient ? blindOfText(deps.sealer, context.recipient.email) : null,
    policy: omitUndefined(body.policy ?? {}),
    transaction_data_sealed: await seal('transaction_data', body.transaction_data),
    meeting: body.meeting ? omitUndefined(body.meeting) : null,
    metadata_sealed: await seal('metadata', metadataOrNull(metadata)),
    metadata_digests: metadataDigests(deps.sealer, app.account_id, metadata),
    redirect_url: body.redirect_url ?? app.redirect_url,
    reference_sealed: await sealLinkText(deps.sealer, key, 'reference', reference),
    reference_blind:
      reference === undefined ? null : referenceDigest(deps.sealer, app.account_id, reference),
    words_blind: wordDigests(deps.sealer, app.account_id, [title, reference]),
    job_id: body.job_id ?? null,
    locale: body.locale ?? null,
    created_by: callerName(context.caller),
    not_before: body.not_before ?? null,
    expires_at: body.expires_at ?? null,
    created_at: context.now,
    delivery: emailed ? { status: 'queued' as const, at: context.now.toISOString() } : null,
  };
}

/** Stores a link with its event. Returns an existing link unchanged. */
async function keepLink(tx: Tx, { ids }: Pick<CreateDeps, 'ids'>, link: NewLink): Promise<LinkRow> {
  const inserted = await insertLink(tx, link);
  if (inserted) {
    await appendEvents(tx, { ids, now: link.created_at }, [linkEvent(inserted, 'link.created')]);
    return inserted;
  }
  const existing = await findLink(tx, link.link_uuid);
  if (!existing) throw new Error('a link was neither made nor found');
  return existing;
}

/** @throws InvalidRequest for more than one use of a single-use or emailed link */
function checkUses({ single_use, max_uses }: Body, isEmailed: boolean): void {
  if (isEmailed && single_use === false) {
    const msg = 'must be true or left out: a mailed link is single-use';
    throw new InvalidRequest([{ loc: ['body', 'single_use'], msg, type: 'custom' }]);
  }
  if (!(isEmailed || single_use) || (max_uses ?? 1) === 1) return;
  const msg = 'must be 1 where the link is single-use';
  throw new InvalidRequest([{ loc: ['body', 'max_uses'], msg, type: 'custom' }]);
}

/** @throws Failure `forbidden_target` for a redirect to an origin that the app does not allow */
export function checkRedirect(
  redirectUrl: string | null | undefined,
  app: Pick<AppRow, 'allowed_origins' | 'redirect_url'> | null,
): void {
  if (!redirectUrl) return;
  assertAllowedOrigin(redirectUrl, app ? originsOf(app) : [], ['body', 'redirect_url']);
}

/** @throws InvalidRequest for an expiry in the past, or before the start */
export function checkDates(
  body: {
    readonly expires_at?: Date | null | undefined;
    readonly not_before?: Date | null | undefined;
  },
  now: Date,
): void {
  const fault = (name: string, msg: string): never => {
    throw new InvalidRequest([{ loc: ['body', name], msg, type: 'custom' }]);
  };
  if (body.expires_at && body.expires_at <= now) fault('expires_at', 'must not lie in the past');
  if (body.expires_at && body.not_before && body.expires_at <= body.not_before) {
    fault('expires_at', 'must be after not_before');
  }
}

/**
 * Returns a version 4 UUID derived from the request's seed: 122 of its bits are as random as the
 * seed.
 */
function uuidFrom(seed: string): string {
  const hex = createHash('sha256').update(`link|${seed}`).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  const [low, middle, node] = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(20, 32)];
  return `${low}-${middle}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${node}`;
}

type Creating = Pick<
  Input<typeof linkContracts.create>,
  'body' | 'caller' | 'seed' | 'call' | 'authorize'
>;

async function make(
  deps: CreateDeps,
  input: Creating,
  appId: string,
  linkType: LinkType | undefined,
) {
  const { body, caller, seed, call, authorize } = input;
  const { now } = call;
  const link = await createLink(deps, body, { appId, linkType, caller, seed, now, authorize });
  return {
    status: 200,
    body: await presentLink(deps, link, now),
    headers: { ETag: etagOf(link) },
  } as const;
}

export const create = handler(linkContracts.create)((input, deps: CreateDeps) =>
  make(deps, input, input.path.app_id, input.query.link_type),
);
export const createInvite = handler(linkContracts.createInvite)((input, deps: CreateDeps) =>
  make(deps, input, input.path.app_id, 'invite'),
);
export const createImport = handler(linkContracts.createImport)((input, deps: CreateDeps) =>
  make(deps, input, input.path.app_id, 'import'),
);
export const createByType = handler(linkContracts.createByType)(async (input, deps: CreateDeps) => {
  const appId = input.query.app_id ?? (await onlyAppOf(deps, input.caller));
  return make(deps, input, appId, input.path.link_type);
});

/**
 * Returns the only app of an account.
 * @throws InvalidRequest if the account has none or several, so that the request must name one
 */
async function onlyAppOf(
  deps: CreateDeps,
  caller: Extract<Caller, { kind: 'session' | 'api-key' }>,
): Promise<string> {
  const { accountId } = caller;
  const reach = reachOf(caller);
  const found = accountId === null ? null : await findOnlyApp(deps.db, accountId, reach);
  if (found !== null) return found;
  throw new InvalidRequest([{ loc: ['query', 'app_id'], msg: 'Field required', type: 'missing' }]);
}
