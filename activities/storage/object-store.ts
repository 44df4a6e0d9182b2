import { Failure } from '../../workflows/failures.ts';

/** A signed address is good for two minutes at most. */
export const presignSecondsMax = 120;

const keyForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const keyLengthMax = 512;
/** A segment is a file name on disk; file systems take 255 bytes. */
const segmentLengthMax = 255;
const mediaTypeForm = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,63}(; charset=utf-8)?$/;

export interface NewObject {
  readonly key: string;
  readonly body: Uint8Array;
  /** A media type in lower case. */
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

/**
 * Where files lie: an S3 bucket, or a directory. Both pass the same conformance tests.
 * Every operation throws `object_key_invalid` for a key outside the grammar and
 * `dependency_unavailable` when the store does not answer, in bounded time.
 */
export interface ObjectStore {
  /**
   * Stores bytes under a key, over what lies there. With `ifAbsent` nothing is overwritten:
   * `stored` is false when the same bytes were there before, and other bytes throw
   * `object_conflict`; of many callers at once exactly one stores.
   */
  put(object: NewObject): Promise<{ readonly sha256: string; readonly stored: boolean }>;
  /** The bytes, or null where nothing lies. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes what lies there, if anything does. */
  remove(key: string): Promise<void>;
  /**
   * Removes what lies there and all below it, with whatever earlier versions the store keeps of
   * any: afterwards nobody can read one again.
   */
  erase(key: string): Promise<void>;
  /** An address from which the object can be fetched for a short time without a credential. */
  presign(key: string, options: PresignOptions): Promise<string>;
  /**
   * Throws `dependency_unavailable` when the store does not answer or takes no more: a disk that is
   * full or cannot be written, a server whose last put failed and which still takes none.
   */
  health(): Promise<void>;
}

/** Throws `object_key_invalid` for a key that could leave its bucket or directory. */
export function checkKey(key: string): void {
  const isGood =
    key.length <= keyLengthMax &&
    keyForm.test(key) &&
    key.split('/').every((segment) => segment.length <= segmentLengthMax);
  if (!isGood) throw new Failure('object_key_invalid');
}

/** Throws `object_key_invalid` for a media type that is more than one plain header value. */
export function checkMediaType(contentType: string): void {
  if (!mediaTypeForm.test(contentType)) throw new Failure('object_key_invalid');
}

/** Throws `object_key_invalid` for options a store must not sign. */
export function checkPresign(options: PresignOptions): void {
  const { ttlSeconds, filename, contentType } = options;
  const isBounded =
    Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= presignSecondsMax;
  const isPlain = filename === undefined || /^[A-Za-z0-9._-]{1,128}$/.test(filename);
  if (!isBounded || !isPlain) throw new Failure('object_key_invalid');
  if (contentType !== undefined) checkMediaType(contentType);
}
