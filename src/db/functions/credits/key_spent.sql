-- What an API key has spent on the day and in the month (UTC) of an instant and in all, and what its unfinished runs hold, in
-- micro-credits. One statement, so that a charge is either still held or spent.
CREATE FUNCTION key_spent(
  p_account text, p_key text, p_at timestamptz, OUT day bigint, OUT month bigint, OUT total bigint, OUT held bigint
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_day date := (p_at AT TIME ZONE 'UTC')::date;
BEGIN
  SELECT coalesce(sum(s.micros) FILTER (WHERE s.day = v_day), 0),
    coalesce(sum(s.micros) FILTER (WHERE s.day >= date_trunc('month', v_day)::date AND s.day <= v_day), 0),
    coalesce(sum(s.micros), 0),
    -- The account's open runs are few. An index of all runs of a key would find finished ones.
    (SELECT coalesce(sum(r.hold_micros), 0) FROM runs r
      WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress') AND r.api_key_id || '' = p_key)
  INTO day, month, total, held
  FROM key_spending s WHERE s.key_id = p_key;
END $$;
