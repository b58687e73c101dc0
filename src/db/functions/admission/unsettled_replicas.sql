-- Replicas that must report whether the client of an equal run is still connected, before another run begins; null when
-- there is none. Replicas in `p_settled` have reported. A run that ended more than 95 seconds ago says it itself. If its
-- replica has not been seen for some seconds, only runs that ended before `settled_at` do. So only the newest runs
-- of replicas that lived in the retry window are read.
CREATE FUNCTION unsettled_replicas(p_key text, p_hash bytea, p_minutes int, p_settled text[])
RETURNS text[] LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_replicas text[];
BEGIN
  SELECT array_agg(p.id) INTO v_replicas
  FROM replicas p CROSS JOIN LATERAL (
    SELECT bool_or(newest.finished_at IS NULL OR newest.finished_at >
      CASE WHEN p.seen_at > now() - interval '5 seconds' THEN now() - interval '95 seconds' ELSE p.settled_at END) AS has_open
    FROM (SELECT r.finished_at FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at = p.id
        AND r.created_at > now() - make_interval(mins => p_minutes)
      ORDER BY r.created_at DESC LIMIT 16) AS newest
  ) AS held
  WHERE p.id <> ALL (p_settled) AND p.seen_at > now() - make_interval(mins => p_minutes + 1)
    AND held.has_open;
  RETURN v_replicas;
END $$;
