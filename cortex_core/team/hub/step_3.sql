-- Who is spared when the hub makes way: a client waits for one that it keeps out itself only if it
-- means to, by a lock that no writer of the hub needs.

CREATE OR REPLACE FUNCTION holders() RETURNS TABLE (pid integer, work text, login name)
LANGUAGE sql VOLATILE SET search_path = cortex, pg_temp AS $$
    WITH writer AS (
        SELECT DISTINCT held.pid, held.virtualtransaction AS work, usename AS login
        FROM pg_locks AS held JOIN pg_class ON pg_class.oid = held.relation
        JOIN pg_stat_activity AS client ON client.pid = held.pid
        JOIN pg_roles ON rolname = usename AND NOT rolsuper
        WHERE relnamespace = 'cortex'::regnamespace AND held.granted
        AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND held.mode IN ('RowShareLock', 'RowExclusiveLock') AND held.pid <> pg_backend_pid()
    )
    SELECT * FROM writer
    WHERE NOT pg_blocking_pids(writer.pid) && ARRAY(SELECT other.pid FROM writer AS other)
$$;
COMMENT ON FUNCTION holders() IS
    'The transactions that wrote to the hub, are not over, and wait for no other of these.';
