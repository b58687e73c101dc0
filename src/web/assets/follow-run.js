/** Updates the turns of a conversation while they run; follows the first turn that has not ended. */

/** Delay in milliseconds before a failed connection is opened again, and the maximum number of tries. */
const pauseMs = 2_000
const mostAttempts = 150

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
  if (turn) follow(turn)
}

function follow(turn) {
  const id = turn.dataset.run
  const view = liveView(turn)
  const log = []
  let attempts = 0
  const connect = () => {
    const seen = log.at(-1)?.seq ?? 0
    const source = new EventSource(`/runs/${id}/events?starting_after=${seen}`)
    source.onopen = () => {
      attempts = 0
      view.connected()
    }
    // The browser connects again after some failures only; this always does.
    source.onerror = () => {
      view.disconnected()
      source.close()
      attempts += 1
      if (attempts < mostAttempts) setTimeout(connect, pauseMs)
      else view.say('The connection is lost. Load the page again to go on.')
    }
    const take = (message) => {
      const event = JSON.parse(message.data)
      if (log.length > 0 && event.seq <= log.at(-1).seq) return
      log.push(event)
      if (event.type === 'step.restarted') dropVoid(log, event.void_from_seq)
      view.show(log)
      if (!/^run\.(completed|failed|cancelled)$/.test(event.type)) return
      source.close()
      void replace(turn, id, view)
    }
    for (const type of eventTypes) source.addEventListener(type, take)
  }
  view.stop((form) => fetch(form.action, { method: 'POST', redirect: 'manual' }))
  connect()
}

/**
 * After a takeover the new replica repeats the unfinished step, so the events of its first try are dropped.
 */
function dropVoid(log, from) {
  const kept = log.filter(({ seq, type }) => seq < from || type === 'step.restarted')
  log.splice(0, log.length, ...kept)
}

/** Replaces the live turn by the ended turn as the service renders it. */
async function replace(turn, id, view) {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      const response = await fetch(`/runs/${id}/turn`)
      if (!response.ok) throw new Error(String(response.status))
      const template = document.createElement('template')
      template.innerHTML = await response.text()
      turn.replaceWith(template.content)
      document.getElementById('announcement').textContent = 'The answer is complete.'
      return followNext()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  view.say('The turn has ended. Load the page again to see it.')
}

/** The parts of a live turn. All of them are set as text, never as markup. */
function liveView(turn) {
  const status = turn.querySelector('.status')
  const doing = turn.querySelector('.doing')
  const draft = turn.querySelector('.draft')
  const form = turn.querySelector('.stop')
  let said = status.textContent
  const say = (text) => {
    if (status.textContent !== text) status.textContent = text
  }
  return {
    say,
    connected: () => say(said),
    disconnected: () => say('Connection lost, trying again …'),
    stop(send) {
      form.addEventListener('submit', (event) => {
        event.preventDefault()
        said = 'Stopping …'
        say(said)
        send(form).catch(() => say('That did not arrive. Try again.'))
      })
    },
    show(log) {
      const text = textOf(log)
      const lines = progressOf(log)
      if (said !== 'Stopping …') said = statusOf(log, text, lines)
      say(said)
      setItems(doing, lines, 'li', (item, line) => {
        if (item.textContent !== line.title) item.textContent = line.title
        item.className = line.state
      })
      const paragraphs = text.split(/\n{2,}/).filter((part) => part.trim() !== '')
      setItems(draft, paragraphs, 'p', (item, part) => {
        if (item.textContent !== part) item.textContent = part
      })
    },
  }
}

function textOf(log) {
  return log.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')
}

/** One line per tool call, with its result. */
function progressOf(log) {
  const lines = new Map()
  for (const event of log) {
    if (event.type === 'tool.started') lines.set(event.step, { title: event.title, state: 'now' })
    const line = lines.get(event.step)
    if (event.type === 'tool.finished' && line) line.state = event.ok ? 'done' : 'failed'
  }
  return [...lines.values()]
}

function statusOf(log, text, lines) {
  const current = lines.filter((line) => line.state === 'now')
  if (current.length > 0) return `${current.at(-1).title} …`
  if (log.at(-1).type === 'run.queued') return 'Waiting for the turn before it …'
  return text === '' ? 'Thinking …' : 'Writing …'
}

/** Gives a list one child per item, and fills each child. */
function setItems(list, items, tag, fill) {
  while (list.children.length > items.length) list.lastElementChild.remove()
  for (const [at, item] of items.entries()) {
    const child = list.children[at] ?? list.appendChild(document.createElement(tag))
    child.dir = 'auto'
    fill(child, item)
  }
}

followNext()
