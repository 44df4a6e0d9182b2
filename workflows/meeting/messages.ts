import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { MeetingState } from './state.ts';

/** Limits of a meeting. Inputs, so that tests can use short waits. */
export interface MeetingTimers {
  /** From the planned time, or else the creation, until the meeting counts as `no_show`. */
  readonly missedMs: number;
  readonly emptyMs: number;
  readonly hardMs: number;
}

/** Input of the workflow of a meeting: ids, enums and counts only. */
export interface MeetingInput {
  readonly meeting_key: string;
  readonly timers: MeetingTimers;
  /** Planned time, or time of creation. */
  readonly expected_at: string;
  /**
   * Messages after which the workflow continues as a new run. It bounds the size of the history.
   */
  readonly messages_max: number;
  /** State carried over from the previous run. */
  readonly known?: MeetingKnown;
}

/** The meeting as last read from the database. */
export interface MeetingSnapshot {
  readonly meeting_key: string;
  readonly version: number;
  readonly status: MeetingState;
  /** Participants who are in the meeting now. */
  readonly present: number;
}

export interface MeetingKnown {
  readonly snapshot: MeetingSnapshot;
  readonly live_since_ms: number | null;
  readonly empty_since_ms: number | null;
  /** The conference on the platform, null until it is opened. `is_live`: it was live at once. */
  readonly place: { readonly is_live: boolean } | null;
}

export const endReasons = ['host_ended', 'platform_ended', 'empty', 'deadline'] as const;
export type EndReason = (typeof endReasons)[number];

/**
 * A change to record for a meeting. A step that is not legal in the current state changes nothing.
 */
export type MeetingStep =
  | { readonly kind: 'start' | 'go_live' | 'fail_start' | 'miss' }
  | { readonly kind: 'end'; readonly reason: EndReason }
  | {
      readonly kind: 'verify';
      readonly participant_id: string;
      /** The trust check that identifies the participant. */
      readonly link_session_id: string;
    };

export interface StartMeetingArgs {
  readonly participant_id: string;
  readonly role: 'host' | 'participant';
}

export type VerifyParticipantArgs = Omit<Extract<MeetingStep, { kind: 'verify' }>, 'kind'>;

/** Reference to the event in the database. */
export interface PlatformEventArgs {
  readonly event_id: string;
}

export const startUpdate = defineUpdate<MeetingSnapshot, [StartMeetingArgs]>('start');
export const verifyParticipantUpdate = defineUpdate<MeetingSnapshot, [VerifyParticipantArgs]>(
  'verifyParticipant',
);
export const endUpdate = defineUpdate<MeetingSnapshot, [{ readonly reason: EndReason }]>('end');
export const platformEventSignal = defineSignal<[PlatformEventArgs]>('platformEvent');

/** @param meetingKey a digest that reveals nothing about the meeting */
export const meetingWorkflowId = (platform: string, meetingKey: string): string =>
  `meeting/${platform}/${meetingKey}`;
