import type { z } from 'zod';
import { openLinkValue, type Metadata } from '../../activities/links/sealed-values.ts';
import { linkObject } from '../../db/queries/link-object.ts';
import type { LinkRow } from '../../db/queries/links.ts';
import { openLinkText } from '../../db/sealing/link-texts.ts';
import type { Deps } from '../deps.ts';
import { logoAddress } from '../http/html/logo.ts';
import type { linkBody, PreviewBody } from './schemas.ts';

export type PresentedState = LinkRow['status'];

/** Returns the current state of a link, including changes by its dates, which are not stored. */
export function stateOf(
  link: Pick<LinkRow, 'status' | 'expires_at' | 'not_before'>,
  now: Date,
): PresentedState {
  const isOpen =
    link.status === 'scheduled' || link.status === 'active' || link.status === 'paused';
  if (isOpen && link.expires_at && link.expires_at <= now) return 'expired';
  if (link.status === 'scheduled' && (!link.not_before || link.not_before <= now)) return 'active';
  if (link.status === 'active' && link.not_before && link.not_before > now) return 'scheduled';
  return link.status;
}

export function linkUrl(baseUrl: string, link: Pick<LinkRow, 'app_id' | 'link_uuid'>): string {
  return `${baseUrl}/v2/${link.app_id}/${link.link_uuid}`;
}

/** Returns a link as the API shows it to callers who may manage it. */
export async function presentLink(
  { settings, sealer }: Pick<Deps, 'settings' | 'sealer'>,
  link: LinkRow,
  now: Date,
): Promise<z.input<typeof linkBody>> {
  const url = linkUrl(settings.baseUrl, link);
  const [title, reference_id, metadata] = await Promise.all([
    openLinkText(sealer, link, 'title', link.title_sealed),
    openLinkText(sealer, link, 'reference', link.reference_sealed),
    openLinkValue<Metadata>(sealer, link, 'metadata', link.metadata_sealed),
  ]);
  return {
    ...linkObject(link),
    status: stateOf(link, now),
    url,
    title,
    reference_id,
    metadata: metadata ?? {},
    qr_svg_url: `${url}?format_type=S`,
  };
}

/** Returns the version of a link as an entity tag (RFC 9110 §8.8.3). */
export function etagOf(link: LinkRow): string {
  return `"${link.version}"`;
}

/** The columns of link, app and account for a preview. The account's key opens the title. */
export type PreviewRow = Pick<
  LinkRow,
  | 'link_uuid'
  | 'app_id'
  | 'account_id'
  | 'title_sealed'
  | 'link_type'
  | 'status'
  | 'required_proofs'
  | 'requested_claims'
  | 'not_before'
  | 'expires_at'
  | 'meeting'
  | 'emailed'
> & {
  readonly app_name: string;
  readonly app_logo_sha256: string | null;
  readonly tos_url: string | null;
  readonly tos_version: string;
  readonly install_url: string | null;
  readonly account_name: string;
  readonly account_logo_url: string | null;
  readonly account_verified: boolean;
};

/** Returns what anyone with the link may see. It omits the expected values. */
export async function presentPreview(
  { sealer, settings }: Pick<Deps, 'sealer' | 'settings'>,
  link: PreviewRow,
  now: Date,
): Promise<PreviewBody> {
  const status = stateOf(link, now);
  return {
    link_uuid: link.link_uuid,
    title: await openLinkText(sealer, link, 'title', link.title_sealed),
    link_type: link.link_type,
    status,
    actionable: status === 'active' || status === 'reserved',
    requester: {
      account_name: link.account_name,
      logo_url: link.account_logo_url,
      verified: link.account_verified,
    },
    app: {
      app_id: link.app_id,
      name: link.app_name,
      tos_url: link.tos_url,
      tos_version: link.tos_version,
      logo_url: logoAddress(settings.baseUrl, link.app_logo_sha256),
    },
    required_proofs: link.required_proofs,
    requested_claims: link.requested_claims,
    expires_at: link.expires_at?.toISOString() ?? null,
    meeting: link.meeting && presentMeeting(link.meeting),
  };
}

/** Returns what anyone may see of the meeting of a link. */
export function presentMeeting(
  meeting: Record<string, unknown>,
): NonNullable<PreviewBody['meeting']> {
  const { platform, topic, scheduled_at } = meeting;
  return {
    ...(typeof platform === 'string' ? { platform } : {}),
    ...(typeof topic === 'string' ? { topic } : {}),
    ...(typeof scheduled_at === 'string'
      ? { scheduled_at: new Date(scheduled_at).toISOString() }
      : {}),
  };
}
