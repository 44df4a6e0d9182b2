/** Members that name an object that any caller may name, with the reason. */
export const openByName: Readonly<Record<string, string>> = {
  'POST /portal_login body app_id': 'people sign in for any app; its name is public',
  'POST /portal_login body link_uuid': 'people sign in for any link whose address they have',
  'POST /v2/session/step_up body app_id': 'people sign in for any app; its name is public',
  'POST /v2/session/step_up body link_uuid': 'people sign in for any link whose address they have',
  'POST /v2/accounts/{account_id}/members body poly_user_id':
    'any person is invited by their id, which they give away themselves',
  'POST /v2/devices body app_id': 'people enroll a device for any app; its name is public',
  'POST /v2/email/link/request body app_id': 'people sign in for any app; its name is public',
  'POST /v2/email/login/request body app_id': 'people sign in for any app; its name is public',
  'POST /v2/join/session body link_uuid': 'people join by any link whose address they have',
  'POST /v2/trust-checks body link_uuid': 'people begin by any link whose address they have',
};

/** Members that must match the link of the request, which is public. */
export const boundToLink: readonly string[] = [
  'GET /success/{link_uuid} query app_id',
  'GET /v2/{link_uuid} query app_id',
  'POST /v2/join/session body meeting_id',
  'POST /v2/trust-checks body app_id',
];

/** Members whose value does not change the answer to these requests, with the reason. */
export const inert: Readonly<Record<string, string>> = {
  'POST /v2/accounts/{account_id}/members/{poly_user_id}/recoveries body app_id':
    'a member who lost no device is refused first',
  'POST /v2/{link_uuid} query app_id': 'an attestation that fails is refused first',
  'POST /v2/{link_uuid} body link_session_id': 'an attestation that fails is refused first',
  'POST /v2/{app_id}/{link_uuid} body link_session_id':
    'an attestation that fails is refused first',
  'POST /v2/logs/continuity body poly_user_ids':
    'the account has met none of these people, known or unknown',
};
