CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"plan" text NOT NULL,
	"operator" boolean DEFAULT false NOT NULL,
	"password_hash" text NOT NULL,
	"suspended_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"allowance_month" date,
	"allowance_micros" bigint DEFAULT 0 NOT NULL,
	"granted_micros" bigint DEFAULT 0 NOT NULL,
	"held_micros" bigint DEFAULT 0 NOT NULL,
	"open_turns" integer DEFAULT 0 NOT NULL,
	"next_start_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email_lower" CHECK ("accounts"."email" = lower("accounts"."email")),
	CONSTRAINT "accounts_state" CHECK ("accounts"."allowance_micros" >= 0 and "accounts"."granted_micros" >= 0 and "accounts"."held_micros" >= 0 and "accounts"."open_turns" >= 0)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"last_four" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"pepper_version" integer NOT NULL,
	"scopes" text[] NOT NULL,
	"binding" text NOT NULL,
	"project_id" text,
	"day_cap_micros" bigint,
	"month_cap_micros" bigint,
	"total_cap_micros" bigint,
	"requests_per_minute" integer,
	"concurrent_turns" integer,
	"defaults" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (6) with time zone,
	"expires_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	CONSTRAINT "api_keys_binding" CHECK ("api_keys"."binding" in ('project', 'dedicated', 'owner'))
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"account_id" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "key_peppers" (
	"version" integer PRIMARY KEY NOT NULL,
	"check" "bytea" NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "key_spending" (
	"key_id" text NOT NULL,
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "key_spending_key_id_day_pk" PRIMARY KEY("key_id","day")
);
--> statement-breakpoint
CREATE TABLE "password_resets" (
	"account_id" text PRIMARY KEY NOT NULL,
	"digest" "bytea" NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "password_resets_digest_unique" UNIQUE("digest")
);
--> statement-breakpoint
CREATE TABLE "project_instructions" (
	"project_id" text NOT NULL,
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"text" text NOT NULL,
	"tokens" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_instructions_project_id_hash_pk" PRIMARY KEY("project_id","hash")
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"instructions_hash" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "prompt_texts" (
	"hash" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "web_sessions" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ledger" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"run_id" text,
	"kind" text NOT NULL,
	"allowance_micros" bigint NOT NULL,
	"granted_micros" bigint NOT NULL,
	"facts" jsonb,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ledger_signs" CHECK (case when "ledger"."kind" in ('grant', 'allowance') then "ledger"."allowance_micros" >= 0 and "ledger"."granted_micros" >= 0
        else "ledger"."allowance_micros" <= 0 and "ledger"."granted_micros" <= 0 end)
);
--> statement-breakpoint
CREATE TABLE "invariant_checks" (
	"id" integer PRIMARY KEY NOT NULL,
	"checked_at" timestamp (6) with time zone NOT NULL,
	"attempted_at" timestamp (6) with time zone NOT NULL,
	"broken" text[] NOT NULL,
	"unchecked" text[] NOT NULL,
	CONSTRAINT "invariant_checks_one" CHECK ("invariant_checks"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "model_checks" (
	"model" text PRIMARY KEY NOT NULL,
	"checked_at" timestamp (6) with time zone NOT NULL,
	"result" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "answer_feedback" (
	"run_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"rating" smallint NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "answer_feedback_rating" CHECK ("answer_feedback"."rating" in (-1, 1))
);
--> statement-breakpoint
CREATE TABLE "session_branches" (
	"session_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"parent_id" text NOT NULL,
	"parent_turn" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shared_sessions" (
	"session_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"token_digest" "bytea" NOT NULL,
	"token_seed" "bytea",
	"last_turn" integer NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shared_sessions_token_digest_unique" UNIQUE("token_digest")
);
--> statement-breakpoint
CREATE TABLE "file_chunks" (
	"version_id" text NOT NULL,
	"index" integer NOT NULL,
	"account_id" text NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "file_chunks_version_id_index_pk" PRIMARY KEY("version_id","index"),
	CONSTRAINT "file_chunks_size" CHECK (octet_length("file_chunks"."data") <= 1048576)
);
--> statement-breakpoint
CREATE TABLE "file_texts" (
	"version_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"extraction" integer NOT NULL,
	"text" text NOT NULL,
	"problem" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"file_id" text,
	"version" integer NOT NULL,
	"state" text NOT NULL,
	"bytes" bigint DEFAULT 0 NOT NULL,
	"sha256" text DEFAULT '' NOT NULL,
	"content_type" text NOT NULL,
	"run_id" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "file_versions_state" CHECK ("file_versions"."state" in ('uploading', 'sealed'))
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"project_id" text NOT NULL,
	"session_id" text,
	"run_id" text,
	"name" text NOT NULL,
	"purpose" text NOT NULL,
	"version" integer NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"content_type" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reading_marks" (
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"ref" text NOT NULL,
	"text" text DEFAULT '' NOT NULL,
	"at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "reading_marks_account_id_kind_ref_pk" PRIMARY KEY("account_id","kind","ref"),
	CONSTRAINT "reading_marks_kind" CHECK ("reading_marks"."kind" in ('history', 'bookmark', 'note', 'daily'))
);
--> statement-breakpoint
CREATE TABLE "source_sheets" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"title" text NOT NULL,
	"intro" text DEFAULT '' NOT NULL,
	"entries" jsonb DEFAULT '[]' NOT NULL,
	"link_digest" "bytea",
	"link_seed" "bytea",
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "embedding_models" (
	"id" serial PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"dims" integer NOT NULL,
	"revision" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "embedding_models_name_unique" UNIQUE("name")
);
--> statement-breakpoint
CREATE TABLE "headings" (
	"key" text NOT NULL,
	"heading" text NOT NULL,
	"kind" text DEFAULT 'place' NOT NULL,
	"work_id" integer NOT NULL,
	"first_ordinal" integer NOT NULL,
	"first_ref" text NOT NULL,
	CONSTRAINT "headings_key_heading_pk" PRIMARY KEY("key","heading")
);
--> statement-breakpoint
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
	"failed_attempts" integer DEFAULT 0 NOT NULL,
	"works_done" integer DEFAULT 0 NOT NULL,
	"progress" jsonb,
	"report" jsonb,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "library_state" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "links" (
	"from_ref" text NOT NULL,
	"to_ref" text NOT NULL,
	"kind" text DEFAULT '' NOT NULL,
	CONSTRAINT "links_from_ref_to_ref_pk" PRIMARY KEY("from_ref","to_ref")
);
--> statement-breakpoint
CREATE TABLE "passage_texts" (
	"passage_id" bigint NOT NULL,
	"version_id" integer NOT NULL,
	"language" text NOT NULL,
	"doc_id" integer NOT NULL,
	"text" text NOT NULL,
	"url" text DEFAULT '' NOT NULL,
	"notes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "passage_texts_passage_id_version_id_pk" PRIMARY KEY("passage_id","version_id")
);
--> statement-breakpoint
CREATE TABLE "passage_vectors" (
	"doc_id" integer PRIMARY KEY NOT NULL,
	"model_id" integer NOT NULL,
	"scale" real NOT NULL,
	"components" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "passages" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"work_id" integer NOT NULL,
	"ref" text NOT NULL,
	"he_ref" text DEFAULT '' NOT NULL,
	"section_ref" text NOT NULL,
	"ordinal" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "search_postings" (
	"term" text NOT NULL,
	"block" integer NOT NULL,
	"documents" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "search_postings_term_block_pk" PRIMARY KEY("term","block")
);
--> statement-breakpoint
CREATE TABLE "search_spelling_buckets" (
	"bucket" integer NOT NULL,
	"block" integer NOT NULL,
	"pairs" text NOT NULL,
	CONSTRAINT "search_spelling_buckets_bucket_block_pk" PRIMARY KEY("bucket","block")
);
--> statement-breakpoint
CREATE TABLE "search_spellings" (
	"skeleton" text NOT NULL,
	"term" text NOT NULL,
	CONSTRAINT "search_spellings_skeleton_term_pk" PRIMARY KEY("skeleton","term")
);
--> statement-breakpoint
CREATE TABLE "versions" (
	"id" serial PRIMARY KEY NOT NULL,
	"work_id" integer NOT NULL,
	"language" text NOT NULL,
	"title" text NOT NULL,
	"license" text NOT NULL,
	"source_url" text DEFAULT '' NOT NULL,
	"machine_made" boolean DEFAULT false NOT NULL,
	"content_hash" text DEFAULT '' NOT NULL,
	"first_doc" integer DEFAULT 0 NOT NULL,
	"doc_count" integer DEFAULT 0 NOT NULL,
	"word_count" bigint DEFAULT 0 NOT NULL,
	"imported_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "works" (
	"id" serial PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"he_title" text DEFAULT '' NOT NULL,
	"author" text DEFAULT '' NOT NULL,
	"categories" text[] DEFAULT '{}' NOT NULL,
	"composed_from" integer,
	"composed_to" integer
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"account_id" text NOT NULL,
	"api_key_id" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"run_id" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_account_id_api_key_id_key_pk" PRIMARY KEY("account_id","api_key_id","key")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"session_id" text NOT NULL,
	"run_id" text NOT NULL,
	"turn" integer NOT NULL,
	"position" integer NOT NULL,
	"role" text NOT NULL,
	"content" jsonb NOT NULL,
	"transcript" "bytea",
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp (6) with time zone NOT NULL,
	"unlocked_at" timestamp (6) with time zone
);
--> statement-breakpoint
CREATE TABLE "run_log" (
	"run_id" text NOT NULL,
	"seq" integer NOT NULL,
	"step" integer NOT NULL,
	"account_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"events" integer NOT NULL,
	"steps" integer NOT NULL,
	"cost_micros" bigint NOT NULL,
	"entries" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "run_log_run_id_seq_step_pk" PRIMARY KEY("run_id","seq","step"),
	CONSTRAINT "run_log_entries" CHECK (jsonb_array_length("run_log"."entries") = "run_log"."events" + "run_log"."steps")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"project_id" text NOT NULL,
	"session_id" text NOT NULL,
	"api_key_id" text,
	"message_id" text NOT NULL,
	"turn" integer NOT NULL,
	"model" text NOT NULL,
	"status" text NOT NULL,
	"request" jsonb NOT NULL,
	"request_hash" "bytea",
	"project_instructions" text,
	"reply" jsonb,
	"finish_reason" text,
	"cost_micros" bigint DEFAULT 0 NOT NULL,
	"hold_micros" bigint NOT NULL,
	"held_allowance_micros" bigint NOT NULL,
	"most_micros" bigint NOT NULL,
	"step_count" integer DEFAULT 0 NOT NULL,
	"event_count" integer DEFAULT 0 NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_expires_at" timestamp (6) with time zone,
	"deadline_at" timestamp (6) with time zone NOT NULL,
	"on_disconnect" text DEFAULT 'continue' NOT NULL,
	"cancel_requested_at" timestamp (6) with time zone,
	"client_at" text,
	"client_closed_at" timestamp (6) with time zone,
	"admission" jsonb,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "runs_cost" CHECK ("runs"."cost_micros" <= "runs"."hold_micros"),
	CONSTRAINT "runs_status" CHECK ("runs"."status" in ('queued', 'in_progress', 'completed', 'failed', 'cancelled'))
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"project_id" text NOT NULL,
	"model" text NOT NULL,
	"name" text NOT NULL,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"open_runs" integer DEFAULT 0 NOT NULL,
	"metadata" jsonb,
	"added_bytes" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree ("email");
--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_digest" ON "api_keys" USING btree ("digest");
--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");
--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");
--> statement-breakpoint
CREATE INDEX "projects_account" ON "projects" USING btree ("account_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "web_sessions_account" ON "web_sessions" USING btree ("account_id");
--> statement-breakpoint
CREATE INDEX "web_sessions_created" ON "web_sessions" USING btree ("created_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "ledger_one_charge" ON "ledger" USING btree ("run_id") WHERE "ledger"."run_id" is not null;
--> statement-breakpoint
CREATE INDEX "ledger_account" ON "ledger" USING btree ("account_id","created_at");
--> statement-breakpoint
CREATE INDEX "answer_feedback_created" ON "answer_feedback" USING btree ("created_at","run_id");
--> statement-breakpoint
CREATE INDEX "session_branches_parent" ON "session_branches" USING btree ("parent_id","parent_turn");
--> statement-breakpoint
CREATE UNIQUE INDEX "file_versions_number" ON "file_versions" USING btree ("file_id","version");
--> statement-breakpoint
CREATE INDEX "file_versions_account" ON "file_versions" USING btree ("account_id","bytes") WHERE "file_versions"."state" = 'sealed';
--> statement-breakpoint
CREATE INDEX "file_versions_uploading" ON "file_versions" USING btree ("created_at") WHERE "file_versions"."state" = 'uploading';
--> statement-breakpoint
CREATE INDEX "files_project" ON "files" USING btree ("project_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "files_project_name" ON "files" USING btree ("project_id","name");
--> statement-breakpoint
CREATE INDEX "files_run" ON "files" USING btree ("run_id") WHERE "files"."run_id" is not null;
--> statement-breakpoint
CREATE INDEX "reading_marks_newest" ON "reading_marks" USING btree ("account_id","kind","at");
--> statement-breakpoint
CREATE INDEX "source_sheets_account" ON "source_sheets" USING btree ("account_id","updated_at");
--> statement-breakpoint
CREATE UNIQUE INDEX "source_sheets_link" ON "source_sheets" USING btree ("link_digest");
--> statement-breakpoint
CREATE INDEX "headings_work" ON "headings" USING btree ("work_id");
--> statement-breakpoint
CREATE INDEX "headings_first_word" ON "headings" USING btree (split_part("key", ' ', 1));
--> statement-breakpoint
CREATE UNIQUE INDEX "library_jobs_running" ON "library_jobs" USING btree ("status") WHERE "library_jobs"."status" = 'running';
--> statement-breakpoint
CREATE UNIQUE INDEX "library_jobs_unfinished" ON "library_jobs" USING btree ("collection") WHERE "library_jobs"."status" in ('queued', 'running');
--> statement-breakpoint
CREATE INDEX "library_jobs_collection" ON "library_jobs" USING btree ("collection","created_at");
--> statement-breakpoint
CREATE INDEX "links_to" ON "links" USING btree ("to_ref");
--> statement-breakpoint
CREATE INDEX "passage_texts_version" ON "passage_texts" USING btree ("version_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "passage_texts_doc" ON "passage_texts" USING btree ("doc_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "passages_ref" ON "passages" USING btree ("ref");
--> statement-breakpoint
CREATE INDEX "passages_order" ON "passages" USING btree ("work_id","ordinal");
--> statement-breakpoint
CREATE INDEX "passages_section" ON "passages" USING btree ("section_ref");
--> statement-breakpoint
CREATE UNIQUE INDEX "versions_title" ON "versions" USING btree ("work_id","language","title");
--> statement-breakpoint
CREATE UNIQUE INDEX "works_title" ON "works" USING btree ("title");
--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");
--> statement-breakpoint
CREATE INDEX "idempotency_keys_run" ON "idempotency_keys" USING btree ("run_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "messages_order" ON "messages" USING btree ("session_id","turn","position");
--> statement-breakpoint
CREATE INDEX "messages_transcript" ON "messages" USING btree ("transcript","created_at") WHERE "messages"."transcript" is not null;
--> statement-breakpoint
CREATE INDEX "run_log_with_events" ON "run_log" USING btree ("created_at") WHERE "run_log"."events" > 0;
--> statement-breakpoint
CREATE UNIQUE INDEX "runs_session_turn" ON "runs" USING btree ("session_id","turn");
--> statement-breakpoint
CREATE INDEX "runs_account_created" ON "runs" USING btree ("account_id","created_at");
--> statement-breakpoint
CREATE INDEX "runs_unfinished_since" ON "runs" USING btree ("created_at","id") WHERE "runs"."status" in ('queued', 'in_progress');
--> statement-breakpoint
CREATE INDEX "runs_account_open" ON "runs" USING btree ("account_id") WHERE "runs"."status" in ('queued', 'in_progress');
--> statement-breakpoint
CREATE INDEX "runs_account_queued" ON "runs" USING btree ("account_id") WHERE "runs"."status" = 'queued';
--> statement-breakpoint
CREATE INDEX "runs_same_request" ON "runs" USING btree ("api_key_id","request_hash","created_at") WHERE "runs"."request_hash" is not null;
--> statement-breakpoint
CREATE INDEX "runs_client_closed" ON "runs" USING btree ("api_key_id","request_hash","created_at") WHERE "runs"."client_closed_at" is not null;
--> statement-breakpoint
CREATE INDEX "sessions_project" ON "sessions" USING btree ("project_id","created_at","id");
--> statement-breakpoint
CREATE INDEX "sessions_added" ON "sessions" USING btree ("account_id") WHERE "sessions"."added_bytes" > 0;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "project_instructions" ADD CONSTRAINT "project_instructions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "answer_feedback" ADD CONSTRAINT "answer_feedback_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "session_branches" ADD CONSTRAINT "session_branches_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "shared_sessions" ADD CONSTRAINT "shared_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_chunks" ADD CONSTRAINT "file_chunks_version_id_file_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."file_versions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_version_id_file_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."file_versions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "headings" ADD CONSTRAINT "headings_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_doc_id_passage_texts_doc_id_fk" FOREIGN KEY ("doc_id") REFERENCES "public"."passage_texts"("doc_id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "passage_vectors" ADD CONSTRAINT "passage_vectors_model_id_embedding_models_id_fk" FOREIGN KEY ("model_id") REFERENCES "public"."embedding_models"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- What follows is by hand: drizzle's schema files cannot say it.
-- Each turn changes these rows in place. With room on its page, a new version needs no new index entries.
ALTER TABLE accounts SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE runs SET (fillfactor = 70);
--> statement-breakpoint
-- Chunks mostly have compressed or random bytes, and posting lists are packed by the application.
ALTER TABLE file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
--> statement-breakpoint
ALTER TABLE search_postings ALTER COLUMN data SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Rows need a look into the table until they are vacuumed. The default would leave a fifth of them.
ALTER TABLE search_postings SET (autovacuum_vacuum_insert_scale_factor = 0.05);
--> statement-breakpoint
-- A search counts the documents of each term in each block. With the counts in the index it reads no row for that.
CREATE UNIQUE INDEX search_postings_counts ON search_postings (term, block) INCLUDE (documents);
--> statement-breakpoint
ALTER TABLE search_postings DROP CONSTRAINT search_postings_term_block_pk;
--> statement-breakpoint
ALTER TABLE search_postings ADD CONSTRAINT search_postings_term_block_pk PRIMARY KEY USING INDEX search_postings_counts;
--> statement-breakpoint
-- Row-level security on every table with data of an account. FORCE applies it to the owner of the tables too. A
-- transaction without `app.account` sees no row; '*' is the service's own background work.
DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY[
    'accounts', 'answer_feedback', 'api_keys', 'file_chunks', 'file_texts', 'file_versions', 'files', 'idempotency_keys',
    'key_spending', 'ledger', 'messages', 'project_instructions', 'projects', 'reading_marks', 'run_log', 'runs',
    'session_branches', 'sessions', 'shared_sessions', 'source_sheets', 'web_sessions'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      '%I = current_setting(''app.account'', true) OR current_setting(''app.account'', true) = ''*'')',
      guarded, CASE guarded WHEN 'accounts' THEN 'id' ELSE 'account_id' END);
  END LOOP;
  -- The checks of all rules read these tables whole. The policy `tenant` asks for the setting with every row, which takes ten
  -- times as long as reading it; this one asks once per statement. Policies are tried from the last name to the first.
  FOREACH guarded IN ARRAY ARRAY['ledger', 'run_log', 'runs', 'sessions'] LOOP
    EXECUTE format(
      'CREATE POLICY wildcard ON %I FOR SELECT USING ((SELECT current_setting(''app.account'', true)) = ''*'')', guarded);
  END LOOP;
  -- Only the service itself reads these, never a transaction of an account.
  FOREACH guarded IN ARRAY ARRAY['audit_log', 'invariant_checks', 'model_checks', 'password_resets', 'prompt_texts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY service ON %I USING ((SELECT current_setting(''app.account'', true)) = ''*'')', guarded);
  END LOOP;
END $$;
--> statement-breakpoint
-- Ledger rows are corrected by new rows, never by changing old ones; this binds every role.
CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger rows cannot be changed or removed (% on %)', TG_OP, TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries cannot be changed or removed (% on %)', TG_OP, TG_TABLE_NAME;
END $$;
--> statement-breakpoint
-- A start locks the account's row first, so this sees a suspension that was committed before it. It also binds replicas
-- of a version that does not know suspension.
CREATE FUNCTION refuse_run_of_suspended() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM accounts a WHERE a.id = NEW.account_id AND a.suspended_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the account % is suspended', NEW.account_id USING ERRCODE = 'TU002';
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE FUNCTION delete_with_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM run_log WHERE run_id = OLD.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION delete_with_works() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passages p USING gone WHERE p.work_id = gone.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION delete_with_versions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.version_id = gone.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION delete_with_passages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM passage_texts t USING gone WHERE t.passage_id = gone.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The same as `bucketOf` in src/sources/index/spelling-pairs.ts.
CREATE FUNCTION spelling_bucket(name text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  WITH RECURSIVE weights (i, weight) AS (
    SELECT 1, 31 UNION ALL SELECT i + 1, (weight * 31) & 16383 FROM weights WHERE i < 16
  )
  SELECT (sum((ascii(substr(name, i, 1))::bigint * weight & 16383)::integer) & 16383)::integer
  FROM weights WHERE i <= length(name)
$$;
--> statement-breakpoint
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
--> statement-breakpoint
-- Whether a replica has ended. Each holds this advisory lock, shared, on its listening connection; the server releases it when the
-- process ends. One that lives and has lost that connection says so here, once per second.
CREATE FUNCTION replica_ended(p_replica text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 720311504 AND l.objsubid = 2
        AND l.objid::bigint = (hashtext(p_replica)::bigint & 4294967295)
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
    AND NOT EXISTS (SELECT FROM replicas p
      WHERE p.id = p_replica AND p.unlocked_at > clock_timestamp() - interval '15 seconds')
$$;
--> statement-breakpoint
-- What a project has, newest first: the tool's look at it is a call as well, and travels with others.
CREATE FUNCTION project_files(p_account text, p_project text)
RETURNS TABLE (name text, bytes bigint, content_type text, version int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.account', p_account, true);
  RETURN QUERY SELECT f.name, f.bytes::bigint, f.content_type, f.version FROM files f
    WHERE f.project_id = p_project ORDER BY f.created_at DESC, f.id DESC LIMIT 500;
END $$;
--> statement-breakpoint
CREATE TRIGGER ledger_fixed BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER ledger_kept BEFORE TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER audit_log_fixed BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
--> statement-breakpoint
CREATE TRIGGER audit_log_kept BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
--> statement-breakpoint
CREATE TRIGGER runs_not_of_suspended BEFORE INSERT ON runs
  FOR EACH ROW EXECUTE FUNCTION refuse_run_of_suspended();
--> statement-breakpoint
CREATE TRIGGER runs_leave_nothing AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION delete_with_run();
--> statement-breakpoint
CREATE TRIGGER works_leave_nothing AFTER DELETE ON works
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_works();
--> statement-breakpoint
CREATE TRIGGER versions_leave_nothing AFTER DELETE ON versions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_versions();
--> statement-breakpoint
CREATE TRIGGER passages_leave_nothing AFTER DELETE ON passages
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION delete_with_passages();
--> statement-breakpoint
CREATE TRIGGER spellings_into_buckets AFTER INSERT ON search_spellings
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION add_spelling_buckets();
