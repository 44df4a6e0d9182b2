import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Conference } from './conference.ts';

const meetingIdBytes = 16;

/** What the sandbox is told to play. */
export const sandboxKinds = ['ended', 'waiting', 'joined', 'left', 'removed', 'denied'] as const;

const played = z.object({
  kind: z.enum(sandboxKinds),
  participant_id: z.string().optional(),
  display_name: z.string().optional(),
});
export type SandboxEvent = z.input<typeof played>;

/**
 * The platform that is no platform: a meeting is a row and a host's start begins it; who comes and
 * goes is what its account says, by way of the same inbox as other platforms.
 */
export const sandboxConference: Conference = {
  open: async ({ meeting_key }) => ({
    meetingId: createHash('sha256')
      .update(`sandbox|${meeting_key}`)
      .digest()
      .subarray(0, meetingIdBytes),
    joinUrl: null,
    isLive: true,
  }),
  read(body) {
    const event = played.safeParse(body);
    if (!event.success) return [];
    const { kind, participant_id, display_name } = event.data;
    const participant = {
      ...(participant_id === undefined ? {} : { participantId: participant_id }),
      ...(display_name === undefined ? {} : { name: display_name }),
    };
    return [{ kind, at: null, participant }];
  },
};
