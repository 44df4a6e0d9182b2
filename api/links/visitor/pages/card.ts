import { renderSVG } from 'uqr';
import { withoutDirectionMarks } from '../../../../domain/languages/format.ts';
import { html, type Markup } from '../../../http/html/markup.ts';
import type { Page } from '../../../http/html/page.ts';
import type { PreviewBody } from '../../schemas.ts';

/** Renders the QR code of a link with its title, as one self-contained SVG. */
export function linkCard(preview: PreviewBody, url: string): Page {
  const title = withoutDirectionMarks(preview.title ?? preview.app.name);
  return {
    type: 'image/svg+xml; charset=utf-8',
    content: qrCode(url, title),
    headers: { 'Content-Security-Policy': "default-src 'none'; sandbox" },
  };
}

/** Renders the code as an element of a page. HTML needs no namespace for it. */
export function qrMarkup(url: string, title: string): Markup {
  return { markup: qrCode(url, title).replace(/ xmlns="[^"]*"/, '') };
}

function qrCode(url: string, title: string): string {
  const { markup } = html` role="img"><title>${title}</title>`;
  return renderSVG(url, { border: 2 }).replace('>', () => markup);
}
