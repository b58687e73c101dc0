-- The newest files of a project.
CREATE FUNCTION project_files(p_account text, p_project text)
RETURNS TABLE (name text, bytes bigint, content_type text, version int) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('app.account', p_account, true);
  RETURN QUERY SELECT f.name, f.bytes::bigint, f.content_type, f.version FROM files f
    WHERE f.project_id = p_project ORDER BY f.created_at DESC, f.id DESC LIMIT 500;
END $$;
