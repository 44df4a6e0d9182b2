import type { AppRow } from '../../db/queries/credentials.ts';

/** Returns an app as people who may use it see it. */
export function presentApplication(row: AppRow) {
  const { app_id, account_id, name, kind, status, livemode, logo_url } = row;
  return { app_id, account_id, name, kind, status, livemode, logo_url };
}

/** Returns an app as its ADMIN sees it. */
export function presentApp(row: AppRow) {
  const { redirect_url, allowed_origins, default_proofs, tos_url, tos_version } = row;
  const { install_url, apple, android } = row;
  const { brand_color, support_email, support_url, auto_redirect } = row;
  return {
    ...presentApplication(row),
    redirect_url,
    auto_redirect,
    brand_color,
    support_email,
    support_url,
    allowed_origins,
    default_proofs,
    tos_url,
    tos_version,
    install_url,
    apple,
    android,
    created_at: row.created_at.toISOString(),
  };
}
