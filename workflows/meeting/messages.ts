import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { MeetingState } from './state.ts';

/** How long a meeting may be waited for, stand empty, and last. Inputs, so that tests can wait. */
export interface MeetingTimers {
  /** From when it was planned for, or else made, until nobody is taken to come. */
  readonly missedMs: number;
  readonly emptyMs: number;
  readonly hardMs: number;
}

/** What a meeting is followed with: ids, enums and counts only. */
export interface MeetingInput {
  readonly meeting_key: string;
  readonly timers: MeetingTimers;
  /** When it is planned for, or was made. */
  readonly expected_at: string;
  /** After so many messages it goes on as a new run, so that no history grows without end. */
  readonly messages_max: number;
  /** Where an earlier run has left off. */
  readonly known?: MeetingKnown;
}

/** A meeting as its workflow knows it, from what is on record. */
export interface MeetingSnapshot {
  readonly meeting_key: string;
  readonly version: number;
  readonly status: MeetingState;
  /** How many are in it now. */
  readonly present: number;
}

export interface MeetingKnown {
  readonly snapshot: MeetingSnapshot;
  readonly live_since_ms: number | null;
  readonly empty_since_ms: number | null;
  /** Its place on the platform, once there is one: whether it began with that. */
  readonly place: { readonly is_live: boolean } | null;
}

export const endReasons = ['host_ended', 'platform_ended', 'empty', 'deadline'] as const;
export type EndReason = (typeof endReasons)[number];

/** What is put on record of a meeting; a step that leads nowhere from where it stands is none. */
export type MeetingStep =
  | { readonly kind: 'start' | 'go_live' | 'fail_start' | 'miss' }
  | { readonly kind: 'end'; readonly reason: EndReason }
  | {
      readonly kind: 'verify';
      readonly participant_id: string;
      /** The trust check that says who they are. */
      readonly link_session_id: string;
    };

export interface StartMeetingArgs {
  readonly participant_id: string;
  readonly role: 'host' | 'participant';
}

export type VerifyParticipantArgs = Omit<Extract<MeetingStep, { kind: 'verify' }>, 'kind'>;

/** Where the event lies in the store. */
export interface PlatformEventArgs {
  readonly event_id: string;
}

export const startUpdate = defineUpdate<MeetingSnapshot, [StartMeetingArgs]>('start');
export const verifyParticipantUpdate = defineUpdate<MeetingSnapshot, [VerifyParticipantArgs]>(
  'verifyParticipant',
);
export const endUpdate = defineUpdate<MeetingSnapshot, [{ readonly reason: EndReason }]>('end');
export const platformEventSignal = defineSignal<[PlatformEventArgs]>('platformEvent');

/** @param meetingKey a digest: it tells nothing of the meeting */
export const meetingWorkflowId = (platform: string, meetingKey: string): string =>
  `meeting/${platform}/${meetingKey}`;
