import { proxyActivities, proxyLocalActivities, type ActivityOptions } from '@temporalio/workflow';
import type { AffidavitActivities } from '../activities/affidavit/activities.ts';
import type { CalendarActivities } from '../activities/calendar/activities.ts';
import type { WebhookActivities } from '../activities/delivery/webhooks/activities.ts';
import type { EmailActivities } from '../activities/identity/email/activities.ts';
import type { MemberActivities } from '../activities/identity/members/activities.ts';
import type { InvitationActivities } from '../activities/links/activities.ts';
import type { MeetingActivities, ReportActivities } from '../activities/meetings/activities.ts';
import type { TrustListActivities } from '../activities/proofs/passport/activities.ts';
import type { TrustCheckActivities } from '../activities/trust-checks/activities.ts';
import type { PrescreenActivities } from '../activities/trust-checks/prescreen/activities.ts';
import type { RetentionActivities } from '../activities/trust-checks/retention/activities.ts';
import { affidavitFaults } from './affidavit-faults.ts';
import { taskQueues } from './task-queues.ts';

/** Retry policy of activities that use only our own database and object store. */
export const quickRetry = {
  initialInterval: '100ms',
  backoffCoefficient: 2,
  maximumInterval: '5s',
} as const;

/** Maximum time to judge a proof before the check goes to review. */
const judgingMax = '10m';
/** Attempts that fit into `judgingMax`: the SDK misses a timeout between two attempts. */
const judgingAttemptsMax = 125;

/** Judges a proof like any other step, but only for `judgingMax`. Then the check is reviewed. */
export function proxyJudge(): Pick<TrustCheckActivities, 'judgeProof'> {
  return proxyLocalActivities<TrustCheckActivities>({
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: judgingMax,
    localRetryThreshold: '30s',
    retry: { ...quickRetry, maximumAttempts: judgingAttemptsMax },
  });
}

/**
 * Judges proofs that take seconds of CPU time, such as photographs. Runs on the `crypto` queue,
 * with a timeout that matches the limit of its threads.
 */
export function proxyLongJudge(): Pick<TrustCheckActivities, 'judgeProof'> {
  return proxyActivities<TrustCheckActivities>({
    taskQueue: taskQueues.crypto,
    startToCloseTimeout: '60s',
    heartbeatTimeout,
    scheduleToCloseTimeout: judgingMax,
    retry: { ...quickRetry, maximumAttempts: judgingAttemptsMax },
    summary: 'read and judge photographs',
  });
}

/**
 * The server notices a dead worker after this time and gives its activity to another worker.
 * Without a heartbeat it would notice only at `startToCloseTimeout`. The SDK sends heartbeats by
 * itself.
 */
export const heartbeatTimeout = '10s';

/**
 * Steps of a trust check run as local activities: short, repeatable work on our own database. One
 * Temporal action then covers all steps of a workflow task. They are retried while the database is
 * unavailable.
 */
export function proxyTrustCheck(): TrustCheckActivities {
  return proxyLocalActivities<TrustCheckActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/**
 * Rendering and sealing use CPU time, so they have their own queue. They are retried while the
 * database or the object store is unavailable. The workflow counts faults of the affidavit itself.
 */
export function proxyAffidavit(): AffidavitActivities {
  const options: ActivityOptions = {
    taskQueue: taskQueues.crypto,
    startToCloseTimeout: '60s',
    heartbeatTimeout,
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '30s',
      nonRetryableErrorTypes: [...affidavitFaults],
    },
  };
  const named = (summary: string) => proxyActivities<AffidavitActivities>({ ...options, summary });
  const { issueAffidavit } = named('render, seal and store the affidavit');
  const { failAffidavit } = named('note that the affidavit cannot be issued');
  return { issueAffidavit, failAffidavit };
}

/** Mail has its own queue, so that a provider's limit does not slow down other work. */
const invitationOptions: ActivityOptions = {
  taskQueue: taskQueues.mail,
  startToCloseTimeout: '20s',
  heartbeatTimeout,
  scheduleToCloseTimeout: '1h',
  retry: {
    initialInterval: '2s',
    backoffCoefficient: 2,
    maximumInterval: '2m',
    nonRetryableErrorTypes: ['mail_rejected', 'not_found'],
  },
};

/** Mails with a link. */
export function proxyInvitation(): InvitationActivities {
  const named = (summary: string) =>
    proxyActivities<InvitationActivities>({ ...invitationOptions, summary });
  const { sendInvitation } = named('hand the invitation to the mail provider');
  const { recordDelivery } = named('note what the provider says of the delivery');
  return { sendInvitation, recordDelivery };
}

/** Mails with a token, retried for as long as the token is valid. */
export function proxyEmail(): Pick<EmailActivities, 'sendEmail'> {
  return proxyActivities<EmailActivities>({
    taskQueue: taskQueues.mail,
    startToCloseTimeout: '20s',
    heartbeatTimeout,
    scheduleToCloseTimeout: '10m',
    retry: {
      initialInterval: '2s',
      backoffCoefficient: 2,
      maximumInterval: '2m',
      nonRetryableErrorTypes: ['mail_rejected'],
    },
    summary: 'hand the mail to its provider',
  });
}

/** Closes the remaining requests of a window in our own database, in the last workflow task. */
export function proxyEmailEnd(): Pick<EmailActivities, 'closeEmailRequests'> {
  return proxyLocalActivities<EmailActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** Mails an invitation to an account, with the same options as a link. */
export function proxyMemberInvitation(): Pick<MemberActivities, 'sendMemberInvitation'> {
  return proxyActivities<MemberActivities>({
    ...invitationOptions,
    summary: 'hand the invitation to the mail provider',
  });
}

/** Deletes a mail that could not be sent from our own database. */
export function proxyMemberInvitationEnd(): Pick<MemberActivities, 'closeMemberInvitation'> {
  return proxyLocalActivities<MemberActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** Counts in the database only. Retried while it is unavailable. */
export function proxyPrescreen(): PrescreenActivities {
  return proxyActivities<PrescreenActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '5m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'count the days that events speak of anew',
  });
}

/** Removes from the database and the object store. Retried while one is unavailable. */
export function proxyRetention(): RetentionActivities {
  return proxyActivities<RetentionActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '10m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'remove the images of checks that are due',
  });
}

/** Retries an unavailable source for a while, then leaves it to the next scheduled run. */
export function proxyTrustLists(): TrustListActivities {
  return proxyActivities<TrustListActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '30m',
    heartbeatTimeout,
    scheduleToCloseTimeout: '4h',
    retry: { initialInterval: '1m', backoffCoefficient: 2, maximumInterval: '30m' },
    summary: 'fetch the lists that States publish',
  });
}

/** Opens a conference on the platform. Repeated calls return the same one. */
export function proxyConference(): Pick<MeetingActivities, 'openConference'> {
  return proxyActivities<MeetingActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '15s',
    heartbeatTimeout,
    scheduleToCloseTimeout: '2m',
    retry: {
      initialInterval: '500ms',
      backoffCoefficient: 2,
      maximumInterval: '10s',
      nonRetryableErrorTypes: ['platform_not_configured'],
    },
    summary: 'have the platform open the meeting',
  });
}

/** Steps of a meeting, in our own database only. */
export function proxyMeeting(): Omit<MeetingActivities, 'openConference'> {
  return proxyLocalActivities<MeetingActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** An authorization code is valid once and for about a minute, so retries stop after 45 seconds. */
export function proxyCalendarExchange(): Pick<CalendarActivities, 'exchangeCalendarCode'> {
  return proxyActivities<CalendarActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '20s',
    heartbeatTimeout,
    scheduleToCloseTimeout: '45s',
    retry: {
      initialInterval: '1s',
      backoffCoefficient: 2,
      maximumAttempts: 3,
      nonRetryableErrorTypes: ['platform_not_configured'],
    },
    summary: 'exchange the code for a grant',
  });
}

/** Calls the provider of a connection. Without an answer, the next refresh is as usual. */
export function proxyCalendarConnection(): Pick<
  CalendarActivities,
  'refreshCalendar' | 'revokeCalendar'
> {
  const options: ActivityOptions = {
    taskQueue: taskQueues.core,
    startToCloseTimeout: '20s',
    heartbeatTimeout,
    retry: {
      initialInterval: '2s',
      backoffCoefficient: 2,
      maximumInterval: '15m',
      nonRetryableErrorTypes: ['platform_not_configured'],
    },
  };
  const named = (summary: string, scheduleToCloseTimeout: '10h' | '10m') =>
    proxyActivities<CalendarActivities>({ ...options, summary, scheduleToCloseTimeout });
  const { refreshCalendar } = named('refresh the grant', '10h');
  const { revokeCalendar } = named('give the grant back', '10m');
  return { refreshCalendar, revokeCalendar };
}

/** Steps of a connection in our own database. */
export function proxyCalendarRecord(): Pick<CalendarActivities, 'lookAtCalendar' | 'endCalendar'> {
  return proxyLocalActivities<CalendarActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** Renders a report on the `crypto` queue. Gives up after an hour, unlike for an affidavit. */
export function proxyMeetingReport(): ReportActivities {
  const options: ActivityOptions = {
    taskQueue: taskQueues.crypto,
    startToCloseTimeout: '60s',
    heartbeatTimeout,
    scheduleToCloseTimeout: '1h',
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
  };
  const named = (summary: string) => proxyActivities<ReportActivities>({ ...options, summary });
  const { makeMeetingReport } = named('render and store the report');
  const { failMeetingReport } = named('note that the report cannot be made');
  return { makeMeetingReport, failMeetingReport };
}

/** One delivery attempt. The workflow schedules further attempts. */
export function proxyWebhook(): WebhookActivities {
  const options: ActivityOptions = {
    taskQueue: taskQueues.core,
    startToCloseTimeout: '30s',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
  };
  const named = (summary: string) => proxyActivities<WebhookActivities>({ ...options, summary });
  const { deliverWebhook } = named('post the event to its endpoint');
  const { closeWebhookDelivery } = named('note that no attempt is left');
  return { deliverWebhook, closeWebhookDelivery };
}
