import {
  PDFArray,
  PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFContext,
  type PDFDocument,
  type PDFObject,
  type PDFPage,
  type PDFRef,
} from 'pdf-lib';

/** The standard structure types in use (ISO 32000-1 §14.8.4). */
export type Role =
  | 'Document'
  | 'H1'
  | 'H2'
  | 'H3'
  | 'P'
  | 'Code'
  | 'Table'
  | 'TR'
  | 'TH'
  | 'TD'
  | 'Figure';

/** One element of the logical structure. */
export interface Node {
  readonly role: Role;
  readonly ref: PDFRef;
  readonly parent: Node | null;
  readonly kids: (Node | Mark)[];
  readonly extra: Readonly<Record<string, PDFObject>>;
}

/** A part of a page's content that belongs to an element. */
interface Mark {
  readonly page: PDFPage;
  readonly mcid: number;
}

/** The logical structure of a document, for reading aloud and copying. */
export interface Structure {
  readonly root: Node;
  add(parent: Node, role: Role, extra?: Readonly<Record<string, PDFObject>>): Node;
  /** Assigns the next part of a page to an element; returns its number (MCID). */
  mark(node: Node, page: PDFPage): number;
  /** Writes the tree into the document's catalog. */
  finish(): void;
}

/** Creates the structure of a tagged document (ISO 32000-1 §14.7, PDF/UA-1 §7.1). */
export function createStructure(document: PDFDocument): Structure {
  const { context } = document;
  const marked = new Map<PDFPage, Node[]>();
  const treeRef = context.nextRef();
  const create = (role: Role, parent: Node | null, extra: Node['extra']): Node => ({
    role,
    ref: context.nextRef(),
    parent,
    kids: [],
    extra,
  });
  const root = create('Document', null, {});
  return {
    root,
    add(parent, role, extra = {}) {
      const node = create(role, parent, extra);
      parent.kids.push(node);
      return node;
    },
    mark(node, page) {
      const owners = marked.get(page) ?? [];
      marked.set(page, owners);
      const mcid = owners.push(node) - 1;
      node.kids.push({ page, mcid });
      return mcid;
    },
    finish() {
      write(context, root, treeRef);
      const tree = context.obj({ Type: 'StructTreeRoot', K: root.ref });
      tree.set(PDFName.of('ParentTree'), parentTree(context, document.getPages(), marked));
      tree.set(PDFName.of('ParentTreeNextKey'), PDFNumber.of(document.getPageCount()));
      context.assign(treeRef, tree);
      document.catalog.set(PDFName.of('StructTreeRoot'), treeRef);
      document.catalog.set(PDFName.of('MarkInfo'), context.obj({ Marked: true }));
    },
  };
}

function write(context: PDFContext, node: Node, treeRef: PDFRef): void {
  const dict = context.obj({ Type: 'StructElem', S: node.role, P: node.parent?.ref ?? treeRef });
  const kids = PDFArray.withContext(context);
  for (const kid of node.kids) {
    if ('role' in kid) {
      write(context, kid, treeRef);
      kids.push(kid.ref);
    } else kids.push(context.obj({ Type: 'MCR', Pg: kid.page.ref, MCID: kid.mcid }));
  }
  dict.set(PDFName.of('K'), kids);
  for (const [name, value] of Object.entries(node.extra)) dict.set(PDFName.of(name), value);
  context.assign(node.ref, dict);
}

function parentTree(
  context: PDFContext,
  pages: readonly PDFPage[],
  marked: ReadonlyMap<PDFPage, readonly Node[]>,
): PDFRef {
  const numbers = PDFArray.withContext(context);
  for (const [index, page] of pages.entries()) {
    page.node.set(PDFName.of('StructParents'), PDFNumber.of(index));
    page.node.set(PDFName.of('Tabs'), PDFName.of('S'));
    numbers.push(PDFNumber.of(index));
    numbers.push(context.obj((marked.get(page) ?? []).map((node) => node.ref)));
  }
  const tree = PDFDict.withContext(context);
  tree.set(PDFName.of('Nums'), numbers);
  return context.register(tree);
}

/** Returns the alternative text and position of a figure (PDF/UA-1 §7.3). */
export function figureExtra(
  context: PDFContext,
  alt: string,
  box: readonly number[],
): Readonly<Record<string, PDFObject>> {
  return {
    Alt: PDFHexString.fromText(alt),
    A: context.obj({ O: 'Layout', Placement: 'Block', BBox: [...box] }),
  };
}

/** Returns whether a header cell is for its row or its column (PDF/UA-1 §7.5). */
export function headerExtra(
  context: PDFContext,
  scope: 'Row' | 'Column',
): Readonly<Record<string, PDFObject>> {
  return { A: context.obj({ O: 'Table', Scope: scope }) };
}
