-- One row per job, updated in place. Short checked words are text, bytes live in job_document, and
-- every index is paid for by each update that is not HOT, so there are few.
CREATE TABLE job (
    scope               text COLLATE "C" NOT NULL,
    id                  uuid NOT NULL,
    queue               text COLLATE "C" NOT NULL,
    kind                text COLLATE "C" NOT NULL,
    lifecycle           text COLLATE "C" NOT NULL,
    lifecycle_version   integer NOT NULL,
    state               text COLLATE "C" NOT NULL,
    phase               text COLLATE "C" NOT NULL,
    priority            integer NOT NULL,
    ready_seq           bigint,
    schedule_time       timestamptz,
    attempt             integer NOT NULL,
    max_attempts        integer NOT NULL,
    retry_initial_delay interval,
    retry_max_delay     interval,
    retry_multiplier    double precision,
    version             bigint NOT NULL,
    fence               bigint NOT NULL,
    lease_token         bytea,
    lease_holder        text COLLATE "C",
    lease_expire_time   timestamptz,
    lease_duration      interval,
    lease_check_time    timestamptz,
    lease_target        text COLLATE "C",
    heartbeat_time      timestamptz,
    directive           text COLLATE "C",
    cancel_reason       text COLLATE "C",
    progress_label      text COLLATE "C",
    progress_done       bigint,
    progress_total      bigint,
    progress_message    text COLLATE "C",
    phase_index         integer NOT NULL,
    expire_time         timestamptz,
    pinned              boolean NOT NULL,
    deleted_time        timestamptz,
    create_time         timestamptz NOT NULL,
    update_time         timestamptz NOT NULL,
    start_time          timestamptz,
    end_time            timestamptz,
    CONSTRAINT job_pkey PRIMARY KEY (scope, id),
    CONSTRAINT job_phase_known CHECK (phase IN
        ('WAITING', 'ACTIVE', 'PARKED', 'STOPPING', 'SUCCEEDED', 'FAILED', 'CANCELLED')),
    CONSTRAINT job_directive_known CHECK (directive IN ('CANCEL', 'PAUSE')),
    CONSTRAINT job_counts_positive CHECK
        (attempt >= 1 AND max_attempts >= 1 AND version >= 0 AND fence >= 0 AND phase_index >= 0),
    CONSTRAINT job_times_sane CHECK (
        least(schedule_time, lease_expire_time, lease_check_time, heartbeat_time, expire_time,
              deleted_time, create_time, update_time, start_time, end_time) >= '0001-01-01 00:00:00+00'
        AND greatest(schedule_time, lease_expire_time, lease_check_time, heartbeat_time, expire_time,
              deleted_time, create_time, update_time, start_time, end_time) < '10000-01-01 00:00:00+00'),
    CONSTRAINT job_spans_sane CHECK (
        least(lease_duration, retry_initial_delay, retry_max_delay) >= '0'
        AND greatest(lease_duration, retry_initial_delay, retry_max_delay) <= '100 years'),
    CONSTRAINT job_lease_whole CHECK (
        (lease_expire_time IS NULL) = (lease_holder IS NULL)
        AND (lease_expire_time IS NULL) = (lease_check_time IS NULL)
        AND (lease_expire_time IS NULL OR (lease_token IS NOT NULL AND lease_duration IS NOT NULL))),
    CONSTRAINT job_ended_iff_terminal CHECK
        ((end_time IS NOT NULL) = (phase IN ('SUCCEEDED', 'FAILED', 'CANCELLED'))),
    CONSTRAINT job_ready_is_free CHECK (ready_seq IS NULL OR
        (lease_expire_time IS NULL AND end_time IS NULL AND schedule_time IS NULL)),
    CONSTRAINT job_ended_is_free CHECK (end_time IS NULL OR
        (lease_expire_time IS NULL AND ready_seq IS NULL AND schedule_time IS NULL))
) WITH (
    fillfactor = 75,
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_analyze_scale_factor = 0.02
);

-- Claims, in the order they are handed out.
CREATE INDEX job_ready ON job (scope, queue, priority, ready_seq) WHERE ready_seq IS NOT NULL;
-- The promoter's sweep over jobs that wait for their time.
CREATE INDEX job_scheduled ON job (schedule_time) WHERE schedule_time IS NOT NULL;
-- The reaper's sweep; a renewal never touches it. Counts of leased jobs read it too.
CREATE INDEX job_lease_check ON job (lease_check_time) INCLUDE (scope, queue)
    WHERE lease_check_time IS NOT NULL;
-- The deadline sweep; jobs without a deadline and ended ones are not in it.
CREATE INDEX job_expire ON job (expire_time) WHERE expire_time IS NOT NULL AND end_time IS NULL;

CREATE TABLE job_key (
    scope       text COLLATE "C" NOT NULL,
    key_hash    bytea NOT NULL,
    job_id      uuid NOT NULL,
    fingerprint bytea NOT NULL,
    CONSTRAINT job_key_pkey PRIMARY KEY (scope, key_hash)
);
-- Pruning frees the keys of the jobs it removes.
CREATE INDEX job_key_job ON job_key (scope, job_id);

CREATE TABLE job_document (
    scope        text COLLATE "C" NOT NULL,
    job_id       uuid NOT NULL,
    kind         text COLLATE "C" NOT NULL,
    content      bytea NOT NULL,
    content_type text COLLATE "C" NOT NULL,
    sha256       bytea NOT NULL,
    CONSTRAINT job_document_pkey PRIMARY KEY (scope, job_id, kind),
    CONSTRAINT job_document_kind_known CHECK
        (kind IN ('payload', 'definition', 'checkpoint', 'result', 'error', 'metadata'))
);
ALTER TABLE job_document ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE job_facet (
    scope  text COLLATE "C" NOT NULL,
    job_id uuid NOT NULL,
    labels jsonb NOT NULL CHECK (jsonb_typeof(labels) = 'object'
        AND NOT jsonb_path_exists(labels, '$.* ? (@.type() != "string")')),
    CONSTRAINT job_facet_pkey PRIMARY KEY (scope, job_id)
);
CREATE INDEX job_facet_labels ON job_facet USING gin (labels jsonb_path_ops);

-- `position` is the transaction's id: a reader that stops below the oldest transaction still open
-- misses nothing, whatever order they commit in.
CREATE TABLE job_event (
    scope      text COLLATE "C" NOT NULL,
    position   bigint NOT NULL,
    job_id     uuid NOT NULL,
    version    bigint NOT NULL,
    step       integer NOT NULL,
    queue      text COLLATE "C" NOT NULL,
    from_state text COLLATE "C" NOT NULL,
    to_state   text COLLATE "C" NOT NULL,
    reason     text COLLATE "C" NOT NULL,
    holder     text COLLATE "C",
    fence      bigint NOT NULL,
    attempt    integer NOT NULL,
    time       timestamptz NOT NULL CHECK
        (time >= '0001-01-01 00:00:00+00' AND time < '10000-01-01 00:00:00+00'),
    CONSTRAINT job_event_pkey PRIMARY KEY (scope, job_id, version, step)
);
-- Watches, in exactly the order they are read.
CREATE INDEX job_event_position ON job_event (scope, position, job_id, version, step);

-- How far each scope's history was pruned; a watch from before that would have gaps.
CREATE TABLE event_horizon (
    scope    text COLLATE "C" NOT NULL PRIMARY KEY,
    position bigint NOT NULL
);

CREATE TABLE queue (
    scope       text COLLATE "C" NOT NULL,
    name        text COLLATE "C" NOT NULL,
    paused      boolean NOT NULL DEFAULT false,
    max_active  integer CHECK (max_active > 0),
    update_time timestamptz NOT NULL,
    CONSTRAINT queue_pkey PRIMARY KEY (scope, name)
);

CREATE TABLE lifecycle (
    name     text COLLATE "C" NOT NULL,
    version  integer NOT NULL CHECK (version >= 1),
    document text NOT NULL,
    CONSTRAINT lifecycle_pkey PRIMARY KEY (name, version)
);

-- What a request id led to, so that the same call again has no second effect.
CREATE TABLE request_outcome (
    scope       text COLLATE "C" NOT NULL,
    request_id  text COLLATE "C" NOT NULL,
    call        text COLLATE "C" NOT NULL,
    job_ids     uuid[] NOT NULL,
    fences      bigint[] NOT NULL,
    create_time timestamptz NOT NULL,
    CONSTRAINT request_outcome_pkey PRIMARY KEY (scope, request_id)
);
CREATE INDEX request_outcome_time ON request_outcome (create_time);
