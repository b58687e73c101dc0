-- Micro-credits that the account can spend: those in pools that have not expired.
CREATE FUNCTION spendable(p_account text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(sum(c.available_micros), 0) FROM credit_pools c
    WHERE c.account_id = p_account AND (c.expires_at IS NULL OR c.expires_at > now()));
END $$;
