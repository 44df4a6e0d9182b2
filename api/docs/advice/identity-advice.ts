import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** What is said of refusals that have to do with who somebody is. */
export const identityAdvice = {
  assurance_required: {
    when: 'The session came by email, and what is asked needs one by a certified device.',
    remedy: 'Step the session up with a verification bundle, or sign in with one.',
  },
  step_up_required: {
    when:
      'The session came by email, or proved its certified device more than 15 minutes ago ' +
      '(`max_age_seconds`), and the operation needs a recent proof.',
    remedy:
      'Have the phone sign a new verification bundle, send it with the session to ' +
      '`POST /v2/session/step_up`, and repeat the request with the session that it answers. ' +
      'Without a device, enroll one first.',
  },
  email_code_required: {
    when: 'A mailed token is handed in by another browser than the one that asked for the mail.',
    remedy:
      'Send `code` besides: the six digits of the `Email-Code` header of the answer to the ' +
      'request. Five wrong codes end the token.',
  },
  email_token_invalid: {
    when: 'The token is unknown, used, superseded by a newer mail, expired, or of another purpose.',
    remedy: 'Ask for another mail. The newest one counts, for ten minutes.',
  },
  four_eyes_required: {
    when: 'The person who opened a recovery, or whom it is about, tried to decide it.',
    remedy: 'Another ADMIN of the account decides it.',
  },
  recovery_not_proven: {
    when:
      'The check of the recovery is not begun, is running, has failed, or shows a document that ' +
      'the person has not shown in this account before (`reason`).',
    remedy:
      'Wait for the check. After a failed check, or one of another person, cancel the recovery ' +
      'and open another.',
  },
  recovery_open: {
    when: 'A person has at most one recovery that is open or approved, over all accounts.',
    remedy: 'Cancel that recovery, or wait until it ends: 7 days after it was opened.',
  },
  recovery_unavailable: {
    when:
      'The person has no certified device (`no_device`), no login email to send the link to ' +
      '(`no_address`), or has passed no check of a document in this account (`no_earlier_check`).',
    remedy:
      'Without a device, enroll one by an email session. Otherwise the operator identifies the ' +
      'person and runs `trustcheck admin recover`.',
  },
  second_admin_required: {
    when:
      'No ADMIN with a certified device could approve the recovery: one who neither opens it nor ' +
      'is its subject.',
    remedy:
      'Make another person an ADMIN first, or ask the operator to run `trustcheck admin recover`.',
  },
  identity_owned: {
    when:
      'The address, or the session that came by it, belongs to another person who has a ' +
      'certified device, or is reserved for the one who had it.',
    remedy: 'Sign in as that person, and revoke the address there before it is attached here.',
  },
  last_login_email: {
    when: 'A person without a certified device would lose the only way to sign in.',
    remedy: 'Enroll a device or attach another address first.',
  },
  membership_required: {
    when: 'The session is good, but its person does not belong to the account that was asked for.',
    remedy: 'Choose one of `accounts` of the session’s answer, or have an ADMIN invite the person.',
  },
  own_sign_in_required: {
    when:
      'The session came by a sign-in provider, or was opened for an app or an account, and what ' +
      'is asked for is of the whole person: their devices, their login emails, their logs ' +
      'everywhere, another account.',
    remedy: 'Sign in by mail, or with a bundle for the platform, where no app is named.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
