import { bytea, instant } from './columns.ts';
import { index, integer, pgTable, primaryKey, text } from './drizzle.ts';
import { proofSubmissions, trustChecks } from './trust-checks.ts';

/** Uploaded evidence: the bytes lie sealed in the object store, this row says which and whose. */
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
 * Uploads under way, by the object they make: written before it and gone with the transaction that
 * writes its row, so that what a killed process leaves is known by name.
 */
export const evidenceUploads = pgTable(
  'evidence_uploads',
  {
    object_key: text('object_key').primaryKey(),
    evidence_id: text('evidence_id').notNull(),
    /** Of several that upload the same, who began last. */
    upload_id: text('upload_id').notNull(),
    begun_at: instant('begun_at').notNull(),
    /** Since when somebody removes the object: nobody may keep it any more. */
    swept_at: instant('swept_at'),
  },
  (table) => [index('evidence_uploads_begun').on(table.begun_at)],
);

/**
 * An image that was verified, for who is shown it: the bytes lie in the object store, and whoever
 * knows its path may see it for as long as it is kept.
 */
export const photos = pgTable(
  'photos',
  {
    /** 256 random bits, and the ending of its kind of image. */
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

/** Images of evidence files, apart from these: they go sooner, and their hashes stay. */
export const evidenceImages = pgTable(
  'evidence_images',
  {
    submission_id: text('submission_id')
      .notNull()
      .references(() => proofSubmissions.submission_id),
    link_session_id: text('link_session_id')
      .notNull()
      .references(() => trustChecks.link_session_id),
    /** Of the bytes as they were judged. */
    sha256: text('sha256').notNull(),
    size_bytes: integer('size_bytes').notNull(),
    /** Null once it was removed. */
    image_sealed: bytea('image_sealed'),
    removed_at: instant('removed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.submission_id, table.sha256] }),
    index('evidence_images_session').on(table.link_session_id),
  ],
);

/**
 * Marks of frames that were handed in, so that a film that is shown again is known: keyed digests,
 * of which no picture is had. Whose they were first.
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
