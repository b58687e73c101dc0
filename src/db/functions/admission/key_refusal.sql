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
