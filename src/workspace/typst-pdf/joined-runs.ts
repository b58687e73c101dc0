import type { TextRun } from './text-runs.ts'

/** Maximum distance of two pieces of a run, as a fraction of the letter height. */
const tolerance = 0.1

/**
 * Joins the pieces of runs that Typst draws apart because a point between them stands higher or lower. The point is a text object
 * without a width; its text also stands at its letter.
 */
export function joinedRuns(pieces: readonly TextRun[]): readonly TextRun[] {
  const runs: TextRun[] = []
  let isInterrupted = false
  for (const piece of pieces) {
    const before = runs.at(-1)
    const isPoint = piece.clusters.length === 0
    if (!isPoint && isInterrupted && before && goesOn(before, piece)) {
      runs.pop()
      runs.push({ ...before, clusters: [...before.clusters, ...piece.clusters], isRightToLeft: true })
    } else if (!isPoint) runs.push(piece)
    isInterrupted = isPoint
  }
  return runs
}

/** Whether both are pieces of a right-to-left run, which is drawn from left to right. */
function goesOn(before: TextRun, piece: TextRun): boolean {
  const gap = (piece.clusters[0]?.left ?? 0) - (before.clusters.at(-1)?.right ?? 0)
  const isReversed = [before, piece].every((one) => one.isRightToLeft || isSign(one))
  const most = tolerance * piece.height
  return isReversed && Math.abs(gap) < most && Math.abs(before.y - piece.y) < most
}

/** Typst does not say the direction of a sign that it draws alone. */
function isSign({ clusters }: TextRun): boolean {
  return clusters.length === 1 && !/[\p{L}\p{N}]/u.test(clusters[0]?.text ?? '')
}
