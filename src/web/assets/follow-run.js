/** Keeps the turns of a conversation up to date while they go on: the first that has not ended is followed. */

/** Milliseconds before a connection that the browser has given up is made again, and how often. */
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
    // The browser would try again by itself after some failures and not after others: here it is always tried.
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

/** Another replica took the run over: what the unfinished step had said is said anew. */
function dropVoid(log, from) {
  const kept = log.filter(({ seq, type }) => seq < from || type === 'step.restarted')
  log.splice(0, log.length, ...kept)
}

/** The ended turn as the service renders it takes the place of the live one. */
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

/** The parts of a live turn. Everything is put in as text. */
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

/** One line a tool call, with what became of it. */
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

/** Makes the children of a list as many as there are items, and fills each. */
function setItems(list, items, tag, fill) {
  while (list.children.length > items.length) list.lastElementChild.remove()
  for (const [at, item] of items.entries()) {
    const child = list.children[at] ?? list.appendChild(document.createElement(tag))
    child.dir = 'auto'
    fill(child, item)
  }
}

followNext()
