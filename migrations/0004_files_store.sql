CREATE TABLE "unused_objects" (
	"location" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"due_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file_versions" ADD COLUMN "location" text;--> statement-breakpoint
CREATE INDEX "file_versions_in_postgres" ON "file_versions" USING btree ("created_at") WHERE "file_versions"."location" is null and "file_versions"."state" = 'sealed';
--> statement-breakpoint
ALTER TABLE unused_objects ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE unused_objects FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON unused_objects USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
--> statement-breakpoint
-- Whichever statement deletes a version, also that of its file, project or account.
CREATE FUNCTION leave_object() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unused_objects (location, account_id) VALUES (OLD.location, OLD.account_id);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER file_versions_leave_objects AFTER DELETE ON file_versions
  FOR EACH ROW WHEN (OLD.location IS NOT NULL) EXECUTE FUNCTION leave_object();
