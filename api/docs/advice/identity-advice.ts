import type { FailureCode } from '../../../workflows/failures.ts';
import type { Advice } from './advice.ts';

/** Advice on refusals about the identity of a person. */
export const identityAdvice = {
  assurance_required: {
    when:
      'The session began with a mail, and the operation needs a session of a certified ' +
      'device.',
    remedy:
      'Upgrade the session with a verification bundle (`session.stepUp`), or sign in with ' +
      'one.',
  },
  step_up_required: {
    when:
      'The session began with a mail, or proved its certified device more than 15 minutes ago ' +
      '(`max_age_seconds`). The operation needs a recent proof.',
    remedy:
      'Sign a new verification bundle on the phone and send it with the session to `POST ' +
      '/v2/session/step_up`. Then repeat the request with the session of that answer. Without ' +
      'a device, enroll one first.',
  },
  email_code_required: {
    when: 'A mailed token comes from another browser than the one that requested the mail.',
    remedy:
      'Also send `code`: the six digits in the `Email-Code` header of the answer to the ' +
      'request. Five wrong codes end the token.',
  },
  email_token_invalid: {
    when: 'The token is unknown, used, replaced by a newer mail, expired, or for another purpose.',
    remedy: 'Request another mail. The newest mail is valid for ten minutes.',
  },
  four_eyes_required: {
    when: 'The person who opened the recovery, or its subject, tried to decide it.',
    remedy: 'Another ADMIN of the account must decide.',
  },
  recovery_not_proven: {
    when:
      'The check of the recovery is not begun, is running, has failed, or has a document that ' +
      'the person has not used in this account before (`reason`).',
    remedy:
      'Wait for the check. If it failed, or is of another person, cancel the recovery and ' +
      'open another one.',
  },
  recovery_open: {
    when: 'The person already has an open or approved recovery, in this account or another one.',
    remedy: 'Cancel that recovery, or wait until it ends, 7 days after it was opened.',
  },
  recovery_unavailable: {
    when:
      'The person has no certified device (`no_device`), no login email for the link ' +
      '(`no_address`), or no passed check of a document in this account (`no_earlier_check`).',
    remedy:
      'Without a device, enroll one in an email session. Otherwise, the operator identifies ' +
      'the person and runs `trustcheck admin recover`.',
  },
  second_admin_required: {
    when:
      'The recovery needs approval by an ADMIN with a certified device who neither opened it ' +
      'nor is its subject. The account has no such ADMIN.',
    remedy:
      'Give another person the role ADMIN first, or ask the operator to run `trustcheck admin ' +
      'recover`.',
  },
  identity_owned: {
    when:
      'The address, or the session that was opened with it, belongs to another person who has ' +
      'a certified device, or is reserved for that person.',
    remedy: 'Sign in as that person and revoke the address there. Then attach it here.',
  },
  last_login_email: {
    when: 'A person without a certified device would lose the only way to sign in.',
    remedy: 'Enroll a device or attach another address first.',
  },
  membership_required: {
    when: 'The session is valid, but its person is not a member of the requested account.',
    remedy:
      'Choose one of `accounts` in the answer of the session, or ask an ADMIN to invite the ' +
      'person.',
  },
  own_sign_in_required: {
    when:
      'The session came through a sign-in provider, or is limited to an app or an account. ' +
      'The operation is about the whole person: devices, login emails, all logs, other ' +
      'accounts.',
    remedy: 'Sign in by mail, or with a bundle for the platform that names no app.',
  },
} as const satisfies Partial<Record<FailureCode, Advice>>;
