-- Charges `p_charge` of a run's hold (null: nothing, without a row) and gives the rest back. It is an error if the charge
-- is above the hold, if the parts do not add up to the hold, or if the hold was settled before: the rows are unique.
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
