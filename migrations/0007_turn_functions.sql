-- The same rows as before: compared with the setting itself, not with the result of a subquery, which every statement
-- had to set up twice for each table that it names. In the order in which starts of turns come to the tables.
ALTER POLICY tenant ON accounts USING (
  id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
--> statement-breakpoint
DO $$
DECLARE
  tenant_table text;
BEGIN
  FOREACH tenant_table IN ARRAY ARRAY[
    'api_keys', 'projects', 'runs', 'credit_pools', 'credit_transactions', 'credit_entries', 'sessions',
    'messages', 'run_steps', 'run_events', 'idempotency_keys', 'files', 'file_versions', 'file_chunks'
  ] LOOP
    EXECUTE format(
      'ALTER POLICY tenant ON %I USING ('
      'account_id = current_setting(''app.account'', true) OR current_setting(''app.account'', true) = ''*'')', tenant_table);
  END LOOP;
END $$;
--> statement-breakpoint
-- What a run holds of which pool stands in its own row: its end need not walk through the ledger for it, and a table of
-- holds says nothing more.
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "hold_pools" bigint[];
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN IF NOT EXISTS "hold_parts" bigint[];
--> statement-breakpoint
DROP TABLE IF EXISTS "holds";
--> statement-breakpoint
-- In the order of their numbers: the oldest turn that is open tells how many there can be, and they need not be counted.
CREATE INDEX IF NOT EXISTS "runs_account_open" ON "runs" USING btree ("account_id","account_turn" NULLS FIRST) WHERE "runs"."status" in ('queued', 'in_progress');
--> statement-breakpoint
DROP INDEX IF EXISTS "runs_account_unfinished";
--> statement-breakpoint
-- Nearly always empty: the end of a run asks whether one of its account waits, whatever number of others is under way.
CREATE INDEX IF NOT EXISTS "runs_account_queued" ON "runs" USING btree ("account_id") WHERE "runs"."status" = 'queued';
--> statement-breakpoint
-- What a turn writes keeps one foreign key at most, to what it is a part of: each is a look-up with every row. Steps and events
-- have none: they are written by functions that have just changed their run's row, and so hold its lock. A trigger takes
-- them away with the run.
ALTER TABLE "messages" DROP CONSTRAINT IF EXISTS "messages_run_id_runs_id_fk";
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT IF EXISTS "runs_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "runs" DROP CONSTRAINT IF EXISTS "runs_project_id_projects_id_fk";
--> statement-breakpoint
ALTER TABLE "sessions" DROP CONSTRAINT IF EXISTS "sessions_account_id_accounts_id_fk";
--> statement-breakpoint
ALTER TABLE "run_steps" DROP CONSTRAINT IF EXISTS "run_steps_run_id_runs_id_fk";
--> statement-breakpoint
ALTER TABLE "run_events" DROP CONSTRAINT IF EXISTS "run_events_run_id_runs_id_fk";
--> statement-breakpoint
-- Entries are written together with their transaction, and neither is ever removed; `doctor` tells one without.
ALTER TABLE "credit_entries" DROP CONSTRAINT IF EXISTS "credit_entries_transaction_id_credit_transactions_id_fk";
--> statement-breakpoint
-- Only `doctor` looks entries up by their pool, and it looks at all of them.
DROP INDEX IF EXISTS "credit_entries_pool";
--> statement-breakpoint
CREATE OR REPLACE FUNCTION delete_with_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM run_steps WHERE run_id = OLD.id;
  DELETE FROM run_events WHERE run_id = OLD.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER runs_leave_nothing AFTER DELETE ON runs FOR EACH ROW EXECUTE FUNCTION delete_with_run();
--> statement-breakpoint
-- A check is made ready with every statement that writes to its table. The ledger keeps its own, neither a charge nor a pool is
-- ever negative, and `doctor` compares what a run costs with it and looks at the steps.
ALTER TABLE "runs" DROP CONSTRAINT IF EXISTS "runs_cost";
--> statement-breakpoint
ALTER TABLE "run_steps" DROP CONSTRAINT IF EXISTS "run_steps_cost";
--> statement-breakpoint
-- Of the runs that are not over.
UPDATE runs SET hold_pools = held.pools, hold_parts = held.parts
FROM (
  SELECT part.run_id, array_agg(part.pool_id) AS pools, array_agg(part.micros) AS parts
  FROM (
    SELECT t.run_id, e.pool_id, sum(e.amount_micros)::bigint AS micros
    FROM credit_transactions t JOIN credit_entries e ON e.transaction_id = t.id AND e.ledger = 'held'
    WHERE t.run_id IN (SELECT id FROM runs WHERE status IN ('queued', 'in_progress'))
    GROUP BY t.run_id, e.pool_id
  ) AS part GROUP BY part.run_id
) AS held WHERE held.run_id = runs.id;
--> statement-breakpoint
-- What follows is the path of every turn: its start, its steps with the larger hold, and its end, each one call and one
-- round trip. As functions, since a row here and a row there cost far less than one statement that writes nine tables.
-- They run with the rights of who calls them, and name their account to the policies themselves.
-- `status || ''` where a run is named by its id: compared plainly, a plan of an hour in which few runs were open walks through an
-- index of all that are, and with thousands of them that is some milliseconds for each write.
-- Replicas of two versions call them side by side: what one means never changes. A change is a function of a new name.

-- Databases that have followed the source between releases may have earlier ones.
DROP FUNCTION IF EXISTS draw_credits, place_hold, extend_hold, settle_hold, write_turn, begin_turn, write_progress, append_to_run,
  append_to_runs, extend_run, end_turn, open_calls, project_files;
--> statement-breakpoint
-- Takes credits out of an account's pools for a run: what expires first is drawn first. Pools are locked in the order of
-- their ids, by every call and before a batch of calls. It draws `p_ample` where that is at most one of `p_parts` parts of what the
-- account has. `enough` is false when the account has less than `p_micros`, and nothing is written then.
CREATE FUNCTION draw_credits(
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
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, step)
  VALUES (v_transaction, p_account, p_run, p_kind, drawn, p_step);
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  SELECT v_transaction, part.pool, side.ledger, p_account, side.sign * part.micros
  FROM unnest(pools, parts) AS part (pool, micros), (VALUES ('available', -1), ('held', 1)) AS side (ledger, sign);
  UPDATE credit_pools c SET available_micros = available_micros - part.micros, held_micros = held_micros + part.micros
  FROM unnest(pools, parts) AS part (pool, micros) WHERE c.id = part.pool;
END $$;
--> statement-breakpoint
-- Charges a part of what a run holds, none and without a row when it is null, and gives the rest back. A charge above the
-- hold is an error, so are parts that do not add up to it, and so is a second call: the rows are unique.
CREATE FUNCTION settle_hold(
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
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, facts)
  SELECT made.id, p_account, p_run, made.kind, made.micros, made.facts
  FROM (VALUES (v_charge, 'charge', p_charge, p_facts), (v_release, 'release', p_held - coalesce(p_charge, 0), NULL))
    AS made (id, kind, micros, facts)
  WHERE made.id IS NOT NULL;
  -- What is charged of a part goes from held to spent, and the rest of it from held to available.
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  SELECT entry.transaction, part.pool, entry.ledger, p_account, entry.micros
  FROM unnest(v_pools, v_parts, v_charged) AS part (pool, micros, charged), LATERAL (VALUES
    (v_charge, 'held', -part.charged), (v_charge, 'spent', part.charged),
    (v_release, 'held', part.charged - part.micros), (v_release, 'available', part.micros - part.charged)
  ) AS entry (transaction, ledger, micros)
  WHERE entry.micros <> 0;
  UPDATE credit_pools c
  SET held_micros = held_micros - part.micros, available_micros = available_micros + part.micros - part.charged
  FROM unnest(v_pools, v_parts, v_charged) AS part (pool, micros, charged) WHERE c.id = part.pool;
END $$;
--> statement-breakpoint
-- Writes a run with its input and its hold, and its session: a new one, or one that moves on to `p_turn`. Nothing when the
-- account has not enough. `held` is `p_hold`, or `p_ample_hold` where the account has plenty. A run without an owner waits. It is
-- dated when it is written, under the account's lock, so that the order of an account's turns in time is that of their numbers.
CREATE FUNCTION write_turn(
  p_account text, p_project text, p_session text, p_session_name text, p_turn int, p_key text, p_run text, p_message text,
  p_model text, p_request jsonb, p_hash bytea, p_input jsonb, p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_most bigint, p_owner text,
  p_lease_seconds double precision, p_turn_seconds double precision, p_on_disconnect text,
  p_new_session boolean, p_newest_turn int,
  OUT available bigint, OUT enough boolean, OUT held bigint, OUT account_turn int, OUT created_at timestamptz, OUT deadline_at timestamptz,
  OUT lease_expires_at timestamptz, OUT started_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  v_hold record;
BEGIN
  v_hold := draw_credits(p_account, p_run, 'hold', NULL, p_hold, p_ample_hold, p_ample_parts);
  available := v_hold.available;
  enough := v_hold.enough;
  held := v_hold.drawn;
  IF NOT enough THEN RETURN; END IF;
  IF p_new_session THEN
    INSERT INTO sessions (id, account_id, project_id, model, name, turn_count)
    VALUES (p_session, p_account, p_project, p_model, p_session_name, p_turn);
  ELSE
    UPDATE sessions SET turn_count = p_turn, name = p_session_name, updated_at = now() WHERE id = p_session;
  END IF;
  INSERT INTO runs AS r (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
    request, request_hash, hold_micros, hold_pools, hold_parts, most_micros, epoch, lease_owner, lease_expires_at,
    deadline_at, on_disconnect, created_at, started_at)
  VALUES (p_run, p_account, p_project, p_session, p_key, p_message, p_turn, coalesce(p_newest_turn, 0) + 1, p_model,
    CASE WHEN p_owner IS NULL THEN 'queued' ELSE 'in_progress' END,
    p_request, p_hash, held, v_hold.pools, v_hold.parts, p_most,
    CASE WHEN p_owner IS NULL THEN 0 ELSE 1 END, p_owner,
    CASE WHEN p_owner IS NOT NULL THEN now() + make_interval(secs => p_lease_seconds) END,
    now() + make_interval(secs => p_turn_seconds), p_on_disconnect,
    clock_timestamp(), CASE WHEN p_owner IS NOT NULL THEN now() END)
  RETURNING r.account_turn, r.created_at, r.deadline_at, r.lease_expires_at, r.started_at
  INTO account_turn, created_at, deadline_at, lease_expires_at, started_at;
  INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content)
  SELECT m.id, p_account, p_session, p_run, p_turn, m.position, m.content->>'role', m.content
  FROM jsonb_to_recordset(p_input) AS m (id text, position int, content jsonb);
END $$;
--> statement-breakpoint
-- The start that meets nothing unusual, in one call: a new session, the key and its plan as the request has found them, no
-- repetition, free places, an allowance that has been given. Else `admitted` is false and nothing is written: the facts
-- have to be looked at one by one. The account's row is locked first, and what is looked at then is newer than that.
-- An equal request that began a run since `p_sent_at`, when this one was sent, may be its repetition, which was faster: whether
-- its client is still there has to be looked at. After `p_not_after` it fails: its caller may have given it up, and told
-- the client so.
CREATE FUNCTION begin_turn(
  p_account text, p_plan text, p_turns_per_minute int, p_concurrent_turns int, p_guard_minutes int,
  p_project text, p_session text, p_session_name text, p_key text, p_run text, p_message text,
  p_model text, p_request jsonb, p_hash bytea, p_input jsonb, p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_most bigint, p_owner text,
  p_lease_seconds double precision, p_turn_seconds double precision, p_on_disconnect text,
  p_sent_at timestamptz, p_not_after timestamptz,
  OUT admitted boolean, OUT available bigint, OUT enough boolean, OUT held bigint, OUT account_turn int, OUT created_at timestamptz,
  OUT deadline_at timestamptz, OUT lease_expires_at timestamptz, OUT started_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  v_written record;
  v_plan text;
  v_newest int;
  v_first int;
  v_turns int := 0;
  v_oldest_open int;
  v_highest_open int;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  SELECT a.plan INTO v_plan FROM accounts a WHERE a.id = p_account FOR NO KEY UPDATE;
  -- Without an error, which would undo the calls that it travels with.
  admitted := clock_timestamp() <= p_not_after;
  IF NOT admitted THEN RETURN; END IF;
  SELECT r.account_turn INTO v_newest FROM runs r WHERE r.account_id = p_account ORDER BY r.created_at DESC LIMIT 1;
  SELECT r.account_turn INTO v_oldest_open FROM runs r
  WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') ORDER BY r.account_turn NULLS FIRST LIMIT 1;
  SELECT r.account_turn INTO v_highest_open FROM runs r
  WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') ORDER BY r.account_turn DESC NULLS LAST LIMIT 1;
  -- No two open turns have one number, even when the server's clock was set back and the newest is not the last one.
  IF v_highest_open > v_newest THEN
    v_newest := v_highest_open;
  END IF;
  -- Turns of the last minute, told by their numbers; one of an older version has none.
  SELECT r.account_turn INTO v_first FROM runs r
  WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute' ORDER BY r.created_at LIMIT 1;
  IF FOUND THEN
    v_turns := v_newest - v_first + 1;
  END IF;
  admitted := coalesce(v_plan = p_plan AND v_turns < p_turns_per_minute, false)
    AND EXISTS (SELECT FROM api_keys k
      WHERE k.id = p_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
    AND NOT EXISTS (SELECT FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash
        AND r.created_at > now() - make_interval(mins => p_guard_minutes)
        AND (r.client_closed_at IS NOT NULL OR r.created_at > p_sent_at))
    -- As many as there can be at most; only where that is too many they are counted.
    AND (coalesce(p_concurrent_turns > v_newest - v_oldest_open + 1, false)
      OR p_concurrent_turns > (SELECT count(*) FROM (SELECT FROM runs r
        WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') GROUP BY r.session_id) AS busy))
    AND EXISTS (SELECT FROM credit_pools c
      WHERE c.account_id = p_account AND c.period_start = date_trunc('month', now(), 'UTC'));
  IF NOT admitted THEN RETURN; END IF;
  v_written := write_turn(p_account, p_project, p_session, p_session_name, 1, p_key, p_run, p_message, p_model, p_request,
    p_hash, p_input, p_hold, p_ample_hold, p_ample_parts, p_most, p_owner, p_lease_seconds, p_turn_seconds, p_on_disconnect, true, v_newest);
  available := v_written.available;
  enough := v_written.enough;
  held := v_written.held;
  account_turn := v_written.account_turn;
  created_at := v_written.created_at;
  deadline_at := v_written.deadline_at;
  lease_expires_at := v_written.lease_expires_at;
  started_at := v_written.started_at;
  IF clock_timestamp() > p_not_after THEN
    RAISE EXCEPTION 'the start of % came too late', p_run USING ERRCODE = 'TU001';
  END IF;
END $$;
--> statement-breakpoint
-- Events up to `p_last_seq`, and finished steps with their costs: what follows `p_steps_before`.
CREATE FUNCTION write_progress(
  p_account text, p_run text, p_epoch int, p_last_seq int, p_events jsonb, p_steps_before int, p_steps jsonb
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF jsonb_array_length(p_steps) > 0 THEN
    INSERT INTO run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
    SELECT p_run, p_steps_before + number, p_account, p_epoch, step->'record'->>'kind', step->'record', (step->>'micros')::bigint
    FROM jsonb_array_elements(p_steps) WITH ORDINALITY AS line (step, number);
  END IF;
  INSERT INTO run_events (run_id, seq, account_id, step, attempt, event)
  SELECT p_run, p_last_seq - jsonb_array_length(p_events) + number, p_account, coalesce((event->>'step')::int, 0), p_epoch, event
  FROM jsonb_array_elements(p_events) WITH ORDINALITY AS line (event, number);
END $$;
--> statement-breakpoint
-- What a run's owner writes between its start and its end: events, and the steps that are finished. Not `owned` when the
-- run is not this attempt's any more, has ended, or is not where `before` says, and nothing is written then: a call that was
-- believed lost may come late. `p_more` is given before the model is called again: whether the run's key still works is
-- told then, and if it does that much more is set aside for step `p_for_step`; not `enough` when the account has less. The run's row is locked
-- before the pools, as its end has it.
CREATE FUNCTION append_to_run(
  p_account text, p_run text, p_epoch int, p_events_before int, p_steps_before int, p_events jsonb, p_steps jsonb,
  p_more bigint, p_for_step int,
  OUT owned boolean, OUT key_usable boolean, OUT enough boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_last int := p_events_before + jsonb_array_length(p_events);
  v_steps int := p_steps_before + jsonb_array_length(p_steps);
  v_key text;
  v_hold record;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  UPDATE runs SET event_count = v_last, step_count = v_steps
  WHERE id = p_run AND epoch = p_epoch AND status || '' = 'in_progress'
    AND event_count = p_events_before AND step_count = p_steps_before
  RETURNING api_key_id INTO v_key;
  owned := FOUND;
  IF NOT owned THEN RETURN; END IF;
  PERFORM write_progress(p_account, p_run, p_epoch, v_last, p_events, p_steps_before, p_steps);
  IF p_more IS NULL THEN RETURN; END IF;
  IF v_key IS NOT NULL THEN
    key_usable := EXISTS (SELECT FROM api_keys k
      WHERE k.id = v_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()));
  END IF;
  enough := p_more = 0;
  IF enough OR NOT coalesce(key_usable, true) THEN RETURN; END IF;
  v_hold := draw_credits(p_account, p_run, 'extend', p_for_step, p_more, p_more, 1);
  enough := v_hold.enough;
  IF NOT enough THEN RETURN; END IF;
  UPDATE runs SET hold_micros = hold_micros + p_more,
    hold_pools = hold_pools || v_hold.pools, hold_parts = hold_parts || v_hold.parts
  WHERE id = p_run;
END $$;
--> statement-breakpoint
-- Events of many runs: each as `append_to_run` has them. Returns the runs whose events were written. One whose row is locked is
-- left out like one that is not where its line says: it must not keep the others waiting.
-- The arrays are of one length, with one line for a run and its epoch. Whatever the statistics say, each run is looked up, and locked,
-- by its id; only what was locked is joined.
CREATE FUNCTION append_to_runs(
  p_runs text[], p_accounts text[], p_epochs int[], p_events_before int[], p_steps_before int[], p_events jsonb[]
) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH owned AS MATERIALIZED (
    SELECT line.*
    FROM unnest(p_runs, p_accounts, p_epochs, p_events_before, p_steps_before, p_events)
        AS line (run, account, epoch, events_before, steps_before, events)
      CROSS JOIN LATERAL (
        SELECT FROM runs r
        WHERE r.id = line.run AND r.epoch = line.epoch AND r.status || '' = 'in_progress'
          AND r.event_count = line.events_before AND r.step_count = line.steps_before
        FOR NO KEY UPDATE SKIP LOCKED) AS mine
  ), counted AS (
    UPDATE runs SET event_count = o.events_before + jsonb_array_length(o.events) FROM owned o WHERE runs.id = o.run
  ), appended AS (
    INSERT INTO run_events (run_id, seq, account_id, step, attempt, event)
    SELECT o.run, o.events_before + number, o.account, coalesce((event->>'step')::int, 0), o.epoch, event
    FROM owned o CROSS JOIN LATERAL jsonb_array_elements(o.events) WITH ORDINALITY AS e (event, number)
  )
  SELECT o.run FROM owned o;
END $$;
--> statement-breakpoint
-- The end of a run: its row, its last steps and events, its session, then the pools, in the order in which a start locks
-- them, and the answer. A turn that starts in the session meanwhile waits for the session's row, and then sees this run
-- ended; `waiting` tells whether one may wait for that.
CREATE FUNCTION end_turn(
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
  UPDATE sessions SET updated_at = now() WHERE id = p_session RETURNING turn_count INTO v_newest;
  PERFORM settle_hold(p_account, p_run, p_charge, p_facts, v_run.hold_micros, v_run.hold_pools, v_run.hold_parts);
  IF p_answer IS NOT NULL THEN
    INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content)
    VALUES (p_message, p_account, p_session, p_run, p_turn, p_position, 'assistant', p_answer);
  END IF;
  waiting := v_newest > p_turn OR EXISTS (SELECT FROM runs WHERE account_id = p_account AND status = 'queued');
END $$;
--> statement-breakpoint
-- Before several calls in one transaction, which hold their locks until the last is done. It takes what a start, an end or a
-- larger hold elsewhere would wait for: the account's row and its pools, in their order. What it cannot have soon, here and in
-- the calls, fails all of them; each is made alone then.
CREATE FUNCTION open_calls(p_account text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.account', p_account, true), set_config('lock_timeout', '100ms', true);
  PERFORM FROM accounts WHERE id = p_account FOR NO KEY UPDATE;
  PERFORM FROM credit_pools
  WHERE account_id = p_account AND (available_micros > 0 OR held_micros > 0) ORDER BY id FOR UPDATE;
END $$;
--> statement-breakpoint
-- What a project has, newest first: the tool's look at it is a call as well, and travels with others.
CREATE FUNCTION project_files(p_account text, p_project text)
RETURNS TABLE (name text, bytes bigint, content_type text, version int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.account', p_account, true);
  RETURN QUERY SELECT f.name, f.bytes::bigint, f.content_type, f.version FROM files f
    WHERE f.project_id = p_project ORDER BY f.created_at DESC, f.id DESC LIMIT 500;
END $$;
