-- Events up to number `p_last_seq`, and the finished steps after `p_steps_before` with their costs.
CREATE FUNCTION write_progress(
  p_account text, p_run text, p_epoch int, p_last_seq int, p_events jsonb, p_steps_before int, p_steps jsonb
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH events AS (
    INSERT INTO run_events (run_id, seq, account_id, step, attempt, event)
    SELECT p_run, p_last_seq - jsonb_array_length(p_events) + number, p_account, coalesce((event->>'step')::int, 0), p_epoch, event
    FROM jsonb_array_elements(p_events) WITH ORDINALITY AS line (event, number)
  )
  INSERT INTO run_steps (run_id, step, account_id, epoch, kind, record, cost_micros)
  SELECT p_run, p_steps_before + number, p_account, p_epoch, step->'record'->>'kind', step->'record', (step->>'micros')::bigint
  FROM jsonb_array_elements(p_steps) WITH ORDINALITY AS line (step, number);
END $$;
