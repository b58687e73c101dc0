-- The run that an equal request without an `Idempotency-Key` began and whose client is no longer connected: as the run says,
-- as its replica has reported (`p_lost` at `p_lost_at`), or because that replica has ended (`p_gone`) before it could
-- report that the client has the reply. The newest one counts. A request that is marked as a retry gets any equal run.
-- `client_at` and `client_closed` are the run's at this moment: who takes it over must find them unchanged.
CREATE FUNCTION equal_run(
  p_key text, p_hash bytea, p_minutes int, p_retried boolean, p_lost text[], p_lost_at text[], p_gone text[],
  OUT run text, OUT client_at text, OUT client_closed boolean
) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_since timestamptz := now() - make_interval(mins => p_minutes);
  v_newest timestamptz;
  v_run text;
  v_client_at text;
  v_closed boolean;
BEGIN
  SELECT r.id, r.client_at, true, r.created_at INTO run, client_at, client_closed, v_newest FROM runs r
  WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_closed_at IS NOT NULL AND r.created_at > v_since
  ORDER BY r.created_at DESC LIMIT 1;
  IF cardinality(p_lost) + cardinality(p_gone) > 0 THEN
    SELECT found.id, found.client_at, found.client_closed_at IS NOT NULL INTO v_run, v_client_at, v_closed FROM (
      SELECT named.* FROM unnest(p_lost, p_lost_at) AS lost (run, replica) CROSS JOIN LATERAL (
        -- By its id: a plan of a time with few runs may otherwise read all equal ones.
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.id = lost.run AND r.api_key_id || '' = p_key AND r.request_hash || '' = p_hash AND r.created_at > v_since
          -- Otherwise another connection has asked for it since.
          AND (r.client_at = lost.replica OR r.client_at IS NULL) LIMIT 1) AS named
      UNION ALL
      SELECT held.* FROM unnest(p_gone) AS gone (replica) LEFT JOIN replicas p ON p.id = gone.replica CROSS JOIN LATERAL (
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = gone.replica AND r.created_at > v_since
          AND (r.finished_at IS NULL OR r.finished_at > coalesce(p.settled_at, '-infinity'))
        ORDER BY r.created_at DESC LIMIT 1) AS held
    ) AS found WHERE found.created_at > coalesce(v_newest, '-infinity') ORDER BY found.created_at DESC LIMIT 1;
  END IF;
  IF p_retried AND run IS NULL AND v_run IS NULL THEN
    SELECT found.id, found.client_at, found.client_closed_at IS NOT NULL INTO v_run, v_client_at, v_closed FROM (
      SELECT held.* FROM replicas p CROSS JOIN LATERAL (
        SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = p.id AND r.created_at > v_since
        ORDER BY r.created_at DESC LIMIT 1) AS held
      WHERE p.seen_at > v_since - interval '1 minute'
      UNION ALL
      (SELECT r.id, r.client_at, r.client_closed_at, r.created_at FROM runs r
        WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > v_since
        ORDER BY r.created_at DESC LIMIT 1)
    ) AS found ORDER BY found.created_at DESC LIMIT 1;
  END IF;
  IF v_run IS NOT NULL THEN
    run := v_run;
    client_at := v_client_at;
    client_closed := v_closed;
  END IF;
END $$;
