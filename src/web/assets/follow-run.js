/** Updates the turns of a conversation while they run. The first unfinished turn is followed until it ends. */

/** @typedef {{ readonly seq: number } & import('../../turns/run/run-events.ts').RunEvent} LoggedEvent */
/** @typedef {{ readonly title: string, state: 'now' | 'done' | 'failed' }} ProgressLine */
/** @typedef {ReturnType<typeof liveView>} LiveView */

/** Milliseconds before a connection that the browser has given up is opened again, and how often. */
const pauseMs = 2_000
const maxAttempts = 150

const eventTypes = [
  'run.queued',
  'run.started',
  'step.started',
  'step.restarted',
  'text.delta',
  'tool.started',
  'tool.finished',
  'run.completed',
  'run.failed',
  'run.cancelled',
]

function followNext() {
  const turn = document.querySelector('[data-run]')
  if (turn instanceof HTMLElement) follow(turn)
}

/** @param {HTMLElement} turn */
function follow(turn) {
  const id = turn.dataset['run'] ?? ''
  const view = liveView(turn)
  /** @type {LoggedEvent[]} */
  const log = []
  let attempts = 0
  const connect = () => {
    const seen = log.at(-1)?.seq ?? 0
    const source = new EventSource(`/runs/${id}/events?starting_after=${seen}`)
    source.onopen = () => {
      attempts = 0
      view.connected()
    }
    // A browser reconnects by itself after some failures and not after others: here it always does.
    source.onerror = () => {
      view.disconnected()
      source.close()
      attempts += 1
      if (attempts < maxAttempts) setTimeout(connect, pauseMs)
      else view.say('Connection lost. Reload the page to continue.')
    }
    /** @param {MessageEvent<string>} message */
    const take = (message) => {
      /** @type {LoggedEvent} */
      const event = JSON.parse(message.data)
      if (event.seq <= (log.at(-1)?.seq ?? 0)) return
      log.push(event)
      if (event.type === 'step.restarted') dropVoid(log, event.void_from_seq)
      view.show(log)
      if (!/^run\.(completed|failed|cancelled)$/.test(event.type)) return
      source.close()
      void replace(turn, id, view)
    }
    for (const type of eventTypes) source.addEventListener(type, take)
  }
  view.stop(sendStop)
  connect()
}

/**
 * Sends the form that stops the turn.
 * @param {HTMLFormElement} form
 * @returns why the turn does not stop; empty when it stops.
 */
async function sendStop(form) {
  try {
    // An accepted form is answered by a redirect to the conversation.
    const response = await fetch(form.action, { method: 'POST' })
    if (!response.ok) return 'Not stopped: the service refused the request. Try again in a few seconds.'
    const isSignedOut = new URL(response.url).pathname === '/signin'
    return isSignedOut ? 'Not stopped: you are signed out. Reload the page to sign in.' : ''
  } catch {
    return 'Not stopped: the request did not reach the service. Try again.'
  }
}

/**
 * Another replica took the run over and repeats the unfinished step: its first events are void.
 * @param {LoggedEvent[]} log
 * @param {number} from
 */
function dropVoid(log, from) {
  const kept = log.filter(({ seq, type }) => seq < from || type === 'step.restarted')
  log.splice(0, log.length, ...kept)
}

/**
 * The ended turn as the service renders it replaces the live one.
 * @param {HTMLElement} turn
 * @param {string} id
 * @param {LiveView} view
 */
async function replace(turn, id, view) {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      const response = await fetch(`/runs/${id}/turn`)
      if (!response.ok) throw new Error(String(response.status))
      const template = document.createElement('template')
      template.innerHTML = await response.text()
      turn.replaceWith(template.content)
      part(document, '#announcement').textContent = 'The answer is complete.'
      return followNext()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  view.say('The turn has ended. Reload the page to see the answer.')
}

/**
 * The parts of a live turn. Everything is put in as text.
 * @param {HTMLElement} turn
 */
function liveView(turn) {
  const [status, doing, draft] = [part(turn, '.status'), part(turn, '.doing'), part(turn, '.draft')]
  const form = part(turn, '.stop')
  let said = status.textContent ?? ''
  /** Of the button Stop, once it was pressed: it is shown until the turn ends. */
  let stopState = ''
  /** @param {string} text */
  const say = (text) => {
    if (status.textContent !== text) status.textContent = text
  }
  return {
    say,
    connected: () => say(stopState || said),
    disconnected: () => say('Connection lost. Reconnecting …'),
    /** @param {(form: HTMLFormElement) => Promise<string>} send */
    stop(send) {
      form.addEventListener('submit', async (event) => {
        event.preventDefault()
        if (!(form instanceof HTMLFormElement)) return
        stopState = 'Stopping …'
        say(stopState)
        stopState = (await send(form)) || stopState
        say(stopState)
      })
    },
    /** @param {readonly LoggedEvent[]} log */
    show(log) {
      const text = textOf(log)
      const lines = progressOf(log)
      said = stopState || statusOf(log, text, lines)
      say(said)
      setItems(doing, lines, 'li', (item, line) => {
        if (item.textContent !== line.title) item.textContent = line.title
        item.className = line.state
      })
      const paragraphs = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
      setItems(draft, paragraphs, 'p', (item, paragraph) => {
        if (item.textContent !== paragraph) item.textContent = paragraph
      })
    },
  }
}

/**
 * An element that the page always has.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement}
 */
function part(parent, selector) {
  const found = parent.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`)
  return found
}

/** @param {readonly LoggedEvent[]} log */
function textOf(log) {
  return log.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')
}

/**
 * One line per tool call, with its result.
 * @param {readonly LoggedEvent[]} log
 * @returns {readonly ProgressLine[]}
 */
function progressOf(log) {
  /** @type {Map<number, ProgressLine>} */
  const lines = new Map()
  for (const event of log) {
    if (event.type === 'tool.started') lines.set(event.step, { title: event.title, state: 'now' })
    if (event.type !== 'tool.finished') continue
    const line = lines.get(event.step)
    if (line) line.state = event.ok ? 'done' : 'failed'
  }
  return [...lines.values()]
}

/**
 * @param {readonly LoggedEvent[]} log
 * @param {string} text
 * @param {readonly ProgressLine[]} lines
 */
function statusOf(log, text, lines) {
  const current = lines.findLast((line) => line.state === 'now')
  if (current) return `${current.title} …`
  if (log.at(-1)?.type === 'run.queued') return 'Waiting for your previous question …'
  return text === '' ? 'Thinking …' : 'Writing …'
}

/**
 * Gives a list one child per item, and fills each.
 * @template T
 * @param {HTMLElement} list
 * @param {readonly T[]} items
 * @param {'li' | 'p'} tag
 * @param {(child: HTMLElement, item: T) => void} fill
 */
function setItems(list, items, tag, fill) {
  while (list.children.length > items.length) list.lastElementChild?.remove()
  for (const [at, item] of items.entries()) {
    const child = list.children[at] ?? list.appendChild(document.createElement(tag))
    if (!(child instanceof HTMLElement)) continue
    child.dir = 'auto'
    fill(child, item)
  }
}

followNext()
