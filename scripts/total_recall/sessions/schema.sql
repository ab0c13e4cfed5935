-- The index over past sessions. It is derived: a change of shape raises user_version in
-- index.py, and the file is built anew from the sources.

CREATE TABLE files (                  -- one row a source file, read or not
    path TEXT PRIMARY KEY,
    source TEXT NOT NULL,             -- the configured folder it was found in
    format TEXT NOT NULL,             -- empty: no transcript
    state TEXT NOT NULL,              -- device, inode, size and mtime of it and what belongs to it
    size INTEGER NOT NULL,
    ends TEXT NOT NULL,               -- hash of its inode, head, tail before `size`, mark and faults
    mark TEXT NOT NULL,               -- JSON: where reading goes on, empty: from the start
    bad INTEGER NOT NULL,             -- fragments that could not be read
    faults TEXT NOT NULL,             -- JSON: the first of them, [offset, reason]
    unknown TEXT NOT NULL,            -- JSON: records of types that no rule reads, counted
    error TEXT NOT NULL               -- why nothing of it could be read, empty: it could
);

CREATE TABLE sources (                -- one row a configured folder
    path TEXT PRIMARY KEY,
    imported TEXT NOT NULL            -- UTC
);

CREATE TABLE sessions (               -- one row a session and file
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL,
    source_path TEXT NOT NULL REFERENCES files (path),
    relation TEXT NOT NULL,           -- root, subagent
    parent TEXT NOT NULL,
    title TEXT NOT NULL,
    cwd TEXT NOT NULL,
    git_branch TEXT NOT NULL,
    phase_context TEXT NOT NULL,
    started TEXT NOT NULL,            -- UTC, to the millisecond; so are all times of turns
    ended TEXT NOT NULL,
    time_quality TEXT NOT NULL,
    tags TEXT NOT NULL,               -- its commonest entities, one a line
    UNIQUE (source_path, id)
);
CREATE INDEX sessions_by_id ON sessions (id);

CREATE TABLE turns (                  -- one row a stored message
    key INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (key),
    native TEXT NOT NULL,             -- the turn id is <session id>:<native>
    seq INTEGER NOT NULL,
    role TEXT NOT NULL,               -- user, assistant, summary, system
    kind TEXT NOT NULL,
    tags TEXT NOT NULL,               -- its entities, one a line
    time TEXT NOT NULL,
    time_quality TEXT NOT NULL,
    spans TEXT NOT NULL,              -- bytes of its records: start-end,start-end
    place TEXT NOT NULL,              -- keys of its values in a file that is one document
    raw_sha BLOB NOT NULL,
    text_sha BLOB NOT NULL,
    lossy INTEGER NOT NULL,
    is_sidechain INTEGER NOT NULL,
    abandoned INTEGER NOT NULL,
    superseded INTEGER NOT NULL,      -- its source was rewritten without it
    echo INTEGER NOT NULL,            -- quotes what recall printed
    summary_length INTEGER NOT NULL,
    text TEXT NOT NULL,               -- behind what is asked of many turns, as it may be long
    summary TEXT GENERATED ALWAYS AS (substr(text, 1, summary_length)) VIRTUAL,
    UNIQUE (session, native)
);

CREATE TABLE tool_calls (
    session INTEGER NOT NULL REFERENCES sessions (key),
    number INTEGER NOT NULL,
    turn INTEGER NOT NULL,            -- the seq of the turn before it
    call_id TEXT NOT NULL,
    name TEXT NOT NULL,
    input TEXT NOT NULL,
    output TEXT NOT NULL,
    output_length INTEGER NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (session, number)
) WITHOUT ROWID;

CREATE TABLE function_touches (session INTEGER NOT NULL, function TEXT NOT NULL);
CREATE INDEX function_touches_by_session ON function_touches (session);
CREATE TABLE evaluation_results (
    session INTEGER NOT NULL, metric TEXT NOT NULL, value TEXT NOT NULL
);
CREATE INDEX evaluation_results_by_session ON evaluation_results (session);
CREATE TABLE outcome_contracts (
    session INTEGER NOT NULL, function TEXT NOT NULL, type TEXT NOT NULL, status TEXT NOT NULL
);
CREATE INDEX outcome_contracts_by_session ON outcome_contracts (session);
CREATE TABLE strategy_usage (session INTEGER NOT NULL, strategy TEXT NOT NULL);
CREATE INDEX strategy_usage_by_session ON strategy_usage (session);
CREATE TABLE key_decisions (session INTEGER NOT NULL, decision TEXT NOT NULL);
CREATE INDEX key_decisions_by_session ON key_decisions (session);

CREATE TABLE entities (
    turn INTEGER NOT NULL REFERENCES turns (key),
    name TEXT NOT NULL,
    type TEXT NOT NULL,
    session INTEGER NOT NULL REFERENCES sessions (key),
    PRIMARY KEY (turn, name)
) WITHOUT ROWID;
CREATE INDEX entities_by_name ON entities (name);

CREATE TABLE citations (              -- what was shown, to which query, and when
    id INTEGER PRIMARY KEY,
    query TEXT NOT NULL,
    session TEXT NOT NULL,
    turn TEXT NOT NULL,
    source_exists INTEGER NOT NULL,
    cited TEXT NOT NULL
);

-- A part of a turn's text, by characters, that is ranked by itself. What is evidence has an id
-- above 0; what restates it, was given up or quotes ourselves one below, so that a query leaves
-- it out by a range.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL REFERENCES turns (key),
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    extra TEXT NOT NULL               -- pairs of characters, parts of identifiers, entities
);
CREATE INDEX chunks_by_turn ON chunks (turn);

CREATE VIEW passages AS
    SELECT chunks.id AS id, substr(text, start + 1, end - start) AS text, extra
    FROM chunks JOIN turns ON turns.key = chunks.turn;

CREATE VIRTUAL TABLE passages_fts USING fts5 (
    text, extra, content = 'passages', content_rowid = 'id', tokenize = 'porter unicode61'
);
