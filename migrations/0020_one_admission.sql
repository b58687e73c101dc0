-- What admission needs. `admit_run` and the functions that have changed since are in 0023 and 0030.
-- Sessions of the account that have an unfinished turn. Each uses one concurrency slot. The count stops early: `p_newest`
-- minus the number of the oldest open turn is at least that many, and is returned if it is below `p_slots`.
CREATE FUNCTION slots_taken(p_account text, p_newest int, p_slots int) RETURNS int LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_taken int;
BEGIN
  SELECT p_newest - r.account_turn + 1 INTO v_taken FROM runs r
  WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') ORDER BY r.account_turn NULLS FIRST LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF v_taken < p_slots THEN RETURN v_taken; END IF;
  SELECT count(*) INTO v_taken FROM (SELECT FROM runs r
    WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') GROUP BY r.session_id) AS busy;
  RETURN v_taken;
END $$;
--> statement-breakpoint
-- The run that an equal request without an `Idempotency-Key` began and whose client is no longer connected: as the run says,
-- as its replica has reported (`p_lost` at `p_lost_at`), or because that replica has ended (`p_gone`) before it could
-- report that the client has the reply. The newest one counts. A request that is marked as a retry gets any equal run.
-- `client_at` and `client_closed` are the run's at this moment: who takes it over must find them unchanged.
CREATE FUNCTION equal_run(
  p_key text, p_hash bytea, p_minutes int, p_retried boolean, p_lost text[], p_lost_at text[], p_gone text[],
  OUT run text, OUT client_at text, OUT client_closed boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_since timestamptz := now() - make_interval(mins => p_minutes);
  v_newest timestamptz;
  v_run text;
  v_client_at text;
  v_closed boolean;
BEGIN
  SELECT r.id, r.client_at, true, r.created_at INTO run, client_at, client_closed, v_newest FROM runs r
  WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_closed_at IS NOT NULL AND r.created_at > v_since
  ORDER BY r.created_at DESC LIMIT 1;
  IF cardinality(p_lost) + cardinality(p_gone) > 0 THEN
    SELECT found.id, found.client_at, found.client_closed_at IS NOT NULL INTO v_run, v_client_at, v_closed FROM (
      SELECT named.* FROM unnest(p_lost, p_lost_at) AS lost (run, replica) CROSS JOIN LATERAL (
        -- By its id: a plan of a time with few runs may otherwise read all equal ones.
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.id = lost.run AND r.api_key_id || '' = p_key AND r.request_hash || '' = p_hash AND r.created_at > v_since
          -- Otherwise another connection has asked for it since.
          AND (r.client_at = lost.replica OR r.client_at IS NULL) LIMIT 1) AS named
      UNION ALL
      SELECT held.* FROM unnest(p_gone) AS gone (replica) LEFT JOIN replicas p ON p.id = gone.replica CROSS JOIN LATERAL (
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = gone.replica AND r.created_at > v_since
          AND (r.finished_at IS NULL OR r.finished_at > coalesce(p.settled_at, '-infinity'))
        ORDER BY r.created_at DESC LIMIT 1) AS held
    ) AS found WHERE found.created_at > coalesce(v_newest, '-infinity') ORDER BY found.created_at DESC LIMIT 1;
  END IF;
  IF p_retried AND run IS NULL AND v_run IS NULL THEN
    SELECT found.id, found.client_at, found.client_closed_at IS NOT NULL INTO v_run, v_client_at, v_closed FROM (
      SELECT held.* FROM replicas p CROSS JOIN LATERAL (
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = p.id AND r.created_at > v_since
        ORDER BY r.created_at DESC LIMIT 1) AS held
      WHERE p.seen_at > v_since - interval '1 minute'
      UNION ALL
      (SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > v_since
        ORDER BY r.created_at DESC LIMIT 1)
    ) AS found ORDER BY found.created_at DESC LIMIT 1;
  END IF;
  IF v_run IS NOT NULL THEN
    run := v_run;
    client_at := v_client_at;
    client_closed := v_closed;
  END IF;
END $$;
--> statement-breakpoint
-- Whether this calendar month's allowance (UTC) has been granted.
CREATE FUNCTION allowance_given(p_account text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM credit_pools c
    WHERE c.account_id = p_account AND c.period_start = date_trunc('month', now(), 'UTC'));
END $$;
--> statement-breakpoint
-- Grants this calendar month's allowance (UTC), unless it has been granted. It then also takes back what is left in
-- expired pools; what runs hold of them stays with the runs.
CREATE FUNCTION ensure_allowance(p_account text, p_micros bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_month timestamptz := date_trunc('month', now(), 'UTC');
  v_pool bigint;
  v_transaction bigint;
  v_expired bigint[];
  v_parts bigint[];
BEGIN
  IF p_micros = 0 OR allowance_given(p_account) THEN RETURN; END IF;
  INSERT INTO credit_pools (account_id, kind, period_start, expires_at, available_micros)
  VALUES (p_account, 'allowance', v_month, date_trunc('month', v_month + interval '32 days', 'UTC'), p_micros)
  ON CONFLICT DO NOTHING RETURNING id INTO v_pool;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO credit_transactions (account_id, kind, amount_micros) VALUES (p_account, 'allowance', p_micros)
  RETURNING id INTO v_transaction;
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  VALUES (v_transaction, v_pool, 'issued', p_account, -p_micros), (v_transaction, v_pool, 'available', p_account, p_micros);
  SELECT array_agg(locked.id), array_agg(locked.available_micros) INTO v_expired, v_parts FROM (
    SELECT c.id, c.available_micros FROM credit_pools c
    WHERE c.account_id = p_account AND c.expires_at <= now() AND c.available_micros > 0 ORDER BY c.id FOR UPDATE
  ) AS locked;
  IF v_expired IS NULL THEN RETURN; END IF;
  INSERT INTO credit_transactions (account_id, kind, amount_micros)
  VALUES (p_account, 'expire', (SELECT sum(part) FROM unnest(v_parts) AS part)) RETURNING id INTO v_transaction;
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  SELECT v_transaction, part.pool, side.ledger, p_account, side.sign * part.micros
  FROM unnest(v_expired, v_parts) AS part (pool, micros), (VALUES ('available', -1), ('issued', 1)) AS side (ledger, sign);
  UPDATE credit_pools c SET available_micros = 0 WHERE c.id = ANY (v_expired);
END $$;
--> statement-breakpoint
-- Micro-credits that the account can spend: those in pools that have not expired.
CREATE FUNCTION spendable(p_account text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(c.available_micros), 0) FROM credit_pools c
    WHERE c.account_id = p_account AND (c.expires_at IS NULL OR c.expires_at > now()));
END $$;
