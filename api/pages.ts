import type { CalendarReason, CalendarResult } from './calendar/schemas.ts';
import type { PreviewBody, SuccessBody } from './links/schemas.ts';
import type { AffidavitFacts } from './verify/contract.ts';

/** A rendered answer: its media type, its bytes and the headers that go with it. */
export interface Page {
  readonly type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A message of the development outbox. */
export interface OutboxEntry {
  readonly channel: string;
  readonly recipient: string;
  readonly subject: string | null;
  readonly text: string;
  readonly created_at: Date;
}

/** A fault as its page tells it. */
export interface ProblemFacts {
  readonly status: number;
  readonly title: string;
  readonly code: string;
  readonly requestId: string;
}

/** How the connecting of a calendar has ended. */
export interface CalendarFacts {
  readonly status: CalendarResult;
  readonly reason: CalendarReason | null;
}

/** A link as its page shows it. */
export interface CheckFacts {
  readonly preview: PreviewBody;
  readonly url: string;
  /** What opens the app on the phone that shows the page, or leads to it. */
  readonly appUrl: string;
  /** An emailed link needs its token, which only the fragment of its whole address has. */
  readonly isEmailed: boolean;
}

/** What the page of the verifier is made of. */
export interface VerifierFacts {
  /** The program that judges, compressed, as base64. */
  readonly judge: string;
  /** The script of the page itself. */
  readonly page: string;
  /** The platform's root, PEM. */
  readonly root: string;
  readonly rootSha256: string;
  /** The key of its public log, as verifiers of notes take it. */
  readonly logKey: string;
}

/** What people see, escaped by construction. */
export interface Pages {
  affidavit(facts: AffidavitFacts): Page;
  calendar(facts: CalendarFacts): Page;
  check(facts: CheckFacts): Page;
  email(): Page;
  linkCard(preview: PreviewBody, url: string): Page;
  outbox(messages: readonly OutboxEntry[]): Page;
  problem(facts: ProblemFacts): Page;
  success(shown: SuccessBody): Page;
  successCard(shown: SuccessBody): Page;
  verifier(facts: VerifierFacts): Page;
}
