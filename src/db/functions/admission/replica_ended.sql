-- Whether a replica has ended. Each holds this advisory lock, shared, on its listening connection, and the server
-- releases it when the process ends. A process that lives without that connection says so in its row, once per second.
CREATE FUNCTION replica_ended(p_replica text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.classid = 720311504 AND l.objsubid = 2
        AND l.objid::bigint = (hashtext(p_replica)::bigint & 4294967295)
        AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
    AND NOT EXISTS (SELECT FROM replicas p
      WHERE p.id = p_replica AND p.unlocked_at > clock_timestamp() - interval '15 seconds')
$$;
