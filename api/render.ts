import { encode } from 'html-entities';
import { renderSVG } from 'uqr';
import type { PreviewBody } from './links/schemas.ts';
import type { OutboxEntry, Page, Pages } from './pages.ts';

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Makes the renderer of one process. */
export async function createPages(): Promise<Pages> {
  return {
    check: (preview, url) => checkPage(preview, url),
    linkCard: (preview, url) => ({
      type: 'image/svg+xml; charset=utf-8',
      content: card(preview, url),
      headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" },
    }),
    outbox: (messages) => ({
      type: 'text/html; charset=utf-8',
      content: outboxPage(messages),
      headers: { 'Content-Security-Policy': policy },
    }),
  };
}

/** The QR code of a link with its title, as one self-contained SVG. */
function card(preview: PreviewBody, url: string): string {
  const title = encode(preview.title ?? preview.requester.account_name, { level: 'xml' });
  return renderSVG(url, { border: 2 }).replace('>', ` role="img"><title>${title}</title>`);
}

function outboxPage(messages: readonly OutboxEntry[]): string {
  const rows = messages.map(
    ({ channel, recipient, subject, text, created_at }) =>
      `<article><h2>${encode(subject ?? channel)}</h2><p>${encode(recipient)} · ` +
      `<time>${created_at.toISOString()}</time></p><pre>${encode(text)}</pre></article>`,
  );
  const none = '<p>Nothing has been sent yet.</p>';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Outbox</title><style>${style}</style></head>
<body><main><h1>Outbox</h1>${rows.length > 0 ? rows.join('') : none}</main></body>
</html>`;
}

function checkPage(preview: PreviewBody, url: string): Page {
  const say = (text: string): string => encode(text);
  const proofs = preview.required_proofs.map(
    (proof) =>
      `<li data-proof="${say(proof)}">${say(names[proof] ?? proof)} <output></output></li>`,
  );
  const content = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${say(preview.title ?? 'Confirm who you are')}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="who">${say(preview.requester.account_name)}${preview.requester.verified ? ' · verified' : ''}</p>
<h1>${say(preview.title ?? 'Confirm who you are')}</h1>
${preview.actionable ? `<p>Scan the code with your phone, or open this address in the app.</p><img alt="QR code of this link" width="240" height="240" src="${say(url)}?format_type=S">` : `<p role="alert">This link is ${say(preview.status)} and cannot be used.</p>`}
<h2>You will be asked for</h2>
<ul>${proofs.join('')}</ul>
<p>State: <strong id="state" role="status" aria-live="polite">${preview.actionable ? 'waiting for your phone' : say(preview.status)}</strong></p>
<noscript><p>The state of the check is shown live when scripts are allowed.</p></noscript>
</main>
${preview.actionable ? `<script type="module" src="/assets/check.js" data-link="${say(preview.link_uuid)}" data-app="${say(preview.app.app_id)}"></script>` : ''}
</body>
</html>`;
  return {
    type: 'text/html; charset=utf-8',
    content,
    headers: { 'Content-Security-Policy': policy },
  };
}

const names: Readonly<Record<string, string>> = {
  biometric: 'A look at your face',
  document: 'A photo of your document',
  phone: 'A code sent to your phone number',
  device: 'A check of your phone itself',
  nfc_passport: 'The chip of your passport',
};

const style = `:root{color-scheme:light dark;font:1rem/1.5 system-ui,sans-serif}
body{margin:0;display:grid;place-items:center;min-height:100vh}
main{max-width:32rem;padding:2rem}
h1{font-size:1.5rem;margin:.25rem 0 1rem}h2{font-size:1rem}
.who{margin:0;font-weight:600}
img{background:#fff;padding:.5rem;border-radius:.5rem}
output{font-weight:600}
pre{white-space:pre-wrap;overflow-wrap:anywhere}`;
