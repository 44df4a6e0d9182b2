import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { SaxesParser } from 'saxes';

/**
 * Everything in a document but its words: elements in order, attribute names, and the values of
 * attributes that link, style or run. Pages that differ only in words have the same outline.
 */
export interface Outline {
  readonly structure: string;
  /** All words as a reader of the document sees them. */
  readonly words: string;
}

/** Attributes with values that are words or derived from words. */
const spoken = /^(aria-label|title|alt|data-(asker|app-name|app|link|url))$/;

/** Returns the outline of a page as a browser parses it. */
export function outlineOfPage(text: string): Outline {
  const words: string[] = [];
  const lines: string[] = [];
  const visit = (node: Tree.Node, depth: number): void => {
    if ('attrs' in node) {
      const attributes = node.attrs.map(({ name, value }) =>
        spoken.test(name) ? name : `${name}=${value}`,
      );
      lines.push(
        `${' '.repeat(depth)}${node.namespaceURI} ${node.tagName} ${attributes.join(' ')}`,
      );
      for (const { value } of node.attrs) words.push(value);
    } else if (node.nodeName === '#comment') lines.push('a comment');
    else if ('value' in node) {
      const { parentNode } = node;
      const isRead = !parentNode || !/^(style|script)$/.test(parentNode.nodeName);
      // Styles and scripts must stay the same.
      if (isRead) words.push(node.value);
      else if (isData(parentNode)) words.push(JSON.stringify(JSON.parse(node.value)));
      else lines.push(node.value);
    }
    const children =
      'content' in node ? [node.content] : 'childNodes' in node ? node.childNodes : [];
    for (const child of children) visit(child, depth + 1);
  };
  visit(parse(text), 0);
  return { structure: lines.join('\n'), words: words.join('\n') };
}

/** Returns whether a script is a data block, which no browser runs. */
const isData = (node: Tree.Node): boolean =>
  'attrs' in node &&
  node.attrs.some(({ name, value }) => name === 'type' && value === 'application/json');

/** Returns the outline of an image. @throws if it is not well-formed XML. */
export function outlineOfImage(text: string): Outline {
  const words: string[] = [];
  const lines: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on('opentag', ({ uri, local, attributes }) => {
    const told = Object.values(attributes).map(({ name, value }) => `${name}=${value}`);
    lines.push(`${uri} ${local} ${told.join(' ')}`);
  });
  parser.on('closetag', ({ local }) => void lines.push(`end of ${local}`));
  parser.on('text', (value) => void words.push(value));
  for (const event of ['comment', 'cdata', 'doctype'] as const) {
    parser.on(event, () => void lines.push(event));
  }
  parser.on('processinginstruction', () => void lines.push('an instruction'));
  parser.on('error', (error) => {
    throw error;
  });
  parser.write(text).close();
  return { structure: lines.join('\n'), words: words.join('') };
}
