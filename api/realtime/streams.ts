import { meetingPlatforms } from '../../domain/names.ts';
import type { EventFamily } from '../events/payloads.ts';

interface StreamKind {
  /** The part after the colon: its name in documents, and its form. */
  readonly parameter: string;
  readonly form: string;
  readonly description: string;
  /** The families of events in the stream; null for all. */
  readonly carries: readonly EventFamily[] | null;
}

/** The streams a socket may follow. Each is named `kind:id`. */
export const streamKinds: Readonly<Record<string, StreamKind>> = {
  'trust-check': {
    parameter: 'link_session_id',
    form: 'tc_[0-9a-z]{26}',
    description: 'One session, for its check token and for members of its account',
    carries: ['trust_check', 'proof', 'affidavit'],
  },
  meeting: {
    parameter: 'platform_meeting_id',
    form: `(?:${meetingPlatforms.join('|')}):[A-Za-z0-9_-]{2,700}`,
    description:
      'One meeting, as `platform:meeting_id`, for its account and for join tokens of its link',
    carries: ['meeting'],
  },
  account: {
    parameter: 'account_id',
    form: String.raw`[1-9]\d{0,9}`,
    description: 'Everything of an account, for its members and API keys',
    carries: null,
  },
};

/** The form of a stream's full name. */
export const streamForm = new RegExp(
  `^(${Object.entries(streamKinds)
    .map(([kind, { form }]) => `${kind}:${form}`)
    .join('|')})$`,
);
