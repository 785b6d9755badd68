-- Where the clones of a project come from: forks, and what was made from one template, share the
-- first commit, by which a project is known.

CREATE TABLE origin (
    team uuid NOT NULL REFERENCES team,
    project text NOT NULL CHECK (length(project) <= 200),
    origin text NOT NULL CHECK (length(origin) <= 200),    -- the digest of an address
    PRIMARY KEY (team, project, origin)
);
ALTER TABLE origin ENABLE ROW LEVEL SECURITY;
ALTER TABLE origin FORCE ROW LEVEL SECURITY;
CREATE POLICY owner ON origin TO cortex_owner USING (true) WITH CHECK (true);
CREATE POLICY of_team ON origin FOR SELECT TO cortex_member
    USING (team = ANY ((SELECT own_teams())::uuid[]));
REVOKE ALL ON origin FROM PUBLIC;
GRANT SELECT ON origin TO cortex_member;
ALTER TABLE origin ALTER COLUMN origin SET STATISTICS 0;

CREATE FUNCTION note_origin(team_id uuid, project_key text, origin_key text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = cortex, pg_temp SET lock_timeout = '5s' AS $$
BEGIN
    PERFORM rights_in(team_id);
    PERFORM check_line(project_key, 200, 'The key of the project');
    PERFORM check_line(origin_key, 200, 'The key of the origin');
    IF (SELECT count(*) >= 1000 FROM origin WHERE team = team_id) THEN
        PERFORM refuse('CX429', 'The team has a thousand origins of projects. Nothing was changed. '
            'Name the project with --project-name.');
    END IF;
    INSERT INTO origin VALUES (team_id, project_key, origin_key) ON CONFLICT DO NOTHING;
END
$$;
COMMENT ON FUNCTION note_origin(uuid, text, text) IS
    'Keeps where a member''s clone of a project comes from, so that a fork of it is asked about.';
REVOKE ALL ON FUNCTION note_origin(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION note_origin(uuid, text, text) TO cortex_member;
