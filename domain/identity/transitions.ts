/**
 * Owner of an object relative to the caller: none, the caller (their whole identity group is one
 * person), a person with login emails only, or another person with a certified device.
 */
export type Holder = 'nobody' | 'caller' | 'email_user' | 'cert_user';

/** The request for a login email, a session or an invite token, with the facts that decide it. */
export type Situation =
  | { readonly on: 'revoke_email'; readonly holder: Holder; readonly isLastLogin: boolean }
  | {
      readonly on: 'verify_email';
      readonly holder: Holder;
      readonly status: 'ACTIVE' | 'REVOKED' | null;
    }
  | { readonly on: 'step_up'; readonly holder: Holder }
  | { readonly on: 'switch_account'; readonly isMember: boolean }
  | { readonly on: 'exchange_invite'; readonly isLive: boolean };

/** The resulting action; the refusals are those of the interface's error table. */
export type Move =
  | 'create'
  | 'activate'
  | 'revoke'
  | 'adopt'
  | 'elevate'
  | 'remint'
  | 'consume'
  | 'refuse_owned'
  | 'refuse_last'
  | 'refuse_stranger'
  | 'refuse_unknown';

/**
 * The state table of the interface, section 3. A revoked address stays reserved for its owner and
 * allows no adoption by others: its holder today may be another person than before.
 */
export function moveOf(situation: Situation): Move {
  switch (situation.on) {
    case 'revoke_email':
      if (situation.holder !== 'caller') return 'refuse_unknown';
      return situation.isLastLogin ? 'refuse_last' : 'revoke';
    case 'verify_email':
      return moveOfAddress(situation.holder, situation.status);
    case 'step_up':
      return moveOfStepUp(situation.holder);
    case 'switch_account':
      return situation.isMember ? 'remint' : 'refuse_stranger';
    case 'exchange_invite':
      return situation.isLive ? 'consume' : 'refuse_unknown';
  }
}

function moveOfAddress(holder: Holder, status: 'ACTIVE' | 'REVOKED' | null): Move {
  switch (holder) {
    case 'nobody':
      return 'create';
    case 'caller':
      return 'activate';
    case 'email_user':
      return status === 'REVOKED' ? 'refuse_owned' : 'adopt';
    case 'cert_user':
      return 'refuse_owned';
  }
}

/** The holder of the session, relative to the holder of the bundle. */
function moveOfStepUp(holder: Holder): Move {
  switch (holder) {
    case 'caller':
      return 'elevate';
    case 'email_user':
      return 'adopt';
    case 'nobody':
    case 'cert_user':
      return 'refuse_owned';
  }
}
