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
