CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"plan" text NOT NULL,
	"operator" boolean DEFAULT false NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_email_lower" CHECK ("accounts"."email" = lower("accounts"."email"))
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
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (6) with time zone,
	"expires_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	CONSTRAINT "api_keys_binding" CHECK ("api_keys"."binding" in ('project', 'dedicated', 'owner'))
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "credit_entries" (
	"transaction_id" bigint NOT NULL,
	"pool_id" bigint NOT NULL,
	"ledger" text NOT NULL,
	"account_id" text NOT NULL,
	"amount_micros" bigint NOT NULL,
	CONSTRAINT "credit_entries_transaction_id_pool_id_ledger_pk" PRIMARY KEY("transaction_id","pool_id","ledger")
);
--> statement-breakpoint
CREATE TABLE "credit_pools" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"period_start" timestamp (6) with time zone,
	"available_micros" bigint NOT NULL,
	"held_micros" bigint DEFAULT 0 NOT NULL,
	"expires_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_pools_available" CHECK ("credit_pools"."available_micros" >= 0),
	CONSTRAINT "credit_pools_held" CHECK ("credit_pools"."held_micros" >= 0)
);
--> statement-breakpoint
CREATE TABLE "credit_transactions" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"run_id" text,
	"kind" text NOT NULL,
	"step" integer,
	"amount_micros" bigint NOT NULL,
	"facts" jsonb,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "credit_transactions_amount" CHECK ("credit_transactions"."amount_micros" >= 0)
);
--> statement-breakpoint
CREATE TABLE "holds" (
	"run_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"amount_micros" bigint NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	"settled_at" timestamp (6) with time zone,
	CONSTRAINT "holds_amount" CHECK ("holds"."amount_micros" >= 0)
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
CREATE TABLE "headings" (
	"key" text NOT NULL,
	"heading" text NOT NULL,
	"work_id" integer NOT NULL,
	"first_ordinal" integer NOT NULL,
	"first_ref" text NOT NULL,
	CONSTRAINT "headings_key_heading_pk" PRIMARY KEY("key","heading")
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
	"notes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "passage_texts_passage_id_version_id_pk" PRIMARY KEY("passage_id","version_id")
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
	"categories" text[] DEFAULT '{}' NOT NULL
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
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "run_events" (
	"run_id" text NOT NULL,
	"seq" integer NOT NULL,
	"account_id" text NOT NULL,
	"step" integer NOT NULL,
	"attempt" integer NOT NULL,
	"event" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "run_events_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "run_steps" (
	"run_id" text NOT NULL,
	"step" integer NOT NULL,
	"account_id" text NOT NULL,
	"epoch" integer NOT NULL,
	"kind" text NOT NULL,
	"record" jsonb NOT NULL,
	"cost_micros" bigint NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "run_steps_run_id_step_pk" PRIMARY KEY("run_id","step"),
	CONSTRAINT "run_steps_cost" CHECK ("run_steps"."cost_micros" >= 0)
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
	"output" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"error_code" text,
	"error_message" text DEFAULT '' NOT NULL,
	"finish_reason" text,
	"usage" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"cost_micros" bigint DEFAULT 0 NOT NULL,
	"hold_micros" bigint NOT NULL,
	"most_micros" bigint NOT NULL,
	"step_count" integer DEFAULT 0 NOT NULL,
	"event_count" integer DEFAULT 0 NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_expires_at" timestamp (6) with time zone,
	"deadline_at" timestamp (6) with time zone NOT NULL,
	"on_disconnect" text DEFAULT 'continue' NOT NULL,
	"cancel_requested_at" timestamp (6) with time zone,
	"client_closed_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"started_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "runs_status" CHECK ("runs"."status" in ('queued', 'in_progress', 'completed', 'failed', 'cancelled')),
	CONSTRAINT "runs_cost" CHECK ("runs"."cost_micros" >= 0)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"project_id" text NOT NULL,
	"model" text NOT NULL,
	"name" text NOT NULL,
	"turn_count" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_entries" ADD CONSTRAINT "credit_entries_transaction_id_credit_transactions_id_fk" FOREIGN KEY ("transaction_id") REFERENCES "public"."credit_transactions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credit_pools" ADD CONSTRAINT "credit_pools_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "holds" ADD CONSTRAINT "holds_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_chunks" ADD CONSTRAINT "file_chunks_version_id_file_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."file_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_versions" ADD CONSTRAINT "file_versions_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "headings" ADD CONSTRAINT "headings_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_texts" ADD CONSTRAINT "passage_texts_passage_id_passages_id_fk" FOREIGN KEY ("passage_id") REFERENCES "public"."passages"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passage_texts" ADD CONSTRAINT "passage_texts_version_id_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passages" ADD CONSTRAINT "passages_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "versions" ADD CONSTRAINT "versions_work_id_works_id_fk" FOREIGN KEY ("work_id") REFERENCES "public"."works"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_events" ADD CONSTRAINT "run_events_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "run_steps" ADD CONSTRAINT "run_steps_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email" ON "accounts" USING btree ("email");--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_digest" ON "api_keys" USING btree ("digest");--> statement-breakpoint
CREATE INDEX "api_keys_account" ON "api_keys" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "projects_account" ON "projects" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "credit_entries_pool" ON "credit_entries" USING btree ("pool_id");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_pools_allowance" ON "credit_pools" USING btree ("account_id","period_start");--> statement-breakpoint
CREATE INDEX "credit_pools_account" ON "credit_pools" USING btree ("account_id","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "credit_transactions_once" ON "credit_transactions" USING btree ("run_id","kind") WHERE "credit_transactions"."kind" in ('hold', 'charge', 'release');--> statement-breakpoint
CREATE UNIQUE INDEX "credit_transactions_extend" ON "credit_transactions" USING btree ("run_id","step") WHERE "credit_transactions"."kind" = 'extend';--> statement-breakpoint
CREATE INDEX "credit_transactions_account" ON "credit_transactions" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "holds_open" ON "holds" USING btree ("account_id") WHERE "holds"."settled_at" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "file_versions_number" ON "file_versions" USING btree ("file_id","version");--> statement-breakpoint
CREATE INDEX "file_versions_uploading" ON "file_versions" USING btree ("created_at") WHERE "file_versions"."state" = 'uploading';--> statement-breakpoint
CREATE INDEX "files_project" ON "files" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "files_project_name" ON "files" USING btree ("project_id","name");--> statement-breakpoint
CREATE INDEX "files_run" ON "files" USING btree ("run_id") WHERE "files"."run_id" is not null;--> statement-breakpoint
CREATE INDEX "headings_work" ON "headings" USING btree ("work_id");--> statement-breakpoint
CREATE INDEX "links_to" ON "links" USING btree ("to_ref");--> statement-breakpoint
CREATE INDEX "passage_texts_version" ON "passage_texts" USING btree ("version_id");--> statement-breakpoint
CREATE UNIQUE INDEX "passage_texts_doc" ON "passage_texts" USING btree ("doc_id");--> statement-breakpoint
CREATE UNIQUE INDEX "passages_ref" ON "passages" USING btree ("ref");--> statement-breakpoint
CREATE INDEX "passages_order" ON "passages" USING btree ("work_id","ordinal");--> statement-breakpoint
CREATE INDEX "passages_section" ON "passages" USING btree ("section_ref");--> statement-breakpoint
CREATE UNIQUE INDEX "versions_title" ON "versions" USING btree ("work_id","language","title");--> statement-breakpoint
CREATE UNIQUE INDEX "works_title" ON "works" USING btree ("title");--> statement-breakpoint
CREATE INDEX "idempotency_keys_expiry" ON "idempotency_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_order" ON "messages" USING btree ("session_id","turn","position");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_session_turn" ON "runs" USING btree ("session_id","turn");--> statement-breakpoint
CREATE INDEX "runs_account_created" ON "runs" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "runs_unfinished" ON "runs" USING btree ("lease_expires_at") WHERE "runs"."status" in ('queued', 'in_progress');--> statement-breakpoint
CREATE INDEX "runs_account_unfinished" ON "runs" USING btree ("account_id") WHERE "runs"."status" in ('queued', 'in_progress');--> statement-breakpoint
CREATE INDEX "runs_request_hash" ON "runs" USING btree ("api_key_id","request_hash","created_at") WHERE "runs"."request_hash" is not null;--> statement-breakpoint
CREATE INDEX "sessions_project" ON "sessions" USING btree ("project_id","created_at","id");