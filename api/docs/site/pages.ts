import { readdirSync, readFileSync } from 'node:fs';

/** A page of the documents. */
export interface DocPage {
  /** Its address below `/docs/`, such as `guides/api`. */
  readonly path: string;
  /** Its file below `docs/`. */
  readonly file: string;
  readonly title: string;
  /** The text of the file. */
  readonly markdown: string;
}

/** A group of the sidebar. */
export interface DocGroup {
  readonly title: string;
  readonly pages: readonly DocPage[];
}

const folder = new URL('../../../docs/', import.meta.url);

/** Groups of the sidebar with the files of their pages, in reading order. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Start: ['quick-start.md', 'guides/api.md'],
  Guides: ['guides/embedding.md', 'guides/signing-in.md', 'guides/simulator.md'],
  Verification: [
    'protocols/verify.md',
    'protocols/verify-reasons.md',
    'protocols/evidence.md',
    'protocols/log.md',
  ],
  Proofs: [
    'security.md',
    'protocols/faces.md',
    'protocols/face-provider.md',
    'protocols/capture.md',
    'protocols/browser-binding.md',
  ],
  Operation: [
    'operate/overview.md',
    'operate/first-deployment.md',
    'operate/settings.md',
    'operate/accounts.md',
    'operate/keys.md',
    'operate/database.md',
    'operate/temporal.md',
    'operate/scaling.md',
    'operate/monitoring.md',
    'operate/alerts.md',
    'operate/integrations.md',
    'operate/devices.md',
    'operate/evidence.md',
  ],
  Development: ['campaigns.md', 'dependencies.md', 'decisions/README.md'],
};

interface Documents {
  readonly groups: readonly DocGroup[];
  /** Every page by its path, decision records included. */
  readonly pages: ReadonlyMap<string, DocPage>;
}

let read: Documents | null = null;

/** The documents of the repository. They are read once in each process. */
export function documents(): Documents {
  read ??= readDocuments();
  return read;
}

function readDocuments(): Documents {
  const listed = Object.entries(groups).map(([title, files]) => ({
    title,
    pages: files.map(readPage),
  }));
  const records = readdirSync(new URL('decisions/', folder)).filter((name) => /^\d/.test(name));
  const pages = [
    ...listed.flatMap((group) => group.pages),
    ...records.toSorted().map((name) => readPage(`decisions/${name}`)),
  ];
  return { groups: listed, pages: new Map(pages.map((page) => [page.path, page])) };
}

function readPage(file: string): DocPage {
  const markdown = readFileSync(new URL(file, folder), 'utf8');
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? file;
  return { path: pathOf(file), file, title, markdown };
}

/** The path of a file: `guides/api.md` is `guides/api`, `decisions/README.md` is `decisions`. */
export const pathOf = (file: string): string => file.replace(/(?:\/README)?\.md$/, '');
