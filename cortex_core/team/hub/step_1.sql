-- The hub of teams, first version. It runs as cortex_owner, with the schema cortex and the schema
-- of the extension vector on the search path. Members read through row-level security, and write
-- through the functions below, which take every name and time from the server.

-- ---------------------------------------------------------------- what is kept

CREATE TABLE hub (
    only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    epoch integer NOT NULL DEFAULT 1,         -- raised by new_epoch() after a backup was restored
    created timestamptz NOT NULL DEFAULT clock_timestamp()
);
INSERT INTO hub DEFAULT VALUES;

CREATE TABLE team (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    created timestamptz NOT NULL DEFAULT clock_timestamp(),
    self_approval boolean NOT NULL DEFAULT false,
    founder text NOT NULL,                    -- the login that made it
    sequence bigint NOT NULL DEFAULT 0,       -- of the last entry
    memories bigint NOT NULL DEFAULT 0        -- that it has: counting a million takes long
);

CREATE TABLE member (
    team uuid NOT NULL REFERENCES team,
    role text NOT NULL,                       -- the login role: session_user
    display text NOT NULL DEFAULT '' CHECK (length(display) <= 100),
    rights text NOT NULL CHECK (rights IN ('member', 'maintainer')),
    joined timestamptz NOT NULL DEFAULT clock_timestamp(),
    departed timestamptz,
    version text NOT NULL DEFAULT '' CHECK (length(version) <= 40),
    seen timestamptz,
    PRIMARY KEY (team, role)
);

CREATE TABLE request (
    id uuid PRIMARY KEY,
    team uuid NOT NULL REFERENCES team,
    project text NOT NULL CHECK (length(project) <= 200),
    author text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('add', 'change', 'remove', 'revert')),
    reason text NOT NULL CHECK (length(reason) <= 2000),
    items jsonb NOT NULL,                     -- [{"id", "base", "memory"}]; no memory: remove it
    created timestamptz NOT NULL DEFAULT clock_timestamp(),
    status text NOT NULL DEFAULT 'open'
        CHECK (status IN ('open', 'approved', 'rejected', 'withdrawn')),
    decided_by text NOT NULL DEFAULT '',
    decided timestamptz,
    note text NOT NULL DEFAULT '' CHECK (length(note) <= 2000),
    sequence bigint                           -- of the entry that carried it out
);
CREATE INDEX request_of_team ON request (team, created, id);
CREATE INDEX request_open ON request (team, created, id) WHERE status = 'open';

CREATE TABLE entry (
    team uuid NOT NULL REFERENCES team,
    sequence bigint NOT NULL CHECK (sequence > 0),
    at timestamptz NOT NULL,
    author text NOT NULL,
    approver text NOT NULL,
    request uuid NOT NULL,
    verb text NOT NULL CHECK (verb IN ('add', 'change', 'remove', 'revert', 'erase')),
    project text NOT NULL,
    audience text NOT NULL,                   -- the project; '' where it concerns others as well
    edited boolean NOT NULL,                  -- whether the approver changed what was proposed
    items jsonb NOT NULL,                     -- [{"id", "was", "author", "memory"}]; was: sequence before
    erased boolean NOT NULL DEFAULT false,    -- whether texts of it were erased later
    digest bytea NOT NULL,                    -- sha256 of the items as they were written
    hash bytea NOT NULL,                      -- sha256 of the audience's last hash, the digest, the rest
    PRIMARY KEY (team, sequence),
    UNIQUE (team, request)
);
CREATE UNIQUE INDEX entry_of_audience ON entry (team, audience, sequence);

-- A replica follows the entries of its project and those for everyone, each a chain of its own, so
-- that it proves its past without the entries of other projects.
CREATE TABLE place (
    team uuid NOT NULL REFERENCES team,
    audience text NOT NULL,
    sequence bigint NOT NULL,                 -- of the audience's last entry
    hash bytea NOT NULL,                      -- of that entry
    PRIMARY KEY (team, audience)
);

CREATE TABLE memory (
    team uuid NOT NULL REFERENCES team,
    id uuid NOT NULL,
    project text NOT NULL,                    -- the key of its project; '' for all of the team's
    author text NOT NULL,
    approver text NOT NULL,
    sequence bigint NOT NULL,                 -- of the entry that wrote it last
    created timestamptz NOT NULL,
    updated timestamptz NOT NULL,
    title text NOT NULL,
    content text NOT NULL,
    kind text NOT NULL,
    tags text[] NOT NULL,
    fields jsonb NOT NULL,                    -- the whole shape, these four included
    words tsvector,                           -- as the members' tokeniser cuts it, without places
    embedding halfvec(384),
    model text NOT NULL DEFAULT '',           -- whose vectors they are
    bits bytea,                               -- binary token vectors, for late interaction
    pieces bytea,                             -- the ids of these tokens, uint16
    PRIMARY KEY (team, id)
);
-- Exact comparing reads the embeddings of very many rows; bits do not get smaller.
ALTER TABLE memory ALTER embedding SET STORAGE PLAIN, ALTER bits SET STORAGE EXTERNAL;
CREATE INDEX memory_of_project ON memory (team, project, id);
CREATE INDEX memory_waiting ON memory (team, sequence)
    WHERE words IS NULL OR (embedding IS NULL AND kind <> 'code');
CREATE INDEX memory_words ON memory USING gin (words) WITH (fastupdate = off);
CREATE INDEX memory_meaning ON memory USING hnsw (embedding halfvec_cosine_ops);

CREATE FUNCTION ids_of(items jsonb) RETURNS uuid[]
LANGUAGE sql IMMUTABLE SET search_path = cortex, pg_temp AS $$
    SELECT coalesce(array_agg((item->>'id')::uuid), '{}') FROM jsonb_array_elements(items) AS item
$$;
COMMENT ON FUNCTION ids_of(jsonb) IS 'The memories that a request or an entry is about.';
CREATE INDEX entry_ids ON entry USING gin (ids_of(items));
CREATE INDEX request_ids ON request USING gin (ids_of(items));

-- ---------------------------------------------------------------- who reads what

CREATE FUNCTION own_teams() RETURNS uuid[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = cortex, pg_temp AS $$
    SELECT coalesce(array_agg(team), '{}') FROM member
    WHERE role = session_user AND departed IS NULL
$$;
COMMENT ON FUNCTION own_teams() IS 'The teams of whoever logged in; SET ROLE changes nothing.';

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['hub', 'team', 'member', 'request', 'entry', 'place', 'memory',
                                'schema_version'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY owner ON %I TO cortex_owner USING (true) WITH CHECK (true)',
                       name);
        EXECUTE format('REVOKE ALL ON %I FROM PUBLIC', name);
        EXECUTE format('GRANT SELECT ON %I TO cortex_member', name);
    END LOOP;
    FOREACH name IN ARRAY ARRAY['member', 'request', 'entry', 'place', 'memory'] LOOP
        EXECUTE format('CREATE POLICY of_team ON %I FOR SELECT TO cortex_member '
                       'USING (team = ANY ((SELECT own_teams())::uuid[]))', name);
    END LOOP;
END
$$;

DO $$
DECLARE
    sampled record;
BEGIN
    -- Texts are compared by operators that count as leakproof, and the planner guesses how many
    -- rows they leave by what it sampled of all teams: EXPLAIN ... WHERE title < 'm' would spell
    -- out what another team wrote. Of texts, only short labels and digests are sampled.
    FOR sampled IN SELECT attrelid::regclass AS place, attname FROM pg_attribute
            JOIN pg_class ON pg_class.oid = attrelid
            WHERE relnamespace = 'cortex'::regnamespace AND relkind = 'r' AND attnum > 0
            AND atttypid IN ('text'::regtype, 'text[]'::regtype, 'jsonb'::regtype,
                             'bytea'::regtype, 'halfvec'::regtype, 'tsvector'::regtype)
            AND attname NOT IN ('project', 'audience', 'kind', 'model', 'status', 'verb',
                                'rights') LOOP
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET STATISTICS 0', sampled.place,
                       sampled.attname);
    END LOOP;
END
$$;

CREATE POLICY of_team ON team FOR SELECT TO cortex_member
    USING (id = ANY ((SELECT own_teams())::uuid[]));
CREATE POLICY anyone ON hub FOR SELECT TO cortex_member USING (true);
CREATE POLICY anyone ON schema_version FOR SELECT TO cortex_member USING (true);

-- ---------------------------------------------------------------- what is refused

CREATE FUNCTION refuse(code text, sentence text) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
BEGIN
    RAISE EXCEPTION USING ERRCODE = code, MESSAGE = sentence;
END
$$;

CREATE FUNCTION is_clean(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = cortex, pg_temp AS $$
    SELECT value !~ ('[\u0001-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f'
        '\u202a-\u202e\u2066-\u2069]')
$$;
COMMENT ON FUNCTION is_clean(text) IS
    'Whether it holds no control character but tab and line ends, and none that turns the direction
    of writing: a reader would see other words.';

CREATE FUNCTION is_line(value text, longest integer) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = cortex, pg_temp AS $$
    SELECT length(value) <= longest AND is_clean(value) AND value !~ '[\t\r\n\u2028\u2029]'
$$;

CREATE FUNCTION holds_secret(value text) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = cortex, pg_temp AS $$
    SELECT value ~ ('AKIA[0-9A-Z]{16}|gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{40}'
        '|glpat-[0-9A-Za-z_-]{20}|sk-ant-[0-9A-Za-z_-]{20}|xox[abprs]-[0-9A-Za-z-]{20}'
        '|AIza[0-9A-Za-z_-]{35}|[rs]k_live_[0-9A-Za-z]{20}|-----BEGIN [A-Z ]*PRIVATE KEY-----'
        '|AGE-SECRET-KEY-1[0-9A-Z]{40}')
$$;
COMMENT ON FUNCTION holds_secret(text) IS
    'The unmistakable keys alone; the whole redactor runs in Cortex, before it sends.';
ALTER TABLE memory ADD CHECK (NOT holds_secret(title)), ADD CHECK (NOT holds_secret(content));

CREATE FUNCTION check_text(value text, longest integer, what text) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
BEGIN
    IF value IS NULL OR length(value) > longest THEN
        PERFORM refuse('CX400', what || ' is missing, or longer than ' || longest
            || ' characters. Nothing was changed.');
    ELSIF NOT is_clean(value) THEN
        PERFORM refuse('CX400', what || ' holds control characters. Nothing was changed. '
            'Remove them and propose again.');
    ELSIF holds_secret(value) THEN
        PERFORM refuse('CX422', what || ' holds what looks like a key. Nothing was changed. '
            'Remove it with: cortex secrets scrub');
    END IF;
END
$$;

CREATE FUNCTION check_line(value text, longest integer, what text) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
BEGIN
    PERFORM check_text(value, longest, what);
    IF NOT is_line(value, longest) THEN
        PERFORM refuse('CX400', what || ' is more than one line. Nothing was changed.');
    END IF;
END
$$;

CREATE FUNCTION check_shape(shape jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
DECLARE
    latest CONSTANT double precision := extract(epoch FROM clock_timestamp()) + 86400;
    name text;
    value jsonb;
BEGIN
    IF jsonb_typeof(shape->'title') IS DISTINCT FROM 'string'
            OR jsonb_typeof(shape->'content') IS DISTINCT FROM 'string'
            OR length(shape->>'content') NOT BETWEEN 1 AND 200000
            OR length(shape::text) > 1000000
            OR coalesce(shape->>'kind', '') !~ '^[a-z][a-z0-9_-]{0,39}$' THEN
        PERFORM refuse('CX400', 'A memory needs a title of up to 300 characters, a content of up '
            'to 200,000 and a kind. Nothing was changed.');
    END IF;
    PERFORM check_line(shape->>'title', 300, 'The title of a memory');
    IF jsonb_typeof(coalesce(shape->'tags', '[]')) <> 'array'
            OR jsonb_array_length(coalesce(shape->'tags', '[]')) > 100
            OR EXISTS (SELECT FROM jsonb_array_elements(coalesce(shape->'tags', '[]')) AS tag
                       WHERE jsonb_typeof(tag) <> 'string' OR NOT is_line(tag #>> '{}', 100)) THEN
        PERFORM refuse('CX400', 'The tags of a memory are not a list of up to 100 single lines. '
            'Nothing was changed.');
    END IF;
    IF jsonb_path_exists(shape, 'strict $.**{21 to last}')
            OR jsonb_path_exists(shape, 'strict $.** ? (@.type() == "number"
                && (@ > 1000000000000000 || @ < -1000000000000000))') THEN
        PERFORM refuse('CX400', 'A memory is nested deeper than 20 levels, or has a number that is '
            'too large. Nothing was changed.');
    END IF;
    FOREACH name IN ARRAY ARRAY['author', 'approver', 'team', 'sequence', 'scope'] LOOP
        IF shape ? name THEN
            PERFORM refuse('CX403', 'A memory may not state its ' || name || ': the hub does. '
                'Nothing was changed.');
        END IF;
    END LOOP;
    FOREACH name IN ARRAY ARRAY['created', 'updated', 'reinforced', 'last_access'] LOOP
        value := shape->name;
        IF jsonb_typeof(value) NOT IN ('number', 'null')
                OR (jsonb_typeof(value) = 'number' AND NOT value::numeric BETWEEN 0 AND latest) THEN
            PERFORM refuse('CX400', 'A memory says that it is of the future, or a time of it is no '
                'number. Nothing was changed. Check the clock of your machine.');
        END IF;
    END LOOP;
    FOR value IN SELECT jsonb_path_query(shape, 'strict $.** ? (@.type() == "string")') LOOP
        PERFORM check_text(value #>> '{}', 200000, 'A memory');
    END LOOP;
    FOR name IN SELECT jsonb_path_query(shape, 'strict $.** ? (@.type() == "object").keyvalue().key') #>> '{}' LOOP
        PERFORM check_line(name, 300, 'A name in a memory');
    END LOOP;
END
$$;

CREATE FUNCTION check_items(items jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
DECLARE
    item jsonb;
BEGIN
    IF jsonb_typeof(items) IS DISTINCT FROM 'array'
            OR jsonb_array_length(items) NOT BETWEEN 1 AND 500
            OR length(items::text) > 16000000 THEN
        PERFORM refuse('CX400', 'A request needs 1 to 500 memories, together at most 16 million '
            'characters. Nothing was changed. Propose them in parts.');
    END IF;
    FOR item IN SELECT jsonb_array_elements(items) LOOP
        IF jsonb_typeof(item) <> 'object'
                OR item - ARRAY['id', 'base', 'memory'] <> '{}'
                OR coalesce(item->>'id', '')
                    !~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
                OR coalesce(item->>'base', '0') !~ '^[0-9]{1,15}$'
                OR jsonb_typeof(coalesce(item->'memory', 'null')) NOT IN ('object', 'null') THEN
            PERFORM refuse('CX400', 'A memory of the request has not the form that the hub reads. '
                'Nothing was changed.');
        END IF;
        IF jsonb_typeof(item->'memory') = 'object' THEN
            PERFORM check_shape(item->'memory');
        END IF;
    END LOOP;
    IF (SELECT count(DISTINCT each->>'id') <> count(*) FROM jsonb_array_elements(items) AS each) THEN
        PERFORM refuse('CX400', 'A memory is in the request twice. Nothing was changed.');
    END IF;
END
$$;

-- ---------------------------------------------------------------- who may

CREATE FUNCTION rights_in(team_id uuid) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = cortex, pg_temp AS $$
DECLARE
    found_rights text;
BEGIN
    SELECT rights INTO found_rights FROM member
    WHERE team = team_id AND role = session_user AND departed IS NULL;
    IF found_rights IS NULL THEN
        PERFORM refuse('CX403', 'You are not a member of this team. Nothing was changed. '
            'Ask one of its maintainers to add you.');
    END IF;
    RETURN found_rights;
END
$$;

CREATE FUNCTION need_maintainer(team_id uuid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = cortex, pg_temp AS $$
BEGIN
    IF rights_in(team_id) <> 'maintainer' THEN
        PERFORM refuse('CX403', 'Only a maintainer of the team may do this. Nothing was changed. '
            'Ask one of them.');
    END IF;
END
$$;

CREATE FUNCTION lock_team(team_id uuid) RETURNS team
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
DECLARE
    locked team;
BEGIN
    SELECT * INTO locked FROM team WHERE id = team_id FOR NO KEY UPDATE;
    RETURN locked;
END
$$;
COMMENT ON FUNCTION lock_team(uuid) IS
    'Its row until the transaction ends: whoever writes an entry waits for whoever writes one.';

CREATE FUNCTION holders() RETURNS TABLE (pid integer, work text, login name)
LANGUAGE sql VOLATILE SET search_path = cortex, pg_temp AS $$
    SELECT DISTINCT held.pid, held.virtualtransaction, usename
    FROM pg_locks AS held JOIN pg_class ON pg_class.oid = held.relation
    JOIN pg_stat_activity AS client ON client.pid = held.pid
    JOIN pg_roles ON rolname = usename AND NOT rolsuper
    WHERE relnamespace = 'cortex'::regnamespace AND held.granted
    AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND held.mode IN ('RowShareLock', 'RowExclusiveLock') AND held.pid <> pg_backend_pid()
    AND NOT EXISTS (SELECT FROM pg_locks AS asked WHERE asked.pid = held.pid AND NOT granted)
$$;
COMMENT ON FUNCTION holders() IS
    'The transactions that wrote to the hub, are not over, and wait for nobody.';

CREATE FUNCTION make_way() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = cortex, pg_temp AS $$
DECLARE
    earlier text[] := ARRAY(SELECT work FROM holders());
    holder record;
    ended integer := 0;
BEGIN
    PERFORM pg_sleep(3);
    FOR holder IN SELECT * FROM holders() WHERE work = ANY (earlier) LOOP
        BEGIN
            ended := ended + pg_terminate_backend(holder.pid, 2000)::integer;
        EXCEPTION WHEN insufficient_privilege THEN
            PERFORM refuse('CX423', 'The login ' || holder.login || ' keeps a transaction open '
                'that others wait for. Nothing was changed. The owner of the database runs: '
                'SELECT pg_terminate_backend(' || holder.pid || '); and, so that the hub does it '
                'by itself: GRANT pg_signal_backend TO cortex_owner');
        END;
    END LOOP;
    RETURN ended;
END
$$;
COMMENT ON FUNCTION make_way() IS
    'Ends the connections whose transactions wrote and stayed open for three seconds while nothing
    kept them: a client calls it where it waited for a lock in vain. A write takes milliseconds,
    500 vectors in one transaction about a second; a client whose connection is ended does its work
    again.';

-- ---------------------------------------------------------------- what a member does

CREATE FUNCTION create_team(team_id uuid, team_name text, display_name text, alone_may boolean)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM check_line(team_name, 100, 'The name of the team');
    PERFORM check_line(display_name, 100, 'Your name');
    IF (SELECT count(*) >= 100 FROM team WHERE founder = session_user) THEN
        PERFORM refuse('CX429', 'You have made 100 teams on this hub. Nothing was changed. '
            'Use one of them.');
    END IF;
    INSERT INTO team (id, name, self_approval, founder)
        VALUES (team_id, team_name, alone_may, session_user)
        ON CONFLICT DO NOTHING;
    IF FOUND THEN
        INSERT INTO member (team, role, display, rights)
            VALUES (team_id, session_user, display_name, 'maintainer');
    ELSE
        PERFORM rights_in(team_id);
    END IF;
END
$$;

CREATE FUNCTION add_member(team_id uuid, login text, display_name text, member_rights text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM need_maintainer(team_id);
    PERFORM lock_team(team_id);
    PERFORM check_line(display_name, 100, 'The name of the member');
    IF member_rights NOT IN ('member', 'maintainer') THEN
        PERFORM refuse('CX400', 'Rights are member or maintainer. Nothing was changed.');
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = login AND rolcanlogin
                   AND pg_has_role(oid, 'cortex_member', 'member')) THEN
        PERFORM refuse('CX404', 'PostgreSQL has no login of this name that is a cortex_member. '
            'Nothing was changed. The owner of the database creates it with: '
            'CREATE ROLE name LOGIN PASSWORD ''…'' IN ROLE cortex_member');
    END IF;
    PERFORM keep_maintainer(team_id, login) WHERE member_rights <> 'maintainer';
    INSERT INTO member (team, role, display, rights)
        VALUES (team_id, login, display_name, member_rights)
        ON CONFLICT (team, role) DO UPDATE
        SET display = EXCLUDED.display, rights = EXCLUDED.rights, departed = NULL,
            joined = CASE WHEN member.departed IS NULL THEN member.joined
                          ELSE EXCLUDED.joined END;
END
$$;

CREATE FUNCTION keep_maintainer(team_id uuid, login text) RETURNS void
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM member WHERE team = team_id AND departed IS NULL AND role <> login)
            AND EXISTS (SELECT FROM member WHERE team = team_id AND departed IS NULL
                        AND role = login AND rights = 'maintainer')
            AND NOT EXISTS (SELECT FROM member WHERE team = team_id AND departed IS NULL
                            AND role <> login AND rights = 'maintainer') THEN
        PERFORM refuse('CX409', 'This is the only maintainer of the team. Nothing was changed. '
            'Make another member a maintainer first.');
    END IF;
END
$$;
COMMENT ON FUNCTION keep_maintainer(uuid, text) IS
    'Refuses that a team with other members loses its last maintainer.';

CREATE FUNCTION leave(team_id uuid, login text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    IF login IS DISTINCT FROM session_user::text THEN
        PERFORM need_maintainer(team_id);
    END IF;
    PERFORM lock_team(team_id);
    PERFORM keep_maintainer(team_id, login);
    UPDATE member SET departed = clock_timestamp()
        WHERE team = team_id AND role = login AND departed IS NULL;
END
$$;

CREATE FUNCTION hello(client_version text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM check_line(client_version, 40, 'The version');
    UPDATE member SET version = client_version, seen = clock_timestamp()
        WHERE role = session_user AND departed IS NULL
        AND (version <> client_version OR seen IS NULL
             OR seen < clock_timestamp() - interval '1 hour');
END
$$;
COMMENT ON FUNCTION hello(text) IS 'Keeps which version of Cortex a member uses, and when.';

CREATE FUNCTION propose(
    request_id uuid, team_id uuid, project_key text, request_kind text, why text, proposed jsonb
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM rights_in(team_id);
    PERFORM check_line(project_key, 200, 'The key of the project');
    PERFORM check_text(why, 2000, 'The reason');
    PERFORM check_items(proposed);
    IF request_kind NOT IN ('add', 'change', 'remove') THEN
        PERFORM refuse('CX400', 'A request adds, changes or removes. Nothing was changed.');
    ELSIF (SELECT count(*) >= 200 OR sum(length(items::text)) > 16000000 FROM request
           WHERE team = team_id AND status = 'open' AND author = session_user
           AND id <> request_id) THEN
        PERFORM refuse('CX429', 'Your requests that wait for a decision are 200, or longer than 16 '
            'million characters. Nothing was changed. Have them decided, or withdraw some.');
    END IF;
    INSERT INTO request (id, team, project, author, kind, reason, items)
        VALUES (request_id, team_id, project_key, session_user, request_kind, why, proposed)
        ON CONFLICT DO NOTHING;
    IF NOT FOUND AND NOT EXISTS (SELECT FROM request WHERE id = request_id AND team = team_id
                                  AND author = session_user) THEN
        PERFORM refuse('CX409', 'Another request has this id. Nothing was changed. '
            'Propose again.');
    END IF;
END
$$;
COMMENT ON FUNCTION propose(uuid, uuid, text, text, text, jsonb) IS
    'Asks for a change of the team''s memories; the same id again is the same request.';

CREATE FUNCTION write_entry(
    team_id uuid, entry_author text, request_id uuid, entry_verb text, project_key text,
    was_edited boolean, wanted jsonb
) RETURNS bigint
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
DECLARE
    locked team := lock_team(team_id);
    number bigint := locked.sequence + 1;
    moment timestamptz := clock_timestamp();
    concerned text := project_key;
    item jsonb;
    now_at bigint;
    lies_in text;
    more bigint := 0;
    written jsonb := '[]';
    the_digest bytea;
    the_hash bytea;
BEGIN
    FOR item IN SELECT jsonb_array_elements(wanted) LOOP
        SELECT sequence, project INTO now_at, lies_in
            FROM memory WHERE team = team_id AND id = (item->>'id')::uuid;
        IF coalesce(now_at, 0) <> coalesce((item->>'base')::bigint, 0) THEN
            PERFORM refuse('CX409', 'A memory of the request was changed in the team since it was '
                'proposed. Nothing was changed. Look at it as it is now, and propose again.');
        END IF;
        IF lies_in <> project_key THEN
            concerned := '';
        END IF;
        more := more + (coalesce(item->'memory', 'null') <> 'null')::int
            - (now_at IS NOT NULL)::int;
        written := written || jsonb_build_array(jsonb_build_object(
            'id', item->'id', 'was', coalesce(now_at, 0),
            'author', coalesce(item->>'author', entry_author),
            'memory', coalesce(item->'memory', 'null')));
    END LOOP;
    DELETE FROM memory USING jsonb_array_elements(written) AS each
        WHERE team = team_id AND id = (each->>'id')::uuid AND each->'memory' = 'null';
    PERFORM write_memory(team_id, each, project_key, number, moment)
        FROM jsonb_array_elements(written) AS each WHERE each->'memory' <> 'null';
    the_digest := sha256(convert_to(written::text, 'UTF8'));
    SELECT hash INTO the_hash FROM place WHERE team = team_id AND audience = concerned;
    the_hash := sha256(coalesce(the_hash, '') || the_digest || convert_to(concat_ws(chr(31), number,
        (extract(epoch FROM moment) * 1000000)::bigint, entry_author, session_user, request_id,
        entry_verb, project_key, concerned, was_edited::int), 'UTF8'));
    INSERT INTO entry (team, sequence, at, author, approver, request, verb, project, audience,
                       edited, items, digest, hash)
        VALUES (team_id, number, moment, entry_author, session_user, request_id, entry_verb,
                project_key, concerned, was_edited, written, the_digest, the_hash);
    INSERT INTO place AS p (team, audience, sequence, hash)
        VALUES (team_id, concerned, number, the_hash)
        ON CONFLICT (team, audience) DO UPDATE SET sequence = number, hash = the_hash;
    UPDATE team SET sequence = number, memories = memories + more WHERE id = team_id;
    RETURN number;
END
$$;
COMMENT ON FUNCTION write_entry(uuid, text, uuid, text, text, boolean, jsonb) IS
    'Changes the memories and appends to the log, under the lock of the team.';

CREATE FUNCTION write_memory(
    team_id uuid, item jsonb, project_key text, number bigint, moment timestamptz
) RETURNS void
LANGUAGE sql SET search_path = cortex, pg_temp AS $$
    INSERT INTO memory AS m (team, id, project, author, approver, sequence, created, updated,
                             title, content, kind, tags, fields)
    SELECT team_id, (item->>'id')::uuid, project_key, item->>'author', session_user, number,
        moment, moment, shape->>'title', shape->>'content', shape->>'kind',
        ARRAY(SELECT jsonb_array_elements_text(coalesce(shape->'tags', '[]'))), shape
    FROM (SELECT item->'memory' AS shape) AS given
    ON CONFLICT (team, id) DO UPDATE
    SET project = EXCLUDED.project, author = EXCLUDED.author, approver = EXCLUDED.approver,
        sequence = EXCLUDED.sequence, updated = EXCLUDED.updated, title = EXCLUDED.title,
        content = EXCLUDED.content, kind = EXCLUDED.kind, tags = EXCLUDED.tags,
        fields = EXCLUDED.fields, words = NULL, embedding = NULL, model = '', bits = NULL,
        pieces = NULL
$$;

CREATE FUNCTION decide(request_id uuid, verdict text, edited_items jsonb, remark text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    asked request;
    locked team;
    number bigint;
BEGIN
    SELECT * INTO asked FROM request WHERE id = request_id AND team = ANY (own_teams());
    IF asked.id IS NULL THEN
        PERFORM refuse('CX404', 'Your teams have no such request. Nothing was changed. '
            'See: cortex team requests');
    END IF;
    locked := lock_team(asked.team);
    PERFORM rights_in(asked.team);
    SELECT * INTO asked FROM request WHERE id = request_id FOR UPDATE;
    PERFORM check_text(remark, 2000, 'The note');
    IF verdict NOT IN ('approved', 'rejected', 'withdrawn') THEN
        PERFORM refuse('CX400', 'A request is approved, rejected or withdrawn. '
            'Nothing was changed.');
    ELSIF asked.status = verdict AND asked.decided_by = session_user THEN
        RETURN asked.sequence;
    ELSIF EXISTS (SELECT FROM request WHERE id = reworded(request_id, edited_items)) THEN
        RETURN NULL;
    ELSIF verdict = 'withdrawn' THEN
        RETURN withdraw(asked);
    ELSIF asked.status <> 'open' THEN
        PERFORM refuse('CX409', 'The request was ' || asked.status || ' already, by '
            || asked.decided_by || '. Nothing was changed.');
    ELSIF verdict = 'approved' THEN
        number := approve(asked, locked.self_approval, edited_items);
        IF number IS NULL THEN
            verdict := 'rejected';
            remark := 'It was proposed again in other words.';
        END IF;
    END IF;
    UPDATE request SET status = verdict, decided_by = session_user, decided = clock_timestamp(),
        note = remark, sequence = number WHERE id = request_id;
    RETURN number;
END
$$;
COMMENT ON FUNCTION decide(uuid, text, jsonb, text) IS
    'Approves a request, as proposed or with other items, rejects it, or withdraws one''s own. Other
    words become a request of whoever wrote them, which another member decides: NULL then.';

CREATE FUNCTION reworded(request_id uuid, edited_items jsonb) RETURNS uuid
LANGUAGE sql STABLE SET search_path = cortex, pg_temp AS $$
    SELECT md5(concat_ws(chr(31), request_id, session_user, edited_items))::uuid
    WHERE edited_items IS NOT NULL
$$;
COMMENT ON FUNCTION reworded(uuid, jsonb) IS
    'The id of the request that a member makes of another one by other words: asked twice, one.';

CREATE FUNCTION withdraw(asked request) RETURNS bigint
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
BEGIN
    IF asked.author <> session_user THEN
        PERFORM refuse('CX403', 'Only its author may withdraw a request. Nothing was changed. '
            'You can reject it.');
    ELSIF asked.status = 'approved' THEN
        PERFORM refuse('CX409', 'The request was approved already. Nothing was changed. '
            'Take it back with: cortex team revert');
    END IF;
    UPDATE request SET status = 'withdrawn', decided_by = session_user, items = '[]', reason = '',
        decided = clock_timestamp() WHERE id = asked.id;
    RETURN NULL;
END
$$;
COMMENT ON FUNCTION withdraw(request) IS 'What was proposed is gone from the hub with it.';

CREATE FUNCTION approve(asked request, alone_may boolean, edited_items jsonb) RETURNS bigint
LANGUAGE plpgsql SET search_path = cortex, pg_temp AS $$
DECLARE
    needs_another CONSTANT boolean := NOT alone_may AND EXISTS (
        SELECT FROM member
        WHERE team = asked.team AND departed IS NULL AND role <> session_user);
    signed jsonb;
BEGIN
    IF asked.author = session_user AND needs_another THEN
        PERFORM refuse('CX403', 'Another member has to approve what you propose. '
            'Nothing was changed.');
    END IF;
    IF edited_items IS NOT NULL THEN
        PERFORM check_items(edited_items);
        IF EXISTS (SELECT each->>'id' FROM jsonb_array_elements(edited_items) AS each
                   EXCEPT SELECT each->>'id' FROM jsonb_array_elements(asked.items) AS each) THEN
            PERFORM refuse('CX400', 'An edited request may leave memories out, not bring others. '
                'Nothing was changed. Propose those.');
        END IF;
        -- Other words are of whoever wrote them: nobody puts words into the mouth of another.
        SELECT jsonb_agg(CASE
                WHEN coalesce(each->'memory', 'null') = coalesce(proposed->'memory', 'null') THEN each
                ELSE each || jsonb_build_object('author', session_user) END)
            INTO signed FROM jsonb_array_elements(edited_items) AS each
            JOIN jsonb_array_elements(asked.items) AS proposed ON proposed->'id' = each->'id';
        -- Two members have to have read the very words that count.
        IF needs_another AND jsonb_path_exists(signed, '$[*].author') THEN
            PERFORM propose(reworded(asked.id, edited_items), asked.team, asked.project,
                            asked.kind, asked.reason, edited_items);
            RETURN NULL;
        END IF;
    END IF;
    RETURN write_entry(asked.team, asked.author, asked.id, asked.kind, asked.project,
        coalesce(edited_items <> asked.items, false), coalesce(signed, asked.items));
END
$$;

CREATE FUNCTION revert(request_id uuid, revert_id uuid, why text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    done entry;
    earlier jsonb;
    number bigint;
BEGIN
    SELECT * INTO done FROM entry WHERE request = request_id AND team = ANY (own_teams());
    IF done.team IS NULL THEN
        PERFORM refuse('CX404', 'Your teams have no such change. Nothing was changed. '
            'See: cortex team requests');
    END IF;
    PERFORM lock_team(done.team);
    PERFORM check_text(why, 2000, 'The reason');
    SELECT sequence INTO number FROM entry WHERE team = done.team AND request = revert_id;
    IF number IS NOT NULL THEN
        RETURN number;
    ELSIF EXISTS (SELECT FROM request WHERE id = revert_id) THEN
        PERFORM refuse('CX409', 'Another request has this id. Nothing was changed. Revert again.');
    ELSIF rights_in(done.team) <> 'maintainer' AND session_user NOT IN (done.author, done.approver)
    THEN
        PERFORM refuse('CX403', 'Its author, its approver and maintainers may take a change back. '
            'Nothing was changed. Ask one of them, or propose the opposite.');
    ELSIF done.verb = 'erase' OR done.erased THEN
        PERFORM refuse('CX409', 'Texts of this change were erased, so that it cannot be taken '
            'back. Nothing was changed.');
    END IF;
    SELECT jsonb_agg(jsonb_build_object(
            'id', changed->'id',
            'base', CASE WHEN changed->'memory' = 'null' THEN 0 ELSE done.sequence END,
            'author', coalesce(old.item->>'author', session_user),
            'memory', coalesce(old.item->'memory', 'null')))
        INTO earlier FROM jsonb_array_elements(done.items) AS changed
        LEFT JOIN entry AS past
            ON past.team = done.team AND past.sequence = (changed->>'was')::bigint
        LEFT JOIN LATERAL (SELECT item FROM jsonb_array_elements(past.items) AS item
                           WHERE item->'id' = changed->'id') AS old ON true;
    INSERT INTO request (id, team, project, author, kind, reason, items, status, decided_by, decided)
        VALUES (revert_id, done.team, done.project, session_user, 'revert', why, earlier,
                'approved', session_user, clock_timestamp());
    number := write_entry(done.team, session_user, revert_id, 'revert', done.project, false,
                          earlier);
    UPDATE request SET sequence = number WHERE id = revert_id;
    RETURN number;
END
$$;
COMMENT ON FUNCTION revert(uuid, uuid, text) IS
    'Sets the memories of an approved request back to what they were before it, everywhere.';

CREATE FUNCTION erase(team_id uuid, erase_id uuid, ids uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    number bigint;
BEGIN
    PERFORM need_maintainer(team_id);
    PERFORM lock_team(team_id);
    SELECT sequence INTO number FROM entry WHERE team = team_id AND request = erase_id;
    IF number IS NOT NULL THEN
        RETURN number;
    ELSIF EXISTS (SELECT FROM request WHERE id = erase_id) THEN
        PERFORM refuse('CX409', 'A request has this id. Nothing was changed. Erase again.');
    ELSIF coalesce(cardinality(ids), 0) NOT BETWEEN 1 AND 500 THEN
        PERFORM refuse('CX400', 'Name 1 to 500 memories to erase. Nothing was changed.');
    END IF;
    UPDATE entry SET erased = true, items = without_texts(items, ids)
        WHERE team = team_id AND ids_of(items) && ids AND items <> without_texts(items, ids);
    UPDATE request SET items = without_texts(items, ids), reason = '', note = ''
        WHERE team = team_id AND ids_of(items) && ids;
    RETURN write_entry(team_id, session_user, erase_id, 'erase', '', false, (
        SELECT jsonb_agg(jsonb_build_object('id', named, 'base', coalesce(m.sequence, 0),
                                            'memory', NULL))
        FROM (SELECT DISTINCT unnest(ids) AS named) AS each
        LEFT JOIN memory AS m ON m.team = team_id AND m.id = each.named));
END
$$;
COMMENT ON FUNCTION erase(uuid, uuid, uuid[]) IS
    'Takes memories out of the team and their texts out of its whole past: for a secret.';

CREATE FUNCTION without_texts(items jsonb, ids uuid[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE SET search_path = cortex, pg_temp AS $$
    SELECT coalesce(jsonb_agg(
        CASE WHEN (item->>'id')::uuid = ANY (ids)
             THEN item || '{"memory": null}' ELSE item END ORDER BY number), '[]')
    FROM jsonb_array_elements(items) WITH ORDINALITY AS each (item, number)
$$;

CREATE FUNCTION set_vector(
    team_id uuid, memory_id uuid, at_sequence bigint, whose text, vector halfvec, token_bits bytea,
    token_pieces bytea
) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    is_maintainer CONSTANT boolean := rights_in(team_id) = 'maintainer';
BEGIN
    PERFORM check_line(whose, 200, 'The name of the model');
    IF greatest(length(token_bits), length(token_pieces)) > 1000000 THEN
        PERFORM refuse('CX400', 'The vectors are larger than a megabyte. Nothing was changed.');
    END IF;
    UPDATE memory SET embedding = vector, model = whose, bits = token_bits, pieces = token_pieces
        WHERE team = team_id AND id = memory_id AND sequence = at_sequence
        AND (embedding IS NULL OR is_maintainer OR session_user IN (author, approver));
    RETURN FOUND;
END
$$;
COMMENT ON FUNCTION set_vector(uuid, uuid, bigint, text, halfvec, bytea, bytea) IS
    'The vectors of a memory as an entry wrote it; whoever neither wrote nor approved it may only
    add what is missing.';

CREATE FUNCTION set_words(
    team_id uuid, memory_ids uuid[], at_sequences bigint[], cut text[]
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
DECLARE
    is_maintainer CONSTANT boolean := rights_in(team_id) = 'maintainer';
    number bigint;
BEGIN
    IF length(cut::text) > 16000000 THEN
        PERFORM refuse('CX400', 'The words are longer than 16 million characters. Nothing was '
            'changed.');
    END IF;
    UPDATE memory AS m SET words = each.cut::tsvector
        FROM unnest(memory_ids, at_sequences, cut) AS each (id, sequence, cut)
        WHERE m.team = team_id AND m.id = each.id AND m.sequence = each.sequence
        AND (words IS NULL OR is_maintainer OR session_user IN (author, approver));
    GET DIAGNOSTICS number = ROW_COUNT;
    RETURN number;
END
$$;
COMMENT ON FUNCTION set_words(uuid, uuid[], bigint[], text[]) IS
    'The words of memories as entries wrote them, each a tsvector; who may is as for the vectors.';

-- ---------------------------------------------------------------- search by words

-- Row-level security keeps a member's own statement from the index of words, because its operator
-- might tell what it compares; these two ask who it is, and then use the index.

CREATE FUNCTION count_words(team_id uuid, asked text[], most integer) RETURNS SETOF bigint
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = cortex, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    query tsquery;
BEGIN
    PERFORM rights_in(team_id);
    FOREACH query IN ARRAY asked::tsquery[] LOOP
        RETURN QUERY SELECT count(*) FROM (
            SELECT FROM memory AS m WHERE m.team = team_id AND m.words @@ query LIMIT most) AS found;
    END LOOP;
END
$$;
COMMENT ON FUNCTION count_words(uuid, text[], integer) IS
    'How many memories of a team match each of these queries, in order; counting stops at so many.';

CREATE FUNCTION find_words(
    team_id uuid, asked text, wanted_project text, wanted_kinds text[], most integer
) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = cortex, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    query CONSTANT tsquery := asked::tsquery;
BEGIN
    PERFORM rights_in(team_id);
    RETURN QUERY SELECT found.id FROM (
            SELECT m.id, m.words FROM memory AS m
            WHERE m.team = team_id AND m.words @@ query
            AND (wanted_project IS NULL OR m.project = wanted_project)
            AND (wanted_kinds = '{}' OR m.kind = ANY (wanted_kinds))
            LIMIT 4000) AS found
        ORDER BY ts_rank(found.words, query, 1) DESC, found.id LIMIT most;
END
$$;
COMMENT ON FUNCTION find_words(uuid, text, text, text[], integer) IS
    'The memories of a team that match a query, best first, among the first four thousand; NULL: of
    any project.';

CREATE FUNCTION new_epoch() RETURNS integer
LANGUAGE sql SET search_path = cortex, pg_temp AS $$
    UPDATE hub SET epoch = epoch + 1 RETURNING epoch
$$;
COMMENT ON FUNCTION new_epoch() IS
    'For the owner of the database, after a backup was restored: every replica starts again.';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA cortex FROM PUBLIC;
GRANT USAGE ON SCHEMA cortex TO cortex_member;
GRANT EXECUTE ON FUNCTION own_teams(), create_team(uuid, text, text, boolean),
    add_member(uuid, text, text, text), leave(uuid, text), hello(text), make_way(),
    propose(uuid, uuid, text, text, text, jsonb), decide(uuid, text, jsonb, text),
    revert(uuid, uuid, text), erase(uuid, uuid, uuid[]),
    set_vector(uuid, uuid, bigint, text, halfvec, bytea, bytea),
    set_words(uuid, uuid[], bigint[], text[]),
    count_words(uuid, text[], integer), find_words(uuid, text, text, text[], integer)
    TO cortex_member;
