import { html, type Markup } from '../../http/html/markup.ts';
import { operations, type Operation } from '../operations.ts';
import { commandOf } from './command.ts';
import { paragraphs } from './descriptions.ts';

interface Step {
  readonly id: string;
  readonly heading: string;
  readonly words: string;
  readonly query?: string;
}

const steps: readonly Step[] = [
  {
    id: 'links.create',
    heading: 'Create a link',
    words:
      'The response has the `url` to send to the person, and the `link_uuid`. Its body has ' +
      'the required proofs and requested claims.',
  },
  {
    id: 'links.preview',
    heading: 'Open the link',
    query: '?format_type=J',
    words:
      'A browser shows the `url` as a page with a QR code. The app on the phone reads it ' +
      'as JSON, as here, and begins the check. On a platform in development, you can use ' +
      '`npx trustcheck phone check URL` instead of a phone.',
  },
  {
    id: 'events.list',
    heading: 'Follow the events',
    words:
      'Lists every event of the link and its check in order, up to `trust_check.passed` ' +
      'and `affidavit.available`. For the next page, send the `next_after` of the response ' +
      'as `after`. Sockets and webhooks push the same events.',
  },
];

/**
 * The way from a link to its outcome in three calls, by the operations of the document. Throws when
 * one of them is no longer in it.
 */
export function firstCheck(): Markup {
  const known = new Map(operations().map((operation) => [operation.id, operation]));
  return html`<section aria-labelledby="first-check">
    <h2 id="first-check">A first check</h2>
    <p>
      Set <code>BASE_URL</code> to the URL of the service, <code>TOKEN</code> to an API key and
      <code>APP_ID</code> to an app. <code>npm run status</code> shows those of a local platform.
    </p>
    <ol>
      ${steps.map((step) => {
        const operation = known.get(step.id);
        if (!operation) throw new Error(`the document has no operation ${step.id}`);
        return stepItem(step, operation);
      })}
    </ol>
  </section>`;
}

function stepItem({ id, heading, words, query = '' }: Step, operation: Operation): Markup {
  const path = `${operation.path.replaceAll(/\{(\w+)\}/g, variable)}${query}`;
  return html`<li>
    <h3>${heading}: <a href="/docs/reference/${operation.tag}#${id}">${id}</a></h3>
    <pre>${commandOf({ ...operation, path })}</pre>
    ${paragraphs(words)}
  </li>`;
}

/** A part of a path as a variable of the shell. */
function variable(_: string, name: string): string {
  return `$${name.toUpperCase()}`;
}
