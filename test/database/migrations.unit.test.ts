import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/**
 * Replicas of the version before serve on while the first new one migrates, and afterwards. So a migration only adds:
 * what is not needed any more goes a release after the last one that reads or writes it, and is named here then.
 */
const allowed: readonly { readonly file: string; readonly statement: string; readonly since: string }[] = [
  // A foreign key less is nothing that a replica of the version before would notice.
  { file: '0005_turn_numbers.sql', statement: 'messages_account_id_accounts_id_fk', since: '0.1.0' },
  // Another index has the same rows: what looked them up by this one finds them by that.
  { file: '0006_leases_in_place.sql', statement: 'DROP INDEX "runs_unfinished"', since: '0.1.0' },
  ...[
    'messages_run_id_runs_id_fk',
    'runs_account_id_accounts_id_fk',
    'runs_project_id_projects_id_fk',
    'sessions_account_id_accounts_id_fk',
    'credit_entries_transaction_id_credit_transactions_id_fk',
    'credit_entries_pool',
    'runs_account_unfinished',
    'run_steps_run_id_runs_id_fk',
    'run_events_run_id_runs_id_fk',
    'runs_cost',
    'run_steps_cost',
    // Before the first release there is no version before.
    'DROP TABLE IF EXISTS "holds"',
    'UPDATE runs SET hold_pools',
    'DROP FUNCTION IF EXISTS draw_credits',
    'CREATE OR REPLACE FUNCTION delete_with_run',
  ].map((statement) => ({ file: '0007_turn_functions.sql', statement, since: '0.1.0' })),
  // Another index begins with the same columns.
  { file: '0008_one_charge.sql', statement: 'DROP INDEX "runs_request_hash"', since: '0.1.0' },
  // Another index keeps what a replica of the version before writes as unique as this one did.
  { file: '0008_one_charge.sql', statement: 'DROP INDEX "credit_transactions_extend"', since: '0.1.0' },
  // Triggers delete what these foreign keys deleted.
  ...[
    'passage_texts_passage_id_passages_id_fk',
    'passage_texts_version_id_versions_id_fk',
    'passages_work_id_works_id_fk',
  ].map((statement) => ({ file: '0016_library_without_foreign_keys.sql', statement, since: '0.1.0' })),
  // The constraint returns with an index that also has a count.
  {
    file: '0019_library_at_scale.sql',
    statement: 'DROP CONSTRAINT "search_postings_term_block_pk"',
    since: '0.2.0',
  },
  // No released version calls it.
  { file: '0023_key_limits.sql', statement: 'DROP FUNCTION IF EXISTS admit_run', since: '0.1.0' },
  // The same meaning: the function uses the rules of admission in place of copies.
  {
    file: '0026_shared_rules.sql',
    statement: 'CREATE OR REPLACE FUNCTION append_to_run_2(',
    since: '0.2.0',
  },
  // No released version calls it.
  { file: '0027_unused_functions.sql', statement: 'DROP FUNCTION extend_hold_2', since: '0.1.0' },
  // The same meaning with fewer statements.
  ...[
    'key_usable',
    'starts_in_window',
    'draw_credits',
    'settle_hold',
    'write_progress',
    'end_turn',
    'admit_run',
  ].map((name) => ({
    file: '0030_fewer_statements.sql',
    statement: `CREATE OR REPLACE FUNCTION ${name}(`,
    since: '0.2.0',
  })),
  // No released version has public links. Their tokens are secrets, which the database must not keep.
  ...[
    'UPDATE shared_sessions SET token_digest',
    'UPDATE source_sheets SET link_digest',
    '"token_digest" SET NOT NULL',
    'DROP CONSTRAINT "shared_sessions_token_unique"',
    'DROP INDEX "source_sheets_public"',
    'DROP COLUMN "token"',
    'DROP COLUMN "public_token"',
    'UPDATE session_branches',
  ].map((statement) => ({ file: '0028_link_digests.sql', statement, since: '0.1.0' })),
]

/** What a replica of the version before would trip over, or what would hold its statements up for long. */
const destructive: readonly (readonly [string, RegExp])[] = [
  ['drops', /\bDROP\s+(TABLE|COLUMN|CONSTRAINT|INDEX|VIEW|TYPE|FUNCTION|TRIGGER|POLICY|SCHEMA|DEFAULT)\b/i],
  ['drops', /\bALTER\s+TABLE\b[^;]*\bDROP\b/i],
  ['renames', /\bRENAME\b/i],
  ['changes a type', /\b(SET\s+DATA\s+TYPE|ALTER\s+COLUMN\s+\S+\s+TYPE)\b/i],
  ['demands a value', /\bSET\s+NOT\s+NULL\b/i],
  ['demands a value of a new column', /\bADD\s+COLUMN\b(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b/i],
  ['removes or rewrites rows', /(^|;)\s*(DELETE|TRUNCATE|UPDATE)\b/i],
  // One that replicas of two versions call side by side keeps its meaning: a change has a new name.
  ['changes a function', /\bCREATE\s+OR\s+REPLACE\s+FUNCTION\b/i],
  ['takes rights away', /\bREVOKE\b/i],
]

const faultsOf = (statement: string) =>
  destructive.filter(([, pattern]) => pattern.test(withoutComments(statement))).map(([what]) => what)

/** What a function does is done when somebody calls it. */
const withoutComments = (statement: string) =>
  statement
    .replaceAll(/--.*$/gm, '')
    .replace(/(?<=CREATE (?:OR REPLACE )?FUNCTION[^$]*)\$\$.*\$\$/s, '')
    .trim()

const files = (await readdir('migrations')).filter((name) => name.endsWith('.sql')).sort()

test.each(files)('%s only adds', async (file) => {
  const statements = (await readFile(`migrations/${file}`, 'utf8')).split('--> statement-breakpoint')
  const faults = statements
    .filter((text) => !allowed.some((entry) => entry.file === file && text.includes(entry.statement)))
    .flatMap((text) => faultsOf(text).map((fault) => `${fault}: ${withoutComments(text)}`))
  expect(faults).toEqual([])
})

/** The last migration of version 0.2.0. */
const lastReleased = '0011_key_peppers.sql'

test('a function is installed by one migration after the last release', async () => {
  const texts = files
    .filter((file) => file > lastReleased)
    .map((file) => readFile(`migrations/${file}`, 'utf8'))
  const names = [...(await Promise.all(texts)).join('\n').matchAll(/^CREATE .*FUNCTION (\w+)/gm)].map(
    ([, name]) => name,
  )
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted())
})

test('the journal of migrations and the folder name the same files', async () => {
  const journal = JSON.parse(await readFile('migrations/meta/_journal.json', 'utf8')) as {
    readonly entries: readonly { readonly tag: string }[]
  }
  expect(journal.entries.map(({ tag }) => `${tag}.sql`)).toEqual(files)
})

test.each([
  'ALTER TABLE "runs" DROP COLUMN "usage"',
  'DROP TABLE runs',
  'ALTER TABLE runs RENAME COLUMN a TO b',
  'ALTER TABLE "runs" ALTER COLUMN "turn" SET DATA TYPE bigint',
  'ALTER TABLE runs ALTER COLUMN turn TYPE bigint',
  'ALTER TABLE runs ALTER COLUMN error_code SET NOT NULL',
  'ALTER TABLE runs ADD COLUMN region text NOT NULL',
  '-- a reason\nDELETE FROM runs',
  'TRUNCATE run_events',
  'DROP INDEX "runs_unfinished"',
  'CREATE OR REPLACE FUNCTION end_turn() RETURNS void LANGUAGE sql AS $$ SELECT 1 $$',
  'DO $$ BEGIN PERFORM 1; DELETE FROM t; END $$',
])('the check sees %j', (statement) => {
  expect(faultsOf(statement)).not.toEqual([])
})

test.each([
  `ALTER TABLE "headings" ADD COLUMN "kind" text DEFAULT 'place' NOT NULL`,
  'ALTER TABLE runs ADD COLUMN region text',
  'CREATE TABLE t (id text PRIMARY KEY NOT NULL, a text REFERENCES u(id) ON DELETE cascade ON UPDATE no action)',
  'CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; DELETE FROM t; END $$',
  'CREATE TRIGGER x BEFORE UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION f()',
])('the check lets %j pass', (statement) => {
  expect(faultsOf(statement)).toEqual([])
})
