-- What the migrations make, for reading. Nothing runs it. Written by tests/migrations/test_schema_file.py.
CREATE TABLE public.event_horizon (
    scope text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL
);

CREATE TABLE public.job (
    scope text NOT NULL COLLATE pg_catalog."C",
    id uuid NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    lifecycle text NOT NULL COLLATE pg_catalog."C",
    lifecycle_version integer NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    phase text NOT NULL COLLATE pg_catalog."C",
    priority integer NOT NULL,
    ready_seq bigint,
    schedule_time timestamp with time zone,
    attempt integer NOT NULL,
    max_attempts integer NOT NULL,
    retry_initial_delay interval,
    retry_max_delay interval,
    retry_multiplier double precision,
    version bigint NOT NULL,
    fence bigint NOT NULL,
    lease_token bytea,
    lease_holder text COLLATE pg_catalog."C",
    lease_expire_time timestamp with time zone,
    lease_duration interval,
    lease_check_time timestamp with time zone,
    lease_target text COLLATE pg_catalog."C",
    heartbeat_time timestamp with time zone,
    directive text COLLATE pg_catalog."C",
    cancel_reason text COLLATE pg_catalog."C",
    progress_label text COLLATE pg_catalog."C",
    progress_done bigint,
    progress_total bigint,
    progress_message text COLLATE pg_catalog."C",
    phase_index integer NOT NULL,
    expire_time timestamp with time zone,
    pinned boolean NOT NULL,
    deleted_time timestamp with time zone,
    create_time timestamp with time zone NOT NULL,
    update_time timestamp with time zone NOT NULL,
    start_time timestamp with time zone,
    end_time timestamp with time zone,
    CONSTRAINT job_counts_positive CHECK (((attempt >= 1) AND (max_attempts >= 1) AND (version >= 0) AND (fence >= 0) AND (phase_index >= 0))),
    CONSTRAINT job_directive_known CHECK ((directive = ANY (ARRAY['CANCEL'::text, 'PAUSE'::text]))),
    CONSTRAINT job_ended_iff_terminal CHECK (((end_time IS NOT NULL) = (phase = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text])))),
    CONSTRAINT job_ended_is_free CHECK (((end_time IS NULL) OR ((lease_expire_time IS NULL) AND (ready_seq IS NULL) AND (schedule_time IS NULL)))),
    CONSTRAINT job_lease_whole CHECK ((((lease_expire_time IS NULL) = (lease_holder IS NULL)) AND ((lease_expire_time IS NULL) = (lease_check_time IS NULL)) AND ((lease_expire_time IS NULL) OR ((lease_token IS NOT NULL) AND (lease_duration IS NOT NULL))))),
    CONSTRAINT job_phase_known CHECK ((phase = ANY (ARRAY['WAITING'::text, 'ACTIVE'::text, 'PARKED'::text, 'STOPPING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'CANCELLED'::text]))),
    CONSTRAINT job_ready_is_free CHECK (((ready_seq IS NULL) OR ((lease_expire_time IS NULL) AND (end_time IS NULL) AND (schedule_time IS NULL)))),
    CONSTRAINT job_spans_sane CHECK (((LEAST(lease_duration, retry_initial_delay, retry_max_delay) >= '00:00:00'::interval) AND (GREATEST(lease_duration, retry_initial_delay, retry_max_delay) <= '100 years'::interval))),
    CONSTRAINT job_times_sane CHECK (((LEAST(schedule_time, lease_expire_time, lease_check_time, heartbeat_time, expire_time, deleted_time, create_time, update_time, start_time, end_time) >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND (GREATEST(schedule_time, lease_expire_time, lease_check_time, heartbeat_time, expire_time, deleted_time, create_time, update_time, start_time, end_time) < '10000-01-01 00:00:00+00'::timestamp with time zone)))
)
WITH (fillfactor='75', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.02', autovacuum_analyze_scale_factor='0.02');

CREATE TABLE public.job_document (
    scope text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    content bytea NOT NULL,
    content_type text NOT NULL COLLATE pg_catalog."C",
    sha256 bytea NOT NULL,
    CONSTRAINT job_document_kind_known CHECK ((kind = ANY (ARRAY['payload'::text, 'definition'::text, 'checkpoint'::text, 'result'::text, 'error'::text, 'metadata'::text])))
);
ALTER TABLE ONLY public.job_document ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE public.job_event (
    scope text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    job_id uuid NOT NULL,
    version bigint NOT NULL,
    step integer NOT NULL,
    queue text NOT NULL COLLATE pg_catalog."C",
    from_state text NOT NULL COLLATE pg_catalog."C",
    to_state text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    holder text COLLATE pg_catalog."C",
    fence bigint NOT NULL,
    attempt integer NOT NULL,
    "time" timestamp with time zone NOT NULL,
    CONSTRAINT job_event_time_check CHECK ((("time" >= '0001-01-01 00:00:00+00'::timestamp with time zone) AND ("time" < '10000-01-01 00:00:00+00'::timestamp with time zone)))
);

CREATE TABLE public.job_facet (
    scope text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    labels jsonb NOT NULL,
    CONSTRAINT job_facet_labels_check CHECK (((jsonb_typeof(labels) = 'object'::text) AND (NOT jsonb_path_exists(labels, '$.*?(@.type() != "string")'::jsonpath))))
);

CREATE TABLE public.job_key (
    scope text NOT NULL COLLATE pg_catalog."C",
    key_hash bytea NOT NULL,
    job_id uuid NOT NULL,
    fingerprint bytea NOT NULL
);

CREATE TABLE public.lifecycle (
    name text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    document text NOT NULL,
    CONSTRAINT lifecycle_version_check CHECK ((version >= 1))
);

CREATE TABLE public.queue (
    scope text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    paused boolean DEFAULT false NOT NULL,
    max_active integer,
    update_time timestamp with time zone NOT NULL,
    CONSTRAINT queue_max_active_check CHECK ((max_active > 0))
);

CREATE TABLE public.request_outcome (
    scope text NOT NULL COLLATE pg_catalog."C",
    request_id text NOT NULL COLLATE pg_catalog."C",
    call text NOT NULL COLLATE pg_catalog."C",
    job_ids uuid[] NOT NULL,
    fences bigint[] NOT NULL,
    create_time timestamp with time zone NOT NULL
);

CREATE TABLE public.schema_migration (
    version integer NOT NULL,
    applied_time timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);

ALTER TABLE ONLY public.event_horizon
    ADD CONSTRAINT event_horizon_pkey PRIMARY KEY (scope);

ALTER TABLE ONLY public.job_document
    ADD CONSTRAINT job_document_pkey PRIMARY KEY (scope, job_id, kind);

ALTER TABLE ONLY public.job_event
    ADD CONSTRAINT job_event_pkey PRIMARY KEY (scope, job_id, version, step);

ALTER TABLE ONLY public.job_facet
    ADD CONSTRAINT job_facet_pkey PRIMARY KEY (scope, job_id);

ALTER TABLE ONLY public.job_key
    ADD CONSTRAINT job_key_pkey PRIMARY KEY (scope, key_hash);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (scope, id);

ALTER TABLE ONLY public.lifecycle
    ADD CONSTRAINT lifecycle_pkey PRIMARY KEY (name, version);

ALTER TABLE ONLY public.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (scope, name);

ALTER TABLE ONLY public.request_outcome
    ADD CONSTRAINT request_outcome_pkey PRIMARY KEY (scope, request_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (version);

CREATE INDEX job_event_position ON public.job_event USING btree (scope, "position", job_id, version, step);

CREATE INDEX job_expire ON public.job USING btree (expire_time) WHERE ((expire_time IS NOT NULL) AND (end_time IS NULL));

CREATE INDEX job_facet_labels ON public.job_facet USING gin (labels jsonb_path_ops);

CREATE INDEX job_key_job ON public.job_key USING btree (scope, job_id);

CREATE INDEX job_lease_check ON public.job USING btree (lease_check_time) INCLUDE (scope, queue) WHERE (lease_check_time IS NOT NULL);

CREATE INDEX job_ready ON public.job USING btree (scope, queue, priority, ready_seq) WHERE (ready_seq IS NOT NULL);

CREATE INDEX job_scheduled ON public.job USING btree (schedule_time) WHERE (schedule_time IS NOT NULL);

CREATE INDEX request_outcome_time ON public.request_outcome USING btree (create_time);
