-- Writes the messages of a turn's input (see `input_rows`).
CREATE FUNCTION write_input(p_account text, p_session text, p_run text, p_turn int, p_input jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
  SELECT * FROM input_rows(p_account, p_session, p_run, p_turn, p_input);
END $$;
