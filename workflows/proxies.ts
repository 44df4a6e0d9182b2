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

/** Of work on our own store. */
export const quickRetry = {
  initialInterval: '100ms',
  backoffCoefficient: 2,
  maximumInterval: '5s',
} as const;

/** How long a judge may stay away before a person has to look (domain §2). */
const judgingMax = '10m';
/** As many attempts as fit into that time: the SDK forgets a time that runs out between two. */
const judgingAttemptsMax = 125;

/** Judging a proof: as the other steps, but not for ever; then the check goes to review. */
export function proxyJudge(): Pick<TrustCheckActivities, 'judgeProof'> {
  return proxyLocalActivities<TrustCheckActivities>({
    startToCloseTimeout: '10s',
    scheduleToCloseTimeout: judgingMax,
    localRetryThreshold: '30s',
    retry: { ...quickRetry, maximumAttempts: judgingAttemptsMax },
  });
}

/**
 * Judging what takes seconds of a processor, as photographs do: on the queue of such work, and no
 * longer than their thread may take.
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
 * A worker that dies is missed after this long, and what it was at is given to another; without it
 * only at the end of the time the work may take. A living worker says so by itself.
 */
export const heartbeatTimeout = '10s';

/**
 * Steps of a trust check are local: short, repeatable work on our own store, one action for all
 * the steps of a workflow task. While the store is away they are tried again until it is back.
 */
export function proxyTrustCheck(): TrustCheckActivities {
  return proxyLocalActivities<TrustCheckActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/**
 * Rendering and sealing is CPU work on its own queue. While a store is away it is tried again until
 * that is back; faults of the affidavit itself are counted by the workflow.
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

/** Mail has its own queue, so that a provider's limit slows nothing else down. */
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

/** Mails that carry a link. */
export function proxyInvitation(): InvitationActivities {
  const named = (summary: string) =>
    proxyActivities<InvitationActivities>({ ...invitationOptions, summary });
  const { sendInvitation } = named('hand the invitation to the mail provider');
  const { recordDelivery } = named('note what the provider says of the delivery');
  return { sendInvitation, recordDelivery };
}

/** Mails with a token, as long as the token is good. */
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

/** What is left of a window is closed on our own store, with the task that ends the workflow. */
export function proxyEmailEnd(): Pick<EmailActivities, 'closeEmailRequests'> {
  return proxyLocalActivities<EmailActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** An invitation to an account is handed over like one to a check. */
export function proxyMemberInvitation(): Pick<MemberActivities, 'sendMemberInvitation'> {
  return proxyActivities<MemberActivities>({
    ...invitationOptions,
    summary: 'hand the invitation to the mail provider',
  });
}

/** What could not be sent is forgotten on our own store. */
export function proxyMemberInvitationEnd(): Pick<MemberActivities, 'closeMemberInvitation'> {
  return proxyLocalActivities<MemberActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** Counting is work of the database alone; while that is away it is tried again. */
export function proxyPrescreen(): PrescreenActivities {
  return proxyActivities<PrescreenActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '5m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'count the days that events speak of anew',
  });
}

/** Removing is work of the database and the object store; while one is away it is tried again. */
export function proxyRetention(): RetentionActivities {
  return proxyActivities<RetentionActivities>({
    taskQueue: taskQueues.core,
    startToCloseTimeout: '10m',
    heartbeatTimeout,
    retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
    summary: 'remove the images of checks that are due',
  });
}

/** A source that is away is asked again for a while; then the next time of the schedule does. */
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

/** A place on the platform: asked for again it is the same. What it refuses for good is told. */
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

/** Steps of a meeting, on our own store alone. */
export function proxyMeeting(): Omit<MeetingActivities, 'openConference'> {
  return proxyLocalActivities<MeetingActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** An authorization code is good once and for a minute: after that nobody asks for it again. */
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

/** What a connection asks of its provider; what stays unanswered is asked again in its time. */
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

/** Steps of a connection on our own store. */
export function proxyCalendarRecord(): Pick<CalendarActivities, 'lookAtCalendar' | 'endCalendar'> {
  return proxyLocalActivities<CalendarActivities>({
    startToCloseTimeout: '10s',
    localRetryThreshold: '30s',
    retry: quickRetry,
  });
}

/** A report is CPU work like an affidavit, and a smaller thing to be without. */
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

/** One delivery attempt; the schedule of further attempts is the workflow's own. */
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
