CREATE TABLE "key_spending" (
	"key_id" text NOT NULL,
	"account_id" text NOT NULL,
	"day" date NOT NULL,
	"micros" bigint NOT NULL,
	CONSTRAINT "key_spending_key_id_day_pk" PRIMARY KEY("key_id","day")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "day_cap_micros" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "month_cap_micros" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "total_cap_micros" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "requests_per_minute" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "concurrent_turns" integer;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "defaults" jsonb DEFAULT '{}'::jsonb NOT NULL;
--> statement-breakpoint
-- Row-level security as for every table of accounts.
ALTER TABLE key_spending ENABLE ROW LEVEL SECURITY;
--> statement-breakpoint
ALTER TABLE key_spending FORCE ROW LEVEL SECURITY;
--> statement-breakpoint
CREATE POLICY tenant ON key_spending USING (
  account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
--> statement-breakpoint
-- Adds a charge to what its API key has spent that day. As a trigger, so that charges of the version before count.
CREATE FUNCTION add_key_spending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO key_spending AS s (key_id, account_id, day, micros)
  VALUES (NEW.facts->>'key_id', NEW.account_id, (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.amount_micros)
  ON CONFLICT (key_id, day) DO UPDATE SET micros = s.micros + excluded.micros;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER credit_transactions_of_keys AFTER INSERT ON credit_transactions FOR EACH ROW
  WHEN (NEW.kind = 'charge' AND NEW.amount_micros > 0 AND NEW.facts->>'key_id' IS NOT NULL) EXECUTE FUNCTION add_key_spending();
--> statement-breakpoint
-- The trigger blocks new charges until the migration ends, so these are all that it has not seen.
INSERT INTO key_spending (key_id, account_id, day, micros)
SELECT t.facts->>'key_id', t.account_id, (t.created_at AT TIME ZONE 'UTC')::date, sum(t.amount_micros)
FROM credit_transactions t JOIN api_keys k ON k.id = t.facts->>'key_id'
WHERE t.kind = 'charge' AND t.amount_micros > 0 GROUP BY 1, 2, 3;
--> statement-breakpoint
-- What an API key has spent on the day and in the month (UTC) of an instant and in all, and what its unfinished runs hold, in
-- micro-credits. One statement, so that a charge is either still held or spent.
CREATE FUNCTION key_spent(
  p_account text, p_key text, p_at timestamptz, OUT day bigint, OUT month bigint, OUT total bigint, OUT held bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_day date := (p_at AT TIME ZONE 'UTC')::date;
BEGIN
  SELECT coalesce(sum(s.micros) FILTER (WHERE s.day = v_day), 0),
    coalesce(sum(s.micros) FILTER (WHERE s.day >= date_trunc('month', v_day)::date AND s.day <= v_day), 0),
    coalesce(sum(s.micros), 0),
    -- The account's open runs are few. An index of all runs of a key would find finished ones.
    (SELECT coalesce(sum(r.hold_micros), 0) FROM runs r
      WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') AND r.api_key_id || '' = p_key)
  INTO day, month, total, held
  FROM key_spending s WHERE s.key_id = p_key;
END $$;
--> statement-breakpoint
-- Whether the spending caps of an API key allow `p_more` micro-credits more at an instant. A cap counts charges and the holds
-- of unfinished runs. `room` is what the caps leave; null without caps. `refusal` names the cap that refuses, `cap` is its
-- amount, and `room` what it leaves. If several refuse, it is the one that refuses longest.
-- The key's row stays locked to the end of the transaction, so that two turns cannot use the same room. A caller locks the
-- account's pools next, so they are locked first, in the order of `draw_credits`.
CREATE FUNCTION key_cap(
  p_account text, p_key text, p_more bigint, p_at timestamptz, OUT refusal text, OUT cap bigint, OUT room bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_caps record;
  v_spent record;
  v_refused record;
BEGIN
  IF NOT EXISTS (SELECT FROM api_keys k
    WHERE k.id = p_key AND coalesce(k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) IS NOT NULL) THEN RETURN; END IF;
  PERFORM FROM credit_pools c
  WHERE c.account_id = p_account AND c.available_micros > 0 AND (c.expires_at IS NULL OR c.expires_at > now())
  ORDER BY c.id FOR UPDATE;
  SELECT k.day_cap_micros AS day, k.month_cap_micros AS month, k.total_cap_micros AS total INTO v_caps
  FROM api_keys k WHERE k.id = p_key FOR NO KEY UPDATE;
  v_spent := key_spent(p_account, p_key, p_at);
  room := least(v_caps.day - v_spent.day, v_caps.month - v_spent.month, v_caps.total - v_spent.total) - v_spent.held;
  SELECT named.refusal, named.cap, named.cap - named.spent - v_spent.held AS room INTO v_refused
  FROM (VALUES (1, 'key_total_cap', v_caps.total, v_spent.total), (2, 'key_month_cap', v_caps.month, v_spent.month),
    (3, 'key_day_cap', v_caps.day, v_spent.day)) AS named (place, refusal, cap, spent)
  WHERE named.cap - named.spent - v_spent.held < p_more ORDER BY named.place LIMIT 1;
  IF NOT FOUND THEN RETURN; END IF;
  refusal := v_refused.refusal;
  cap := v_refused.cap;
  room := v_refused.room;
END $$;
--> statement-breakpoint
-- The limit of an API key that refuses a new turn, if one does: turns in a minute, sessions with an unfinished turn of the key, or a
-- spending cap. `max` is the limit that refuses, `seconds` the time until the rate limit allows a turn, and `room` what
-- the spending caps leave (see `key_cap`).
CREATE FUNCTION key_refusal(
  p_account text, p_key text, p_session text, p_hold bigint,
  OUT refusal text, OUT max bigint, OUT seconds int, OUT room bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_limits record;
  v_oldest timestamptz;
  v_busy record;
  v_cap record;
BEGIN
  SELECT k.requests_per_minute AS starts, k.concurrent_turns AS slots,
    coalesce(k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) IS NOT NULL AS has_cap
  INTO v_limits FROM api_keys k WHERE k.id = p_key;
  IF v_limits.starts IS NOT NULL THEN
    SELECT r.created_at INTO v_oldest FROM runs r
    WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute' AND r.api_key_id || '' = p_key
    ORDER BY r.created_at DESC OFFSET v_limits.starts - 1 LIMIT 1;
    IF FOUND THEN
      refusal := 'key_rate_limit';
      max := v_limits.starts;
      seconds := greatest(ceil(extract(epoch FROM v_oldest + interval '1 minute' - now())), 1);
      RETURN;
    END IF;
  END IF;
  IF v_limits.slots IS NOT NULL THEN
    SELECT count(DISTINCT r.session_id) AS sessions, coalesce(bool_or(r.session_id = p_session), false) AS has_own INTO v_busy
    FROM runs r
    WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') AND r.api_key_id || '' = p_key;
    IF v_busy.sessions >= v_limits.slots AND NOT v_busy.has_own THEN
      refusal := 'key_concurrency';
      max := v_limits.slots;
      RETURN;
    END IF;
  END IF;
  IF v_limits.has_cap THEN
    v_cap := key_cap(p_account, p_key, p_hold, now());
    refusal := v_cap.refusal;
    max := v_cap.cap;
    room := v_cap.room;
  END IF;
END $$;
--> statement-breakpoint
-- Databases that followed the source have an earlier one, with other results.
DROP FUNCTION IF EXISTS admit_run;
