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
	"public_token" text,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "reading_marks" ADD CONSTRAINT "reading_marks_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "source_sheets" ADD CONSTRAINT "source_sheets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reading_marks_newest" ON "reading_marks" USING btree ("account_id","kind","at");--> statement-breakpoint
CREATE INDEX "source_sheets_account" ON "source_sheets" USING btree ("account_id","updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "source_sheets_public" ON "source_sheets" USING btree ("public_token");--> statement-breakpoint
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
