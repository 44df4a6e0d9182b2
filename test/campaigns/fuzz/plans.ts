/** A value of the path or the query; a raw one goes out as it is. */
export interface Written {
  readonly value: unknown;
  readonly isRaw?: boolean;
}

/** Whose credential goes along: that of the good call unless said otherwise. */
export type Who =
  | { readonly kind: 'own' | 'none' | 'own-in-header' | 'two' }
  | { readonly kind: 'other'; readonly pick: number; readonly inHeader: boolean }
  | { readonly kind: 'text'; readonly authorization: string };

/** What is sent as the body, before it is spelled. */
export type BodyPlan =
  | { readonly kind: 'own' | 'none' }
  | { readonly kind: 'value'; readonly value: unknown; readonly isOver: boolean }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** How JSON is written where it is not written plainly. */
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

/** A request to an operation, as far as chance decides it. */
export interface Plan {
  readonly path: Readonly<Record<string, Written>>;
  /** Null keeps the query of the good call. */
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
