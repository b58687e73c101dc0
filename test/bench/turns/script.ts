/** What one turn of the load is to be: told to the scripted model inside the question, so that it keeps no state. */
export type TurnScript = {
  /** Ask for one tool call before answering. */
  readonly tool: boolean
  /** Deltas of the answer. */
  readonly chunks: number
  /** Silence before the first delta, and between two. */
  readonly firstMs: number
  readonly gapMs: number
  /** Every request has one body, as load tools with a fixed body send. */
  readonly equal?: boolean
}

export const oneCall: TurnScript = { tool: false, chunks: 64, firstMs: 0, gapMs: 0 }
export const oneTool: TurnScript = { ...oneCall, tool: true }

/** The tool that the model calls: one that every turn of the service has. */
export const toolName = 'list_files'

let asked = 0

/** Every question is another one, as the questions of people are, unless the script says otherwise. */
export function questionOf(script: TurnScript): string {
  if (!script.equal) asked += 1
  const { tool, chunks, firstMs, gapMs } = script
  return `Question ${script.equal ? 'of all' : asked} #script ${tool ? 1 : 0} ${chunks} ${firstMs} ${gapMs}#`
}

/** Reads the script out of a request's body without parsing it. */
export function scriptIn(body: string): TurnScript {
  const [, tool, chunks, firstMs, gapMs] = /#script (\d+) (\d+) (\d+) (\d+)#/.exec(body) ?? []
  return {
    tool: tool === '1' && !body.includes('"role":"tool"'),
    chunks: Number(chunks ?? 1),
    firstMs: Number(firstMs ?? 0),
    gapMs: Number(gapMs ?? 0),
  }
}

/** The delta of that number. A paced one carries the time at which it was sent. */
export function wordOf(index: number, paced: boolean): string {
  return paced ? `word${index}@${(performance.timeOrigin + performance.now()).toFixed(2)} ` : `word${index} `
}
