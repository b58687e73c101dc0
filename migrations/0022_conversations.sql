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
	"token" text NOT NULL,
	"last_turn" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "shared_sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
ALTER TABLE "answer_feedback" ADD CONSTRAINT "answer_feedback_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_branches" ADD CONSTRAINT "session_branches_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "shared_sessions" ADD CONSTRAINT "shared_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "answer_feedback_created" ON "answer_feedback" USING btree ("created_at","run_id");--> statement-breakpoint
CREATE INDEX "session_branches_parent" ON "session_branches" USING btree ("parent_id","parent_turn");
--> statement-breakpoint
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
