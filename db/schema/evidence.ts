import { bytea, instant } from './columns.ts';
import { index, integer, pgTable, primaryKey, text } from './drizzle.ts';
import { proofSubmissions, trustChecks } from './trust-checks.ts';

/**
 * Uploaded evidence files. The sealed bytes are in the object store; this row names their object
 * and owner.
 */
export const evidence = pgTable(
  'evidence',
  {
    evidence_id: text('evidence_id').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    name: text('name').notNull(),
    sha256: text('sha256').notNull(),
    size_bytes: integer('size_bytes').notNull(),
    content_type: text('content_type').notNull(),
    object_key: text('object_key').notNull(),
    created_at: instant('created_at').notNull(),
    removed_at: instant('removed_at'),
  },
  (table) => [index('evidence_session').on(table.link_session_id)],
);

/**
 * Uploads in progress, by object key. The row is inserted before the object and deleted in the
 * transaction that inserts the evidence row. Objects left by a killed process can thus be found by
 * name.
 */
export const evidenceUploads = pgTable(
  'evidence_uploads',
  {
    object_key: text('object_key').primaryKey(),
    evidence_id: text('evidence_id').notNull(),
    /** If several clients upload the same file: the last one that began. */
    upload_id: text('upload_id').notNull(),
    begun_at: instant('begun_at').notNull(),
    /** Since when the object is being removed; after that no upload may keep it. */
    swept_at: instant('swept_at'),
  },
  (table) => [index('evidence_uploads_begun').on(table.begun_at)],
);

/**
 * A verified image for the people who may view it. The bytes are in the object store. Knowledge of
 * the path is the permission to view it, for as long as it is kept.
 */
export const photos = pgTable(
  'photos',
  {
    /** 256 random bits and a file extension. */
    object_path: text('object_path').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    object_key: text('object_key').notNull(),
    content_type: text('content_type').notNull(),
    created_at: instant('created_at').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [
    index('photos_session').on(table.link_session_id),
    index('photos_expiry').on(table.expires_at),
  ],
);

/**
 * Images of evidence files, stored separately because they are removed sooner. Their hashes stay.
 */
export const evidenceImages = pgTable(
  'evidence_images',
  {
    submission_id: text('submission_id')
      .notNull()
      .references(() => proofSubmissions.submission_id),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    /** SHA-256 of the bytes that were judged. */
    sha256: text('sha256').notNull(),
    size_bytes: integer('size_bytes').notNull(),
    /** Null after removal. */
    image_sealed: bytea('image_sealed'),
    removed_at: instant('removed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.submission_id, table.sha256] }),
    index('evidence_images_session').on(table.link_session_id),
  ],
);

/**
 * Keyed digests of submitted frames, to detect a replayed recording. No picture can be recovered
 * from them. Each row names the first session that submitted the frame.
 */
export const faceMarks = pgTable(
  'face_marks',
  {
    mark: bytea('mark').primaryKey(),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    expires_at: instant('expires_at').notNull(),
  },
  (table) => [
    index('face_marks_session').on(table.link_session_id),
    index('face_marks_expiry').on(table.expires_at),
  ],
);
