-- Writes an event for every endpoint of the account that wants it. Call it in the transaction of the event.
CREATE FUNCTION send_webhook(p_account text, p_project text, p_type text, p_subject text, p_data jsonb) RETURNS void
LANGUAGE sql AS $$
  WITH event AS MATERIALIZED (
    SELECT 'evt_' || replace(gen_random_uuid()::text, '-', '') AS id,
      jsonb_build_object('type', p_type, 'timestamp', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', p_data)::text AS body)
  INSERT INTO webhook_deliveries (endpoint_id, account_id, event, type, subject, body, due_at)
  SELECT e.id, e.account_id, event.id, p_type, p_subject, event.body, now()
  FROM event, webhook_endpoints e
  WHERE e.account_id = p_account AND NOT e.disabled AND p_type = ANY (e.events)
    AND (e.project_id IS NULL OR e.project_id = p_project)
$$;
