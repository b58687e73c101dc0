import { scaleBand, scaleLinear } from 'd3-scale'
import { type Html, html, nothing } from './html.ts'

export type Bar = {
  /** Text under the bar, where there is room. */
  readonly label: string
  readonly value: number
  /** Tooltip of the bar, such as `21 Nov: 1.25 credits`. */
  readonly title: string
}

const size = { width: 480, height: 190, start: 46, end: 24, top: 12, bottom: 26 } as const

const bottom = size.height - size.bottom

/** Maximum number of labels under the bars. */
const maxLabels = 7

/**
 * A bar chart as SVG with a title and a description. The page must also show its values in a table.
 * @param id unique on the page.
 */
export function barChart(options: {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly bars: readonly Bar[]
}): Html {
  const { id, title, description, bars } = options
  const x = scaleBand(
    bars.map((_, i) => i),
    [size.start, size.width - size.end],
  ).padding(0.25)
  const top = Math.max(...bars.map(({ value }) => value), 0)
  const y = scaleLinear([0, top === 0 ? 1 : top], [bottom, size.top]).nice(4)
  const format = y.tickFormat(4, top >= 10_000 ? '~s' : undefined)
  const every = Math.max(1, Math.ceil(bars.length / maxLabels))
  const names = html`aria-labelledby="${id}-title ${id}-desc"`
  return html`<svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img" ${names}>
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${y.ticks(4).map((tick) => gridLine(y(tick), tick === 0 ? '0' : format(tick)))}
${bars.map((bar, i) => {
  const column = {
    left: x(i) ?? 0,
    width: x.bandwidth(),
    height: bar.value === 0 ? 0 : bottom - y(bar.value),
  }
  return html`${barColumn(bar, column)}${(bars.length - 1 - i) % every === 0 ? barLabel(bar, column) : nothing}`
})}
<line class="axis" x1="${size.start}" x2="${size.width - size.end}" y1="${bottom}" y2="${bottom}"/></svg>`
}

function gridLine(y: number, label: string): Html {
  return html`<line class="grid" x1="${size.start}" x2="${size.width - size.end}" y1="${y}" y2="${y}"/>
<text class="tick" x="${size.start - 8}" y="${y}" dy="0.32em" text-anchor="end">${label}</text>`
}

type BarColumn = { readonly left: number; readonly width: number; readonly height: number }

/** The bar, before a space of the full height that can be pointed at. */
function barColumn({ title }: Bar, column: BarColumn): Html {
  const height = column.height === 0 ? 0 : Math.max(1.5, column.height)
  const place = html`x="${round(column.left)}" width="${round(column.width)}"`
  return html`<g><title>${title}</title>
<rect class="space" ${place} y="${size.top}" height="${bottom - size.top}"/>
<rect class="bar" ${place} y="${round(bottom - height)}" height="${round(height)}" rx="1.5"/></g>`
}

function barLabel({ label }: Bar, { left, width }: BarColumn): Html {
  return html`<text class="tick" x="${round(left + width / 2)}" y="${bottom + 18}" text-anchor="middle">${label}</text>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
