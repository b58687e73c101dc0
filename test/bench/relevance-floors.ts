/** What a set of questions must reach, all parts of a whole. */
export type Floor = {
  /** Mean reciprocal rank of the first right place among ten. */
  readonly mrr?: number
  /** Questions whose best hit passes the relevance floor. */
  readonly kept?: number
  /** Questions whose best hit does not. */
  readonly refused?: number
  /** Questions that are found to name a place or book that does not exist. */
  readonly missing?: number
}

/**
 * Measured on 2026-11-23 (the fifth sets on 2026-11-26, the sixth on 2026-11-27) with the starter library and the Hebrew Tanya, less 0.03 to 0.05. They keep what was reached
 * and are no goals. A set without the library that it asks about is measured and held to nothing.
 */
export const floors: Readonly<Record<string, Floor>> = {
  'tanya-he.jsonl': { mrr: 0.71 },
  'tanya-he-outsider.jsonl': { mrr: 0.75 },
  'tanya-he-plain.dev.jsonl': { mrr: 0.77 },
  'tanya-he-plain.held.jsonl': { mrr: 0.79 },
  'tanya-he-plain.third.jsonl': { mrr: 0.94 },
  'tanya-he-plain.fourth.jsonl': { mrr: 0.71 },
  'tanya-he-harder.dev.jsonl': { mrr: 0.51 },
  'tanya-he-harder.held.jsonl': { mrr: 0.55 },
  'tanya-he-harder.third.jsonl': { mrr: 0.21 },
  'tanya-en.dev.jsonl': { mrr: 0.65 },
  'tanya-en.held.jsonl': { mrr: 0.6 },
  'tanya-en.third.jsonl': { mrr: 0.62 },
  'tanya-en.fourth.jsonl': { mrr: 0.6 },
  'existing.dev.jsonl': { mrr: 0.95 },
  'existing.held.jsonl': { mrr: 0.95 },
  'existing.third.jsonl': { mrr: 0.95 },
  'existing.fourth.jsonl': { mrr: 0.95 },
  'abbreviations.jsonl': { mrr: 0.93, kept: 0.96 },
  'starter.dev.jsonl': { mrr: 0.75, kept: 0.95 },
  'starter.held.jsonl': { mrr: 0.79, kept: 0.9 },
  'starter.third.jsonl': { mrr: 0.81, kept: 0.93 },
  'starter.fourth.jsonl': { mrr: 0.81 },
  'starter.fifth-en.jsonl': { mrr: 0.88, kept: 0.95 },
  'starter.fifth-he.jsonl': { mrr: 0.73, kept: 0.95 },
  'starter.sixth-en.jsonl': { mrr: 0.85, kept: 0.95 },
  'starter.sixth-he.jsonl': { mrr: 0.8, kept: 0.93 },
  'starter-long.dev.jsonl': { mrr: 0.53 },
  'starter-long.held.jsonl': { mrr: 0.7 },
  'invented.dev.jsonl': { missing: 0.95 },
  'invented.held.jsonl': { missing: 0.95 },
  'invented.third.jsonl': { missing: 0.92 },
  'invented.fourth.jsonl': { missing: 0.85 },
  'newcomer.jsonl': { kept: 0.95 },
  'on-topic.dev.jsonl': { kept: 0.92 },
  'on-topic.held.jsonl': { kept: 0.92 },
  'on-topic.third.jsonl': { kept: 0.92 },
  'on-topic.fourth.jsonl': { kept: 0.92 },
  'off-topic.jsonl': { refused: 0.96 },
  'off-topic.dev.jsonl': { refused: 0.95 },
  'off-topic.held.jsonl': { refused: 0.93 },
  'off-topic.third.jsonl': { refused: 0.88 },
  'off-topic.fourth.jsonl': { refused: 0.93 },
}

/** Sets that ask about a text beside the starter library. */
export function needsLibrary(set: string): boolean {
  return /^(?:tanya|existing|invented)/.test(set)
}
