CREATE TABLE "invitations" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"digest" "bytea" NOT NULL,
	"email" text,
	"role" text NOT NULL,
	"mailed" boolean DEFAULT false NOT NULL,
	"invited_by" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "invitations_digest_unique" UNIQUE("digest"),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'admin', 'member', 'viewer'))
);
--> statement-breakpoint
CREATE TABLE "members" (
	"account_id" text NOT NULL,
	"member_id" text NOT NULL,
	"role" text NOT NULL,
	"added_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "members_account_id_member_id_pk" PRIMARY KEY("account_id","member_id"),
	CONSTRAINT "members_other" CHECK ("members"."account_id" <> "members"."member_id"),
	CONSTRAINT "members_role" CHECK ("members"."role" in ('owner', 'admin', 'member', 'viewer'))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "web_sessions" ADD COLUMN "acting_for" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "member_id" text;--> statement-breakpoint
CREATE INDEX "invitations_account" ON "invitations" USING btree ("account_id","created_at");--> statement-breakpoint
CREATE INDEX "members_member" ON "members" USING btree ("member_id");
--> statement-breakpoint
DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['invitations', 'members'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      'account_id = current_setting(''app.account'', true) OR current_setting(''app.account'', true) = ''*'')', guarded);
  END LOOP;
END $$;
