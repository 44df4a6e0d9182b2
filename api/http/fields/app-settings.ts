import type { AppRow } from '../../../db/queries/credentials.ts';

/** A setting of an app that a refusal can be about. */
type AppSetting = keyof Pick<AppRow, 'allowed_origins' | 'android' | 'apple' | 'redirect_url'>;

/** Names the settings that a refusal is about, and where they are changed. */
export const changeIn = (...settings: readonly AppSetting[]): string =>
  `Change ${settings.map((name) => `\`${name}\``).join(' or ')} of the app with ` +
  '`apps.update` (PATCH /v2/accounts/{account_id}/apps/{app_id})';

/** The detail of a refusal because an app has no identity on the platform of a phone. */
export const noIdentity = (platform: 'ios' | 'android'): string => {
  const setting = platform === 'ios' ? 'apple' : 'android';
  return `The app has no \`${setting}\` identity. ${changeIn(setting)}`;
};
