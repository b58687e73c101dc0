import type { Progress } from '../../sources/importers/sefaria/import-export.ts'
import type { Invocation } from '../command.ts'

/** With `share`, from 0 to 1, where the import knows more than the number of its works. */
type Step = Progress & { readonly share?: number }

const width = 24
const secondsBetweenLines = 5

/**
 * Shows the progress of an import: a bar that is redrawn on a terminal, otherwise a line from time to time.
 * @param terminal where to draw; undefined when standard error is not a terminal.
 */
export function progressBar(
  { progress }: Pick<Invocation, 'progress'>,
  terminal: NodeJS.WriteStream | undefined = process.stderr.isTTY ? process.stderr : undefined,
): (step: Step) => void {
  let shown = Number.NEGATIVE_INFINITY
  return (step) => {
    const isLast = step.done === step.total
    if (terminal) {
      terminal.write(
        `\r\x1b[K${barOf(step).slice(0, Math.max(20, terminal.columns - 1))}${isLast ? '\n' : ''}`,
      )
    } else if (isLast || step.seconds - shown >= secondsBetweenLines) {
      shown = step.seconds
      progress(barOf(step))
    }
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
