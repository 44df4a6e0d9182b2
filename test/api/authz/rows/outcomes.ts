import { account, guarded, type Outcome, type Rule } from '../rules.ts';

export const ok = [200] as const;
export const made = [201] as const;
export const led = [302] as const;
export const state = [409, 'invalid_state'] as const;
export const noPlatform = [409, 'platform_not_configured'] as const;
export const unconnected = [404, 'not_found'] as const;
export const inactive = [409, 'link_not_active'] as const;
export const noNonce = [401, 'attest_nonce_required'] as const;
export const badMail = [401, 'email_token_invalid'] as const;
export const unproved = [403, 'assurance_required'] as const;
export const ofOther = [403, 'account_mismatch'] as const;
export const ofAnother = [409, 'identity_owned'] as const;
export const noMember = [401, 'membership_required'] as const;

export const reader = (outcome: Outcome = ok): Rule => account('VIEWER', outcome);
export const member = (outcome: Outcome = ok): Rule => account('MEMBER', outcome);
export const admin = (outcome: Outcome = ok): Rule => account('ADMIN', outcome);
/** For objects within an account: authorizes by account and role before it looks up the object. */
export const adminIn = (outcome: Outcome = ok): Rule => account('ADMIN', outcome, 'role first');
export const readerIn = (outcome: Outcome = ok): Rule => account('VIEWER', outcome, 'role first');
/** Like `adminIn`, with a recent proof of a device. */
export const guardedIn = (outcome: Outcome = ok): Rule => guarded(outcome, 'role first');
