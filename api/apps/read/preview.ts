import { findAccount } from '../../../db/queries/accounts.ts';
import { findLogoDigest } from '../../../db/queries/app-logos.ts';
import { findAnyApp } from '../../../db/queries/apps.ts';
import { callingCodesOf } from '../../../domain/proofs/phone/phone-number.ts';
import { Failure } from '../../../workflows/failures.ts';
import type { Deps } from '../../deps.ts';
import { handler } from '../../http/contract.ts';
import { logoPath } from '../../http/html/logo.ts';
import { specimenPage } from '../../links/visitor/pages/specimen.ts';
import { appContracts } from '../contract.ts';

/** Renders the page of a check in a specimen state, with the branding of an app. */
export const preview = handler(appContracts.preview)(async (
  { path, query, authorizeIn, reaches },
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
) => {
  authorizeIn(path.account_id);
  const app = await findAnyApp(db, path.app_id);
  if (app?.account_id !== path.account_id || !reaches(app)) throw new Failure('not_found');
  const account = await findAccount(db, path.account_id);
  if (!account) throw new Failure('not_found');
  const { type, content, headers } = await specimenPage(query.screen, {
    language: query.locale,
    app_id: app.app_id,
    app: app.name,
    logo: logoPath(await findLogoDigest(db, app.app_id)),
    account: account.name,
    isVerified: account.verified,
    imageDays: account.image_retention_days,
    brandColor: query.brand_color ?? app.brand_color,
    support: { email: app.support_email, url: app.support_url },
    terms: { url: app.tos_url, version: app.tos_version },
    isDevelopment: settings.hasDevelopmentRoots,
    callingCodes: callingCodesOf(settings.smsLimits.numbers),
  });
  return { status: 200, type, content, headers: { ...headers, 'Cache-Control': 'no-store' } };
});
