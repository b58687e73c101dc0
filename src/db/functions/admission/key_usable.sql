-- Whether the API key with this id exists and works.
CREATE FUNCTION key_usable(p_key text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM api_keys k WHERE k.id = p_key AND key_works(k));
END $$;
