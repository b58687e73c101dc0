-- The account's live state moves into its row, and the ledger becomes one table by kind of credit. Holds are columns of
-- runs. The service is stopped while this runs.
ALTER TABLE accounts
  ADD COLUMN allowance_month date,
  ADD COLUMN allowance_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN granted_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN held_micros bigint NOT NULL DEFAULT 0,
  ADD COLUMN open_turns integer NOT NULL DEFAULT 0,
  ADD COLUMN next_start_at timestamp (6) with time zone NOT NULL DEFAULT now(),
  ADD CONSTRAINT accounts_state CHECK (allowance_micros >= 0 AND granted_micros >= 0 AND held_micros >= 0 AND open_turns >= 0);
--> statement-breakpoint
-- Each turn changes the row twice. With room on its page, the new version needs no new index entries.
ALTER TABLE accounts SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN open_runs integer NOT NULL DEFAULT 0;
--> statement-breakpoint
ALTER TABLE runs SET (fillfactor = 70);
--> statement-breakpoint
ALTER TABLE runs ADD COLUMN held_allowance_micros bigint NOT NULL DEFAULT 0, ADD COLUMN admission jsonb;
--> statement-breakpoint
CREATE TABLE ledger (
  id bigserial PRIMARY KEY,
  account_id text NOT NULL,
  run_id text,
  kind text NOT NULL,
  allowance_micros bigint NOT NULL,
  granted_micros bigint NOT NULL,
  facts jsonb,
  created_at timestamp (6) with time zone NOT NULL DEFAULT now(),
  CONSTRAINT ledger_signs CHECK (CASE WHEN kind IN ('grant', 'allowance') THEN allowance_micros >= 0 AND granted_micros >= 0
    ELSE allowance_micros <= 0 AND granted_micros <= 0 END)
);
--> statement-breakpoint
INSERT INTO ledger (account_id, run_id, kind, allowance_micros, granted_micros, facts, created_at)
SELECT t.account_id, CASE WHEN t.kind = 'charge' THEN t.run_id END, t.kind,
  coalesce(sum(e.sign * e.micros) FILTER (WHERE p.expires_at IS NOT NULL), 0),
  coalesce(sum(e.sign * e.micros) FILTER (WHERE p.expires_at IS NULL), 0), t.facts, t.created_at
FROM credit_transactions t
  LEFT JOIN LATERAL (
    SELECT c.pool_id, abs(c.amount_micros) AS micros, CASE WHEN t.kind IN ('grant', 'allowance') THEN 1 ELSE -1 END AS sign
    FROM credit_entries c
    WHERE c.transaction_id = t.id AND c.ledger = CASE WHEN t.kind = 'charge' THEN 'spent' ELSE 'available' END) e ON true
  LEFT JOIN credit_pools p ON p.id = e.pool_id
WHERE t.kind IN ('grant', 'allowance', 'expire', 'charge', 'take_back')
GROUP BY t.id ORDER BY t.id;
--> statement-breakpoint
-- What is left in expired pools was no longer spendable.
INSERT INTO ledger (account_id, kind, allowance_micros, granted_micros)
SELECT account_id, 'expire', -sum(available_micros), 0 FROM credit_pools
WHERE expires_at <= now() AND available_micros > 0 GROUP BY account_id;
--> statement-breakpoint
UPDATE runs r SET held_allowance_micros = coalesce((
  SELECT sum(h.micros) FROM unnest(r.hold_pools, r.hold_parts) AS h (pool, micros)
    JOIN credit_pools p ON p.id = h.pool WHERE p.expires_at IS NOT NULL), 0)
WHERE r.status IN ('queued', 'in_progress');
--> statement-breakpoint
UPDATE sessions s SET open_runs = o.runs FROM (
  SELECT session_id, count(*) AS runs FROM runs WHERE status IN ('queued', 'in_progress') GROUP BY session_id) o
WHERE o.session_id = s.id;
--> statement-breakpoint
UPDATE accounts a SET
  allowance_month = (SELECT max((p.period_start AT TIME ZONE 'UTC')::date) FROM credit_pools p
    WHERE p.account_id = a.id AND p.period_start IS NOT NULL),
  allowance_micros = (SELECT coalesce(sum(p.available_micros), 0) FROM credit_pools p
    WHERE p.account_id = a.id AND p.expires_at > now()),
  granted_micros = (SELECT coalesce(sum(p.available_micros), 0) FROM credit_pools p
    WHERE p.account_id = a.id AND p.expires_at IS NULL),
  held_micros = (SELECT coalesce(sum(p.held_micros), 0) FROM credit_pools p WHERE p.account_id = a.id),
  open_turns = (SELECT count(*) FROM sessions s WHERE s.account_id = a.id AND s.open_runs > 0);
--> statement-breakpoint
DROP TABLE credit_entries, credit_transactions, credit_pools, invariant_sums;
--> statement-breakpoint
ALTER TABLE invariant_checks DROP COLUMN ledger_mark, DROP COLUMN patrol_transaction, DROP COLUMN patrol_run;
--> statement-breakpoint
CREATE UNIQUE INDEX ledger_one_charge ON ledger (run_id) WHERE run_id IS NOT NULL;
--> statement-breakpoint
CREATE INDEX ledger_account ON ledger (account_id, created_at);
--> statement-breakpoint
ALTER TABLE ledger ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE ledger FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON ledger USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
--> statement-breakpoint
-- The checks of all rules read these tables whole: see the policies of this name on runs, run_steps and run_events.
CREATE POLICY wildcard ON ledger FOR SELECT USING ((SELECT current_setting('app.account', true)) = '*');
--> statement-breakpoint
CREATE POLICY wildcard ON sessions FOR SELECT USING ((SELECT current_setting('app.account', true)) = '*');
--> statement-breakpoint
CREATE TRIGGER ledger_fixed BEFORE UPDATE OR DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
CREATE TRIGGER ledger_kept BEFORE TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
--> statement-breakpoint
DROP FUNCTION IF EXISTS add_key_spending();
--> statement-breakpoint
DROP INDEX IF EXISTS runs_account_open, runs_same_request;
--> statement-breakpoint
ALTER TABLE runs DROP COLUMN account_turn, DROP COLUMN hold_pools, DROP COLUMN hold_parts,
  ALTER COLUMN held_allowance_micros DROP DEFAULT, ADD CONSTRAINT runs_cost CHECK (cost_micros <= hold_micros);
--> statement-breakpoint
CREATE INDEX runs_account_open ON runs (account_id) WHERE status IN ('queued', 'in_progress');
--> statement-breakpoint
CREATE INDEX runs_same_request ON runs (api_key_id, request_hash, created_at) WHERE request_hash IS NOT NULL;
--> statement-breakpoint
ALTER TABLE replicas DROP COLUMN settled_at;
--> statement-breakpoint
DO $$
DECLARE
  v_function regprocedure;
BEGIN
  FOR v_function IN
    SELECT p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = 'public' AND p.proname IN (
      'admit_run', 'admit_run_2', 'equal_run', 'input_rows', 'key_refusal', 'key_usable', 'slots_taken', 'starts_in_window',
      'unsettled_replicas', 'allowance_given', 'draw_credits', 'ensure_allowance', 'key_cap', 'key_spent', 'settle_hold',
      'spendable', 'append_to_run', 'append_to_run_2', 'append_to_runs', 'end_turn', 'open_calls', 'write_progress')
  LOOP
    EXECUTE format('DROP FUNCTION %s CASCADE', v_function);
  END LOOP;
END $$;
--> statement-breakpoint
DROP FUNCTION IF EXISTS key_works(api_keys);
