CREATE TABLE "mailed_links" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"email" text NOT NULL,
	"password_hash" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sent_notices" (
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"about" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sent_notices_account_id_kind_about_pk" PRIMARY KEY("account_id","kind","about")
);
--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "language" text DEFAULT 'en' NOT NULL;--> statement-breakpoint
CREATE INDEX "mailed_links_account" ON "mailed_links" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "runs_to_empty" ON "runs" USING btree ("session_id") WHERE "runs"."request" #>> '{response,store}' = 'false';
--> statement-breakpoint
-- Only the service itself reads these, never a transaction of an account.
DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['mailed_links', 'sent_notices'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY service ON %I USING ((SELECT current_setting(''app.account'', true)) = ''*'')', guarded);
  END LOOP;
END $$;
