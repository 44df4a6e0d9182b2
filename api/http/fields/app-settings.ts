import type { AppRow } from '../../../db/queries/credentials.ts';

/** An app setting that can cause a refusal. */
type AppSetting = keyof Pick<AppRow, 'allowed_origins' | 'android' | 'apple'>;

/** Returns a sentence that names the setting and the operation that changes it. */
export const settingHint = (setting: AppSetting): string =>
  `Change \`${setting}\` of the app with \`apps.update\` ` +
  '(PATCH /v2/accounts/{account_id}/apps/{app_id})';

const settingOf = { android: 'android', ios: 'apple' } as const;

/** Returns the detail of a refusal because the app has no identity on the phone's platform. */
export const missingIdentity = (platform: keyof typeof settingOf): string =>
  `The app has no \`${settingOf[platform]}\` identity. ${settingHint(settingOf[platform])}`;

/** Returns the detail where the phone's app and the link's app have different identities. */
export const otherIdentity = (platform: keyof typeof settingOf): string =>
  `The \`${settingOf[platform]}\` identity of the app of the link differs from that of the app ` +
  `of the phone. ${settingHint(settingOf[platform])}`;
