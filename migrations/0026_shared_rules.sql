-- In the order in which turns lock them. Otherwise a turn and the migration could wait for each other.
LOCK TABLE accounts, sessions IN SHARE ROW EXCLUSIVE MODE;
--> statement-breakpoint
-- It holds for new rows at once.
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action NOT VALID;
--> statement-breakpoint
-- It holds for all rows, unless a session without an account is left from before. Nobody can see such a session.
DO $$
BEGIN
  ALTER TABLE "sessions" VALIDATE CONSTRAINT "sessions_account_id_accounts_id_fk";
EXCEPTION WHEN foreign_key_violation THEN
  RAISE WARNING 'sessions without an account: the foreign key holds for new sessions only';
END $$;
--> statement-breakpoint
-- The next two functions mean what they meant, and use the rules that admission uses. `extend_hold_2` goes with a later
-- release: a call that is under way may still need it.
-- Takes credits out of an account's pools for a run: what expires first is drawn first. Every call locks pools in the
-- order of their ids. It draws `p_ample` if that is at most one of `p_parts` parts of the account's credits. If the account
-- has less than `p_micros`, `enough` is false and nothing is written.
CREATE OR REPLACE FUNCTION draw_credits(
  p_account text, p_run text, p_kind text, p_step int, p_micros bigint, p_ample bigint, p_parts int,
  OUT available bigint, OUT enough boolean, OUT drawn bigint, OUT pools bigint[], OUT parts bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  v_transaction bigint;
  v_ids bigint[];
  v_amounts bigint[];
  v_missing bigint;
  v_number int := 0;
BEGIN
  SELECT coalesce(sum(locked.available_micros), 0),
    array_agg(locked.id ORDER BY coalesce(locked.expires_at, 'infinity'), locked.id),
    array_agg(locked.available_micros ORDER BY coalesce(locked.expires_at, 'infinity'), locked.id)
  INTO available, v_ids, v_amounts
  FROM (
    SELECT c.id, c.available_micros, c.expires_at FROM credit_pools c
    WHERE c.account_id = p_account AND c.available_micros > 0 AND (c.expires_at IS NULL OR c.expires_at > now())
    ORDER BY c.id FOR UPDATE
  ) AS locked;
  enough := available >= p_micros;
  IF NOT enough THEN RETURN; END IF;
  drawn := CASE WHEN p_ample <= available / p_parts THEN p_ample ELSE p_micros END;
  v_missing := drawn;
  WHILE v_missing > 0 LOOP
    v_number := v_number + 1;
    pools := array_append(pools, v_ids[v_number]);
    parts := array_append(parts, least(v_amounts[v_number], v_missing));
    v_missing := v_missing - parts[v_number];
  END LOOP;
  v_transaction := nextval('credit_transactions_id_seq');
  -- A hold is extended once for each step and attempt.
  INSERT INTO credit_transactions (id, account_id, run_id, kind, amount_micros, step, epoch)
  VALUES (v_transaction, p_account, p_run, p_kind, drawn, p_step,
    CASE WHEN p_step IS NULL THEN 0 ELSE coalesce((SELECT r.epoch FROM runs r WHERE r.id = p_run), 0) END);
  INSERT INTO credit_entries (transaction_id, pool_id, ledger, account_id, amount_micros)
  SELECT v_transaction, part.pool, side.ledger, p_account, side.sign * part.micros
  FROM unnest(pools, parts) AS part (pool, micros), (VALUES ('available', -1), ('held', 1)) AS side (ledger, sign);
  UPDATE credit_pools c SET available_micros = available_micros - part.micros, held_micros = held_micros + part.micros
  FROM unnest(pools, parts) AS part (pool, micros) WHERE c.id = part.pool;
END $$;
--> statement-breakpoint
-- What a run's owner writes between its start and its end: events, and finished steps with their costs. If the run has
-- another owner, has ended, or its counts differ (a call that was believed lost came late), `owned` is false and nothing is
-- written. Before a model call, `p_more` is not null: the run's key is checked, and if it works, that much is added to the
-- hold for step `p_for_step`. `enough` is false if the account has less, or if a spending cap of the key does not allow it.
-- The run's row is locked before the pools, as at its end.
CREATE OR REPLACE FUNCTION append_to_run_2(
  p_account text, p_run text, p_epoch int, p_events_before int, p_steps_before int, p_events jsonb, p_steps jsonb,
  p_more bigint, p_for_step int,
  OUT owned boolean, OUT key_usable boolean, OUT enough boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_last int := p_events_before + jsonb_array_length(p_events);
  v_steps int := p_steps_before + jsonb_array_length(p_steps);
  v_key text;
  v_hold record;
BEGIN
  PERFORM set_config('app.account', p_account, true);
  UPDATE runs SET event_count = v_last, step_count = v_steps
  WHERE id = p_run AND epoch = p_epoch AND status || '' = 'in_progress'
    AND event_count = p_events_before AND step_count = p_steps_before
  RETURNING api_key_id INTO v_key;
  owned := FOUND;
  IF NOT owned THEN RETURN; END IF;
  PERFORM write_progress(p_account, p_run, p_epoch, v_last, p_events, p_steps_before, p_steps);
  IF p_more IS NULL THEN RETURN; END IF;
  IF v_key IS NOT NULL THEN key_usable := key_usable(v_key); END IF;
  enough := p_more = 0;
  IF enough OR NOT coalesce(key_usable, true) THEN RETURN; END IF;
  IF v_key IS NOT NULL AND (key_cap(p_account, v_key, p_more, now())).refusal IS NOT NULL THEN RETURN; END IF;
  v_hold := draw_credits(p_account, p_run, 'extend', p_for_step, p_more, p_more, 1);
  enough := v_hold.enough;
  IF NOT enough THEN RETURN; END IF;
  UPDATE runs SET hold_micros = hold_micros + p_more,
    hold_pools = hold_pools || v_hold.pools, hold_parts = hold_parts || v_hold.parts
  WHERE id = p_run;
END $$;
