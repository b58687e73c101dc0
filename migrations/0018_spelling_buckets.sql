-- A library has some ten pairs of a class and a term per passage, and a row for each took half of the time of an import.
-- Replicas of the version before read and write the table of pairs; a trigger copies what they write.
CREATE TABLE "search_spelling_buckets" (
	"bucket" integer NOT NULL,
	"block" integer NOT NULL,
	"pairs" text NOT NULL,
	CONSTRAINT "search_spelling_buckets_bucket_block_pk" PRIMARY KEY("bucket","block")
);
--> statement-breakpoint
-- The same as `bucketOf` in src/sources/index/spelling-pairs.ts.
CREATE FUNCTION spelling_bucket(name text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  WITH RECURSIVE weights (i, weight) AS (
    SELECT 1, 31 UNION ALL SELECT i + 1, (weight * 31) & 16383 FROM weights WHERE i < 16
  )
  SELECT (sum((ascii(substr(name, i, 1))::bigint * weight & 16383)::integer) & 16383)::integer
  FROM weights WHERE i <= length(name)
$$;--> statement-breakpoint
CREATE FUNCTION add_spelling_buckets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_spelling_buckets AS b (bucket, block, pairs)
  SELECT spelling_bucket(c.skeleton), 0, string_agg(c.pairs, '' ORDER BY c.skeleton)
  FROM (SELECT skeleton, string_agg(skeleton || E'\t' || term || E'\n', '' ORDER BY term) AS pairs
    FROM added GROUP BY skeleton) c
  GROUP BY 1
  ON CONFLICT (bucket, block) DO UPDATE SET pairs = b.pairs || excluded.pairs;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER spellings_into_buckets AFTER INSERT ON search_spellings
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_spelling_buckets();--> statement-breakpoint
-- The pairs of all blocks go to block 0: a pair may stand in any block, and later blocks bring their own.
INSERT INTO search_spelling_buckets (bucket, block, pairs)
SELECT spelling_bucket(c.skeleton), 0, string_agg(c.pairs, '' ORDER BY c.skeleton)
FROM (SELECT skeleton, string_agg(skeleton || E'\t' || term || E'\n', '' ORDER BY term) AS pairs
  FROM search_spellings GROUP BY skeleton) c
GROUP BY 1;
