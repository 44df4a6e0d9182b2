import { firstOf, sharing } from '../../../db/client.ts';
import type { AccountRow } from '../../../db/queries/accounts.ts';
import type { AppRow } from '../../../db/queries/credentials.ts';
import type { LinkRow } from '../../../db/queries/links.ts';
import { noteOpened } from '../../../db/queries/opened-imports.ts';
import { withoutDirectionMarks } from '../../../domain/languages/format.ts';
import { wantedLanguage } from '../../../domain/languages/spoken.ts';
import { countryNames } from '../../../domain/proofs/mrz/countries.ts';
import { callingCodesOf, type NumberPolicy } from '../../../domain/proofs/phone/phone-number.ts';
import { dpopNonce } from '../../../domain/tokens/dpop-nonce.ts';
import { Failure } from '../../../workflows/failures.ts';
import { needsDevice } from '../../../workflows/proofs.ts';
import type { Deps } from '../../deps.ts';
import { handler, type CallFacts } from '../../http/contract.ts';
import { logoPath } from '../../http/html/logo.ts';
import { linkContracts } from '../contract.ts';
import { linkUrl, presentPreview, type PreviewRow } from '../present.ts';
import type { PreviewBody } from '../schemas.ts';
import { isPhone, leadingHeaders as headers, negotiate } from './negotiate.ts';
import { linkCard } from './pages/card.ts';
import type { CheckFacts } from './pages/check-facts.ts';
import { checkPage } from './pages/check.ts';
import { phoneOf } from './phone.ts';

type PreviewDeps = Pick<Deps, 'db' | 'keys' | 'settings' | 'sealer'>;

interface Asked {
  readonly app_id?: string | undefined;
  readonly format_type: 'A' | 'J' | 'S' | 'H';
  readonly pair_token?: string | undefined;
  readonly locale?: string | undefined;
}

/** How long a new app can request the link it was installed for. */
const rememberedMs = 30 * 60_000;

type PageRow = PreviewRow &
  Pick<LinkRow, 'locale' | 'policy' | 'single_use'> &
  Pick<AccountRow, 'image_retention_days'> &
  Pick<
    AppRow,
    'allowed_origins' | 'brand_color' | 'support_email' | 'support_url' | 'auto_redirect'
  >;

/**
 * Reads link, app and account in one query. The account's key needs another one until it is cached.
 */
const find = sharing<PageRow>(
  'links.preview',
  `SELECT l.link_uuid, l.app_id, l.account_id, l.title_sealed, l.link_type, l.status,
     l.required_proofs, l.requested_claims, l.not_before, l.expires_at, l.meeting, l.emailed,
     l.locale, l.policy, l.single_use,
     p.name AS app_name, i.sha256 AS app_logo_sha256, p.tos_url, p.tos_version, p.install_url,
     p.allowed_origins, p.brand_color, p.support_email, p.support_url, p.auto_redirect,
     a.name AS account_name, a.logo_url AS account_logo_url, a.verified AS account_verified,
     a.image_retention_days
   FROM links l JOIN apps p USING (app_id) JOIN accounts a ON a.account_id = p.account_id
     LEFT JOIN app_logos i ON i.app_id = p.app_id
   WHERE l.link_uuid = :linkUuid AND l.status <> 'deleted' AND p.status = 'active'
     AND a.disabled_at IS NULL`,
  'read',
);

/**
 * Shows a link without changing it, because mail scanners open every link. Records only that a
 * phone has opened an import link, for the app that is to be installed.
 */
async function show(
  deps: PreviewDeps,
  linkUuid: string,
  { app_id: appId, format_type: formatType, pair_token: shown, locale }: Asked,
  call: CallFacts,
) {
  const link = firstOf(await find(deps.db, { linkUuid }));
  if (!link || (appId !== undefined && link.app_id !== appId)) throw new Failure('not_found');
  const preview = await presentPreview(deps, link, call.now);
  const format = formatType === 'A' ? negotiate(call) : formatType;
  if (format === 'install') await remember(deps, preview, call);
  const url = linkUrl(deps.settings.baseUrl, link);
  const appUrl = appUrlOf(link, url);
  // The published API redirects every phone, even if its browser could finish the check.
  if (format === 'install' && appUrl !== null) {
    return { status: 302, location: appUrl, headers } as const;
  }
  if (format === 'J') {
    return {
      status: 200,
      type: 'application/json; charset=utf-8',
      content: JSON.stringify(preview),
      headers,
    } as const;
  }
  const page =
    format === 'S'
      ? linkCard(preview, shown === undefined ? url : `${url}#p=${shown}`)
      : await checkPage(factsOf(deps, link, preview, { url, appUrl, locale, call }));
  return {
    status: 200,
    type: page.type,
    content: page.content,
    headers: { ...headers, ...page.headers },
  } as const;
}

interface Visit {
  readonly url: string;
  readonly appUrl: string | null;
  /** The `locale` of the query. */
  readonly locale: string | undefined;
  readonly call: CallFacts;
}

/** Returns the input of the page of a link. */
function factsOf(
  { keys, settings }: PreviewDeps,
  link: PageRow,
  preview: PreviewBody,
  { url, appUrl, locale, call }: Visit,
): Omit<CheckFacts, 'phrases'> {
  const { app, requester, required_proofs: proofs } = preview;
  const language = wantedLanguage([locale, link.locale, call.header('accept-language')]);
  const countries = link.policy.allowed_countries ?? [];
  return {
    language,
    link_uuid: preview.link_uuid,
    app_id: app.app_id,
    url,
    status: preview.status,
    isActionable: preview.actionable,
    isSingleUse: link.single_use,
    isEmailed: link.emailed,
    title: preview.title === null ? null : withoutDirectionMarks(preview.title),
    account: requester.account_name,
    isVerified: requester.verified,
    imageDays: link.image_retention_days,
    app: app.name,
    logo: logoPath(link.app_logo_sha256),
    appUrl,
    brandColor: link.brand_color,
    support: { email: link.support_email, url: link.support_url },
    isRedirected: link.auto_redirect,
    terms: { url: app.tos_url, version: app.tos_version },
    proofs,
    claims: preview.requested_claims,
    expires_at: preview.expires_at,
    isWebAllowed: (link.policy.web_allowed ?? true) && !proofs.some(needsDevice),
    isReviewOffered: link.policy.review_on_unsure ?? false,
    isFileAllowed: link.policy.capture === 'any',
    acceptedCountries: countries.length > 0 ? countryNames(countries, language) : null,
    isPhone: isPhone(call),
    isDevelopment: settings.hasDevelopmentRoots,
    hosts: link.allowed_origins,
    nonce: dpopNonce(keys.secret('dpop-nonce'), call.now),
    callingCodes: codesOf(settings.smsLimits.numbers),
  };
}

const codes = new WeakMap<NumberPolicy, Record<string, string>>();

/** Computed once, because the policy does not change in a process. */
function codesOf(policy: NumberPolicy): Record<string, string> {
  const found = codes.get(policy) ?? callingCodesOf(policy);
  codes.set(policy, found);
  return found;
}

async function remember(deps: PreviewDeps, link: PreviewBody, call: CallFacts): Promise<void> {
  if (link.link_type !== 'import' || !link.actionable) return;
  const phone = phoneOf(deps, call);
  const expiresAt = new Date(call.now.getTime() + rememberedMs);
  if (phone) await noteOpened(deps.db, phone, link.link_uuid, { now: call.now, expiresAt });
}

/** Returns the install page of the app with the link to open; null for an app without one. */
function appUrlOf({ install_url }: PreviewRow, url: string): string | null {
  if (!install_url) return null;
  const target = new URL(install_url);
  target.searchParams.set('link', url);
  return target.href;
}

export const preview = handler(linkContracts.preview)((input, deps: PreviewDeps) =>
  show(deps, input.path.link_uuid, { ...input.query, app_id: input.path.app_id }, input.call),
);
export const previewById = handler(linkContracts.previewById)((input, deps: PreviewDeps) =>
  show(deps, input.path.link_uuid, input.query, input.call),
);
export const details = handler(linkContracts.details)((input, deps: PreviewDeps) =>
  show(deps, input.path.link_uuid, input.path, input.call),
);
