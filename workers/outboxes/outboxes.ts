import type { WorkerDeps } from '../make-deps.ts';
import type { Outbox } from './relay.ts';
import { scheduleRepairs } from './schedules.ts';
import { plannedAffidavits } from './starts/affidavit-starts.ts';
import { calendarSignals } from './starts/calendar-signals.ts';
import { checkStarts } from './starts/check-starts.ts';
import { deletedLinks } from './starts/deleted-links.ts';
import { emailRequestStarts } from './starts/email-request-starts.ts';
import { endedDevices } from './starts/ended-devices.ts';
import { invitationStarts } from './starts/invitation-starts.ts';
import { mailReports } from './starts/mail-report-signals.ts';
import { meetingStarts } from './starts/meeting-starts.ts';
import { memberMailStarts } from './starts/member-mail-starts.ts';
import { platformEvents } from './starts/platform-event-signals.ts';
import { dueRecalls } from './starts/recall-starts.ts';
import { receiptStarts } from './starts/receipt-starts.ts';
import { queuedDeliveries } from './starts/webhook-deliveries.ts';
import { auditCheckpoints } from './sweeps/audit-checkpoints.ts';
import { abandonedUploads } from './sweeps/abandoned-uploads.ts';
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
} from './sweeps/expired-records.ts';
import { unjudgedSubmissions } from './sweeps/unjudged-submissions.ts';
import { witnessedCheckpoints } from './sweeps/witnessed-checkpoints.ts';

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
  abandonedUploads(deps),
  deletedLinks(deps),
  endedDevices(deps),
  checkStarts(deps),
  unjudgedSubmissions(deps),
  invitationStarts(deps),
  receiptStarts(deps),
  dueRecalls(deps),
  emailRequestStarts(deps),
  memberMailStarts(deps),
  mailReports(deps),
  scheduleRepairs(deps),
  meetingStarts(deps),
  platformEvents(deps),
  calendarSignals(deps),
  auditCheckpoints(deps),
  logProofs(deps),
  witnessedCheckpoints(deps),
];
