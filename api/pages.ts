import type { PreviewBody } from './links/schemas.ts';

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

/** What people see. Rendered from the components of `web/`, escaped by construction. */
export interface Pages {
  check(preview: PreviewBody, url: string): Page;
  linkCard(preview: PreviewBody, url: string): Page;
  outbox(messages: readonly OutboxEntry[]): Page;
}
