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
