import type { WorkerDeps } from '../make-deps.ts';
import type { Outbox } from './relay.ts';
import { keptSchedules } from './schedules.ts';
import { plannedAffidavits } from './starts/affidavit-starts.ts';
import { untoldCalendars } from './starts/calendar-signals.ts';
import { unstartedChecks } from './starts/check-starts.ts';
import { deletedLinks } from './starts/deleted-links.ts';
import { untakenEmails } from './starts/email-request-starts.ts';
import { endedDevices } from './starts/ended-devices.ts';
import { unsentInvitations } from './starts/invitation-starts.ts';
import { mailReports } from './starts/mail-report-signals.ts';
import { unstartedMeetings } from './starts/meeting-starts.ts';
import { unmailedMembers } from './starts/member-mail-starts.ts';
import { platformEvents } from './starts/platform-event-signals.ts';
import { dueRecalls } from './starts/recall-starts.ts';
import { unfollowedReceipts } from './starts/receipt-starts.ts';
import { queuedDeliveries } from './starts/webhook-deliveries.ts';
import { auditCheckpoints } from './sweeps/audit-checkpoints.ts';
import { cutUploads } from './sweeps/cut-uploads.ts';
import { endedRecoveries } from './sweeps/ended-recoveries.ts';
import { endedSessions } from './sweeps/ended-sessions.ts';
import { expiredLinks } from './sweeps/expired-links.ts';
import { expiredPhotos } from './sweeps/expired-photos.ts';
import { logProofs } from './sweeps/log-proofs.ts';
import {
  endedCalendarFlows,
  endedFaceMarks,
  endedPlatformFlows,
  oldCalendarAnswers,
  oldEmailRequests,
  oldInvites,
  oldMemberMails,
} from './sweeps/old-secrets.ts';
import { unjudgedSubmissions } from './sweeps/unjudged-submissions.ts';
import { witnessedCheckpoints } from './sweeps/witnessed-checkpoints.ts';

/** Every outbox and sweep of a worker process. */
export const outboxesOf = (deps: WorkerDeps): readonly Outbox[] => [
  plannedAffidavits(deps),
  queuedDeliveries(deps),
  expiredLinks(deps),
  endedSessions(deps),
  endedRecoveries(deps),
  oldMemberMails(deps),
  endedPlatformFlows(deps),
  oldInvites(deps),
  oldEmailRequests(deps),
  endedCalendarFlows(deps),
  oldCalendarAnswers(deps),
  endedFaceMarks(deps),
  expiredPhotos(deps),
  cutUploads(deps),
  deletedLinks(deps),
  endedDevices(deps),
  unstartedChecks(deps),
  unjudgedSubmissions(deps),
  unsentInvitations(deps),
  unfollowedReceipts(deps),
  dueRecalls(deps),
  untakenEmails(deps),
  unmailedMembers(deps),
  mailReports(deps),
  keptSchedules(deps),
  unstartedMeetings(deps),
  platformEvents(deps),
  untoldCalendars(deps),
  auditCheckpoints(deps),
  logProofs(deps),
  witnessedCheckpoints(deps),
];
