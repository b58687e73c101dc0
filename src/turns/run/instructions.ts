import { and, desc, eq, inArray } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import { type InstructionText, type Prompt, withInstructions } from '../../agent/prompts/prompts.ts'
import { type Database, withTx } from '../../db/client.ts'
import { projectInstructions, promptTexts } from '../../db/schema/index.ts'
import type { Run } from './run.ts'
import type { RunRequest } from './run-request.ts'

/**
 * Keeps the texts of prompts, so that another replica can continue the turns that begin with them, and their runs can
 * name them by hash.
 */
export async function keepPrompts(
  { system }: Database,
  models: readonly { readonly prompt: Prompt }[],
): Promise<void> {
  const texts = models.flatMap(({ prompt: { own, host } }) => (host ? [own, host] : [own]))
  const distinct = [...new Map(texts.map((text) => [text.hash, text])).values()]
  await system.insert(promptTexts).values(distinct).onConflictDoNothing()
}

/** All texts that models were told by the service and its hosts, the newest first. */
export function listPrompts({ system }: Database) {
  return system.select().from(promptTexts).orderBy(desc(promptTexts.createdAt), promptTexts.hash)
}

/** Texts by hash never change. Keys have the project, because equal texts of two projects are two rows. */
const cached = new LRUCache<string, string>({ max: 500 })

/**
 * What a run's model is told before anything else: the prompt of the service, the host's instructions and those of the
 * project. All attempts at a run give the same text, whatever was edited or installed since its start.
 * @param prompt the one that this process gives to new turns.
 */
export async function instructionsOfRun(database: Database, run: Run, prompt: Prompt): Promise<string> {
  const { prompt: begun } = run.request as RunRequest
  const text = begun && !isSame(begun, prompt) ? await promptOf(database, begun, prompt) : prompt.text
  if (run.projectInstructions === null) return text
  return withInstructions(text, await projectText(database, run, run.projectInstructions))
}

function isSame({ own, host }: NonNullable<RunRequest['prompt']>, prompt: Prompt): boolean {
  return own === prompt.own.hash && host === (prompt.host?.hash ?? null)
}

/** A prompt of another version or with other instructions of the host. Without its rows, the current one. */
async function promptOf(
  { system }: Database,
  { own, host }: NonNullable<RunRequest['prompt']>,
  current: Prompt,
): Promise<string> {
  const hashes = host === null ? [own] : [own, host]
  const rows: readonly InstructionText[] = await system
    .select()
    .from(promptTexts)
    .where(inArray(promptTexts.hash, hashes))
  const texts = hashes.map((hash) => rows.find((row) => row.hash === hash)?.text)
  const [first, second] = texts
  return first === undefined || texts.includes(undefined) ? current.text : withInstructions(first, second)
}

async function projectText(database: Database, run: Run, hash: string): Promise<string | undefined> {
  const key = `${run.projectId} ${hash}`
  const known = cached.get(key)
  if (known !== undefined) return known
  const [row] = await withTx(database, run, (tx) =>
    tx
      .select({ text: projectInstructions.text })
      .from(projectInstructions)
      .where(and(eq(projectInstructions.projectId, run.projectId), eq(projectInstructions.hash, hash))),
  )
  if (row) cached.set(key, row.text)
  return row?.text
}
