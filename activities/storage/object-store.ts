import { Failure } from '../../workflows/failures.ts';

/** A signed address is good for two minutes at most. */
export const presignSecondsMax = 120;
const keyForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const keyLengthMax = 512;

export interface NewObject {
  readonly key: string;
  readonly body: Uint8Array;
  readonly contentType: string;
  /** Stores only where nothing lies yet: the same bytes count as stored before. */
  readonly ifAbsent?: boolean;
}

export interface PresignOptions {
  /** 1 to 120. */
  readonly ttlSeconds: number;
  /** ASCII; the name a browser saves the file under. */
  readonly filename?: string;
  readonly contentType?: string;
}

/** Where files lie: an S3 bucket, or a directory. Both pass the same conformance tests. */
export interface ObjectStore {
  /**
   * Stores bytes under a key. `stored` is false when the same bytes were there before.
   * Throws `object_conflict` when `ifAbsent` meets other bytes.
   */
  put(object: NewObject): Promise<{ readonly sha256: string; readonly stored: boolean }>;
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what lies there, if anything does. */
  remove(key: string): Promise<void>;
  /** An address from which the object can be fetched for a short time without a credential. */
  presign(key: string, options: PresignOptions): Promise<string>;
  /** Throws `dependency_unavailable` when the store does not answer. */
  health(): Promise<void>;
}

/** Throws `object_key_invalid` for a key that could leave its bucket or directory. */
export function checkKey(key: string): void {
  if (key.length > keyLengthMax || !keyForm.test(key)) throw new Failure('object_key_invalid');
}

/** Throws `object_key_invalid` for options a store must not sign. */
export function checkPresign(options: PresignOptions): void {
  const { ttlSeconds, filename } = options;
  const isBounded =
    Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= presignSecondsMax;
  const isPlain = filename === undefined || /^[A-Za-z0-9._-]{1,128}$/.test(filename);
  if (!isBounded || !isPlain) throw new Failure('object_key_invalid');
}
