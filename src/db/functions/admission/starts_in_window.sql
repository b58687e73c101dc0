-- The number of the account's newest turn, how many turns began in the last minute, and the seconds until the first of
-- them is a minute old. Starts take their numbers under the account's lock, so two numbers tell how many turns are
-- between them. Version 0.1.0 writes no numbers; turns are then counted.
CREATE FUNCTION starts_in_window(p_account text, OUT newest int, OUT starts int, OUT seconds int) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_first int;
  v_since timestamptz;
BEGIN
  -- After the clock was set back, the newest run may not have the highest number. No two open turns share one.
  SELECT greatest(
      (SELECT r.account_turn FROM runs r WHERE r.account_id = p_account ORDER BY r.created_at DESC LIMIT 1),
      (SELECT r.account_turn FROM runs r WHERE r.account_id = p_account AND r.status IN ('queued', 'in_progress')
        ORDER BY r.account_turn DESC NULLS LAST LIMIT 1)),
    first.account_turn, first.created_at
  INTO newest, v_first, v_since
  FROM (SELECT) AS once LEFT JOIN LATERAL (
    SELECT r.account_turn, r.created_at FROM runs r
    WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute' ORDER BY r.created_at LIMIT 1
  ) AS first ON true;
  IF v_since IS NULL THEN
    starts := 0;
    RETURN;
  END IF;
  starts := newest - v_first + 1;
  IF starts IS NULL THEN
    SELECT count(*) INTO starts FROM runs r
    WHERE r.account_id = p_account AND r.created_at > now() - interval '1 minute';
  END IF;
  seconds := greatest(ceil(extract(epoch FROM v_since + interval '1 minute' - now())), 1);
END $$;
