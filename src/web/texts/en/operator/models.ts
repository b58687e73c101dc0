import { html } from 'hono/html'
import {
  type CheckId,
  checkWording,
  type FindingId,
  findingWording,
} from '../../../../models/check/wording.ts'

type Finding = { readonly says: string; readonly remedy: string }

/** `/operator/health`: the last check of each model. */
export const models = {
  title: 'Models',
  notChecked: html`No model was checked yet. <code dir="ltr">npm run -s service -- models check</code> makes about 25
small calls to a model and says whether it is good enough for turns.`,
  goodEnough: 'Good enough for turns.',
  notGoodEnough: 'Not good enough for turns.',
  checked: 'Checked',
  checks: 'Checks',
  counts: (ok: number, adapted: number, failed: number, skipped: number) =>
    `${ok} ok, ${adapted} adapted, ${failed} failed, ${skipped} skipped`,
  firstText: 'First text',
  seconds: (seconds: string) => `after ${seconds} s`,
  speed: 'Speed',
  tokensPerSecond: (rate: string) => `${rate} tokens per second`,
  price: 'Price of the check',
  cost: (calls: number, credits: string) => `${credits} credits for ${calls} calls`,
  table: (model: string) => `What the check of ${model} found`,
  check: 'Check',
  result: 'Result',
  found: 'What was seen',
  remedy: 'Remedy',
  failed: 'failed',
  failedUseful: 'failed, not needed for turns',
  adapted: 'adapted',
  titles: Object.fromEntries(Object.entries(checkWording).map(([id, { title }]) => [id, title])) as Readonly<
    Record<CheckId, string>
  >,
  findings: findingWording as Readonly<Record<FindingId, Finding>>,
}
