import { posix } from 'node:path';
import GithubSlugger from 'github-slugger';
import { encode } from 'html-entities';
import { lexer, Marked } from 'marked';
import type { Markup } from '../../http/html/markup.ts';
import { documents, pathOf, type DocPage } from './pages.ts';

/** Renders a page. Headings have the same anchors as in the repository. */
export function renderPage(page: DocPage): Markup {
  const slugger = new GithubSlugger();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = slugger.slug(plainText(text));
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`;
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}">${inner} ${depth > 1 ? link : ''}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const target = targetOf(page, href);
        return target === null ? inner : `<a href="${encode(target)}">${inner}</a>`;
      },
      // Only generated files have markup: a comment that names their generator.
      html: () => '',
    },
  });
  return { markup: marked.parse(page.markdown, { async: false }) };
}

/** The address of a link of a page; null for a file of the repository that is not served. */
function targetOf({ file }: DocPage, href: string): string | null {
  if (/^(?:[a-z]+:|[#/])/.test(href)) return href;
  const [target = '', anchor] = href.split('#');
  const path = pathOf(posix.join(posix.dirname(file), target));
  if (!documents().pages.has(path)) return null;
  return `/docs/${path}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** A heading of a page and the text below it, without markup. */
export interface DocSection {
  readonly heading: string;
  /** Null for the title of the page. */
  readonly anchor: string | null;
  readonly text: string;
}

/** Splits a page at its headings. */
export function sectionsOf({ markdown, title }: DocPage): DocSection[] {
  const slugger = new GithubSlugger();
  const sections: { heading: string; anchor: string | null; text: string }[] = [];
  for (const token of lexer(markdown)) {
    if (token.type === 'heading') {
      const heading = plainText(token.text);
      const anchor = slugger.slug(heading);
      sections.push({ heading, anchor: heading === title ? null : anchor, text: '' });
    } else if (token.type !== 'html') {
      const section = sections.at(-1);
      if (section) section.text += `${plainText(token.raw)} `;
    }
  }
  return sections;
}

/** Markdown without link targets, fences, cells and emphasis, on one line. */
const plainText = (markdown: string): string =>
  markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/^```\w*$|^\|[-| ]+\|$/gm, ' ')
    .replaceAll(/^\| | \|$/gm, ' ')
    .replaceAll(/ \| /g, ' · ')
    .replaceAll(/`|\*\*/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
