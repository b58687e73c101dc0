-- As `draw_credits`, for the larger hold of a step, once for each attempt at the run. `enough` is also false if a spending
-- cap of the run's API key does not allow it.
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
