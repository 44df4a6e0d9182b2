import type { AppRow } from '../../../db/queries/credentials.ts';

/** A setting of an app that a refusal can be about. */
type AppSetting = keyof Pick<AppRow, 'allowed_origins' | 'android' | 'apple'>;

/** Names the setting that a refusal is about, and where it is changed. */
export const settingHint = (setting: AppSetting): string =>
  `Change \`${setting}\` of the app with \`apps.update\` ` +
  '(PATCH /v2/accounts/{account_id}/apps/{app_id})';

const settingOf = { android: 'android', ios: 'apple' } as const;

/** The detail of a refusal because an app has no identity on the platform of a phone. */
export const missingIdentity = (platform: keyof typeof settingOf): string =>
  `The app has no \`${settingOf[platform]}\` identity. ${settingHint(settingOf[platform])}`;

/** The same where the app of the phone has another identity than the app of the link. */
export const otherIdentity = (platform: keyof typeof settingOf): string =>
  `The \`${settingOf[platform]}\` identity of the app of the link differs from that of the app ` +
  `of the phone. ${settingHint(settingOf[platform])}`;
