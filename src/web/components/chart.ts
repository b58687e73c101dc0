import { scaleBand, scaleLinear } from 'd3-scale'
import { type Html, html, nothing } from './html.ts'

export type Bar = {
  /** Text under the bar, where there is room. */
  readonly label: string
  readonly value: number
  /** Tooltip of the bar, such as `21 Nov: 1.25 credits`. */
  readonly title: string
}

const size = { width: 660, height: 200, start: 56, end: 8, top: 12, bottom: 26 } as const

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
  const bottom = size.height - size.bottom
  const x = scaleBand(
    bars.map((_, i) => i),
    [size.start, size.width - size.end],
  ).padding(0.25)
  const top = Math.max(...bars.map(({ value }) => value), 0)
  const y = scaleLinear([0, top === 0 ? 1 : top], [bottom, size.top]).nice(4)
  const format = y.tickFormat(4, top >= 10_000 ? '~s' : undefined)
  const every = Math.max(1, Math.ceil(bars.length / maxLabels))
  return html`<svg class="chart" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title><desc id="${id}-desc">${description}</desc>
${y.ticks(4).map((tick) => html`<line class="grid" x1="${size.start}" x2="${size.width - size.end}" y1="${y(tick)}" y2="${y(tick)}"/><text class="tick" x="${size.start - 8}" y="${y(tick)}" dy="0.32em" text-anchor="end">${tick === 0 ? 0 : format(tick)}</text>`)}
${bars.map(({ label, value, title: told }, i) => {
  const left = x(i) ?? 0
  const height = value === 0 ? 0 : Math.max(1.5, bottom - y(value))
  return html`<g><title>${told}</title><rect class="space" x="${round(left)}" y="${size.top}" width="${round(x.bandwidth())}" height="${bottom - size.top}"/>
<rect class="bar" x="${round(left)}" y="${round(bottom - height)}" width="${round(x.bandwidth())}" height="${round(height)}" rx="1.5"/></g>
${(bars.length - 1 - i) % every === 0 ? html`<text class="tick" x="${round(left + x.bandwidth() / 2)}" y="${bottom + 18}" text-anchor="middle">${label}</text>` : nothing}`
})}
<line class="axis" x1="${size.start}" x2="${size.width - size.end}" y1="${bottom}" y2="${bottom}"/></svg>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
