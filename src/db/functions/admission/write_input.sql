-- Writes the messages of a turn's input: an array of objects with `id`, `position` and `content`. `transcript` is a hash
-- in hexadecimal; older replicas send none.
CREATE FUNCTION write_input(p_account text, p_session text, p_run text, p_turn int, p_input jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
  SELECT m.id, p_account, p_session, p_run, p_turn, m.position, m.content->>'role', m.content, decode(m.transcript, 'hex')
  FROM jsonb_to_recordset(p_input) AS m (id text, position int, content jsonb, transcript text);
END $$;
