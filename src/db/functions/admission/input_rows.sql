-- Rows of `messages` for a turn's input: an array of objects with `id`, `position` and `content`. `transcript` is a hash in
-- hexadecimal; older replicas send none.
CREATE FUNCTION input_rows(p_account text, p_session text, p_run text, p_turn int, p_input jsonb) RETURNS TABLE (
  id text, account_id text, session_id text, run_id text, turn int, "position" int, role text, content jsonb, transcript bytea
) LANGUAGE sql STABLE AS $$
  SELECT m.id, p_account, p_session, p_run, p_turn, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
  FROM jsonb_to_recordset(p_input) AS m (id text, position int, content jsonb, transcript text)
$$;
