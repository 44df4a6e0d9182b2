import { parse, type DefaultTreeAdapterMap } from 'parse5';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** A mail as a mail program shows it. */
export interface ReadHtml {
  readonly elements: readonly Element[];
  readonly fonts: string;
  /** The visible text, one line per block. */
  readonly blocks: readonly string[];
}

const isElement = (node: Node): node is Element => 'tagName' in node;
const childrenOf = (node: Node): readonly Node[] => ('childNodes' in node ? node.childNodes : []);

export const attributeOf = (element: Element | undefined, name: string): string | undefined =>
  element?.attrs.find((each) => each.name === name)?.value;

/** Parses as browsers do (the HTML Standard); throws for markup that they would repair. */
export function readHtml(html: string): ReadHtml {
  const faults: string[] = [];
  const document = parse(html, { onParseError: ({ code }) => void faults.push(code) });
  if (faults.length > 0) throw new Error(faults.join(', '));
  const elements = descendantsOf(document).filter(isElement);
  const body = elements.find(({ tagName }) => tagName === 'body');
  const fonts = elements.map((element) => attributeOf(element, 'style') ?? '').join('\n');
  return { elements, fonts, blocks: body ? blocksOf(body) : [] };
}

function descendantsOf(node: Node): Node[] {
  return [node, ...childrenOf(node).flatMap(descendantsOf)];
}

const inline = new Set(['a', 'bdi']);

function blocksOf(node: Node): string[] {
  const isBlock = childrenOf(node).every(
    (child) => !isElement(child) || inline.has(child.tagName) || child.nodeName === '#comment',
  );
  const text = isBlock
    ? textOf(node)
        .replaceAll(/[ \n]+/g, ' ')
        .trim()
    : '';
  return isBlock ? (text ? [text] : []) : childrenOf(node).filter(isElement).flatMap(blocksOf);
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value;
  const inner = childrenOf(node).map(textOf).join('');
  return node.nodeName === 'bdi' ? `\u2068${inner}\u2069` : inner;
}
