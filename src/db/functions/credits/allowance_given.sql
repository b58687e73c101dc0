-- Whether this calendar month's allowance (UTC) has been granted.
CREATE FUNCTION allowance_given(p_account text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM credit_pools c
    WHERE c.account_id = p_account AND c.period_start = date_trunc('month', now(), 'UTC'));
END $$;
