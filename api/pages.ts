import type { PreviewBody } from './links/schemas.ts';

/** A rendered answer: its media type, its bytes and the headers that go with it. */
export interface Page {
  readonly type: string;
  readonly content: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What people see. Rendered from the components of `web/`, escaped by construction. */
export interface Pages {
  check(preview: PreviewBody, url: string): Page;
  linkCard(preview: PreviewBody, url: string): Page;
}
