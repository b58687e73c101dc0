CREATE TABLE "invariant_checks" (
	"id" integer PRIMARY KEY NOT NULL,
	"ledger_mark" bigint NOT NULL,
	"patrol_transaction" bigint DEFAULT -1 NOT NULL,
	"patrol_run" text DEFAULT '' NOT NULL,
	"checked_at" timestamp (6) with time zone NOT NULL,
	"attempted_at" timestamp (6) with time zone NOT NULL,
	"broken" text[] NOT NULL,
	"unchecked" text[] NOT NULL,
	CONSTRAINT "invariant_checks_one" CHECK ("invariant_checks"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "invariant_sums" (
	"pool_id" bigint NOT NULL,
	"ledger" text NOT NULL,
	"amount_micros" bigint NOT NULL,
	CONSTRAINT "invariant_sums_pool_id_ledger_pk" PRIMARY KEY("pool_id","ledger")
);
--> statement-breakpoint
-- The sums tell what accounts hold: only the service itself reads them, never a transaction of an account.
DO $$
DECLARE
  service_table text;
BEGIN
  FOREACH service_table IN ARRAY ARRAY['invariant_checks', 'invariant_sums'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', service_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', service_table);
    EXECUTE format(
      'CREATE POLICY service ON %I USING ((SELECT current_setting(''app.account'', true)) = ''*'')', service_table);
  END LOOP;
END $$;
--> statement-breakpoint
-- The check of all rules reads some millions of rows. The policy `tenant` asks for the setting with every row, which takes ten
-- times as long as reading it; this one gives the same rows to the same transactions and asks once for each statement. It is for
-- reading alone, and on the tables that the check reads whole: a turn writes to most of them and hardly reads them. Policies are tried from the last name to the first.
DO $$
DECLARE
  checked_table text;
BEGIN
  FOREACH checked_table IN ARRAY ARRAY['runs', 'credit_transactions', 'credit_entries', 'run_steps', 'run_events'] LOOP
    EXECUTE format(
      'CREATE POLICY wildcard ON %I FOR SELECT USING ((SELECT current_setting(''app.account'', true)) = ''*'')', checked_table);
  END LOOP;
END $$;
