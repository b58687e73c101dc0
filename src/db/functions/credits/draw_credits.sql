-- Takes credits out of an account's pools for a run: what expires first is drawn first. Every call locks pools in the
-- order of their ids. It draws `p_ample` if that is at most one of `p_parts` parts of the account's credits. If the account
-- has less than `p_micros`, `enough` is false and nothing is written.
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
