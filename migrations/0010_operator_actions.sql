CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"account_id" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
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
ALTER TABLE "accounts" ADD COLUMN "suspended_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "password_resets" ADD CONSTRAINT "password_resets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_run" ON "idempotency_keys" USING btree ("run_id");--> statement-breakpoint
-- Only the service itself reads these, never a transaction of an account.
DO $$
DECLARE
  service_table text;
BEGIN
  FOREACH service_table IN ARRAY ARRAY['password_resets', 'audit_log'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', service_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', service_table);
    EXECUTE format(
      'CREATE POLICY service ON %I USING ((SELECT current_setting(''app.account'', true)) = ''*'')', service_table);
  END LOOP;
END $$;
--> statement-breakpoint
CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'audit entries cannot be changed or removed (% on %)', TG_OP, TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER audit_log_fixed BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
--> statement-breakpoint
CREATE TRIGGER audit_log_kept BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
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
CREATE TRIGGER runs_not_of_suspended BEFORE INSERT ON runs
  FOR EACH ROW EXECUTE FUNCTION refuse_run_of_suspended();
