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
      'The answer has the `url` to hand to the person, and the `link_uuid`. What proofs and ' +
      'claims it asks for is in its body.',
  },
  {
    id: 'links.preview',
    heading: 'Open it',
    query: '?format_type=J',
    words:
      'A browser shows the `url` as a page with a code to scan; the app of the phone reads it as ' +
      'JSON, as here, and begins the check. Where no phone is at hand, on a platform in ' +
      'development `npx trustcheck phone check URL` is one.',
  },
  {
    id: 'events.list',
    heading: 'Follow the events',
    words:
      'Everything that happens to the link and to its check, in order, up to ' +
      '`trust_check.passed` and `affidavit.available`. Ask again with the `next_after` of the ' +
      'answer as `after`; sockets and webhooks bring the same without asking.',
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
      With the address of the service in <code>BASE_URL</code>, an API key in <code>TOKEN</code> and
      an app in <code>APP_ID</code>; <code>npm run status</code> shows those of a local platform.
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
