ALTER TABLE "accounts" ADD COLUMN "deletion_due_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "legal_hold_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "accounts" ADD COLUMN "legal_hold_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "accounts_deletion_due" ON "accounts" USING btree ("deletion_due_at") WHERE "accounts"."deletion_due_at" is not null;--> statement-breakpoint
CREATE INDEX "accounts_legal_hold" ON "accounts" USING btree ("id") WHERE "accounts"."legal_hold_at" is not null;
--> statement-breakpoint
-- Nothing that a person wrote, asked or stored is deleted while the account is under a legal hold, whatever the calling code has
-- checked. It also binds replicas of a version that does not know legal holds.
CREATE FUNCTION refuse_deletion_under_hold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM accounts a WHERE a.id = OLD.account_id AND a.legal_hold_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the account % is under a legal hold', OLD.account_id USING ERRCODE = 'TU004';
  END IF;
  RETURN OLD;
END $$;
--> statement-breakpoint
DO $$
DECLARE
  guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['files', 'messages', 'projects', 'runs', 'sessions', 'source_sheets'] LOOP
    EXECUTE format('CREATE TRIGGER legal_hold BEFORE DELETE ON %I
      FOR EACH ROW EXECUTE FUNCTION refuse_deletion_under_hold()', guarded);
  END LOOP;
END $$;
