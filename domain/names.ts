/** Names of stored values: roles, kinds and states in rows, not in workflows. */
export const roles = ['VIEWER', 'MEMBER', 'REVIEWER', 'ADMIN', 'POLYADMIN'] as const;
export type Role = (typeof roles)[number];

/** How to validate an access token of an SSO provider. */
export const ssoKinds = ['jwt', 'introspection', 'userinfo'] as const;
export type SsoKind = (typeof ssoKinds)[number];

/** The name of the platform's own sign-in provider, which a POLYADMIN sets and removes. */
export const nativeProvider = 'native';

/** Types of access tokens: as RFC 9068 §2.1 requires, or like any JWT, as many issuers do. */
export const accessTokenTypes = ['at+jwt', 'JWT'] as const;
export type AccessTokenType = (typeof accessTokenTypes)[number];

export const appKinds = ['sdk', 'portal'] as const;
export const appStates = ['active', 'archived'] as const;

/** Providers that can judge faces for us, if the operator configures them. */
export const faceProviders = ['rekognition', 'http'] as const;
export type FaceProvider = (typeof faceProviders)[number];

/** What subjects see of a check that did not pass: the reasons, or only the outcome. */
export const subjectReasons = ['plain', 'neutral'] as const;
export type SubjectReasons = (typeof subjectReasons)[number];

/** How long images of people and documents are kept after a check ends, in days. */
export const imageRetentionDaysUsual = 7;
export const imageRetentionDaysMax = 30;

/** Actions in the audit log. */
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

/** The claims that a link can request. */
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

/** What Google Play must attest about a phone: the maker's system, or also recent patches. */
export const playIntegrities = ['device', 'strong'] as const;
export type PlayIntegrityMin = (typeof playIntegrities)[number];
/** Whether a phone must send a fresh Google Play token with the proof of each check. */
export const playTokens = ['optional', 'required'] as const;
export type PlayTokenNeed = (typeof playTokens)[number];

/** How a build of an iOS app reached a phone, as App Attest reports since iOS 27. */
export const appleCategories = [
  'testflight',
  'development',
  'app_store',
  'enterprise',
  'developer_id',
] as const;
export type AppleCategory = (typeof appleCategories)[number];

/** Where the key of an Android phone is, the stronger one last. */
export const androidSecurityLevels = ['trusted_environment', 'strong_box'] as const;
export type AndroidSecurityLevel = (typeof androidSecurityLevels)[number];

export const outcomeValidities = ['valid', 'reverify_due', 'revoked'] as const;
export const devicePlatforms = ['ios', 'android'] as const;
export type DevicePlatform = (typeof devicePlatforms)[number];

/**
 * Why a device was revoked, other than by its owner. The vendor revoked its key or reports the
 * phone as flagged, the operator revoked it, or its person went through recovery.
 */
export type DeviceEnd = 'key_revoked' | 'device_flagged' | 'operator' | 'recovery';

/**
 * Recall of a phone from its vendor: not requested yet, received, received and the enrollment noted
 * there, or not available.
 */
export const recallStates = ['pending', 'told', 'noted', 'unavailable'] as const;
export type RecallState = (typeof recallStates)[number];

/** Whether the vendor has the flag of a phone that the operator revoked. */
export type FlagState = 'pending' | 'written' | 'unavailable';

/**
 * The issuing CA of a certificate: people (keys of devices) or services (seal, time stamps,
 * tokens).
 */
export const certificateKinds = ['people', 'services'] as const;
export type CertificateKind = (typeof certificateKinds)[number];

/** Why a key was revoked, in the terms of OpenID Federation 1.0, Federation Historical Keys. */
export const revocationReasons = ['unspecified', 'compromised', 'superseded'] as const;
export type RevocationReason = (typeof revocationReasons)[number];

/** The client that captures a proof: `app` on an attested device, else `browser`. */
export const captures = ['browser', 'app'] as const;
export type Capture = (typeof captures)[number];

/** Signals of a page about its browser and camera. They can require a review and prove nothing. */
export const captureSignals = ['automated', 'virtual_camera', 'repeated_frames'] as const;
export type CaptureSignal = (typeof captureSignals)[number];

/** Assurance levels of a check, the lowest first; `levelOf` defines what each requires. */
export const assuranceLevels = ['low', 'substantial', 'high'] as const;
export type AssuranceLevel = (typeof assuranceLevels)[number];

/** Sources of document pictures on the page of a check: only the camera, or also a file. */
export const captureRules = ['live', 'any'] as const;
export type CaptureRule = (typeof captureRules)[number];

/** How a link treats a document with which another person passed a check of the account. */
export const duplicatesRules = ['allow', 'review', 'refuse'] as const;
export type DuplicatesRule = (typeof duplicatesRules)[number];

/** The preset outcome of a check in test mode, whatever is submitted. */
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

/** Purpose of a mailed token: to sign in, or to add an address to its person. */
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

/** Sources of log rows, in the order of rows with the same time. */
export const logSources = ['meeting', 'trust_check'] as const;
export type LogSource = (typeof logSources)[number];

/** Platforms of meetings; this service itself plays `sandbox`. */
export const meetingPlatforms = ['conf-a', 'conf-b', 'sandbox'] as const;
export type MeetingPlatform = (typeof meetingPlatforms)[number];

/** Whether a meeting's platform reports its events. */
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

/** How certain a participant's identity is, for everyone in the meeting. */
export const verificationStates = ['unverified', 'pending', 'verified', 'stale', 'failed'] as const;
export type VerificationState = (typeof verificationStates)[number];
/** C: joined through the link only; B and A are bound to the call by their device. */
export const attestationLevels = ['A', 'B', 'C'] as const;

/** Clients that can request to join a meeting. */
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

/** Purpose of a calendar connection: a person's own meetings, or an address that is invited. */
export const calendarIntents = ['organizer', 'routing'] as const;
export type CalendarIntent = (typeof calendarIntents)[number];

export const ticketStates = ['open', 'closed'] as const;
export const ticketSeverities = ['low', 'normal', 'high', 'critical'] as const;

/** Whether the caller's roles include the needed one: a higher role includes every lower one. */
export function hasRole(held: readonly string[], needed: Role): boolean {
  const rank = roles.indexOf(needed);
  return held.some((role) => roles.indexOf(role as Role) >= rank);
}

/** Returns the known roles of a list, the lowest first. */
export function rolesIn(held: readonly string[]): Role[] {
  return roles.filter((role) => held.includes(role));
}

/**
 * Delivery states of a message with a code, from the weakest to the strongest. Reports come late,
 * twice and in any order, and the state that is later in this list wins. A carrier may still
 * deliver a copy of a message after it reports failure.
 */
export const codeDeliveries = ['accepted', 'sent', 'undelivered', 'failed', 'delivered'] as const;
export type CodeDelivery = (typeof codeDeliveries)[number];
