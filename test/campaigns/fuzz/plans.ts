/** A value of the path or the query; a raw one is sent without encoding. */
export interface Written {
  readonly value: unknown;
  readonly isRaw?: boolean;
}

/** The credential of a request: that of the good call by default. */
export type Who =
  | { readonly kind: 'own' | 'none' | 'own-in-header' | 'two' }
  | { readonly kind: 'other'; readonly pick: number; readonly inHeader: boolean }
  | { readonly kind: 'text'; readonly authorization: string };

/** The body before it is spelled as JSON text. */
export type BodyPlan =
  | { readonly kind: 'own' | 'none' }
  | { readonly kind: 'value'; readonly value: unknown; readonly isOver: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** Unusual ways to spell JSON. */
export const spellings = [
  'duplicate',
  'proto',
  'constructor',
  'deep',
  'truncated',
  'trailing',
  'bom',
  'utf-16',
  'half-character',
  'nul',
  'not-utf-8',
  'huge-number',
  'padded',
  'too-long',
] as const;
export type Spelling = (typeof spellings)[number];

/** The random decisions of a request to an operation. */
export interface Plan {
  readonly path: Readonly<Record<string, Written>>;
  /** Null for the query of the good call. */
  readonly query: readonly (readonly [string, Written])[] | null;
  readonly headers: readonly (readonly [string, string])[];
  readonly who: Who;
  readonly body: BodyPlan;
  readonly spelling: Spelling | null;
  readonly isChunked: boolean;
  readonly method: string | null;
  readonly suffix: string;
}

export const plain: Plan = {
  path: {},
  query: null,
  headers: [],
  who: { kind: 'own' },
  body: { kind: 'own' },
  spelling: null,
  isChunked: false,
  method: null,
  suffix: '',
};
