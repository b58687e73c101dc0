-- The end of a run: its row, its last steps and events, the answer with its session, then the pools, in the order in which a
-- start locks them. A start in the same session waits for the session's row, and then sees that this run has ended.
-- `waiting`: whether another turn may wait for that.
CREATE FUNCTION end_turn(
  p_account text, p_run text, p_epoch int, p_events_before int, p_steps_before int, p_events jsonb, p_steps jsonb,
  p_status text, p_output jsonb, p_error_code text, p_error_message text, p_finish_reason text, p_usage jsonb,
  p_cost bigint, p_charge bigint, p_facts jsonb, p_session text, p_message text, p_turn int, p_position int, p_answer jsonb,
  OUT owned boolean, OUT waiting boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_last int := p_events_before + jsonb_array_length(p_events);
  v_run record;
  v_newest int;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  UPDATE runs SET event_count = v_last, step_count = p_steps_before + jsonb_array_length(p_steps),
    status = p_status, output = p_output, error_code = p_error_code, error_message = p_error_message,
    finish_reason = p_finish_reason, usage = p_usage, cost_micros = p_cost,
    lease_owner = NULL, lease_expires_at = NULL, finished_at = now()
  WHERE id = p_run AND epoch = p_epoch AND status || '' = 'in_progress'
    AND event_count = p_events_before AND step_count = p_steps_before
  RETURNING hold_micros, hold_pools, hold_parts INTO v_run;
  owned := FOUND;
  IF NOT owned THEN RETURN; END IF;
  PERFORM write_progress(p_account, p_run, p_epoch, v_last, p_events, p_steps_before, p_steps);
  WITH answer AS (
    INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content)
    SELECT p_message, p_account, p_session, p_run, p_turn, p_position, 'assistant', p_answer WHERE p_answer IS NOT NULL
  )
  UPDATE sessions SET updated_at = now() WHERE id = p_session RETURNING turn_count INTO v_newest;
  PERFORM settle_hold(p_account, p_run, p_charge, p_facts, v_run.hold_micros, v_run.hold_pools, v_run.hold_parts);
  waiting := v_newest > p_turn OR EXISTS (SELECT FROM runs WHERE account_id = p_account AND status = 'queued');
END $$;
