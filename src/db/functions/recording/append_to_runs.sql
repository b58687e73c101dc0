-- Events of many runs of any accounts, under the conditions of `append_to_run_2`. It returns the runs whose events were
-- written. A run whose row is locked is left out, because the others must not wait for it. The arrays have one line per
-- run. Whatever the statistics say, each run is looked up and locked by its id; only locked rows are joined.
CREATE FUNCTION append_to_runs(
  p_runs text[], p_accounts text[], p_epochs int[], p_events_before int[], p_steps_before int[], p_events jsonb[]
) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH owned AS MATERIALIZED (
    SELECT line.*
    FROM unnest(p_runs, p_accounts, p_epochs, p_events_before, p_steps_before, p_events)
        AS line (run, account, epoch, events_before, steps_before, events)
      CROSS JOIN LATERAL (
        SELECT FROM runs r
        WHERE r.id = line.run AND r.epoch = line.epoch AND r.status || '' = 'in_progress'
          AND r.event_count = line.events_before AND r.step_count = line.steps_before
        FOR NO KEY UPDATE SKIP LOCKED) AS mine
  ), counted AS (
    UPDATE runs SET event_count = o.events_before + jsonb_array_length(o.events) FROM owned o WHERE runs.id = o.run
  ), appended AS (
    INSERT INTO run_events (run_id, seq, account_id, step, attempt, event)
    SELECT o.run, o.events_before + number, o.account, coalesce((event->>'step')::int, 0), o.epoch, event
    FROM owned o CROSS JOIN LATERAL jsonb_array_elements(o.events) WITH ORDINALITY AS e (event, number)
  )
  SELECT o.run FROM owned o;
END $$;
