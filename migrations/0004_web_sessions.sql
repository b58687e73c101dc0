CREATE TABLE "web_sessions" (
	"digest" "bytea" PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "web_sessions" ADD CONSTRAINT "web_sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "web_sessions_account" ON "web_sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "web_sessions_created" ON "web_sessions" USING btree ("created_at");--> statement-breakpoint
ALTER TABLE web_sessions ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE web_sessions FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON web_sessions USING (
  account_id = (SELECT current_setting('app.account', true))
  OR (SELECT current_setting('app.account', true)) = '*');
