import { html, type Markup } from '../http/html/markup.ts';
import { pageOf, type Page } from '../http/html/page.ts';

/** A message of the development outbox. */
interface OutboxEntry {
  readonly channel: string;
  readonly recipient: string;
  readonly subject: string | null;
  readonly text: string;
  readonly created_at: Date;
}

/**
 * Renders the development outbox: every message, newest first, with clickable links to this
 * service. It is a developer's tool, in English only.
 */
export function outboxPage(messages: readonly OutboxEntry[], baseUrl: string): Page {
  const body = html`<main>
    <h1>Outbox</h1>
    <p class="soft">
      What this service would have sent, newest first. It exists in development only.
    </p>
    ${
      messages.length > 0
        ? messages.map((message) => entry(message, baseUrl))
        : html`<p class="sheet">Nothing has been sent yet.</p>`
    }
  </main>`;
  return pageOf({ title: 'Outbox', body, style });
}

const channels: Readonly<Record<string, string>> = { mail: 'Mail', sms: 'Text message' };

function entry({ channel, recipient, subject, text, created_at }: OutboxEntry, baseUrl: string) {
  const at = created_at.toISOString();
  const name = channels[channel] ?? channel;
  return html`<article class="sheet">
    <h2>${subject ?? name}</h2>
    <p class="soft small">
      ${name} to <bdi>${recipient}</bdi>, <time datetime="${at}">${at.replace('T', ' ')}</time>
    </p>
    <pre dir="auto">${linked(text, baseUrl)}</pre>
  </article>`;
}

/** Only addresses of the service become links, because a message may quote anything. */
function linked(text: string, baseUrl: string): Markup[] {
  return text
    .split(/(https?:\/\/[^\s]+)/)
    .map((part) =>
      part.startsWith(`${baseUrl}/`) ? html`<a href="${part}">${part}</a>` : html`${part}`,
    );
}

const style = 'main{max-width:64rem}article{margin-block-start:1rem;overflow-wrap:anywhere}';
