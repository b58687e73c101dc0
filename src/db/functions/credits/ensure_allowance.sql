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
