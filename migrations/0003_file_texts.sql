CREATE TABLE "file_texts" (
	"version_id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"extraction" integer NOT NULL,
	"text" text NOT NULL,
	"problem" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_texts" ADD CONSTRAINT "file_texts_version_id_file_versions_id_fk" FOREIGN KEY ("version_id") REFERENCES "public"."file_versions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_versions_account" ON "file_versions" USING btree ("account_id","bytes") WHERE "file_versions"."state" = 'sealed';--> statement-breakpoint
ALTER TABLE file_texts ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE file_texts FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON file_texts USING (
  account_id = (SELECT current_setting('app.account', true))
  OR (SELECT current_setting('app.account', true)) = '*');
