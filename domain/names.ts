/** Names of stored things: roles, kinds and states that live in rows, not in workflows. */
export const roles = ['VIEWER', 'MEMBER', 'REVIEWER', 'ADMIN', 'POLYADMIN'] as const;
export type Role = (typeof roles)[number];

/** How an access token of an SSO provider is judged. */
export const ssoKinds = ['jwt', 'introspection', 'userinfo'] as const;
export type SsoKind = (typeof ssoKinds)[number];

/** The name of the platform's own sign-in provider, which a POLYADMIN sets and removes. */
export const nativeProvider = 'native';

/** How access tokens are typed: as RFC 9068 §2.1 asks, or like any JWT, as many issuers do. */
export const accessTokenTypes = ['at+jwt', 'JWT'] as const;
export type AccessTokenType = (typeof accessTokenTypes)[number];

export const appKinds = ['sdk', 'portal'] as const;
export const appStates = ['active', 'archived'] as const;

/** Who may judge faces in our place, where the operator has configured them. */
export const faceProviders = ['rekognition', 'http'] as const;
export type FaceProvider = (typeof faceProviders)[number];

/** What an account tells its people of an outcome: its reason, or that it did not pass. */
export const subjectReasons = ['plain', 'neutral'] as const;
export type SubjectReasons = (typeof subjectReasons)[number];

/** How long images of people and documents are kept after a check ended, in days. */
export const imageRetentionDaysUsual = 7;
export const imageRetentionDaysMax = 30;

/** What the audit log tells of. */
export const auditActions = [
  'account.created',
  'account.updated',
  'api_key.created',
  'api_key.revoked',
  'api_key.rotated',
  'app.archived',
  'app.created',
  'app.updated',
  'calendar.connected',
  'calendar.disconnected',
  'conf_b.connected',
  'conf_b.disconnected',
  'device.revoked',
  'key.compromised',
  'key.published',
  'key.removed',
  'key.revoked',
  'key.rotated',
  'member.added',
  'member.adopted',
  'member.removed',
  'member.updated',
  'photo.shown',
  'recovery.approved',
  'recovery.canceled',
  'recovery.completed',
  'recovery.denied',
  'recovery.expired',
  'recovery.opened',
  'sso_provider.put',
  'sso_provider.removed',
  'sso_subject.bound',
  'ticket.closed',
  'trust_check.images_removed',
  'trust_check.redacted',
  'trust_check.reviewed',
  'trust_check.revoked',
  'webhook_endpoint.created',
  'webhook_endpoint.removed',
  'webhook_endpoint.secret_rotated',
  'webhook_endpoint.updated',
] as const;
export type AuditAction = (typeof auditActions)[number];

export const linkTypes = [
  'trust_check',
  'meeting',
  'call',
  'invite',
  'import',
  'prescreen',
] as const;
export type LinkType = (typeof linkTypes)[number];

export const linkStates = [
  'scheduled',
  'active',
  'paused',
  'reserved',
  'consumed',
  'expired',
  'deleted',
] as const;
export type LinkState = (typeof linkStates)[number];

/** The claims that a link can ask for. */
export const claimNames = [
  'full_name',
  'age_over_18',
  'date_of_birth',
  'place_of_birth',
  'nationality',
  'region',
  'photo',
  'document_type',
  'document_number',
  'issuing_country',
  'expires_on',
  'phone_number',
] as const;
export type ClaimName = (typeof claimNames)[number];

export const affidavitStates = [
  'none',
  'pending',
  'signing',
  'available',
  'failed',
  'superseded',
] as const;
export type AffidavitState = (typeof affidavitStates)[number];

/** How far Google Play has to vouch for a phone: its maker's system, or that with late patches. */
export const playIntegrities = ['device', 'strong'] as const;
export type PlayIntegrityMin = (typeof playIntegrities)[number];
/** Whether a phone has to bring a fresh word of Google Play with the proof of each check. */
export const playTokens = ['optional', 'required'] as const;
export type PlayTokenNeed = (typeof playTokens)[number];

/** How a build of an iOS app reached a phone, as App Attest of iOS 27 and later tells. */
export const appleCategories = [
  'testflight',
  'development',
  'app_store',
  'enterprise',
  'developer_id',
] as const;
export type AppleCategory = (typeof appleCategories)[number];

/** Where the key of an Android phone lives, the better one last. */
export const androidSecurityLevels = ['trusted_environment', 'strong_box'] as const;
export type AndroidSecurityLevel = (typeof androidSecurityLevels)[number];

export const outcomeValidities = ['valid', 'reverify_due', 'revoked'] as const;
export const devicePlatforms = ['ios', 'android'] as const;
export type DevicePlatform = (typeof devicePlatforms)[number];

/**
 * Why a device was revoked by others than its owner: its vendor has revoked a key of it, recalls
 * that the phone is flagged, the operator did so, or its person was recovered.
 */
export type DeviceEnd = 'key_revoked' | 'device_flagged' | 'operator' | 'recovery';

/**
 * What is known of a phone by its vendor: not asked yet, told, told and noted there that it has
 * enrolled, or not to be had.
 */
export const recallStates = ['pending', 'told', 'noted', 'unavailable'] as const;
export type RecallState = (typeof recallStates)[number];

/** Whether its vendor has the flag of a phone that the operator has revoked. */
export type FlagState = 'pending' | 'written' | 'unavailable';

/**
 * The issuing CA of a certificate: people (keys of devices) or services (seal, time stamps,
 * tokens).
 */
export const certificateKinds = ['people', 'services'] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** Why a key was revoked, in the words of OpenID Federation 1.0, Federation Historical Keys. */
export const revocationReasons = ['unspecified', 'compromised', 'superseded'] as const;
export type RevocationReason = (typeof revocationReasons)[number];

/** What captures a proof: `app` on an attested device, or `browser`, also an app without one. */
export const captures = ['browser', 'app'] as const;
export type Capture = (typeof captures)[number];

/** What a page can notice of its browser and camera: it can ask for a review, and is no proof. */
export const captureSignals = ['automated', 'virtual_camera', 'repeated_frames'] as const;
export type CaptureSignal = (typeof captureSignals)[number];

/** What a check may amount to, from the least; what each takes, the decision says. */
export const assuranceLevels = ['low', 'substantial', 'high'] as const;
export type AssuranceLevel = (typeof assuranceLevels)[number];

/** Where the page of a check takes pictures of a document from: the camera, or a file as well. */
export const captureRules = ['live', 'any'] as const;
export type CaptureRule = (typeof captureRules)[number];

/** What a link makes of a document by which somebody else has passed a check of the account. */
export const duplicatesRules = ['allow', 'review', 'refuse'] as const;
export type DuplicatesRule = (typeof duplicatesRules)[number];

/** How a check of test mode is to come out, whatever is handed in (domain §5). */
export const sandboxSubjects = [
  'pass',
  'face_mismatch',
  'document_expired',
  'document_unreadable',
  'wrong_code',
  'emulator',
  'nfc_clone',
  'abandon',
  'review_then_pass',
  'review_then_fail',
  'mismatch',
] as const;
export type SandboxSubject = (typeof sandboxSubjects)[number];

/** What a mailed token is for: a session, or an address of the person who asks. */
export const emailPurposes = ['login', 'attach'] as const;
export type EmailPurpose = (typeof emailPurposes)[number];

export const emailRequestStates = [
  'requested',
  'sent',
  'consumed',
  'superseded',
  'expired',
  'dropped',
] as const;
export type EmailRequestState = (typeof emailRequestStates)[number];

/** Where log rows come from, in the order in which rows of one instant stand. */
export const logSources = ['meeting', 'trust_check'] as const;
export type LogSource = (typeof logSources)[number];

/** Where meetings take place; `sandbox` is played by this service itself. */
export const meetingPlatforms = ['conf-a', 'conf-b', 'sandbox'] as const;
export type MeetingPlatform = (typeof meetingPlatforms)[number];

/** Whether a meeting's platform tells what happens in it. */
export const trackingStates = ['ok', 'delayed', 'lost'] as const;
export const participantRoles = ['host', 'participant'] as const;
export type ParticipantRole = (typeof participantRoles)[number];
export const participantStates = [
  'invited',
  'waiting',
  'joined',
  'left',
  'removed',
  'denied',
] as const;
export type ParticipantState = (typeof participantStates)[number];

/** How sure it is who a participant is, for everybody in the meeting (domain §3). */
export const verificationStates = ['unverified', 'pending', 'verified', 'stale', 'failed'] as const;
export type VerificationState = (typeof verificationStates)[number];
/** C: they came through the link only; B and A are bound to the call by their device. */
export const attestationLevels = ['A', 'B', 'C'] as const;

/** What asks to be let into a meeting. */
export const joinClients = ['web', 'mobile', 'addin'] as const;
export type JoinClient = (typeof joinClients)[number];

export const joinSessionStates = [
  'created',
  'claimed',
  'verifying',
  'ready',
  'joined',
  'denied',
  'expired',
  'canceled',
] as const;
export type JoinSessionState = (typeof joinSessionStates)[number];
export const meetingReportStates = ['pending', 'available', 'failed'] as const;

/** What a calendar is connected for: a person's own meetings, or an address that is invited. */
export const calendarIntents = ['organizer', 'routing'] as const;
export type CalendarIntent = (typeof calendarIntents)[number];

export const ticketStates = ['open', 'closed'] as const;
export const ticketSeverities = ['low', 'normal', 'high', 'critical'] as const;

/** True when the caller's roles reach the needed one: a higher role holds every lower one. */
export function hasRole(held: readonly string[], needed: Role): boolean {
  const rank = roles.indexOf(needed);
  return held.some((role) => roles.indexOf(role as Role) >= rank);
}

/** The roles of a list that are known, the lowest first. */
export function rolesIn(held: readonly string[]): Role[] {
  return roles.filter((role) => held.includes(role));
}

/**
 * What is known of the message that carries a code, from the least to the last word on it: reports
 * come late, twice and in any order, and whatever stands later here counts. A carrier that has
 * given a message up may still deliver a copy of it.
 */
export const codeDeliveries = ['accepted', 'sent', 'undelivered', 'failed', 'delivered'] as const;
export type CodeDelivery = (typeof codeDeliveries)[number];
