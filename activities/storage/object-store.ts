import { Failure } from '../../workflows/failures.ts';

/** Longest life of a signed URL, in seconds. */
export const presignSecondsMax = 120;

const keyForm = /^[A-Za-z0-9][A-Za-z0-9._-]*(\/[A-Za-z0-9][A-Za-z0-9._-]*)*$/;
const keyLengthMax = 512;
/** A segment is a file name on disk, where file systems allow 255 bytes. */
const segmentLengthMax = 255;
const mediaTypeForm = /^[a-z0-9][a-z0-9.+-]{0,63}\/[a-z0-9][a-z0-9.+-]{0,63}(; charset=utf-8)?$/;

export interface NewObject {
  readonly key: string;
  readonly body: Uint8Array;
  /** A media type in lower case. */
  readonly contentType: string;
  /** Stores only if the key is free. The same bytes count as stored before. */
  readonly ifAbsent?: boolean;
}

export interface PresignOptions {
  /** 1 to 120. */
  readonly ttlSeconds: number;
  /** Name under which a browser saves the file, in ASCII. */
  readonly filename?: string;
  readonly contentType?: string;
}

/**
 * A store of files: an S3 bucket, or a directory. Both pass the same conformance tests. Every
 * operation ends in bounded time.
 * @throws Failure `object_key_invalid` for an invalid key
 * @throws Failure `dependency_unavailable` if the store does not answer
 */
export interface ObjectStore {
  /**
   * Stores bytes under a key, and overwrites an existing object. With `ifAbsent` nothing is
   * overwritten: `stored` is false if the same bytes were there before. Of concurrent callers
   * exactly one stores.
   * @throws Failure `object_conflict` with `ifAbsent`, if other bytes are there
   */
  put(object: NewObject): Promise<{ readonly sha256: string; readonly stored: boolean }>;
  /** Returns the bytes, or null if there is no object. */
  get(key: string): Promise<Uint8Array | null>;
  /** Removes the object, if there is one. */
  remove(key: string): Promise<void>;
  /**
   * Removes the object and all below its key, with all earlier versions that the store keeps.
   * Afterwards nothing of it can be read.
   */
  erase(key: string): Promise<void>;
  /** Returns a URL that fetches the object for a short time without a credential. */
  presign(key: string, options: PresignOptions): Promise<string>;
  /**
   * Checks that the store answers and accepts writes. It fails for a disk that is full or
   * read-only, and for a server whose last put failed and that still refuses one.
   * @throws Failure `dependency_unavailable`
   */
  health(): Promise<void>;
}

/** Rejects a key that could leave its bucket or directory. @throws Failure `object_key_invalid` */
export function checkKey(key: string): void {
  const isGood =
    key.length <= keyLengthMax &&
    keyForm.test(key) &&
    key.split('/').every((segment) => segment.length <= segmentLengthMax);
  if (!isGood) throw new Failure('object_key_invalid');
}

/** Rejects a media type that is not one plain header value. @throws Failure `object_key_invalid` */
export function checkMediaType(contentType: string): void {
  if (!mediaTypeForm.test(contentType)) throw new Failure('object_key_invalid');
}

/** Rejects options that a store must not sign. @throws Failure `object_key_invalid` */
export function checkPresign(options: PresignOptions): void {
  const { ttlSeconds, filename, contentType } = options;
  const isBounded =
    Number.isInteger(ttlSeconds) && ttlSeconds >= 1 && ttlSeconds <= presignSecondsMax;
  const isPlain = filename === undefined || /^[A-Za-z0-9._-]{1,128}$/.test(filename);
  if (!isBounded || !isPlain) throw new Failure('object_key_invalid');
  if (contentType !== undefined) checkMediaType(contentType);
}
