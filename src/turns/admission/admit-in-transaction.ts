import { sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { attachFiles } from '../sessions/attachments.ts'
import { defaultProjectId } from '../sessions/projects.ts'
import { callsIn } from '../store/turn-store.ts'
import { type Admission, admitRun, type Decision } from './admit-run.ts'
import { inputRows } from './run-values.ts'
import type { TurnInput } from './turn-input.ts'

export function bringsFiles({ attachments }: TurnInput): boolean {
  return attachments !== undefined && attachments.ids.size + attachments.inline.size > 0
}

/**
 * Admits a turn together with what one call cannot do: it creates the default project and stores the files of the
 * request. A request that is a duplicate, or is refused, leaves neither.
 * @param tx a transaction that the caller rolls back if this throws.
 * @throws what `admitRun`, `defaultProjectId` and `attachFiles` throw.
 */
export async function admitInTransaction(
  tx: Executor,
  principal: Principal,
  input: TurnInput,
  admission: Admission,
): Promise<Decision> {
  const files = bringsFiles(input) ? input.attachments : undefined
  const admit = (projectId?: string) =>
    admitRun(callsIn(tx), principal, input, { ...admission, projectId, withoutInput: files !== undefined })
  const first = await admit()
  const decision = first.kind === 'no_project' ? await admit(await defaultProjectId(tx, principal)) : first
  if (decision.kind !== 'admitted' || !files) return decision
  const { run, plan } = decision
  const { accountId, projectId, sessionId, turn } = run
  const place = { accountId, projectId, sessionId, runId: null }
  const fresh = await attachFiles(tx, principal, place, decision.fresh, files, plan)
  const rows = inputRows(fresh, input.transcript)
  await tx.execute(sql`
    insert into messages (id, account_id, session_id, run_id, turn, position, role, content, transcript)
    select * from input_rows(${accountId}, ${sessionId}, ${run.id}, ${turn}, ${rows})`)
  return { ...decision, fresh }
}
