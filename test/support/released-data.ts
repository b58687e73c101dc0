import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/**
 * Fills a database that has the schema of version 0.2.0 with accounts and runs, by that version's own functions: turns of
 * several per session, that completed, failed with and without a charge, or were cancelled; holds that grew, of one or
 * several pools; per account two unfinished runs and one queued behind them. The pools are an allowance, what a higher plan
 * added to it, the allowance of last month with a rest, and two grants, one of which was partly taken back. On every
 * fourth account the added allowance, which open runs may hold, has expired. Charges spread over 40 days.
 * @param client a superuser, so that rows of the ledger can be dated.
 */
export async function fillReleased(
  client: pg.ClientBase,
  { runs, accounts }: { readonly runs: number; readonly accounts: number },
): Promise<void> {
  await client.query(`set app.account = '*'`)
  await client.query(functions)
  const each = Math.ceil(runs / accounts)
  for (let number = 0; number < accounts; number += 1) {
    const tag = randomUUID().slice(0, 8)
    await client.query('select pg_temp.open_account($1, $2, $3)', [tag, number, each])
    // In short transactions: a pool has a dead version per hold, and only those of earlier transactions can be removed.
    for (let from = 1; from <= each + openRuns; from += batch)
      await client.query('select pg_temp.fill_runs($1, $2, $3, $4)', [tag, from, from + batch - 1, each])
    if (number % 4 > 0) continue
    await client.query(
      `update credit_pools set expires_at = now() - interval '1 minute' where account_id = $1 and kind = 'grant' and expires_at > now()`,
      [`acct_${tag}`],
    )
  }
  await client.query(`
    set session_replication_role = replica;
    update credit_transactions set created_at = created_at - abs(hashtext(run_id)) % 40 * interval '1 day' where run_id is not null and ${ofFilled};
    update runs set created_at = created_at - abs(hashtext(id)) % 40 * interval '1 day'
      where status not in ('queued', 'in_progress') and ${ofFilled};
    set session_replication_role = origin`)
}

const ofFilled = `account_id in (select id from accounts where password_hash = 'none')`

/** Unfinished runs of an account. */
const openRuns = 3

const batch = 40

const functions = `
create function pg_temp.issue(p_account text, p_kind text, p_micros bigint, p_from timestamptz, p_until timestamptz)
returns bigint language plpgsql as $$
declare
  v_pool bigint;
  v_transaction bigint;
begin
  insert into credit_pools (account_id, kind, period_start, expires_at, available_micros)
  values (p_account, p_kind, p_from, p_until, p_micros) returning id into v_pool;
  insert into credit_transactions (account_id, kind, amount_micros) values (p_account, p_kind, p_micros)
  returning id into v_transaction;
  insert into credit_entries (transaction_id, pool_id, account_id, ledger, amount_micros)
  values (v_transaction, v_pool, p_account, 'issued', -p_micros), (v_transaction, v_pool, p_account, 'available', p_micros);
  return v_pool;
end $$;

create function pg_temp.remove(p_account text, p_kind text, p_pool bigint, p_micros bigint)
returns void language plpgsql as $$
declare
  v_transaction bigint;
begin
  insert into credit_transactions (account_id, kind, amount_micros) values (p_account, p_kind, p_micros)
  returning id into v_transaction;
  insert into credit_entries (transaction_id, pool_id, account_id, ledger, amount_micros)
  values (v_transaction, p_pool, p_account, 'available', -p_micros), (v_transaction, p_pool, p_account, 'issued', p_micros);
  update credit_pools set available_micros = available_micros - p_micros where id = p_pool;
end $$;

create function pg_temp.open_account(p_tag text, p_number int, p_runs int) returns void language plpgsql as $$
declare
  v_account text := 'acct_' || p_tag;
  v_project text := 'proj_' || p_tag;
  v_month timestamptz := date_trunc('month', now(), 'UTC');
  v_grant bigint;
  v_last bigint;
begin
  insert into accounts (id, email, plan, password_hash) values (v_account, p_tag || '@example.org', 'unlimited', 'none');
  insert into projects (id, account_id, name) values (v_project, v_account, 'Filled');
  insert into api_keys (id, account_id, name, prefix, last_four, digest, pepper_version, scopes, binding, project_id)
  select 'key_' || p_tag || k, v_account, 'Key', 'svc', 'last', sha256(convert_to(p_tag || k, 'UTF8')), 1,
    array['chat:write'], 'owner', v_project from generate_series(0, 1) k;
  -- Last month's allowance is not touched by turns: its rest has been taken back on every second account.
  v_last := pg_temp.issue(v_account, 'allowance', 7000000, v_month - interval '1 month', v_month);
  if p_number % 2 = 0 then perform pg_temp.remove(v_account, 'expire', v_last, 7000000); end if;
  perform pg_temp.issue(v_account, 'allowance', 8 * p_runs * 1000, v_month, v_month + interval '1 month');
  perform pg_temp.issue(v_account, 'grant', 20000, null, v_month + interval '1 month');
  v_grant := pg_temp.issue(v_account, 'grant', 5000000, null, null);
  perform pg_temp.issue(v_account, 'grant', 20 * p_runs * 1000, null, null);
  perform pg_temp.remove(v_account, 'take_back', v_grant, 1234567);
end $$;

create function pg_temp.fill_runs(p_tag text, p_from int, p_to int, p_runs int) returns void language plpgsql as $$
declare
  v_account text := 'acct_' || p_tag;
  v_project text := 'proj_' || p_tag;
  v_run text;
  v_session text;
  v_key text;
  v_turn int;
  v_kind int;
  v_status text;
  v_cost bigint;
  v_free boolean;
  v_text text;
  v_usage jsonb;
  v_end jsonb;
  v_started record;
  v_request jsonb := '{"origin": "http://127.0.0.1:1", "sources": "inline", "isolates": false, "sampling": {}, "toolChoice": "auto", "clientTools": []}';
begin
  for v_number in p_from .. least(p_to, p_runs + 3) loop
    -- The last three are open: two sessions with a running turn, and one turn queued behind the second.
    v_turn := case when v_number = p_runs + 3 then 2 when v_number > p_runs then 1 else (v_number - 1) % 4 + 1 end;
    v_session := 'sess_' || p_tag || '_' || v_number - v_turn + 1;
    v_run := 'run_' || p_tag || '_' || v_number;
    v_key := 'key_' || p_tag || v_number % 2;
    v_started := write_turn_2(v_account, v_project, v_session, 'Question', v_turn, v_key, v_run, 'msg_a' || p_tag || '_' || v_number,
      'service', v_request, sha256(convert_to(v_run, 'UTF8')),
      jsonb_build_array(jsonb_build_object('id', 'msg_q' || p_tag || '_' || v_number, 'position', 0,
        'content', jsonb_build_object('role', 'user', 'content', 'Question ' || v_number || '?'))),
      15000, 15000, 1, 50000000, case when v_number < p_runs + 3 then 'gone' end, -60, 1800, 'continue', null, v_turn = 1, v_number - 1);
    if not v_started.enough then raise exception 'not enough credits for %', v_run; end if;
    if v_number > p_runs then
      if v_number < p_runs + 3 then
        perform append_to_run_2(v_account, v_run, 1, 0, 0,
          '[{"type": "run.started"}, {"type": "step.started", "step": 1}, {"type": "text.delta", "step": 1, "text": "Begun"}]',
          '[]', 6000, 1);
      end if;
      continue;
    end if;
    v_kind := v_number % 20;
    v_free := v_kind = 7;
    v_status := case when v_kind in (7, 13) then 'failed' when v_kind = 17 then 'cancelled' else 'completed' end;
    v_cost := case when v_free then 0 else 1000 + v_number % 13 * 1000 end;
    v_text := case when v_free then '' else 'Answer ' || v_number || '.' end;
    v_usage := jsonb_build_object('estimated', false, 'tool_calls', 0, 'cost_micros', v_cost::text, 'model_calls', 1,
      'total_tokens', 15, 'prompt_tokens', 10, 'completion_tokens', 5);
    v_end := jsonb_build_object('text', v_text, 'files', '[]'::jsonb, 'usage', v_usage, 'sources', '[]'::jsonb,
      'citations', '[]'::jsonb, 'tool_calls', '[]'::jsonb, 'source_list', '', 'unknown_refs', '[]'::jsonb, 'unknown_marks', 0);
    if v_number % 3 = 0 then
      perform append_to_run_2(v_account, v_run, 1, 0, 0, '[{"type": "run.started"}, {"type": "step.started", "step": 1}]', '[]', 5000, 1);
    else
      perform append_to_run_2(v_account, v_run, 1, 0, 0, '[{"type": "run.started"}, {"type": "step.started", "step": 1}]', '[]', null, null);
    end if;
    perform end_turn(v_account, v_run, 1, 2, 0,
      case when v_free then '[]'::jsonb else jsonb_build_array(jsonb_build_object('type', 'text.delta', 'step', 1, 'text', v_text)) end
        || jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('type', 'run.' || v_status, 'end', v_end,
          'reason', case when v_status = 'completed' then 'stop' end, 'code', case when v_status = 'failed' then 'upstream_error' end,
          'message', case when v_status = 'failed' then 'The model failed.' end))),
      case when v_free then '[]'::jsonb else jsonb_build_array(jsonb_build_object('micros', v_cost, 'record', jsonb_build_object(
        'kind', 'model', 'text', v_text, 'reason', 'stop', 'toolCalls', '[]'::jsonb,
        'usage', jsonb_build_object('estimated', false, 'promptTokens', 10, 'completionTokens', 5)))) end,
      v_status, case when v_free then '[]'::jsonb else jsonb_build_array(jsonb_build_object('type', 'message',
        'id', 'msg_a' || p_tag || '_' || v_number, 'role', 'assistant', 'content', v_text)) end,
      case when v_status = 'failed' then 'upstream_error' end, case when v_status = 'failed' then 'The model failed.' else '' end,
      case when v_status = 'completed' then 'stop' end, v_usage, v_cost, case when v_free then null else v_cost end,
      jsonb_build_object('model', 'service', 'key_id', v_key, 'project_id', v_project, 'prompt_tokens', 10,
        'completion_tokens', 5, 'estimated', false),
      v_session, 'msg_a' || p_tag || '_' || v_number, v_turn, 1000000,
      case when v_status <> 'failed' then jsonb_build_object('role', 'assistant', 'content', v_text, 'toolCalls', '[]'::jsonb) end);
    if v_kind = 17 then update runs set cancel_requested_at = now() where id = v_run; end if;
    -- Nobody reads old events again: the service deletes them a day after the end.
    if v_number % 5 > 0 then delete from run_events where run_id = v_run; end if;
  end loop;
end $$`
