import { html } from '../../../http/html/markup.ts';
import { pageOf, type Page } from '../../../http/html/page.ts';
import type { SuccessBody } from '../../schemas.ts';

/** Where a person is led who is done: that they are, and who is told what came of it. */
export function successPage({ requester, app }: SuccessBody): Page {
  const body = html`<main>
    <div class="sheet">
      <p class="tick" aria-hidden="true"></p>
      <h1>You are done</h1>
      <p>
        <bdi>${requester.account_name}</bdi> learns from <bdi>${app.name}</bdi> what came of it. You
        can close this page.
      </p>
      <p class="soft small">
        This page is the same for everybody who opens it. It proves nothing about anybody.
      </p>
    </div>
  </main>`;
  return pageOf({ title: `You are done · ${requester.account_name}`, body, style });
}

const style =
  'main{max-width:40rem;padding-block-start:12vh}' +
  // Drawn, since not every font has one.
  '.tick{font-size:2.5rem;line-height:1;color:var(--good)}' +
  '.tick::before{content:"";display:block;inline-size:.4em;block-size:.75em;margin:0 .2em .2em;' +
  'border:solid currentColor;border-width:0 .12em .12em 0;transform:rotate(45deg)}';

/** The same as one self-contained SVG: a tick, and whose it is as its title. */
export function successCard({ requester, app }: SuccessBody): Page {
  const title = `Done · ${requester.account_name} · ${app.name}`;
  const { markup } = html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img">
    <title>${title}</title>
    <circle cx="32" cy="32" r="30" fill="#14693a" />
    <path d="M18 33l10 10 19-21" fill="none" stroke="#fff" stroke-width="6" />
  </svg>`;
  return {
    type: 'image/svg+xml; charset=utf-8',
    content: markup,
    headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" },
  };
}
