-- Whether an API key is neither revoked nor expired, by the server's clock.
CREATE FUNCTION key_usable(p_key text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM api_keys k
    WHERE k.id = p_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now()));
END $$;
