/** The text of an answer in a stream of server-sent events, as it grows: of chats, of responses and of runs. */

/** @typedef {{ readonly seq: number, readonly text: string }} Piece */
/** @typedef {{ delta?: { content?: string } }} Choice */
/** @typedef {{ type?: string, text?: string, delta?: string, choices?: Choice[] }} Words */
/** @typedef {Words & { seq?: number, void_from_seq?: number }} Data */

/** @returns {{ read(part: string): string }} `read` takes the next part and returns the text so far. */
export function createEventReader() {
  let rest = ''
  /** @type {readonly Piece[]} */
  let pieces = []
  return {
    read(part) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data: {')) pieces = afterEvent(pieces, parsed(line))
      return pieces.map(({ text }) => text).join('')
    },
  }
}

/** @param {string} line @returns {Data} */
function parsed(line) {
  try {
    return JSON.parse(line.slice('data: '.length))
  } catch {
    return {}
  }
}

/** @param {readonly Piece[]} pieces @param {Data} data @returns {readonly Piece[]} */
function afterEvent(pieces, { seq = 0, type, text, delta, void_from_seq: voidFrom, choices }) {
  // A step that begins again takes back what it has written.
  if (type === 'step.restarted' && voidFrom !== undefined) return pieces.filter((one) => one.seq < voidFrom)
  if (type === 'text.delta' && text) return [...pieces, { seq, text }]
  if (type === 'response.output_text.delta' && delta) return [...pieces, { seq, text: delta }]
  const said = choices?.[0]?.delta?.content
  return said ? [...pieces, { seq, text: said }] : pieces
}
