import type { TestService } from './world/service.ts'

/** What `/metrics` answers. */
export async function scrape(service: Pick<TestService, 'url'>, token: string): Promise<string> {
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  if (response.status !== 200) throw new Error(`/metrics: ${response.status}`)
  return response.text()
}

export type Sample = {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses the samples of Prometheus' text format. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
      return {
        name,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, k, v]) => [k ?? '', v ?? '']),
        ),
        value: Number(value),
      }
    })
}
