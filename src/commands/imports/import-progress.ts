import type { Progress } from '../../sources/importers/sefaria/import-export.ts'
import type { Invocation } from '../command.ts'

/** With `share`, from 0 to 1, where the import knows more than the number of its works. */
type Step = Progress & { readonly share?: number }

const width = 24
const secondsBetweenLines = 5

type Terminal = { readonly columns: number; write(text: string): unknown }

/**
 * Runs an import and shows its progress: a bar that is redrawn on a terminal, otherwise a line from time to time. The
 * bar's line is ended when the import stops or fails, so that what is printed next has its own line.
 * @param terminal where to draw; undefined when standard error is not a terminal.
 */
export async function withProgressBar<T>(
  { progress }: Pick<Invocation, 'progress'>,
  work: (show: (step: Step) => void) => Promise<T>,
  terminal: Terminal | undefined = process.stderr.isTTY ? process.stderr : undefined,
): Promise<T> {
  let shown = Number.NEGATIVE_INFINITY
  let isLineOpen = false
  const show = (step: Step): void => {
    const isLast = step.done === step.total
    if (terminal) {
      terminal.write(
        `\r\x1b[K${barOf(step).slice(0, Math.max(20, terminal.columns - 1))}${isLast ? '\n' : ''}`,
      )
      isLineOpen = !isLast
    } else if (isLast || step.seconds - shown >= secondsBetweenLines) {
      shown = step.seconds
      progress(barOf(step))
    }
  }
  try {
    return await work(show)
  } finally {
    if (isLineOpen) terminal?.write('\n')
  }
}

function barOf(step: Step): string {
  const { done, total, title, segments, words, seconds } = step
  const share = step.share ?? (total > 0 ? done / total : 1)
  const filled = Math.min(width, Math.round(share * width))
  const bar = '#'.repeat(filled) + '.'.repeat(width - filled)
  const rate = seconds > 0 ? Math.round(words / seconds) : 0
  const left = timeLeft(share, seconds)
  return `[${bar}] ${done}/${total} works  ${segments} segments  ${rate} words/s${left}  ${title}`
}

/** Early estimates are off by far, so none is given at first. */
function timeLeft(share: number, seconds: number): string {
  if (share >= 1 || share < 0.01 || seconds < 1) return ''
  const left = Math.ceil((seconds / share) * (1 - share))
  const [hours, minutes] = [Math.floor(left / 3_600), Math.floor((left % 3_600) / 60)]
  if (hours > 0) return `  ${hours} h ${minutes} min left`
  return minutes > 0 ? `  ${minutes} min ${left % 60} s left` : `  ${left} s left`
}
