UPDATE "affidavits" SET "renew_at" = "available_at"
WHERE "status" = 'available' AND "pades_level" = 'PAdES-B-B'
  AND "renew_at" IS NULL AND "renewal_reason" IS NULL;
