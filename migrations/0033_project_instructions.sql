CREATE TABLE "project_instructions" (
	"project_id" text NOT NULL,
	"account_id" text NOT NULL,
	"hash" text NOT NULL,
	"text" text NOT NULL,
	"tokens" integer NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "project_instructions_project_id_hash_pk" PRIMARY KEY("project_id","hash")
);
--> statement-breakpoint
CREATE TABLE "prompt_texts" (
	"hash" text PRIMARY KEY NOT NULL,
	"text" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "instructions_hash" text;--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "project_instructions" text;--> statement-breakpoint
ALTER TABLE "project_instructions" ADD CONSTRAINT "project_instructions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
-- The texts of a project belong to its account. Those of the service are for the service itself, because a host may keep its
-- instructions to itself.
DO $$
DECLARE
  guarded_table text;
BEGIN
  FOREACH guarded_table IN ARRAY ARRAY['project_instructions', 'prompt_texts'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded_table);
  END LOOP;
  CREATE POLICY tenant ON project_instructions USING (
    account_id = current_setting('app.account', true) OR current_setting('app.account', true) = '*');
  CREATE POLICY service_only ON prompt_texts USING (current_setting('app.account', true) = '*');
END $$;
--> statement-breakpoint
-- Admits one turn: decides, under the account's lock, and writes the session if it is new, the run, its input and its hold.
-- Only the decisions `admitted` and `insufficient_credits` come after all others; any decision but `admitted` writes
-- nothing. `admission/refusals` has the meaning of each.
--
-- The caller may have given up a call that arrives after `p_not_after`. Without an error, because the call shares its
-- transaction with other calls of the account. `p_sent_at`: when the caller last saw that its client is connected.
-- `p_again`: an earlier call for this run got no answer, and an open one holds the account's lock, so the look is final.
-- Null for: `p_session_new`, a request that names its session; `p_project`, a default project that does not exist yet;
-- `p_input`, input that the caller writes itself; `p_key`, a person; `p_token_micros`, the price of a token, a turn that
-- follows no instructions of its project.
CREATE FUNCTION admit_run_2(
  p_account text, p_plan text, p_api_access boolean, p_monthly bigint, p_per_minute int, p_slots int, p_queued int,
  p_key text, p_hash bytea, p_idempotency_key text, p_retried boolean, p_minutes int, p_key_hours int,
  p_under_pressure boolean, p_again boolean, p_settled text[], p_lost text[], p_lost_at text[], p_gone text[], p_sent_at timestamptz, p_not_after timestamptz,
  p_session text, p_session_new text, p_project text, p_after int, p_has_question boolean, p_name text,
  p_run text, p_message text, p_model text, p_request jsonb, p_input jsonb, p_on_disconnect text,
  p_hold bigint, p_ample_hold bigint, p_ample_parts int, p_max bigint, p_token_micros bigint,
  p_owner text, p_client_at text, p_lease_seconds double precision, p_turn_seconds double precision,
  OUT decision text, OUT plan text, OUT replicas text[], OUT known_run text, OUT known_client_at text,
  OUT known_client_closed boolean, OUT seconds int, OUT available bigint, OUT project text, OUT turn int, OUT held bigint,
  OUT account_turn int, OUT created_at timestamptz, OUT deadline_at timestamptz, OUT lease_expires_at timestamptz,
  OUT started_at timestamptz, OUT key_limit bigint, OUT project_instructions text
) LANGUAGE plpgsql AS $$
DECLARE
  v_suspended boolean;
  v_count int;
  v_name text;
  v_tokens int;
  v_hash bytea;
  v_open int := 0;
  v_window record;
  v_works boolean;
  v_limited boolean;
  v_limit record;
  v_hold record;
  v_account text := set_config('app.account', p_account, true);
BEGIN
  SELECT a.plan, a.suspended_at IS NOT NULL INTO plan, v_suspended
  FROM accounts a WHERE a.id = p_account AND a.password_hash <> '' FOR NO KEY UPDATE;
  decision := CASE
    WHEN NOT FOUND THEN 'not_found'
    WHEN clock_timestamp() > p_not_after THEN 'late'
    WHEN v_suspended THEN 'account_suspended'
    WHEN plan <> p_plan THEN 'plan_changed' END;
  -- Who came late has a wrong idea of the server's time.
  created_at := clock_timestamp();
  IF decision IS NOT NULL THEN RETURN; END IF;

  IF p_session IS NOT NULL THEN
    SELECT s.project_id, s.turn_count, s.name INTO project, v_count, v_name
    FROM sessions s WHERE s.id = p_session AND s.account_id = p_account FOR UPDATE;
  END IF;
  IF p_key IS NOT NULL THEN
    SELECT key_works(k),
      num_nonnulls(k.requests_per_minute, k.concurrent_turns, k.day_cap_micros, k.month_cap_micros, k.total_cap_micros) > 0
    INTO v_works, v_limited FROM api_keys k WHERE k.id = p_key;
    decision := CASE WHEN v_works IS NOT TRUE THEN 'invalid_api_key' WHEN NOT p_api_access THEN 'plan_without_api_access' END;
    IF decision IS NOT NULL THEN RETURN; END IF;
  END IF;

  -- Whether the request has begun a run before.
  IF p_again THEN
    PERFORM FROM runs r WHERE r.id = p_run;
    IF FOUND THEN
      decision := 'written';
      RETURN;
    END IF;
  END IF;
  IF p_idempotency_key IS NOT NULL THEN
    SELECT i.request_hash, r.id, r.client_at, r.client_closed_at IS NOT NULL
    INTO v_hash, known_run, known_client_at, known_client_closed
    FROM idempotency_keys i JOIN runs r ON r.id = i.run_id
    WHERE i.account_id = p_account AND i.api_key_id = coalesce(p_key, '') AND i.key = p_idempotency_key AND i.expires_at > now();
    IF v_hash <> p_hash THEN
      decision := 'idempotency_key_reused';
      RETURN;
    END IF;
  -- Most requests are equal to none. Without a time, which the index has last: any equal run ends the search.
  ELSIF p_key IS NOT NULL AND EXISTS (SELECT FROM runs r WHERE r.api_key_id = p_key AND r.request_hash = p_hash) THEN
    IF NOT p_retried THEN
      replicas := unsettled_replicas(p_key, p_hash, p_minutes, p_settled);
      IF replicas IS NOT NULL THEN
        decision := 'clients_unknown';
        RETURN;
      END IF;
    END IF;
    SELECT e.run, e.client_at, e.client_closed INTO known_run, known_client_at, known_client_closed
    FROM equal_run(p_key, p_hash, p_minutes, p_retried, p_lost, p_lost_at, p_gone) e;
    -- A run of a replica that is not visible yet, or of version 0.1.0, may be this client's retry, which was faster.
    IF known_run IS NULL AND EXISTS (SELECT FROM runs r
      WHERE r.api_key_id = p_key AND r.request_hash = p_hash AND r.client_at IS NULL AND r.created_at > p_sent_at
        AND r.lease_owner IS DISTINCT FROM p_owner) THEN
      decision := 'overtaken';
      RETURN;
    END IF;
  END IF;
  decision := CASE WHEN known_run IS NOT NULL THEN 'repeated' WHEN p_under_pressure THEN 'overloaded' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  -- Where the turn belongs.
  IF p_session IS NOT NULL THEN
    decision := CASE
      WHEN project IS NULL THEN 'not_found'
      WHEN EXISTS (SELECT FROM runs r WHERE r.session_id = p_session AND r.turn > p_after AND r.status <> 'failed')
        THEN 'not_last_turn' END;
    SELECT count(*) INTO v_open FROM runs r WHERE r.session_id = p_session AND r.status IN ('queued', 'in_progress');
  ELSIF p_project IS NOT NULL THEN
    SELECT p.id INTO project FROM projects p WHERE p.id = p_project AND p.account_id = p_account FOR KEY SHARE;
    decision := CASE WHEN NOT FOUND THEN 'no_project' END;
  END IF;
  decision := CASE
    WHEN decision IS NOT NULL THEN decision
    WHEN NOT p_has_question THEN 'no_question'
    WHEN v_open > p_queued THEN 'session_busy' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  IF p_token_micros IS NOT NULL THEN
    SELECT i.hash, i.tokens INTO project_instructions, v_tokens
    FROM projects p JOIN project_instructions i ON i.project_id = p.id AND i.hash = p.instructions_hash WHERE p.id = project;
    IF FOUND THEN
      p_hold := least(p_hold + v_tokens * p_token_micros, p_max);
      p_ample_hold := least(p_ample_hold + 2 * v_tokens * p_token_micros, p_max);
    END IF;
  END IF;
  held := p_hold;

  -- The limits of the plan.
  v_window := starts_in_window(p_account);
  seconds := v_window.seconds;
  decision := CASE
    WHEN v_window.starts >= p_per_minute THEN 'rate_limit_exceeded'
    WHEN v_open = 0 AND slots_taken(p_account, v_window.newest, p_slots) >= p_slots THEN 'too_many_concurrent_runs'
    WHEN project IS NULL THEN 'no_project' END;
  IF decision IS NOT NULL THEN RETURN; END IF;

  -- The limits of the key.
  IF v_limited THEN
    v_limit := key_refusal(p_account, p_key, p_session, p_hold);
    IF v_limit.refusal IS NOT NULL THEN
      decision := v_limit.refusal;
      key_limit := v_limit.max;
      available := v_limit.room;
      seconds := v_limit.seconds;
      RETURN;
    END IF;
    -- As for the account's credits: many turns must fit under the cap.
    IF v_limit.room / p_ample_parts < p_ample_hold THEN p_ample_hold := p_hold; END IF;
  END IF;

  IF p_monthly > 0 AND NOT allowance_given(p_account) THEN
    -- A refusal writes nothing, so the allowance is counted before it is granted.
    available := p_monthly + spendable(p_account);
    IF available >= p_hold THEN PERFORM ensure_allowance(p_account, p_monthly); END IF;
  END IF;
  IF available IS NULL OR available >= p_hold THEN
    v_hold := draw_credits(p_account, p_run, 'hold', NULL, p_hold, p_ample_hold, p_ample_parts);
    available := v_hold.available;
  END IF;
  IF available < p_hold THEN
    decision := 'insufficient_credits';
    RETURN;
  END IF;

  held := v_hold.drawn;
  turn := coalesce(v_count, 0) + 1;
  IF v_open > 0 THEN p_owner := NULL; END IF;
  IF p_session IS NULL THEN
    INSERT INTO sessions (id, account_id, project_id, model, name, turn_count)
    VALUES (p_session_new, p_account, project, p_model, p_name, turn);
  ELSE
    UPDATE sessions s SET turn_count = admit_run_2.turn, name = CASE WHEN v_name = '' THEN p_name ELSE v_name END, updated_at = now()
    WHERE s.id = p_session;
  END IF;
  -- Dated under the account's lock, so that the order of an account's turns in time is that of their numbers.
  WITH input AS (
    INSERT INTO messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
    SELECT * FROM input_rows(p_account, coalesce(p_session, p_session_new), p_run, admit_run_2.turn, p_input)
  )
  INSERT INTO runs AS r (id, account_id, project_id, session_id, api_key_id, message_id, turn, account_turn, model, status,
    request, request_hash, project_instructions, hold_micros, hold_pools, hold_parts, most_micros, epoch, lease_owner, lease_expires_at,
    deadline_at, on_disconnect, client_at, created_at, started_at)
  VALUES (p_run, p_account, project, coalesce(p_session, p_session_new), p_key, p_message, turn, coalesce(v_window.newest, 0) + 1,
    p_model, CASE WHEN p_owner IS NULL THEN 'queued' ELSE 'in_progress' END,
    p_request, p_hash, admit_run_2.project_instructions, held, v_hold.pools, v_hold.parts, p_max, CASE WHEN p_owner IS NULL THEN 0 ELSE 1 END, p_owner,
    CASE WHEN p_owner IS NOT NULL THEN now() + make_interval(secs => p_lease_seconds) END,
    now() + make_interval(secs => p_turn_seconds), p_on_disconnect, p_client_at,
    clock_timestamp(), CASE WHEN p_owner IS NOT NULL THEN now() END)
  RETURNING r.account_turn, r.created_at, r.deadline_at, r.lease_expires_at, r.started_at
  INTO account_turn, created_at, deadline_at, lease_expires_at, started_at;
  IF p_idempotency_key IS NOT NULL THEN
    INSERT INTO idempotency_keys AS i (account_id, api_key_id, key, request_hash, run_id, expires_at)
    VALUES (p_account, coalesce(p_key, ''), p_idempotency_key, p_hash, p_run, now() + make_interval(hours => p_key_hours))
    -- The row of an expired key.
    ON CONFLICT (account_id, api_key_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, run_id = excluded.run_id, created_at = now(), expires_at = excluded.expires_at;
  END IF;
  IF clock_timestamp() > p_not_after THEN
    RAISE EXCEPTION 'the start of % came too late', p_run USING ERRCODE = 'TU001';
  END IF;
  decision := 'admitted';
END $$;
