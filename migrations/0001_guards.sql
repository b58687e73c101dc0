-- Row-level security on every table that holds something of an account. FORCE makes it bind the owner of the
-- tables too. A transaction without `app.account` sees no row; '*' is the service's own background work.
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY[
    'api_keys', 'projects', 'sessions', 'runs', 'messages', 'run_steps', 'run_events', 'idempotency_keys',
    'files', 'file_versions', 'file_chunks', 'credit_pools', 'credit_transactions', 'credit_entries', 'holds'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format(
      'CREATE POLICY tenant ON %I USING ('
      'account_id = (SELECT current_setting(''app.account'', true)) '
      'OR (SELECT current_setting(''app.account'', true)) = ''*'')', tenant_table);
  END LOOP;
END $$;
--> statement-breakpoint
ALTER TABLE accounts ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE accounts FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON accounts USING (
  id = (SELECT current_setting('app.account', true))
  OR (SELECT current_setting('app.account', true)) = '*');
--> statement-breakpoint
-- Ledger rows are corrected by new rows, never by changing old ones; this binds every role.
CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'ledger rows cannot be changed or removed (% on %)', TG_OP, TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER credit_transactions_fixed BEFORE UPDATE OR DELETE ON credit_transactions
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER credit_transactions_kept BEFORE TRUNCATE ON credit_transactions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER credit_entries_fixed BEFORE UPDATE OR DELETE ON credit_entries
  FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER credit_entries_kept BEFORE TRUNCATE ON credit_entries
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
-- Chunks hold compressed or random bytes more often than not: storing them uncompressed makes ranges cheap.
ALTER TABLE file_chunks ALTER COLUMN data SET STORAGE EXTERNAL;
--> statement-breakpoint
-- Posting lists are packed by the application already.
ALTER TABLE search_postings ALTER COLUMN data SET STORAGE EXTERNAL;
