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
-- As `draw_credits`, for the larger hold of a step, once for each attempt at the run. `enough` is also false if a spending
-- cap of the run's API key does not allow it.
CREATE OR REPLACE FUNCTION extend_hold_2(
  p_account text, p_run text, p_step int, p_epoch int, p_micros bigint,
  OUT available bigint, OUT enough boolean, OUT pools bigint[], OUT parts bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_transaction bigint;
  v_ids bigint[];
  v_amounts bigint[];
  v_missing bigint;
  v_number int := 0;
  v_key text;
BEGIN
  SELECT r.api_key_id INTO v_key FROM runs r WHERE r.id = p_run;
  IF v_key IS NOT NULL THEN
    enough := (key_cap(p_account, v_key, p_micros, now())).refusal IS NULL;
    IF NOT enough THEN RETURN; END IF;
  END IF;
  SELECT coalesce(sum(locked.available_micros), 0),
    array_agg(locked.id ORDER BY coalesce(locked.expires_at, 'infinity'), locked.id),
    array_agg(locked.available_micros ORDER BY coalesce(locked.expires_at, 'infinity'), locked.id)
  INTO available, v_ids, v_amounts
  FROM (
    SELECT c.id, c.available_micros, c.expires_at FROM credit_pools c
    WHERE c.account_id = p_account AND c.available_micros > 0 AND (c.expires_at IS NULL OR c.expires_at > now())
    ORDER BY c.id FOR UPDATE
  ) AS locked;
  enough := available >= p_micros;
  IF NOT enough THEN RETURN; END IF;
  v_missing := p_micros;
  WHILE v_missing > 0 LOOP
    v_number := v_number + 1;
    pools := array_append(pools, v_ids[v_number]);
    parts := array_append(parts, least(v_amounts[v_number], v_missing));
    v_missing := v_missing - parts[v_number];
  END LOOP;
  v_transaction := nextval('credit_transactions_id_seq');
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, step, epoch)
  VALUES (v_transaction, p_account, p_run, 'extend', p_micros, p_step, p_epoch);
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  SELECT v_transaction, part.pool, side.ledger, p_account, side.sign * part.micros
  FROM unnest(pools, parts) AS part (pool, micros), (VALUES ('available', -1), ('held', 1)) AS side (ledger, sign);
  UPDATE credit_pools c SET available_micros = available_micros - part.micros, held_micros = held_micros + part.micros
  FROM unnest(pools, parts) AS part (pool, micros) WHERE c.id = part.pool;
END $$;
--> statement-breakpoint
DROP FUNCTION admit_run;
--> statement-breakpoint
-- Admits one turn: decides, under the account's lock, and writes the session if it is new, the run, its input and its hold.
-- Only the decisions `admitted` and `insufficient_credits` come after all others; any decision but `admitted` writes
-- nothing. `admission/refusals` has the meaning of each.
--
-- The caller may have given up a call that arrives after `p_not_after`. Without an error, because the call shares its
-- transaction with other calls of the account. `p_sent_at`: when the caller last saw that its client is connected.
-- `p_again`: an earlier call for this run got no answer, and an open one holds the account's lock, so the look is final.
-- Null for: `p_session_new`, a request that names its session; `p_project`, a default project that does not exist yet;
-- `p_input`, input that the caller writes itself; `p_key`, a person.
CREATE FUNCTION admit_run(
  p_account text, p_plan text, p_api_access boolean, p_monthly bigint, p_per_minute int, p_slots int, p_queued int,
  p_key text, p_hash bytea, p_idempotency_key text, p_retried boolean, p_minutes int, p_key_hours int,
  p_under_pressure boolean, p_again boolean, p_settled text[], p_lost text[], p_lost_at text[], p_gone text[], p_sent_at timestamptz, p_not_after timestamptz,
  p_session text, p_session_new text, p_project text, p_after int, p_has_question boolean, p_name text,
  p_run text, p_message text, p_model text, p_request jsonb, p_input jsonb, p_on_disconnect text,
  p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_max bigint,
  p_owner text, p_client_at text, p_lease_seconds double precision, p_turn_seconds double precision,
  OUT decision text, OUT plan text, OUT replicas text[], OUT known_run text, OUT known_client_at text,
  OUT known_client_closed boolean, OUT seconds int, OUT available bigint, OUT project text, OUT turn int, OUT held bigint,
  OUT account_turn int, OUT created_at timestamptz, OUT deadline_at timestamptz, OUT lease_expires_at timestamptz,
  OUT started_at timestamptz, OUT key_limit bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_suspended boolean;
  v_count int;
  v_name text;
  v_hash bytea;
  v_open int := 0;
  v_window record;
  v_key record;
  v_hold record;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  SELECT a.plan, a.suspended_at IS NOT NULL INTO plan, v_suspended
  FROM accounts a WHERE a.id = p_account AND a.password_hash <> '' FOR NO KEY UPDATE;
  decision := CASE
    WHEN NOT FOUND THEN 'not_found'
    WHEN clock_timestamp() > p_not_after THEN 'late'
    WHEN v_suspended THEN 'account_suspended'
    WHEN plan <> p_plan THEN 'plan_changed' END;
  -- Who came late has a wrong idea of the server's time.
  created_at := clock_timestamp();
  IF decision IS NOT NULL THEN RETURN; END IF;

  IF p_session IS NOT NULL THEN
    SELECT s.project_id, s.turn_count, s.name INTO project, v_count, v_name
    FROM sessions s WHERE s.id = p_session AND s.account_id = p_account FOR UPDATE;
  END IF;
  IF p_key IS NOT NULL THEN
    decision := CASE WHEN NOT key_usable(p_key) THEN 'invalid_api_key' WHEN NOT p_api_access THEN 'plan_without_api_access' END;
    IF decision IS NOT NULL THEN RETURN; END IF;
  END IF;

  -- Whether the request has begun a run before.
  IF p_again AND EXISTS (SELECT FROM runs r WHERE r.id = p_run) THEN
    decision := 'written';
    RETURN;
  END IF;
  IF p_idempotency_key IS NOT NULL THEN
    SELECT i.request_hash, r.id, r.client_at, r.client_closed_at IS NOT NULL
    INTO v_hash, known_run, known_client_at, known_client_closed
    FROM idempotency_keys i JOIN runs r ON r.id = i.run_id
    WHERE i.account_id = p_account AND i.api_key_id = coalesce(p_key, '') AND i.key = p_idempotency_key AND i.expires_at > now();
    IF v_hash <> p_hash THEN
      decision := 'idempotency_key_reused';
      RETURN;
    END IF;
  ELSIF p_key IS NOT NULL THEN
    IF NOT p_retried THEN
      replicas := unsettled_replicas(p_key, p_hash, p_minutes, p_settled);
      IF replicas IS NOT NULL THEN
        decision := 'clients_unknown';
        RETURN;
      END IF;
    END IF;
    SELECT e.run, e.client_at, e.client_closed INTO known_run, known_client_at, known_client_closed
    FROM equal_run(p_key, p_hash, p_minutes, p_retried, p_lost, p_lost_at, p_gone) e;
    -- A run of a replica that is not visible yet, or of version 0.1.0, may be this client's retry, which was faster.
    IF known_run IS NULL AND EXISTS (SELECT FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > p_sent_at
        AND r.lease_owner IS DISTINCT FROM p_owner) THEN
      decision := 'overtaken';
      RETURN;
    END IF;
  END IF;
  decision := CASE WHEN known_run IS NOT NULL THEN 'repeated' WHEN p_under_pressure THEN 'overloaded' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  -- Where the turn belongs.
  IF p_session IS NOT NULL THEN
    decision := CASE
      WHEN project IS NULL THEN 'not_found'
      WHEN EXISTS (SELECT FROM runs r WHERE r.session_id = p_session AND r.turn > p_after AND r.status <> 'failed')
        THEN 'not_last_turn' END;
    SELECT count(*) INTO v_open FROM runs r WHERE r.session_id = p_session AND r.status IN ('queued', 'in_progress');
  ELSIF p_project IS NOT NULL THEN
    SELECT p.id INTO project FROM projects p WHERE p.id = p_project AND p.account_id = p_account FOR KEY SHARE;
    decision := CASE WHEN NOT FOUND THEN 'no_project' END;
  END IF;
  decision := CASE
    WHEN decision IS NOT NULL THEN decision
    WHEN NOT p_has_question THEN 'no_question'
    WHEN v_open > p_queued THEN 'session_busy' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  -- The limits of the plan.
  v_window := starts_in_window(p_account);
  seconds := v_window.seconds;
  decision := CASE
    WHEN v_window.starts >= p_per_minute THEN 'rate_limit_exceeded'
    WHEN v_open = 0 AND slots_taken(p_account, v_window.newest, p_slots) >= p_slots THEN 'too_many_concurrent_runs'
    WHEN project IS NULL THEN 'no_project' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  -- The limits of the key.
  IF p_key IS NOT NULL THEN
    v_key := key_refusal(p_account, p_key, p_session, p_hold);
    IF v_key.refusal IS NOT NULL THEN
      decision := v_key.refusal;
      key_limit := v_key.max;
      available := v_key.room;
      seconds := v_key.seconds;
      RETURN;
    END IF;
    -- As for the account's credits: many turns must fit under the cap.
    IF v_key.room / p_ample_parts < p_ample_hold THEN p_ample_hold := p_hold; END IF;
  END IF;

  IF p_monthly > 0 AND NOT allowance_given(p_account) THEN
    -- A refusal writes nothing, so the allowance is counted before it is granted.
    available := p_monthly + spendable(p_account);
    IF available >= p_hold THEN PERFORM ensure_allowance(p_account, p_monthly); END IF;
  END IF;
  IF available IS NULL OR available >= p_hold THEN
    v_hold := draw_credits(p_account, p_run, 'hold', NULL, p_hold, p_ample_hold, p_ample_parts);
    available := v_hold.available;
  END IF;
  IF available < p_hold THEN
    decision := 'insufficient_credits';
    RETURN;
  END IF;

  held := v_hold.drawn;
  turn := coalesce(v_count, 0) + 1;
  IF v_open > 0 THEN p_owner := NULL; END IF;
  IF p_session IS NULL THEN
    INSERT INTO sessions (id, account_id, project_id, model, name, turn_count)
    VALUES (p_session_new, p_account, project, p_model, p_name, turn);
  ELSE
    UPDATE sessions s SET turn_count = admit_run.turn, name = CASE WHEN v_name = '' THEN p_name ELSE v_name END, updated_at = now()
    WHERE s.id = p_session;
  END IF;
  -- Dated under the account's lock, so that the order of an account's turns in time is that of their numbers.
  INSERT INTO runs AS r (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
    request, request_hash, hold_micros, hold_pools, hold_parts, most_micros, epoch, lease_owner, lease_expires_at,
    deadline_at, on_disconnect, client_at, created_at, started_at)
  VALUES (p_run, p_account, project, coalesce(p_session, p_session_new), p_key, p_message, turn, coalesce(v_window.newest, 0) + 1,
    p_model, CASE WHEN p_owner IS NULL THEN 'queued' ELSE 'in_progress' END,
    p_request, p_hash, held, v_hold.pools, v_hold.parts, p_max, CASE WHEN p_owner IS NULL THEN 0 ELSE 1 END, p_owner,
    CASE WHEN p_owner IS NOT NULL THEN now() + make_interval(secs => p_lease_seconds) END,
    now() + make_interval(secs => p_turn_seconds), p_on_disconnect, p_client_at,
    clock_timestamp(), CASE WHEN p_owner IS NOT NULL THEN now() END)
  RETURNING r.account_turn, r.created_at, r.deadline_at, r.lease_expires_at, r.started_at
  INTO account_turn, created_at, deadline_at, lease_expires_at, started_at;
  PERFORM write_input(p_account, coalesce(p_session, p_session_new), p_run, turn, p_input);
  IF p_idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS i (account_id, api_key_id, key, request_hash, run_id, expires_at)
    VALUES (p_account, coalesce(p_key, ''), p_idempotency_key, p_hash, p_run, now() + make_interval(hours => p_key_hours))
    -- The row of an expired key.
    ON CONFLICT (account_id, api_key_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = now(), expires_at = excluded.expires_at;
  END IF;
  IF clock_timestamp() > p_not_after THEN
    RAISE EXCEPTION 'the start of % came too late', p_run USING ERRCODE = 'TU001';
  END IF;
  decision := 'admitted';
END $$;
