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
