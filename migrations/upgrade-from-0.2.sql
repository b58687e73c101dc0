-- The way from version 0.2.0 to the baseline, in one transaction (`upgradeSchema` in src/db/migrate.ts), with the service stopped.
-- Each section was a migration of the development after 0.2.0. A database that followed the development has its first
-- ones already: `migration` is followed by the time under which it is known there.

--> migration 1795385918574 0012_passage_urls
ALTER TABLE "passage_texts" ADD COLUMN "url" text DEFAULT '' NOT NULL;

--> migration 1795421831158 0014_passage_vectors
CREATE TABLE "embedding_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"dims" integer NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "embedding_models_name_unique" UNIQUE("name")
);
CREATE TABLE "passage_vectors" (
	"doc_id" integer PRIMARY KEY NOT NULL,
	"model_id" integer NOT NULL,
	"scale" real NOT NULL,
	"components" "bytea" NOT NULL
);
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_doc_id_passage_texts_doc_id_fk" FOREIGN KEY ("doc_id") REFERENCES "public"."passage_texts"("doc_id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_model_id_embedding_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."embedding_models"("id") ON DELETE cascade ON UPDATE no action;

--> migration 1795425702713 0015_library_jobs
CREATE TABLE "library_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"collection" text NOT NULL,
	"allow_licenses" text[] DEFAULT '{}' NOT NULL,
	"run_by" text NOT NULL,
	"status" text NOT NULL,
	"requested_by" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	"cancel_requested_at" timestamp (6) with time zone,
	"lease_owner" text,
	"lease_expires_at" timestamp (6) with time zone,
	"epoch" integer DEFAULT 0 NOT NULL,
	"progress" jsonb,
	"report" jsonb,
	"error" text
);
CREATE UNIQUE INDEX "library_jobs_running" ON "library_jobs" USING btree ("status") WHERE "library_jobs"."status" = 'running';
CREATE UNIQUE INDEX "library_jobs_unfinished" ON "library_jobs" USING btree ("collection") WHERE "library_jobs"."status" in ('queued', 'running');
CREATE INDEX "library_jobs_collection" ON "library_jobs" USING btree ("collection","created_at");

--> migration 1795427025845 0016_library_without_foreign_keys
-- Each foreign key is a look-up per imported row, and together they took half of the time of storing. The importers write
-- passages and texts in one transaction with their work, and `sources check` finds rows without one.
ALTER TABLE "passage_texts" DROP CONSTRAINT "passage_texts_passage_id_passages_id_fk";
ALTER TABLE "passage_texts" DROP CONSTRAINT "passage_texts_version_id_versions_id_fk";
ALTER TABLE "passages" DROP CONSTRAINT "passages_work_id_works_id_fk";
CREATE FUNCTION delete_with_works() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passages p USING gone WHERE p.work_id = gone.id;
  RETURN NULL;
END $$;
CREATE FUNCTION delete_with_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.version_id = gone.id;
  RETURN NULL;
END $$;
CREATE FUNCTION delete_with_passages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.passage_id = gone.id;
  RETURN NULL;
END $$;
CREATE TRIGGER works_leave_nothing AFTER DELETE ON works
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_works();
CREATE TRIGGER versions_leave_nothing AFTER DELETE ON versions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_versions();
CREATE TRIGGER passages_leave_nothing AFTER DELETE ON passages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_passages();

--> migration 1795433679980 0017_library_job_attempts
ALTER TABLE "library_jobs" ADD COLUMN "failed_attempts" integer DEFAULT 0 NOT NULL;
ALTER TABLE "library_jobs" ADD COLUMN "works_done" integer DEFAULT 0 NOT NULL;

--> migration 1795434506916 0018_spelling_buckets
-- A library has some ten pairs of a class and a term per passage, and a row for each took half of the time of an import.
-- Replicas of the version before read and write the table of pairs; a trigger copies what they write.
CREATE TABLE "search_spelling_buckets" (
	"bucket" integer NOT NULL,
	"block" integer NOT NULL,
	"pairs" text NOT NULL,
	CONSTRAINT "search_spelling_buckets_bucket_block_pk" PRIMARY KEY("bucket","block")
);
-- The same as `bucketOf` in src/sources/index/spelling-pairs.ts.
CREATE FUNCTION spelling_bucket(name text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  WITH RECURSIVE weights (i, weight) AS (
    SELECT 1, 31 UNION ALL SELECT i + 1, (weight * 31) & 16383 FROM weights WHERE i < 16
  )
  SELECT (sum((ascii(substr(name, i, 1))::bigint * weight & 16383)::integer) & 16383)::integer
  FROM weights WHERE i <= length(name)
$$;
CREATE FUNCTION add_spelling_buckets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_spelling_buckets AS b (bucket, block, pairs)
  SELECT spelling_bucket(c.skeleton), 0, string_agg(c.pairs, '' ORDER BY c.skeleton)
  FROM (SELECT skeleton, string_agg(skeleton || E'\t' || term || E'\n', '' ORDER BY term) AS pairs
    FROM added GROUP BY skeleton) c
  GROUP BY 1
  ON CONFLICT (bucket, block) DO UPDATE SET pairs = b.pairs || excluded.pairs;
  RETURN NULL;
END $$;
CREATE TRIGGER spellings_into_buckets AFTER INSERT ON search_spellings
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_spelling_buckets();
-- The pairs of all blocks go to block 0: a pair may stand in any block, and later blocks bring their own.
INSERT INTO search_spelling_buckets (bucket, block, pairs)
SELECT spelling_bucket(c.skeleton), 0, string_agg(c.pairs, '' ORDER BY c.skeleton)
FROM (SELECT skeleton, string_agg(skeleton || E'\t' || term || E'\n', '' ORDER BY term) AS pairs
  FROM search_spellings GROUP BY skeleton) c
GROUP BY 1;

--> migration 1795436934943 0019_library_at_scale
-- A search counts the documents of each term in each block. With the counts in the index it reads no row for that.
CREATE UNIQUE INDEX "search_postings_counts" ON "search_postings" USING btree ("term","block") INCLUDE ("documents");
ALTER TABLE "search_postings" DROP CONSTRAINT "search_postings_term_block_pk";
ALTER TABLE "search_postings" ADD CONSTRAINT "search_postings_term_block_pk" PRIMARY KEY USING INDEX "search_postings_counts";
-- Rows need a look into the table until they are vacuumed. The default would leave a fifth of them.
ALTER TABLE "search_postings" SET (autovacuum_vacuum_insert_scale_factor = 0.05);
CREATE INDEX "headings_first_word" ON "headings" USING btree (split_part("key", ' ', 1));

--> migration 1795439110633 0020_one_admission
-- Only functions that are no longer there.

--> migration 1795447138579 0021_resent_history
ALTER TABLE "messages" ADD COLUMN "transcript" "bytea";
CREATE INDEX "messages_transcript" ON "messages" USING btree ("transcript","created_at") WHERE "messages"."transcript" is not null;

--> migration 1795448688049 0022_conversations
CREATE TABLE "answer_feedback" (
	"run_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"rating" smallint NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "answer_feedback_rating" CHECK ("answer_feedback"."rating" in (-1, 1))
);
CREATE TABLE "session_branches" (
	"session_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"parent_id" text NOT NULL,
	"parent_turn" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
CREATE TABLE "shared_sessions" (
	"session_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"token" text NOT NULL,
	"last_turn" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shared_sessions_token_unique" UNIQUE("token")
);
ALTER TABLE "answer_feedback" ADD CONSTRAINT "answer_feedback_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "session_branches" ADD CONSTRAINT "session_branches_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "shared_sessions" ADD CONSTRAINT "shared_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "answer_feedback_created" ON "answer_feedback" USING btree ("created_at","run_id");
CREATE INDEX "session_branches_parent" ON "session_branches" USING btree ("parent_id","parent_turn");
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['answer_feedback', 'session_branches', 'shared_sessions'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      'account_id = current_setting(''app.account'', true) OR current_setting(''app.account'', true) = ''*'')', tenant_table);
  END LOOP;
END $$;

--> migration 1795450244262 0023_key_limits
CREATE TABLE "key_spending" (
	"key_id" text NOT NULL,
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "key_spending_key_id_day_pk" PRIMARY KEY("key_id","day")
);
ALTER TABLE "api_keys" ADD COLUMN "day_cap_micros" bigint;
ALTER TABLE "api_keys" ADD COLUMN "month_cap_micros" bigint;
ALTER TABLE "api_keys" ADD COLUMN "total_cap_micros" bigint;
ALTER TABLE "api_keys" ADD COLUMN "requests_per_minute" integer;
ALTER TABLE "api_keys" ADD COLUMN "concurrent_turns" integer;
ALTER TABLE "api_keys" ADD COLUMN "defaults" jsonb DEFAULT '{}'::jsonb NOT NULL;
-- Row-level security as for every table of accounts.
ALTER TABLE key_spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE key_spending FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON key_spending USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
-- The trigger blocks new charges until the migration ends, so these are all that it has not seen.
INSERT INTO key_spending (key_id, account_id, day, micros)
SELECT t.facts->>'key_id', t.account_id, (t.created_at AT TIME ZONE 'UTC')::date, sum(t.amount_micros)
FROM credit_transactions t JOIN api_keys k ON k.id = t.facts->>'key_id'
WHERE t.kind = 'charge' AND t.amount_micros > 0 GROUP BY 1, 2, 3;

--> migration 1795450440186 0024_sheets_and_reading
CREATE TABLE "reading_marks" (
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"ref" text NOT NULL,
	"text" text DEFAULT '' NOT NULL,
	"at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reading_marks_account_id_kind_ref_pk" PRIMARY KEY("account_id","kind","ref"),
	CONSTRAINT "reading_marks_kind" CHECK ("reading_marks"."kind" in ('history', 'bookmark', 'note', 'daily'))
);
CREATE TABLE "source_sheets" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"title" text NOT NULL,
	"intro" text DEFAULT '' NOT NULL,
	"entries" jsonb DEFAULT '[]' NOT NULL,
	"public_token" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE "reading_marks" ADD CONSTRAINT "reading_marks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
ALTER TABLE "source_sheets" ADD CONSTRAINT "source_sheets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;
CREATE INDEX "reading_marks_newest" ON "reading_marks" USING btree ("account_id","kind","at");
CREATE INDEX "source_sheets_account" ON "source_sheets" USING btree ("account_id","updated_at");
CREATE UNIQUE INDEX "source_sheets_public" ON "source_sheets" USING btree ("public_token");
-- Both belong to one account each. A public link is looked up by the service itself, which sees every account.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY['source_sheets', 'reading_marks'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      'account_id = current_setting(''app.account'', true) '
      'OR current_setting(''app.account'', true) = ''*'')', tenant_table);
  END LOOP;
END $$;

--> migration 1795450865811 0025_conversation_metadata
ALTER TABLE "sessions" ADD COLUMN "metadata" jsonb;

--> migration 1795451550266 0026_shared_rules
-- It holds for new rows at once.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action NOT VALID;
-- It holds for all rows, unless a session without an account is left from before. Nobody can see such a session.
DO $$
BEGIN
  ALTER TABLE "sessions" VALIDATE CONSTRAINT "sessions_account_id_accounts_id_fk";
EXCEPTION WHEN foreign_key_violation THEN
  RAISE WARNING 'sessions without an account: the foreign key holds for new sessions only';
END $$;

--> migration 1795459251750 0027_unused_functions
-- Only functions that are no longer there.

--> migration 1795459997010 0028_link_digests
-- The tokens of public links, which give access, leave the database. Links that exist keep their tokens and work on.
ALTER TABLE "shared_sessions" ADD COLUMN "token_digest" "bytea";
ALTER TABLE "shared_sessions" ADD COLUMN "token_seed" "bytea";
ALTER TABLE "source_sheets" ADD COLUMN "link_digest" "bytea";
ALTER TABLE "source_sheets" ADD COLUMN "link_seed" "bytea";
UPDATE shared_sessions SET token_digest = sha256(convert_to(token, 'UTF8'));
UPDATE source_sheets SET link_digest = sha256(convert_to(public_token, 'UTF8')) WHERE public_token IS NOT NULL;
ALTER TABLE "shared_sessions" ALTER COLUMN "token_digest" SET NOT NULL;
CREATE UNIQUE INDEX "source_sheets_link" ON "source_sheets" USING btree ("link_digest");
ALTER TABLE "shared_sessions" ADD CONSTRAINT "shared_sessions_token_digest_unique" UNIQUE("token_digest");
ALTER TABLE "shared_sessions" DROP CONSTRAINT "shared_sessions_token_unique";
DROP INDEX "source_sheets_public";
ALTER TABLE "shared_sessions" DROP COLUMN "token";
ALTER TABLE "source_sheets" DROP COLUMN "public_token";
-- A branch in place of the first question of another branch stands beside it, see `recordBranch`.
DO $$
BEGIN
  LOOP
    UPDATE session_branches b SET parent_id = p.parent_id, parent_turn = p.parent_turn
    FROM session_branches p WHERE p.session_id = b.parent_id AND b.parent_turn = 1;
    EXIT WHEN NOT FOUND;
  END LOOP;
END $$;

--> migration 1795702382260 0029_composition_years
ALTER TABLE "works" ADD COLUMN "composed_from" integer;
ALTER TABLE "works" ADD COLUMN "composed_to" integer;

--> migration 1795704168886 0030_fewer_statements
-- Only functions that are no longer there.

--> migration 1795738203869 0031_added_bytes
ALTER TABLE "sessions" ADD COLUMN "added_bytes" bigint DEFAULT 0 NOT NULL;
CREATE INDEX "sessions_added" ON "sessions" USING btree ("account_id") WHERE "sessions"."added_bytes" > 0;

--> migration 1795836240031 0032_model_checks
CREATE TABLE "model_checks" (
	"model" text PRIMARY KEY NOT NULL,
	"checked_at" timestamp (6) with time zone NOT NULL,
	"result" jsonb NOT NULL
);
-- Only operators read the results, never a transaction of an account.
ALTER TABLE "model_checks" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "model_checks" FORCE ROW LEVEL SECURITY;
CREATE POLICY service ON "model_checks" USING ((SELECT current_setting('app.account', true)) = '*');

--> migration 1795838563414 0033_project_instructions
CREATE TABLE "project_instructions" (
	"project_id" text NOT NULL,
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"text" text NOT NULL,
	"tokens" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_instructions_project_id_hash_pk" PRIMARY KEY("project_id","hash")
);
CREATE TABLE "prompt_texts" (
	"hash" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
ALTER TABLE "projects" ADD COLUMN "instructions_hash" text;
ALTER TABLE "runs" ADD COLUMN "project_instructions" text;
ALTER TABLE "project_instructions" ADD CONSTRAINT "project_instructions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
-- The texts of a project belong to its account. Those of the service are for the service itself, because a host may keep its
-- instructions to itself.
DO $$
DECLARE
  guarded_table text;
BEGIN
  FOREACH guarded_table IN ARRAY ARRAY['project_instructions', 'prompt_texts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded_table);
  END LOOP;
  CREATE POLICY tenant ON project_instructions USING (
    account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
  CREATE POLICY service_only ON prompt_texts USING (current_setting('app.account', true) = '*');
END $$;

--> migration 1795900000000 0034_plain_turns
-- The account's live state moves into its row, and the ledger becomes one table by kind of credit. Holds are columns of
-- runs.
ALTER TABLE accounts
  ADD COLUMN allowance_month date,
  ADD COLUMN allowance_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN granted_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN held_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN open_turns integer NOT NULL DEFAULT 0,
  ADD COLUMN next_start_at timestamp (6) with time zone NOT NULL DEFAULT now(),
  ADD CONSTRAINT accounts_state CHECK (allowance_micros >= 0 AND granted_micros >= 0 AND held_micros >= 0 AND open_turns >= 0);
ALTER TABLE accounts SET (fillfactor = 50);
ALTER TABLE sessions ADD COLUMN open_runs integer NOT NULL DEFAULT 0;
ALTER TABLE runs SET (fillfactor = 70);
ALTER TABLE runs ADD COLUMN held_allowance_micros bigint NOT NULL DEFAULT 0, ADD COLUMN admission jsonb;
CREATE TABLE ledger (
  id bigserial PRIMARY KEY,
  account_id text NOT NULL,
  run_id text,
  kind text NOT NULL,
  allowance_micros bigint NOT NULL,
  granted_micros bigint NOT NULL,
  facts jsonb,
  created_at timestamp (6) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT ledger_signs CHECK (CASE WHEN kind IN ('grant', 'allowance') THEN allowance_micros >= 0 AND granted_micros >= 0
    ELSE allowance_micros <= 0 AND granted_micros <= 0 END)
);
-- In batches of transactions, so that no sort grows with the table.
DO $$
DECLARE
  v_after bigint := 0;
  v_last bigint;
BEGIN
  LOOP
    SELECT max(id) INTO v_last
    FROM (SELECT id FROM credit_transactions WHERE id > v_after ORDER BY id LIMIT 20000) batch;
    EXIT WHEN v_last IS NULL;
    INSERT INTO ledger (account_id, run_id, kind, allowance_micros, granted_micros, facts, created_at)
    SELECT t.account_id, CASE WHEN t.kind = 'charge' THEN t.run_id END, t.kind,
      coalesce(sum(e.amount_micros) FILTER (WHERE p.expires_at IS NOT NULL), 0)
        * CASE WHEN t.kind = 'charge' THEN -1 ELSE 1 END,
      coalesce(sum(e.amount_micros) FILTER (WHERE p.expires_at IS NULL), 0)
        * CASE WHEN t.kind = 'charge' THEN -1 ELSE 1 END,
      t.facts, t.created_at
    FROM credit_transactions t
      LEFT JOIN credit_entries e ON e.transaction_id = t.id AND e.transaction_id > v_after AND e.transaction_id <= v_last
        AND e.ledger = CASE WHEN t.kind = 'charge' THEN 'spent' ELSE 'available' END
      LEFT JOIN credit_pools p ON p.id = e.pool_id
    WHERE t.id > v_after AND t.id <= v_last AND t.kind IN ('grant', 'allowance', 'expire', 'charge', 'take_back')
    GROUP BY t.id ORDER BY t.id;
    v_after := v_last;
  END LOOP;
END $$;
-- What is left in expired pools was no longer spendable.
INSERT INTO ledger (account_id, kind, allowance_micros, granted_micros)
SELECT account_id, 'expire', -sum(available_micros), 0 FROM credit_pools
WHERE expires_at <= now() AND available_micros > 0 GROUP BY account_id;
UPDATE runs r SET held_allowance_micros = h.micros
FROM (
  SELECT o.id, sum(part.micros) AS micros
  FROM runs o CROSS JOIN unnest(o.hold_pools, o.hold_parts) AS part (pool, micros)
    JOIN credit_pools p ON p.id = part.pool AND p.expires_at IS NOT NULL
  WHERE o.status IN ('queued', 'in_progress') GROUP BY o.id) h
WHERE h.id = r.id;
UPDATE sessions s SET open_runs = o.runs FROM (
  SELECT session_id, count(*) AS runs FROM runs WHERE status IN ('queued', 'in_progress') GROUP BY session_id) o
WHERE o.session_id = s.id;
UPDATE accounts a SET allowance_month = p.month, allowance_micros = p.allowance, granted_micros = p.granted, held_micros = p.held
FROM (
  SELECT account_id, max((period_start AT TIME ZONE 'UTC')::date) AS month,
    coalesce(sum(available_micros) FILTER (WHERE expires_at > now()), 0) AS allowance,
    coalesce(sum(available_micros) FILTER (WHERE expires_at IS NULL), 0) AS granted,
    sum(held_micros) AS held
  FROM credit_pools GROUP BY account_id) p
WHERE p.account_id = a.id;
UPDATE accounts a SET open_turns = o.sessions FROM (
  SELECT account_id, count(DISTINCT session_id) AS sessions FROM runs WHERE status IN ('queued', 'in_progress')
  GROUP BY account_id) o
WHERE o.account_id = a.id;
-- Before and after, for every account: what it can spend, by kind; what its open runs hold; what it has spent.
DO $$
DECLARE
  v_wrong record;
BEGIN
  SELECT count(*) AS accounts, min(coalesce(a.id, l.account_id)) AS first INTO v_wrong
  FROM accounts a
    LEFT JOIN (
      SELECT account_id, sum(held_micros) AS held,
        coalesce(sum(available_micros) FILTER (WHERE expires_at > now()), 0) AS allowance,
        coalesce(sum(available_micros) FILTER (WHERE expires_at IS NULL), 0) AS granted
      FROM credit_pools GROUP BY account_id) p ON p.account_id = a.id
    LEFT JOIN (
      SELECT account_id, sum(hold_micros) AS micros, sum(held_allowance_micros) AS allowance
      FROM runs WHERE status IN ('queued', 'in_progress') GROUP BY account_id) h ON h.account_id = a.id
    FULL JOIN (
      SELECT account_id, sum(allowance_micros) AS allowance, sum(granted_micros) AS granted,
        coalesce(sum(allowance_micros + granted_micros) FILTER (WHERE kind = 'charge'), 0) AS charged
      FROM ledger GROUP BY account_id) l ON l.account_id = a.id
    FULL JOIN (SELECT account_id, sum(amount_micros) AS micros FROM credit_entries WHERE ledger = 'spent' GROUP BY account_id) s
      ON s.account_id = coalesce(a.id, l.account_id)
  WHERE coalesce(a.allowance_micros, 0) <> coalesce(p.allowance, 0)
    OR coalesce(a.granted_micros, 0) <> coalesce(p.granted, 0)
    OR coalesce(a.held_micros, 0) <> coalesce(p.held, 0)
    OR coalesce(a.held_micros, 0) <> coalesce(h.micros, 0)
    OR coalesce(a.allowance_micros, 0) + coalesce(h.allowance, 0) <> coalesce(l.allowance, 0)
    OR coalesce(a.granted_micros, 0) + coalesce(h.micros - h.allowance, 0) <> coalesce(l.granted, 0)
    OR coalesce(l.charged, 0) <> -coalesce(s.micros, 0);
  IF v_wrong.accounts > 0 THEN
    RAISE EXCEPTION 'the credits of % accounts would change, the first is %', v_wrong.accounts, v_wrong.first
      USING ERRCODE = 'TU003';
  END IF;
END $$;
DROP TABLE credit_entries, credit_transactions, credit_pools, invariant_sums;
ALTER TABLE invariant_checks DROP COLUMN ledger_mark, DROP COLUMN patrol_transaction, DROP COLUMN patrol_run;
CREATE UNIQUE INDEX ledger_one_charge ON ledger (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ledger_account ON ledger (account_id, created_at);
ALTER TABLE ledger ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON ledger USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
CREATE POLICY wildcard ON ledger FOR SELECT USING ((SELECT current_setting('app.account', true)) = '*');
CREATE POLICY wildcard ON sessions FOR SELECT USING ((SELECT current_setting('app.account', true)) = '*');
CREATE TRIGGER ledger_fixed BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
CREATE TRIGGER ledger_kept BEFORE TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
DROP INDEX runs_account_open, runs_same_request;
ALTER TABLE runs DROP COLUMN account_turn, DROP COLUMN hold_pools, DROP COLUMN hold_parts,
  ALTER COLUMN held_allowance_micros DROP DEFAULT, ADD CONSTRAINT runs_cost CHECK (cost_micros <= hold_micros);
CREATE INDEX runs_account_open ON runs (account_id) WHERE status IN ('queued', 'in_progress');
CREATE INDEX runs_same_request ON runs (api_key_id, request_hash, created_at) WHERE request_hash IS NOT NULL;
ALTER TABLE replicas DROP COLUMN settled_at;
-- Accounts and open runs were updated as a whole, and `ledger` is new: the planner knows nothing of them yet.
ANALYZE accounts, ledger, runs, sessions;

--> migration 1795900000001 baseline
-- What differs from the baseline after all of the above.
-- Databases that followed the source after 0.2.0 may have it.
DROP TABLE IF EXISTS search_associations;
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  -- Functions that only versions before this one call.
  FOR v_function IN
    SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname IN (
      'add_key_spending', 'admit_run', 'admit_run_2', 'allowance_given', 'append_to_run', 'append_to_run_2', 'append_to_runs',
      'begin_turn', 'begin_turn_2', 'draw_credits', 'end_turn', 'ensure_allowance', 'equal_run', 'extend_hold',
      'extend_hold_2', 'extend_run', 'input_rows', 'key_cap', 'key_refusal', 'key_spent', 'key_usable', 'key_works',
      'open_calls', 'place_hold', 'run_to_repeat', 'settle_hold', 'slots_taken', 'spendable', 'starts_in_window',
      'unsettled_replicas', 'write_progress', 'write_turn', 'write_turn_2')
  LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', v_function);
  END LOOP;
END $$;
ALTER POLICY tenant ON file_texts USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
ALTER POLICY tenant ON web_sessions USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
DROP POLICY service_only ON prompt_texts;
CREATE POLICY service ON prompt_texts USING ((SELECT current_setting('app.account', true)) = '*');
-- The first databases of 0.2.0 have no policy here.
DROP POLICY IF EXISTS service ON invariant_checks;
CREATE POLICY service ON invariant_checks USING ((SELECT current_setting('app.account', true)) = '*');
ALTER TABLE invariant_checks ENABLE ROW LEVEL SECURITY;
ALTER TABLE invariant_checks FORCE ROW LEVEL SECURITY;
-- Rows of accounts stay; the check of such a key would lock them.
DO $$
DECLARE
  v_key record;
BEGIN
  FOR v_key IN SELECT conname, conrelid::regclass AS of_table FROM pg_constraint
    WHERE contype = 'f' AND confrelid = 'accounts'::regclass
  LOOP
    EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', v_key.of_table, v_key.conname);
  END LOOP;
END $$;
-- The log becomes one table, with a row per former step, and one per attempt for its events.
CREATE TABLE run_log (
  run_id text NOT NULL,
  seq integer NOT NULL,
  step integer NOT NULL,
  account_id text NOT NULL,
  epoch integer NOT NULL,
  events integer NOT NULL,
  steps integer NOT NULL,
  cost_micros bigint NOT NULL,
  entries jsonb NOT NULL,
  created_at timestamp (6) with time zone NOT NULL DEFAULT now()
);
INSERT INTO run_log
SELECT run_id, 0, step, account_id, epoch, 0, 1, cost_micros,
  jsonb_build_array(jsonb_build_object('type', 'step', 'record', record, 'micros', cost_micros::text)), created_at
FROM run_steps;
INSERT INTO run_log
SELECT run_id, max(seq), 0, account_id, attempt, count(*), 0, 0,
  jsonb_agg(CASE WHEN event ? 'end' THEN jsonb_build_object('type', event->'type') ELSE event END ORDER BY seq), max(created_at)
FROM run_events GROUP BY run_id, account_id, attempt;
ALTER TABLE run_log ADD CONSTRAINT run_log_run_id_seq_step_pk PRIMARY KEY (run_id, seq, step),
  ADD CONSTRAINT run_log_entries CHECK (jsonb_array_length(entries) = events + steps);
CREATE INDEX run_log_with_events ON run_log (created_at) WHERE events > 0;
ALTER TABLE run_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE run_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON run_log USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
CREATE POLICY wildcard ON run_log FOR SELECT USING ((SELECT current_setting('app.account', true)) = '*');
CREATE OR REPLACE FUNCTION delete_with_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM run_log WHERE run_id = OLD.id;
  RETURN NULL;
END $$;
-- The end of a run becomes one value. Its last event has all of it; where that has expired, its output has most.
CREATE FUNCTION items_of(p_output jsonb, p_type text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_agg(item - 'type' ORDER BY at), '[]')
  FROM jsonb_array_elements(p_output) WITH ORDINALITY AS o (item, at) WHERE item->>'type' = p_type
$$;
CREATE FUNCTION reply_of(p_status text, p_output jsonb, p_usage jsonb, p_reason text, p_code text, p_message text, p_answer text)
RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_shown text := coalesce(items_of(p_output, 'message')->0->>'content', '');
  -- The answer for later turns, without the source list.
  v_text text := (SELECT m.content->>'content' FROM messages m WHERE m.id = p_answer);
BEGIN
  IF p_status IN ('queued', 'in_progress') THEN RETURN NULL; END IF;
  IF v_text IS NULL OR NOT starts_with(v_shown, v_text) THEN v_text := v_shown; END IF;
  RETURN jsonb_build_object('type', 'run.' || p_status, 'end', jsonb_build_object(
      'text', v_text, 'source_list', substr(v_shown, length(v_text) + 1),
      'sources', items_of(p_output, 'source'), 'citations', '[]'::jsonb, 'unknown_marks', 0, 'unknown_refs', '[]'::jsonb,
      'quotations', items_of(p_output, 'quotation'), 'files', (
        SELECT coalesce(jsonb_agg(file - 'content_type' || jsonb_build_object('contentType', file->'content_type') ORDER BY at), '[]')
        FROM jsonb_array_elements(items_of(p_output, 'file')) WITH ORDINALITY AS f (file, at)),
      'tool_calls', items_of(p_output, 'tool_call'), 'usage', p_usage))
    || CASE p_status
      WHEN 'completed' THEN jsonb_build_object('reason', coalesce(p_reason, 'stop'))
      WHEN 'failed' THEN jsonb_build_object('code', coalesce(p_code, 'run_failed'), 'message', p_message)
      ELSE '{}' END;
END $$;
ALTER TABLE runs RENAME COLUMN output TO reply;
ALTER TABLE runs ALTER COLUMN reply DROP DEFAULT, ALTER COLUMN reply DROP NOT NULL,
  ALTER COLUMN reply TYPE jsonb USING reply_of(status, reply, usage, finish_reason, error_code, error_message, message_id);
UPDATE runs r SET reply = e.event FROM run_events e WHERE e.run_id = r.id AND e.event ? 'end';
ALTER TABLE runs DROP COLUMN usage, DROP COLUMN error_code, DROP COLUMN error_message;
DROP FUNCTION reply_of, items_of;
DROP TABLE run_events, run_steps;
ANALYZE run_log;
ALTER TABLE shared_sessions ADD COLUMN name text;
UPDATE shared_sessions l SET name = s.name FROM sessions s WHERE s.id = l.session_id;
ALTER TABLE shared_sessions ALTER COLUMN name SET NOT NULL;
