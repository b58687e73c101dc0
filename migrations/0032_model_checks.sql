CREATE TABLE "model_checks" (
	"model" text PRIMARY KEY NOT NULL,
	"checked_at" timestamp (6) with time zone NOT NULL,
	"result" jsonb NOT NULL
);
--> statement-breakpoint
-- Only operators read the results, never a transaction of an account.
ALTER TABLE "model_checks" ENABLE ROW LEVEL SECURITY;--> statement-breakpoint
ALTER TABLE "model_checks" FORCE ROW LEVEL SECURITY;--> statement-breakpoint
CREATE POLICY service ON "model_checks" USING ((SELECT current_setting('app.account', true)) = '*');
