-- Comes before several calls in one transaction, which hold their locks until the last is done. It takes the locks that a
-- start, an end or a larger hold elsewhere would wait for: the account's row, and its pools in their order. If a lock, here
-- or in the calls, is not free within 100 ms, all of them fail, and each is made alone.
CREATE FUNCTION open_calls(p_account text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.account', p_account, true), set_config('lock_timeout', '100ms', true);
  PERFORM FROM accounts WHERE id = p_account FOR NO KEY UPDATE;
  PERFORM FROM credit_pools
  WHERE account_id = p_account AND (available_micros > 0 OR held_micros > 0) ORDER BY id FOR UPDATE;
END $$;
