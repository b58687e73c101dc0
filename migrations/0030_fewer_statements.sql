-- Functions of turns, with few statements and expressions: each has a cost of its own in every call.
-- Whether an API key is neither revoked nor expired, by the server's clock.
CREATE FUNCTION key_works(p_key api_keys) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_key.revoked_at IS NULL AND (p_key.expires_at IS NULL OR p_key.expires_at > now())
$$;
--> statement-breakpoint
-- Rows of `messages` for a turn's input: an array of objects with `id`, `position` and `content`. `transcript` is a hash in
-- hexadecimal; older replicas send none.
CREATE FUNCTION input_rows(p_account text, p_session text, p_run text, p_turn int, p_input jsonb) RETURNS TABLE (
  id text, account_id text, session_id text, run_id text, turn int, "position" int, role text, content jsonb, transcript bytea
) LANGUAGE sql STABLE AS $$
  SELECT m.id, p_account, p_session, p_run, p_turn, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
  FROM jsonb_to_recordset(p_input) AS m (id text, position int, content jsonb, transcript text)
$$;
--> statement-breakpoint
-- Whether the API key with this id exists and works.
CREATE OR REPLACE FUNCTION key_usable(p_key text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM api_keys k WHERE k.id = p_key AND key_works(k));
END $$;
--> statement-breakpoint
-- The number of the account's newest turn, how many turns began in the last minute, and the seconds until the first of
-- them is a minute old. Starts take their numbers under the account's lock, so two numbers tell how many turns are
-- between them. Version 0.1.0 writes no numbers; turns are then counted.
CREATE OR REPLACE FUNCTION starts_in_window(p_account text, OUT newest int, OUT starts int, OUT seconds int) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_first int;
  v_since timestamptz;
BEGIN
  -- After the clock was set back, the newest run may not have the highest number. No two open turns share one.
  SELECT greatest(
      (SELECT r.account_turn FROM runs r WHERE r.account_id = p_account ORDER BY r.created_at DESC LIMIT 1),
      (SELECT r.account_turn FROM runs r WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress')
        ORDER BY r.account_turn DESC NULLS LAST LIMIT 1)),
    first.account_turn, first.created_at
  INTO newest, v_first, v_since
  FROM (SELECT) AS once LEFT JOIN LATERAL (
    SELECT r.account_turn, r.created_at FROM runs r
    WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute' ORDER BY r.created_at LIMIT 1
  ) AS first ON true;
  IF v_since IS NULL THEN
    starts := 0;
    RETURN;
  END IF;
  starts := newest - v_first + 1;
  IF starts IS NULL THEN
    SELECT count(*) INTO starts FROM runs r
    WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute';
  END IF;
  seconds := greatest(ceil(extract(epoch FROM v_since + interval '1 minute' - now())), 1);
END $$;
--> statement-breakpoint
-- Takes credits out of an account's pools for a run: what expires first is drawn first. Every call locks pools in the
-- order of their ids. It draws `p_ample` if that is at most one of `p_parts` parts of the account's credits. If the account
-- has less than `p_micros`, `enough` is false and nothing is written.
CREATE OR REPLACE FUNCTION draw_credits(
  p_account text, p_run text, p_kind text, p_step int, p_micros bigint, p_ample bigint, p_parts int,
  OUT available bigint, OUT enough boolean, OUT drawn bigint, OUT pools bigint[], OUT parts bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_transaction bigint;
  v_ids bigint[];
  v_amounts bigint[];
  v_missing bigint;
  v_number int := 0;
BEGIN
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
  drawn := CASE WHEN p_ample <= available / p_parts THEN p_ample ELSE p_micros END;
  v_missing := drawn;
  WHILE v_missing > 0 LOOP
    v_number := v_number + 1;
    pools := array_append(pools, v_ids[v_number]);
    parts := array_append(parts, least(v_amounts[v_number], v_missing));
    v_missing := v_missing - parts[v_number];
  END LOOP;
  v_transaction := nextval('credit_transactions_id_seq');
  WITH entries AS (
    INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
    SELECT v_transaction, part.pool, side.ledger, p_account, side.sign * part.micros
    FROM unnest(pools, parts) AS part (pool, micros), (VALUES ('available', -1), ('held', 1)) AS side (ledger, sign)
  ), moved AS (
    UPDATE credit_pools c SET available_micros = available_micros - part.micros, held_micros = held_micros + part.micros
    FROM unnest(pools, parts) AS part (pool, micros) WHERE c.id = part.pool
  )
  -- Postgres executes this first, so a second hold fails here. A hold is extended once for each step and attempt.
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, step, epoch)
  VALUES (v_transaction, p_account, p_run, p_kind, drawn, p_step,
    CASE WHEN p_step IS NULL THEN 0 ELSE coalesce((SELECT r.epoch FROM runs r WHERE r.id = p_run), 0) END);
END $$;
--> statement-breakpoint
-- Charges `p_charge` of a run's hold (null: nothing, without a row) and gives the rest back. It is an error if the charge
-- is above the hold, if the parts do not add up to the hold, or if the hold was settled before: the rows are unique.
CREATE OR REPLACE FUNCTION settle_hold(
  p_account text, p_run text, p_charge bigint, p_facts jsonb, p_held bigint, p_pools bigint[], p_parts bigint[]
) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_charge bigint;
  v_release bigint;
  v_pools bigint[] := p_pools;
  v_parts bigint[] := p_parts;
  v_charged bigint[];
  v_left bigint := coalesce(p_charge, 0);
  v_sum bigint := 0;
BEGIN
  IF v_left > p_held THEN
    RAISE EXCEPTION 'charge of % above the hold of % for %', v_left, p_held, p_run;
  END IF;
  IF cardinality(v_pools) > 1 THEN
    PERFORM id FROM credit_pools WHERE id = ANY (v_pools) ORDER BY id FOR UPDATE;
    SELECT array_agg(h.pool ORDER BY coalesce(c.expires_at, 'infinity'), c.id),
      array_agg(h.micros ORDER BY coalesce(c.expires_at, 'infinity'), c.id)
    INTO v_pools, v_parts
    FROM (SELECT pool, sum(micros)::bigint AS micros FROM unnest(p_pools, p_parts) AS part (pool, micros) GROUP BY pool) AS h
    JOIN credit_pools c ON c.id = h.pool;
  END IF;
  FOR v_number IN 1 .. coalesce(cardinality(v_pools), 0) LOOP
    v_charged[v_number] := least(v_parts[v_number], v_left);
    v_left := v_left - v_charged[v_number];
    v_sum := v_sum + v_parts[v_number];
  END LOOP;
  IF v_sum IS DISTINCT FROM p_held THEN
    RAISE EXCEPTION 'parts of % in a hold of % for %', v_sum, p_held, p_run;
  END IF;
  IF p_charge IS NOT NULL THEN
    v_charge := nextval('credit_transactions_id_seq');
  END IF;
  v_release := nextval('credit_transactions_id_seq');
  WITH entries AS (
    -- What is charged of a part goes from held to spent, and the rest of it from held to available.
    INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
    SELECT entry.transaction, part.pool, entry.ledger, p_account, entry.micros
    FROM unnest(v_pools, v_parts, v_charged) AS part (pool, micros, charged), LATERAL (VALUES
      (v_charge, 'held', -part.charged), (v_charge, 'spent', part.charged),
      (v_release, 'held', part.charged - part.micros), (v_release, 'available', part.micros - part.charged)
    ) AS entry (transaction, ledger, micros)
    WHERE entry.micros <> 0
  ), moved AS (
    UPDATE credit_pools c
    SET held_micros = held_micros - part.micros, available_micros = available_micros + part.micros - part.charged
    FROM unnest(v_pools, v_parts, v_charged) AS part (pool, micros, charged) WHERE c.id = part.pool
  )
  -- Postgres executes this first, so a second settlement fails here.
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, facts)
  SELECT made.id, p_account, p_run, made.kind, made.micros, made.facts
  FROM (VALUES (v_charge, 'charge', p_charge, p_facts), (v_release, 'release', p_held - coalesce(p_charge, 0), NULL))
    AS made (id, kind, micros, facts)
  WHERE made.id IS NOT NULL;
END $$;
--> statement-breakpoint
-- Events up to number `p_last_seq`, and the finished steps after `p_steps_before` with their costs.
CREATE OR REPLACE FUNCTION write_progress(
  p_account text, p_run text, p_epoch int, p_last_seq int, p_events jsonb, p_steps_before int, p_steps jsonb
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH events AS (
    INSERT INTO run_events (run_id, seq, account_id, step, attempt, event)
    SELECT p_run, p_last_seq - jsonb_array_length(p_events) + number, p_account, coalesce((event->>'step')::int, 0), p_epoch, event
    FROM jsonb_array_elements(p_events) WITH ORDINALITY AS line (event, number)
  )
  INSERT INTO run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
  SELECT p_run, p_steps_before + number, p_account, p_epoch, step->'record'->>'kind', step->'record', (step->>'micros')::bigint
  FROM jsonb_array_elements(p_steps) WITH ORDINALITY AS line (step, number);
END $$;
--> statement-breakpoint
-- The end of a run: its row, its last steps and events, the answer with its session, then the pools, in the order in which a
-- start locks them. A start in the same session waits for the session's row, and then sees that this run has ended.
-- `waiting`: whether another turn may wait for that.
CREATE OR REPLACE FUNCTION end_turn(
  p_account text, p_run text, p_epoch int, p_events_before int, p_steps_before int, p_events jsonb, p_steps jsonb,
  p_status text, p_output jsonb, p_error_code text, p_error_message text, p_finish_reason text, p_usage jsonb,
  p_cost bigint, p_charge bigint, p_facts jsonb, p_session text, p_message text, p_turn int, p_position int, p_answer jsonb,
  OUT owned boolean, OUT waiting boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_last int := p_events_before + jsonb_array_length(p_events);
  v_run record;
  v_newest int;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  UPDATE runs SET event_count = v_last, step_count = p_steps_before + jsonb_array_length(p_steps),
    status = p_status, output = p_output, error_code = p_error_code, error_message = p_error_message,
    finish_reason = p_finish_reason, usage = p_usage, cost_micros = p_cost,
    lease_owner = NULL, lease_expires_at = NULL, finished_at = now()
  WHERE id = p_run AND epoch = p_epoch AND status || '' = 'in_progress'
    AND event_count = p_events_before AND step_count = p_steps_before
  RETURNING hold_micros, hold_pools, hold_parts INTO v_run;
  owned := FOUND;
  IF NOT owned THEN RETURN; END IF;
  PERFORM write_progress(p_account, p_run, p_epoch, v_last, p_events, p_steps_before, p_steps);
  WITH answer AS (
    INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content)
    SELECT p_message, p_account, p_session, p_run, p_turn, p_position, 'assistant', p_answer WHERE p_answer IS NOT NULL
  )
  UPDATE sessions SET updated_at = now() WHERE id = p_session RETURNING turn_count INTO v_newest;
  PERFORM settle_hold(p_account, p_run, p_charge, p_facts, v_run.hold_micros, v_run.hold_pools, v_run.hold_parts);
  waiting := v_newest > p_turn OR EXISTS (SELECT FROM runs WHERE account_id = p_account AND status = 'queued');
END $$;
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
CREATE OR REPLACE FUNCTION admit_run(
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
  v_works boolean;
  v_limited boolean;
  v_limit record;
  v_hold record;
  v_account text := set_config('app.account', p_account, true);
BEGIN
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
    SELECT key_works(k),
      num_nonnulls(k.requests_per_minute, k.concurrent_turns, k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) > 0
    INTO v_works, v_limited FROM api_keys k WHERE k.id = p_key;
    decision := CASE WHEN v_works IS NOT TRUE THEN 'invalid_api_key' WHEN NOT p_api_access THEN 'plan_without_api_access' END;
    IF decision IS NOT NULL THEN RETURN; END IF;
  END IF;

  -- Whether the request has begun a run before.
  IF p_again THEN
    PERFORM FROM runs r WHERE r.id = p_run;
    IF FOUND THEN
      decision := 'written';
      RETURN;
    END IF;
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
  -- Most requests are equal to none. Without a time, which the index has last: any equal run ends the search.
  ELSIF p_key IS NOT NULL AND EXISTS (SELECT FROM runs r WHERE r.api_key_id = p_key AND r.request_hash = p_hash) THEN
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
  IF v_limited THEN
    v_limit := key_refusal(p_account, p_key, p_session, p_hold);
    IF v_limit.refusal IS NOT NULL THEN
      decision := v_limit.refusal;
      key_limit := v_limit.max;
      available := v_limit.room;
      seconds := v_limit.seconds;
      RETURN;
    END IF;
    -- As for the account's credits: many turns must fit under the cap.
    IF v_limit.room / p_ample_parts < p_ample_hold THEN p_ample_hold := p_hold; END IF;
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
  WITH input AS (
    INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
    SELECT * FROM input_rows(p_account, coalesce(p_session, p_session_new), p_run, admit_run.turn, p_input)
  )
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
