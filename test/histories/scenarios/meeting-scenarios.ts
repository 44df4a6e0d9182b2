import { WithStartWorkflowOperation } from '@temporalio/client';
import { startOfMeeting } from '../../../activities/meetings/start.ts';
import { transaction } from '../../../db/client.ts';
import { derivedId } from '../../../db/ids.ts';
import { findMeeting, insertMeeting, markMeetingStarted } from '../../../db/queries/meetings.ts';
import { meetingReportWorkflowId } from '../../../workflows/meeting-report/messages.ts';
import {
  endUpdate,
  meetingWorkflowId,
  startUpdate,
  verifyParticipantUpdate,
  type MeetingInput,
} from '../../../workflows/meeting/messages.ts';
import { newLink, pause, type Scenario, type Stage } from '../scenario.ts';

/** Meetings in the sandbox, through every way they end. */
export const meetingScenarios: readonly Scenario[] = [
  { type: 'meeting', scenario: 'held', play: held, ends: { status: 'ended' } },
  { type: 'meeting', scenario: 'missed', play: missed, ends: { status: 'no_show' } },
  { type: 'meeting', scenario: 'empty', play: emptied, ends: { status: 'ended' } },
  { type: 'meeting', scenario: 'continued', play: continued, ends: { status: 'ended' } },
  { type: 'meeting', scenario: 'refused', play: refused, ends: { status: 'start_failed' } },
  { type: 'meetingReport', scenario: 'made', play: reported, ends: { status: 'available' } },
];

interface Running {
  readonly id: string;
  readonly meetingKey: string;
}

const asSoonAs = { missedMs: 60_000, emptyMs: 60_000, hardMs: 600_000 };

/** A meeting begun by its first start, with inputs of its own. */
async function begin(
  stage: Stage,
  role: 'host' | 'participant',
  input: Partial<MeetingInput> = {},
  platform: 'sandbox' | 'conf-a' = 'sandbox',
): Promise<Running> {
  const { link_uuid } = await newLink(stage, { link_type: 'meeting', meeting: { platform } });
  const meetingKey = derivedId('mt', link_uuid, '1');
  const now = new Date();
  const made = await transaction(stage.db, async (tx) => {
    const row = await insertMeeting(tx, {
      meeting_key: meetingKey,
      platform,
      meeting_id: null,
      link_uuid,
      occurrence: 1,
      account_id: stage.facts.own.account_id,
      livemode: false,
      topic: null,
      organization: null,
      scheduled_at: null,
      created_by: 'a recording',
      created_at: now,
    });
    await markMeetingStarted(tx, meetingKey);
    return row;
  });
  if (!made) throw new Error('no meeting');
  const start = startOfMeeting(made);
  const args: [MeetingInput] = [{ ...start.args[0], timers: asSoonAs, ...input }];
  await stage.client.workflow
    .executeUpdateWithStart(startUpdate, {
      startWorkflowOperation: new WithStartWorkflowOperation('meeting', { ...start, args }),
      args: [{ participant_id: derivedId('pt', link_uuid), role }],
      updateId: 'start',
    })
    .catch((error: unknown) => {
      if (platform === 'sandbox') throw error;
    });
  return { id: meetingWorkflowId(platform, meetingKey), meetingKey };
}

async function held(stage: Stage): Promise<string> {
  const { id } = await begin(stage, 'participant');
  const handle = stage.client.workflow.getHandle(id);
  await handle.executeUpdate(startUpdate, {
    args: [{ participant_id: 'pt_host', role: 'host' }],
  });
  await handle.executeUpdate(verifyParticipantUpdate, {
    args: [{ participant_id: 'pt_nobody', link_session_id: 'tc_none' }],
  });
  await handle.executeUpdate(endUpdate, { args: [{ reason: 'host_ended' }] });
  return id;
}

async function missed(stage: Stage): Promise<string> {
  const { id } = await begin(stage, 'participant', { timers: { ...asSoonAs, missedMs: 1500 } });
  return id;
}

async function emptied(stage: Stage): Promise<string> {
  const { id } = await begin(stage, 'host', { timers: { ...asSoonAs, emptyMs: 1500 } });
  return id;
}

/** The history that is kept is of the run that goes on from the first. */
async function continued(stage: Stage): Promise<string> {
  const { id } = await begin(stage, 'host', { messages_max: 2 });
  const handle = stage.client.workflow.getHandle(id);
  await handle.executeUpdate(startUpdate, { args: [{ participant_id: 'pt_host', role: 'host' }] });
  await pause(1000);
  await handle.executeUpdate(endUpdate, { args: [{ reason: 'host_ended' }] });
  return id;
}

/** A report that is asked for as its members ask for it. */
async function reported(stage: Stage): Promise<string> {
  const { call, client, db, facts } = stage;
  const { id, meetingKey } = await begin(stage, 'host');
  const handle = client.workflow.getHandle(id);
  await handle.executeUpdate(endUpdate, { args: [{ reason: 'host_ended' }] });
  const meeting = await findMeeting(db, meetingKey);
  const made = await call<{ report_id: string }>('POST', '/v2/reports/meeting', {
    token: facts.own.api_key,
    body: { platform: 'sandbox', meeting_id: meeting?.meeting_id?.toString('base64url') },
  });
  return meetingReportWorkflowId(made.report_id);
}

async function refused(stage: Stage): Promise<string> {
  const { id } = await begin(stage, 'host', {}, 'conf-a');
  return id;
}
