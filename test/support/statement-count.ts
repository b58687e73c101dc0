import type pg from 'pg'

export type StatementCount = {
  /** Statements of the turns' path: neither transaction control, nor what replicas do in the background. */
  readonly statements: number
  /** Transactions that had statements of that path in them. */
  readonly commits: number
  /** Notifications of other replicas, several events in one. */
  readonly signals: number
  readonly texts: readonly { readonly text: string; readonly calls: number }[]
}

/** What the service does by the clock, whether there are turns or not, and what the counting itself does. */
const background =
  /pg_stat_statements|lease_expires_at" = now\(\) \+|skip locked|with waiting as|for update of r|select "id", "epoch", "cancel_requested_at"|listen |select 1$|retention|pg_try_advisory/i

/** Calls that are transactions by themselves. */
const ownTransaction = /(begin_turn_2|append_to_run_2|end_turn|project_files)\(/

/**
 * Counts by the extension `pg_stat_statements`, in the database of `admin`.
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
