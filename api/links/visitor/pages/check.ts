import { marksOf, type Mark } from '../../../../domain/pdf/layout/marks.ts';
import { html, nothing, type Markup } from '../../../http/html/markup.ts';
import { pageOf, type Page } from '../../../http/html/page.ts';
import type { PreviewBody } from '../../schemas.ts';
import { qrMarkup } from './card.ts';
import { checkStyle } from './check-style.ts';
import { claimWords, linkWords, proofWords } from './words.ts';

/** A link as its page shows it. */
interface CheckFacts {
  readonly preview: PreviewBody;
  readonly url: string;
  /** Opens the app on the phone that shows the page, or leads to its store. */
  readonly appUrl: string;
  /** An emailed link needs its token, which is only in the fragment of its whole address. */
  readonly isEmailed: boolean;
}

/**
 * The page of a link: who asks, for what, what happens next, and what becomes of it. It says all of
 * that and shows the code to scan without any script; with one it follows the check as it goes.
 */
export function checkPage(facts: CheckFacts, isDevelopment: boolean): Page {
  const { preview } = facts;
  const { requester, app } = preview;
  const title = preview.title ?? 'Confirm who you are';
  const marks = marksOf({ livemode: true, development: isDevelopment });
  const body = html`<main>
    ${marks.map(notice)} ${asker(facts)}
    <h1 dir="auto">${title}</h1>
    <p class="lead">
      <bdi>${requester.account_name}</bdi> asks you to confirm who you are with
      <bdi>${app.name}</bdi> on your phone. It takes a few minutes.
    </p>
    <div class="columns">
      ${preview.actionable ? now(facts) : unusable(facts)}
      <div class="told">
        ${proofs(facts)} ${learned(facts)} ${preview.actionable ? next(facts) : nothing}
        ${privacy(facts)}
      </div>
    </div>
    ${foot(facts)}
  </main>`;
  const data = {
    link: preview.link_uuid,
    app: app.app_id,
    asker: requester.account_name,
    'app-name': app.name,
    url: facts.url,
    emailed: String(facts.isEmailed),
  };
  return pageOf({
    title: `${title} · ${requester.account_name}`,
    body,
    style: checkStyle,
    ...(preview.actionable ? { script: { source: '/assets/check.js', data } } : {}),
  });
}

const notice = ({ name, words }: Mark): Markup =>
  html`<p class="notice"><strong>${name}</strong>: ${words}.</p>`;

function asker({ preview: { requester } }: CheckFacts): Markup {
  const [initial = ''] = requester.account_name;
  return html`<header class="asker">
    <span class="mark" aria-hidden="true">${initial.toUpperCase()}</span>
    <p>
      <bdi class="who">${requester.account_name}</bdi>
      ${
        requester.verified
          ? html`<span class="verified">Verified organisation</span>`
          : html`<span class="soft small">Not verified by this service</span>`
      }
    </p>
  </header>`;
}

/**
 * What is going on: the one place that changes while the check runs, and is read out when it does.
 */
function now({ preview, url, appUrl, isEmailed }: CheckFacts): Markup {
  const { app } = preview;
  return html`<section class="sheet now" aria-labelledby="now">
    <h2 id="now" class="soft small">Now</h2>
    <p id="state" role="status" aria-atomic="true" data-state="waiting">
      ${
        isEmailed
          ? html`<strong>This link is for you alone</strong>
              <span>It works once. Nothing happens until you go on.</span>`
          : html`<strong>Your phone is next</strong>
              <span
                >Open this link there in <bdi>${app.name}</bdi>, or scan the code with it.</span
              >`
      }
    </p>
    <p id="line" class="soft small" role="status" hidden></p>
    <div id="scan">
      <p id="here" ${isEmailed ? html`hidden` : nothing}>
        <span class="soft small wide">On your phone already?</span>
        <a id="app" class="button" href="${appUrl}">
          <span>Open in <bdi>${app.name}</bdi></span>
        </a>
      </p>
      <p class="soft small narrow">Or scan this code with the phone that has it:</p>
      <div id="code">
        ${isEmailed ? nothing : qrMarkup(url, 'The code to scan with your phone')}
      </div>
      <p><button id="copy" type="button" hidden>Copy the link</button></p>
    </div>
    <p><button id="go" type="button" class="main" hidden>Go on</button></p>
    <ol id="history" aria-label="What has happened so far"></ol>
    <p id="zone" class="soft small" hidden>Times of this device, <span></span></p>
    <noscript>
      <p>
        ${
          isEmailed
            ? 'Open the link of the message on your phone.'
            : 'You can scan the code and go through the check on your phone.'
        }
        This page follows along only when scripts are allowed.
      </p>
    </noscript>
  </section>`;
}

function unusable({ preview }: CheckFacts): Markup {
  const words = linkWords[preview.status];
  return html`<section class="sheet now" aria-labelledby="now">
    <h2 id="now" class="soft small">Now</h2>
    <p id="state" data-state="${preview.status}">
      <strong>${words?.title ?? 'This link cannot be used'}</strong>
      <span>${words?.what ?? 'Ask whoever sent it to you for a new one.'}</span>
    </p>
  </section>`;
}

function proofs({ preview }: CheckFacts): Markup {
  const rows = preview.required_proofs.map((type) => {
    const words = proofWords[type];
    return html`<li data-proof="${type}">
      <span class="name">${words?.name ?? type}</span>
      <span class="soft">${words?.what ?? ''}</span>
      <span class="verdict"></span>
    </li>`;
  });
  return html`<section class="sheet" aria-labelledby="proofs">
    <h2 id="proofs">What you will be asked for</h2>
    <ul class="proofs">
      ${rows}
    </ul>
  </section>`;
}

function learned({ preview }: CheckFacts): Markup {
  const { requester, requested_claims } = preview;
  const claims = requested_claims.map((claim) => html`<li>${claimWords[claim] ?? claim}</li>`);
  return html`<section class="sheet" aria-labelledby="learned">
    <h2 id="learned">What <bdi>${requester.account_name}</bdi> learns</h2>
    <p>Whether you passed, and which of the proofs held.</p>
    ${
      claims.length > 0
        ? html`<p>And, if you agree:</p>
            <ul>
              ${claims}
            </ul>`
        : nothing
    }
  </section>`;
}

function next({ preview }: CheckFacts): Markup {
  const who = html`<bdi>${preview.requester.account_name}</bdi>`;
  return html`<section id="ahead" class="sheet" aria-labelledby="next">
    <h2 id="next">What happens next</h2>
    <ol>
      <li>Your phone shows who asks, and for what. You agree or refuse there.</li>
      <li>It takes you through the proofs, one by one. Each result appears on this page.</li>
      <li>You and ${who} are told the outcome, and it is kept as a signed record.</li>
    </ol>
  </section>`;
}

function privacy({ preview }: CheckFacts): Markup {
  const { tos_url: terms } = preview.app;
  return html`<section class="sheet" aria-labelledby="privacy">
    <h2 id="privacy">Your privacy</h2>
    <ul>
      <li>Nothing is collected before you agree on your phone, and you may refuse.</li>
      <li>What your phone hands in is encrypted before it is stored.</li>
      <li>This page sets no cookie and loads nothing from anybody else.</li>
    </ul>
    ${
      terms
        ? html`<p>
            <a href="${terms}" rel="noopener noreferrer">Terms of <bdi>${preview.app.name}</bdi></a>
          </p>`
        : nothing
    }
  </section>`;
}

function foot({ preview }: CheckFacts): Markup {
  const { expires_at: until } = preview;
  return html`<footer class="soft small">
    ${
      until && preview.actionable
        ? html`<p>
            This link works until
            <time datetime="${until}">${until.slice(0, 16).replace('T', ' ')} UTC</time>.
          </p>`
        : nothing
    }
    ${
      preview.actionable
        ? html`<p id="unexpected">
            Not expecting this? Close the page; nothing happens unless you agree on your phone.
          </p>`
        : nothing
    }
    <p id="reference" hidden>Reference for questions: <code></code></p>
  </footer>`;
}
