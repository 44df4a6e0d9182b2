import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Conference } from './conference.ts';

const meetingIdBytes = 16;

/** Events that an account can simulate in the sandbox. */
export const sandboxKinds = ['ended', 'waiting', 'joined', 'left', 'removed', 'denied'] as const;

const played = z.object({
  kind: z.enum(sandboxKinds),
  participant_id: z.string().optional(),
  display_name: z.string().optional(),
});
export type SandboxEvent = z.input<typeof played>;

/**
 * A simulated platform. Opening a meeting needs no service, and a host's start makes it live. Its
 * account simulates the events, which go through the same inbox as those of other platforms.
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
