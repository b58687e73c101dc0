-- All that this version's migrations change, in the order in which turns lock them: otherwise a turn and the migration, which is one
-- transaction, could wait for each other, and one of them would fail.
LOCK TABLE accounts, runs, run_steps, run_events, credit_transactions, credit_entries IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp (6) with time zone NOT NULL,
	"settled_at" timestamp (6) with time zone NOT NULL,
	"unlocked_at" timestamp (6) with time zone
);
--> statement-breakpoint
ALTER TABLE "credit_transactions" ADD COLUMN "epoch" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "client_at" text;--> statement-breakpoint
CREATE UNIQUE INDEX "credit_transactions_extend_once" ON "credit_transactions" USING btree ("run_id","step","epoch") WHERE "credit_transactions"."kind" = 'extend';--> statement-breakpoint
CREATE INDEX "runs_same_request" ON "runs" USING btree ("api_key_id","request_hash","client_at","created_at") WHERE "runs"."request_hash" is not null;--> statement-breakpoint
CREATE INDEX "runs_client_closed" ON "runs" USING btree ("api_key_id","request_hash","created_at") WHERE "runs"."client_closed_at" is not null;--> statement-breakpoint
DROP INDEX "runs_request_hash";--> statement-breakpoint
-- A new owner extends the hold of a step again whose first owner died between that and its model call.
DROP INDEX "credit_transactions_extend";--> statement-breakpoint
-- Whether a replica has ended. Each holds this advisory lock, shared, on its listening connection; the server releases it when the
-- process ends. One that lives and has lost that connection says so here, once per second.
CREATE FUNCTION replica_ended(p_replica text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 720311504 AND l.objsubid = 2
        AND l.objid::bigint = (hashtext(p_replica)::bigint & 4294967295)
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
    AND NOT EXISTS (SELECT FROM replicas p
      WHERE p.id = p_replica AND p.unlocked_at > clock_timestamp() - interval '15 seconds')
$$;
--> statement-breakpoint
-- Replicas that must say whether the client of an equal run is still connected, before another run begins; null when there is
-- none. Not those in `p_settled`, who have said so. A run that ended more than a minute and a half ago says it itself; of a replica that has given no
-- sign of life for some seconds, one that ended before `settled_at`. So only the newest are looked at, and only of replicas that lived in
-- the time that counts.
CREATE FUNCTION unsettled_replicas(p_key text, p_hash bytea, p_minutes int, p_settled text[])
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_replicas text[];
BEGIN
  SELECT array_agg(p.id) INTO v_replicas
  FROM replicas p CROSS JOIN LATERAL (
    SELECT bool_or(newest.finished_at IS NULL OR newest.finished_at >
      CASE WHEN p.seen_at > now() - interval '5 seconds' THEN now() - interval '95 seconds' ELSE p.settled_at END) AS has_open
    FROM (SELECT r.finished_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = p.id
        AND r.created_at > now() - make_interval(mins => p_minutes)
      ORDER BY r.created_at DESC LIMIT 16) AS newest
  ) AS held
  WHERE p.id <> ALL (p_settled) AND p.seen_at > now() - make_interval(mins => p_minutes + 1)
    AND held.has_open;
  RETURN v_replicas;
END $$;
--> statement-breakpoint
-- The newest run of an equal request whose client is not connected any more: as the run says, as its replica has said (`p_lost`,
-- `p_lost_at`), or
-- because that replica has ended (`p_gone`) before it could have said that the client has the reply. For a request that is marked
-- as a retry any run will do.
CREATE FUNCTION run_to_repeat(p_key text, p_hash bytea, p_minutes int, p_retried boolean, p_lost text[], p_lost_at text[], p_gone text[])
RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_since timestamptz := now() - make_interval(mins => p_minutes);
  v_run text;
BEGIN
  SELECT found.id INTO v_run FROM (
    (SELECT r.id, r.created_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_closed_at IS NOT NULL AND r.created_at > v_since
      ORDER BY r.created_at DESC LIMIT 1)
    UNION ALL
    SELECT r.id, r.created_at FROM unnest(p_lost, p_lost_at) AS lost (run, replica) JOIN runs r ON r.id = lost.run
    WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.created_at > v_since
      -- Else another connection has asked for it since.
      AND (r.client_at = lost.replica OR r.client_at IS NULL)
    UNION ALL
    SELECT held.id, held.created_at
    FROM unnest(p_gone) AS gone (replica) LEFT JOIN replicas p ON p.id = gone.replica CROSS JOIN LATERAL (
      SELECT r.id, r.created_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = gone.replica AND r.created_at > v_since
        AND (r.finished_at IS NULL OR r.finished_at > coalesce(p.settled_at, '-infinity'))
      ORDER BY r.created_at DESC LIMIT 1) AS held
  ) AS found ORDER BY found.created_at DESC LIMIT 1;
  IF v_run IS NOT NULL OR NOT p_retried THEN RETURN v_run; END IF;
  SELECT found.id INTO v_run FROM (
    SELECT held.id, held.created_at
    FROM replicas p CROSS JOIN LATERAL (
      SELECT r.id, r.created_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = p.id AND r.created_at > v_since
      ORDER BY r.created_at DESC LIMIT 1) AS held
    WHERE p.seen_at > v_since - interval '1 minute'
    UNION ALL
    (SELECT r.id, r.created_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > v_since
      ORDER BY r.created_at DESC LIMIT 1)
  ) AS found ORDER BY found.created_at DESC LIMIT 1;
  RETURN v_run;
END $$;
--> statement-breakpoint
-- As `draw_credits`, for the larger hold of a step, once for each attempt at the run.
CREATE FUNCTION extend_hold_2(
  p_account text, p_run text, p_step int, p_epoch int, p_micros bigint,
  OUT available bigint, OUT enough boolean, OUT pools bigint[], OUT parts bigint[]
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
-- As `append_to_run`, whose larger hold names the attempt.
CREATE FUNCTION append_to_run_2(
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
  v_hold := extend_hold_2(p_account, p_run, p_for_step, p_epoch, p_more);
  enough := v_hold.enough;
  IF NOT enough THEN RETURN; END IF;
  UPDATE runs SET hold_micros = hold_micros + p_more,
    hold_pools = hold_pools || v_hold.pools, hold_parts = hold_parts || v_hold.parts
  WHERE id = p_run;
END $$;
--> statement-breakpoint
-- As `write_turn`, with the replica that holds the client's connection.
CREATE FUNCTION write_turn_2(
  p_account text, p_project text, p_session text, p_session_name text, p_turn int, p_key text, p_run text, p_message text,
  p_model text, p_request jsonb, p_hash bytea, p_input jsonb, p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_most bigint, p_owner text,
  p_lease_seconds double precision, p_turn_seconds double precision, p_on_disconnect text,
  p_client_at text, p_new_session boolean, p_newest_turn int,
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
    deadline_at, on_disconnect, client_at, created_at, started_at)
  VALUES (p_run, p_account, p_project, p_session, p_key, p_message, p_turn, coalesce(p_newest_turn, 0) + 1, p_model,
    CASE WHEN p_owner IS NULL THEN 'queued' ELSE 'in_progress' END,
    p_request, p_hash, held, v_hold.pools, v_hold.parts, p_most,
    CASE WHEN p_owner IS NULL THEN 0 ELSE 1 END, p_owner,
    CASE WHEN p_owner IS NOT NULL THEN now() + make_interval(secs => p_lease_seconds) END,
    now() + make_interval(secs => p_turn_seconds), p_on_disconnect, p_client_at,
    clock_timestamp(), CASE WHEN p_owner IS NOT NULL THEN now() END)
  RETURNING r.account_turn, r.created_at, r.deadline_at, r.lease_expires_at, r.started_at
  INTO account_turn, created_at, deadline_at, lease_expires_at, started_at;
  INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content)
  SELECT m.id, p_account, p_session, p_run, p_turn, m.position, m.content->>'role', m.content
  FROM jsonb_to_recordset(p_input) AS m (id text, position int, content jsonb);
END $$;
--> statement-breakpoint
-- As `begin_turn`, with another look at equal runs: one is in the way when its client has disconnected, or when its replica is not in
-- `p_settled`, those that know of none; `unsettled` has these then. Equal requests of connected clients are in nobody's way.
CREATE FUNCTION begin_turn_2(
  p_account text, p_plan text, p_turns_per_minute int, p_concurrent_turns int, p_guard_minutes int,
  p_project text, p_session text, p_session_name text, p_key text, p_run text, p_message text,
  p_model text, p_request jsonb, p_hash bytea, p_input jsonb, p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_most bigint, p_owner text,
  p_lease_seconds double precision, p_turn_seconds double precision, p_on_disconnect text,
  p_client_at text, p_settled text[], p_sent_at timestamptz, p_not_after timestamptz,
  OUT admitted boolean, OUT unsettled text[], OUT available bigint, OUT enough boolean, OUT held bigint, OUT account_turn int, OUT created_at timestamptz,
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
  unsettled := unsettled_replicas(p_key, p_hash, p_guard_minutes, p_settled);
  admitted := coalesce(v_plan = p_plan AND v_turns < p_turns_per_minute, false)
    AND EXISTS (SELECT FROM api_keys k
      WHERE k.id = p_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()))
    AND unsettled IS NULL
    AND NOT EXISTS (SELECT FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_closed_at IS NOT NULL
        AND r.created_at > now() - make_interval(mins => p_guard_minutes))
    -- Of an older version, which does not say who holds its client.
    AND NOT EXISTS (SELECT FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > p_sent_at)
    -- As many as there can be at most; only where that is too many they are counted.
    AND (coalesce(p_concurrent_turns > v_newest - v_oldest_open + 1, false)
      OR p_concurrent_turns > (SELECT count(*) FROM (SELECT FROM runs r
        WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') GROUP BY r.session_id) AS busy))
    AND EXISTS (SELECT FROM credit_pools c
      WHERE c.account_id = p_account AND c.period_start = date_trunc('month', now(), 'UTC'));
  IF NOT admitted THEN RETURN; END IF;
  v_written := write_turn_2(p_account, p_project, p_session, p_session_name, 1, p_key, p_run, p_message, p_model, p_request,
    p_hash, p_input, p_hold, p_ample_hold, p_ample_parts, p_most, p_owner, p_lease_seconds, p_turn_seconds, p_on_disconnect,
    p_client_at, true, v_newest);
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
