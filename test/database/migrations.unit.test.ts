import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/**
 * What a replica of the version before would trip over, or what would hold its statements up for long. It serves on while
 * the first new one migrates, and afterwards. So a migration after the baseline only adds: what is no longer needed goes a
 * release after the last one that reads or writes it, and becomes an exception here.
 */
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

const files = (await readdir('migrations')).filter((name) => /^\d{4}_.*\.sql$/.test(name)).sort()

test.each(files.slice(1))('%s only adds', async (file) => {
  const statements = (await readFile(`migrations/${file}`, 'utf8')).split('--> statement-breakpoint')
  const faults = statements.flatMap((text) =>
    faultsOf(text).map((fault) => `${fault}: ${withoutComments(text)}`),
  )
  expect(faults).toEqual([])
})

test('a function is installed by one migration', async () => {
  const texts = files.map((file) => readFile(`migrations/${file}`, 'utf8'))
  const names = [
    ...(await Promise.all(texts)).join('\n').matchAll(/^CREATE (?:OR REPLACE )?FUNCTION (\w+)/gm),
  ].map(([, name]) => name)
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
  'TRUNCATE run_log',
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
