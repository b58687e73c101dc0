import { addressesOf } from '../../../accounts/members/members.ts'
import type { Principal } from '../../../accounts/principal.ts'
import { creditsText } from '../../../billing/credits.ts'
import { type Charge, listCharges } from '../../../billing/usage/charges.ts'
import type { Span } from '../../../billing/usage/usage-span.ts'
import { type Database, withTx } from '../../../db/client.ts'

const batch = 500

const header = [
  'time',
  'run',
  'session',
  'status',
  'model',
  'key',
  'key_name',
  'project',
  'project_name',
  'prompt_tokens',
  'completion_tokens',
  'credits',
  'member',
  'member_email',
] as const

/**
 * All charges of a span as CSV, oldest first, with the exact amounts of the ledger. Reads batch by batch, so
 * that a long span or a slow client holds neither memory nor a connection.
 */
export async function* usageCsv(
  database: Database,
  principal: Principal,
  span: Span,
): AsyncGenerator<string> {
  // Spreadsheets read a file as UTF-8 only if it starts with a byte order mark.
  yield `\ufeff${csvRecord(header)}`
  let after: bigint | undefined
  for (;;) {
    const page = { ...span, order: 'asc', limit: batch, after } as const
    const charges = await withTx(database, principal, (tx) => listCharges(tx, principal, page))
    const members = charges.flatMap(({ memberId }) => (memberId === null ? [] : [memberId]))
    const addresses = await addressesOf(database.system, [...new Set(members)])
    if (charges.length > 0) yield charges.map((charge) => chargeRecord(charge, addresses)).join('')
    after = charges.at(-1)?.id
    if (charges.length < batch) return
  }
}

function chargeRecord(charge: Charge, addresses: ReadonlyMap<string, string>): string {
  return csvRecord([
    charge.at.toISOString(),
    charge.runId,
    charge.sessionId ?? '',
    charge.status ?? '',
    charge.model,
    charge.keyId ?? '',
    charge.keyName ?? '',
    charge.projectId ?? '',
    charge.projectName ?? '',
    charge.promptTokens,
    charge.completionTokens,
    { decimal: creditsText(charge.costMicros) },
    charge.memberId ?? '',
    addresses.get(charge.memberId ?? '') ?? '',
  ])
}

/**
 * One record of a CSV file (RFC 4180: CRLF, doubled quotes). A text that a spreadsheet would read as a
 * formula gets an apostrophe before it (OWASP, CSV Injection); numbers stay unchanged.
 */
export function csvRecord(cells: readonly (string | number | { readonly decimal: string })[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

/** Characters that start a formula, and their full-width forms. */
const formulaStart = '=+\\-@\uff1d\uff0b\uff0d\uff20'
const leading = new RegExp(`^[\\t\\r\\n${formulaStart}]`)
/** Spreadsheets with another list separator split cells at these characters, even inside quotes. */
const behindSeparator = new RegExp(`(?=[${formulaStart}])(?<=[;|\\t\\r\\n][ "']*)`, 'g')

function csvCell(cell: string | number | { readonly decimal: string }): string {
  if (typeof cell === 'number') return String(cell)
  if (typeof cell !== 'string') return cell.decimal
  const inside = cell.replace(behindSeparator, "'")
  const text = leading.test(inside) ? `'${inside}` : inside
  return /[",;|\t\r\n']/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
