/** Rules about money and runs that hold between any two transactions, and what they look at. */
export type Look = {
  /** A `from` clause, which is read once for all its rules. */
  readonly from: string
  /** The columns that a report shows of a row that breaks a rule. */
  readonly show: string
  /** By the name of each rule: the condition of a row that breaks it. */
  readonly rules: Readonly<Record<string, string>>
}

const isOpen = `r.status in ('queued', 'in_progress')`
const hasEnded = `r.status in ('completed', 'failed', 'cancelled')`
const isFree = `(r.status = 'failed' and r.cost_micros = 0)`

/** The longest come first. */
export const looks: readonly Look[] = [
  {
    // One grouping of both tables is faster than their join, and a sum of doubles, exact here, than one of bigints.
    from: `(
        select id, max(cost) as cost, max(hold) as hold, sum(micros) as micros, min(micros) as least,
          max(step_count) as step_count, coalesce(sum(steps), 0) as steps, coalesce(max(step), 0) as last_step,
          max(event_count) as event_count, coalesce(sum(events), 0) as events,
          coalesce(max(seq) filter (where events > 0), 0) as last_event, bool_or(ended) as ended
        from (
          select id, case when ${hasEnded} and not ${isFree} then cost_micros end as cost, hold_micros as hold, step_count,
            event_count, ${hasEnded} as ended, null::int as step, null::int as steps, null::float8 as micros, null::int as seq,
            null::int as events from runs r
          union all select run_id, null, null, null, null, null, step, steps, cost_micros, seq, events from run_log
        ) parts group by id
      ) r`,
    show: 'r.*',
    rules: {
      'a run costs what its steps cost, at most its hold, unless it failed and cost nothing':
        'r.cost <> least(coalesce(r.micros, 0), r.hold)',
      'no step costs less than nothing': 'r.least < 0',
      'the steps of a run are numbered without gap': `
        r.step_count <> r.steps or r.step_count <> r.last_step`,
      // They are deleted a day after its end.
      'the events of a run are numbered without gap': `
        (r.event_count <> r.events or r.event_count <> r.last_event) and not (r.ended and r.events = 0)`,
      'steps and events belong to a run': 'r.step_count is null',
    },
  },
  {
    from: 'runs r join sessions s on s.id = r.session_id left join ledger c on c.run_id = r.id',
    show: `r.id, r.status, r.cost_micros, r.hold_micros, r.held_allowance_micros, r.deadline_at, r.turn, s.turn_count,
      c.id as charge, c.allowance_micros, c.granted_micros`,
    rules: {
      'a run costs what the ledger charged': `
        ${hasEnded} and r.cost_micros <> coalesce(-c.allowance_micros - c.granted_micros, 0)`,
      'a finished run is charged once, unless it failed and cost nothing': `${hasEnded} and c.id is null and not ${isFree}`,
      'an unfinished run has not been charged': `${isOpen} and c.id is not null`,
      'a run is charged to its own account': 'c.account_id <> r.account_id',
      'a run costs no more than its hold': 'r.cost_micros > r.hold_micros',
      'a hold takes no more of the allowance than it holds': `
        r.held_allowance_micros < 0 or r.held_allowance_micros > r.hold_micros`,
      'a session has counted each of its turns': 'r.turn > s.turn_count',
      'no unfinished run is far past its deadline': `${isOpen} and r.deadline_at < now() - interval '2 minutes'`,
    },
  },
  {
    from: `accounts a
      full join (select account_id, sum(allowance_micros) as allowance, sum(granted_micros) as granted,
          bool_or(case when kind in ('grant', 'allowance') then least(allowance_micros, granted_micros) < 0
            else greatest(allowance_micros, granted_micros) > 0 end) as has_wrong_sign
        from ledger group by 1) l on l.account_id = a.id
      left join (select account_id, sum(hold_micros) as micros, sum(held_allowance_micros) as allowance,
          count(distinct session_id) as sessions
        from runs r where ${isOpen} group by 1) h on h.account_id = a.id`,
    show: `coalesce(a.id, l.account_id) as account, a.allowance_micros, a.granted_micros, a.held_micros, a.open_turns,
      l.allowance as ledger_allowance, l.granted as ledger_granted, h.micros as holds, h.allowance as held_allowance, h.sessions`,
    rules: {
      'each row of the ledger has the sign of its kind': 'l.has_wrong_sign',
      'an account has what its ledger says, less its holds': `
        coalesce(a.allowance_micros, 0) + coalesce(h.allowance, 0) <> coalesce(l.allowance, 0)
        or coalesce(a.granted_micros, 0) + coalesce(h.micros - h.allowance, 0) <> coalesce(l.granted, 0)`,
      'an account holds what its unfinished runs hold': 'a.held_micros <> coalesce(h.micros, 0)',
      'an account uses a slot for each session with an unfinished run':
        'a.open_turns <> coalesce(h.sessions, 0)',
      'no amount of an account is below zero':
        'least(a.allowance_micros, a.granted_micros, a.held_micros, a.open_turns) < 0',
    },
  },
  {
    // The index that allows one charge per run makes this look needless, and then it reads nothing.
    from: `(select run_id, count(*) as charges from ledger
      where run_id is not null and not exists (
        select from pg_index where indexrelid = to_regclass('ledger_one_charge') and indisunique and indisvalid)
      group by 1) c`,
    show: 'c.*',
    rules: { 'a run is charged at most once': 'c.charges > 1' },
  },
  {
    from: `key_spending s
      full join (select facts->>'key_id' as key_id, (created_at at time zone 'UTC')::date as day,
          -sum(allowance_micros + granted_micros) as micros
        from ledger where kind = 'charge' and facts->>'key_id' is not null group by 1, 2) c using (key_id, day)`,
    show: 'key_id, day, s.micros as spent, c.micros as charged',
    rules: {
      // Charges from before the table are counted only for keys that existed then.
      'an API key has spent on each day what the ledger charged': `
        coalesce(s.micros, 0) <> coalesce(c.micros, 0)
        and (s.key_id is not null or key_id in (select id from api_keys))`,
    },
  },
  {
    from: `sessions s
      left join (select session_id, count(*) as unfinished,
          count(*) filter (where status = 'in_progress' and cancel_requested_at is null) as running
        from runs r where ${isOpen} group by 1) o on o.session_id = s.id`,
    show: 's.id, s.open_runs, o.unfinished, o.running',
    rules: {
      'a session counts its unfinished runs': 's.open_runs <> coalesce(o.unfinished, 0)',
      'a session runs one turn at a time': 'o.running > 1',
    },
  },
]

/** The names of the rules. */
export const invariants: readonly string[] = looks.flatMap(({ rules }) => Object.keys(rules))
