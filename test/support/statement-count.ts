import type pg from 'pg'

export type StatementCount = {
  /** Statements of turns, without transaction control and the background work of replicas. */
  readonly statements: number
  /** Transactions that contain such statements. */
  readonly commits: number
  /** Notifications to other replicas; one can carry several events. */
  readonly signals: number
  readonly texts: readonly { readonly text: string; readonly calls: number }[]
}

/**
 * Matches statements that the service runs periodically, with or without turns, and those of the counting
 * itself.
 */
const background =
  /pg_stat_statements|lease_expires_at" = now\(\) \+|skip locked|with waiting as|for update of r|select "id", "epoch", "cancel_requested_at"|listen |select 1$|retention|pg_try_advisory/i

/** Matches calls that are their own transactions. */
const ownTransaction = /(admit_run_2|append_to_run_2|append_to_runs|end_turn|project_files)\(/

/**
 * Counts statements in the database of `admin`, with the extension `pg_stat_statements`.
 * @param admin a superuser.
 */
export function countStatements(admin: pg.Client) {
  return {
    async reset(): Promise<void> {
      await admin.query('select pg_stat_statements_reset()')
    },
    async read(): Promise<StatementCount> {
      const { rows } = await admin.query<{ text: string; calls: number }>(
        `select query as text, calls::int from pg_stat_statements s
          join pg_database d on d.oid = s.dbid
          where d.datname = current_database() and toplevel order by calls desc, query`,
      )
      const sum = (those: readonly { calls: number }[]) => those.reduce((all, { calls }) => all + calls, 0)
      const control = /^(begin|commit|rollback|set )/i
      const signals = rows.filter(({ text }) => text.includes('pg_notify'))
      const texts = rows.filter(
        ({ text }) => !background.test(text) && !control.test(text) && !text.includes('pg_notify'),
      )
      const writing = rows.filter(({ text }) => /^commit/i.test(text) || ownTransaction.test(text))
      return { statements: sum(texts), commits: sum(writing), signals: sum(signals), texts }
    },
  }
}
