-- Whether an API key is neither revoked nor expired, by the server's clock.
CREATE FUNCTION key_works(p_key api_keys) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_key.revoked_at IS NULL AND (p_key.expires_at IS NULL OR p_key.expires_at > now())
$$;
