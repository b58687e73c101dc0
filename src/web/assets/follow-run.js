/** Updates the turns of a conversation while they run. The first unfinished turn is followed until it ends. */

/** @typedef {{ readonly title: string, readonly state: 'now' | 'done' | 'failed' }} ProgressLine */
/** @typedef {{ readonly status: string, readonly lines: readonly ProgressLine[] }} Progress */
/** @typedef {{ readonly from: number, readonly blocks: readonly string[] }} Blocks */
/** @typedef {ReturnType<typeof liveView>} LiveView */

import { part } from './frame.js'
import { partOf } from './page-at.js'

/** Milliseconds before a connection that the browser has given up is opened again, and how often. */
const pauseMs = 2_000
const maxAttempts = 150

function followNext() {
  const turn = document.querySelector('[data-run]')
  if (turn instanceof HTMLElement) follow(turn)
}

/** @param {HTMLElement} turn */
function follow(turn) {
  const id = turn.dataset['run'] ?? ''
  const view = liveView(turn)
  const scroll = followEnd(turn)
  let attempts = 0
  const connect = () => {
    const source = new EventSource(`/runs/${id}/live`)
    source.onopen = () => {
      attempts = 0
      view.connected()
    }
    // A browser reconnects by itself after some failures and not after others: here it always does.
    source.onerror = () => {
      view.say(view.texts['lost'])
      source.close()
      attempts += 1
      if (attempts < maxAttempts) setTimeout(connect, pauseMs)
      else view.say(view.texts['gone'])
    }
    /** @param {string} type @param {(data: any) => void} take */
    const on = (type, take) =>
      source.addEventListener(type, (/** @type {MessageEvent<string>} */ message) => {
        take(JSON.parse(message.data))
        scroll.keep()
      })
    on('progress', view.progress)
    on('sources', view.sources)
    on('blocks', view.blocks)
    on('end', ({ text }) => {
      source.close()
      scroll.end()
      void replace(turn, id, view, text)
    })
  }
  view.stop(sendStop)
  connect()
}

/**
 * Sends the form that stops the turn.
 * @param {HTMLFormElement} form
 * @param {LiveView['texts']} texts
 * @returns why the turn does not stop; empty when it stops.
 */
async function sendStop(form, texts) {
  try {
    // An accepted form is answered by a redirect to the conversation.
    const response = await fetch(form.action, { method: 'POST' })
    if (!response.ok) return texts['refused'] ?? ''
    const isSignedOut = new URL(response.url).pathname === '/signin'
    return isSignedOut ? (texts['signedOut'] ?? '') : ''
  } catch {
    return texts['unsent'] ?? ''
  }
}

/**
 * The ended turn as the service renders it replaces the live one. The words under the reader's eyes keep their place.
 * @param {HTMLElement} turn
 * @param {string} id
 * @param {LiveView} view
 * @param {string} announcement
 */
async function replace(turn, id, view, announcement) {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    try {
      const response = await fetch(`/runs/${id}/turn`)
      if (!response.ok) throw new Error(String(response.status))
      const ended = partOf(await response.text()).querySelector('article')
      if (!ended) throw new Error('no turn')
      const hadFocus = turn.contains(document.activeElement)
      const place = readingPlace(turn)
      turn.replaceWith(ended)
      place(ended)
      if (hadFocus) ended.focus({ preventScroll: true })
      announce(announcement)
      if (!document.querySelector('[data-run]'))
        document.querySelector('.rail [aria-current] + .dot')?.remove()
      return followNext()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  view.say(view.texts['ended'])
}

/** @param {string} text */
function announce(text) {
  part(document, '#announcement').textContent = text
}

/** A short turn may end before its page is loaded. Screen readers announce only what changes in a loaded page. */
function announceEarlierEnd() {
  const text = part(document, '#announcement').dataset['ended']
  if (text) setTimeout(announce, 200, text)
}

/**
 * Remembers where on the screen the first visible block of an answer is.
 * @param {HTMLElement} turn
 * @returns moves the window so that the block of the ended turn is there.
 */
function readingPlace(turn) {
  const blocks = [...part(turn, '.answer').children]
  const at = blocks.findIndex((block) => block.getBoundingClientRect().bottom > 0)
  const before = blocks[at]?.getBoundingClientRect().top ?? 0
  return (/** @type {Element} */ ended) => {
    const block = ended.querySelector('.answer')?.children[at]
    if (block) scrollBy({ top: block.getBoundingClientRect().top - before, behavior: 'instant' })
  }
}

/**
 * Keeps the end of a growing answer in the window until the reader scrolls up, and again when the reader comes back.
 * The browser scrolls up, too, and is no reader: to the place that the address names, before the reader does anything,
 * and when the page gets shorter.
 * @param {HTMLElement} turn
 */
function followEnd(turn) {
  const [draft, strip, toEnd] = [part(turn, '.draft'), part(turn, '.strip'), part(turn, '.to-end')]
  const page = document.documentElement
  let [isFollowing, hasReader] = [true, false]
  let [top, height] = [scrollY, page.scrollHeight]
  const below = () => draft.getBoundingClientRect().bottom - strip.getBoundingClientRect().top
  const onScroll = () => {
    if (scrollY < top - 2 && hasReader && page.scrollHeight >= height) isFollowing = false
    else if (below() < 40) isFollowing = true
    ;[top, height] = [scrollY, page.scrollHeight]
    toEnd.hidden = isFollowing || below() < 40
  }
  const keep = () => {
    const hidden = below()
    if (isFollowing && hidden > 0) scrollBy({ top: hidden + 8, behavior: 'instant' })
    ;[top, height] = [scrollY, page.scrollHeight]
    toEnd.hidden = isFollowing || hidden < 40
  }
  keep()
  addEventListener('load', keep, { once: true })
  for (const type of ['wheel', 'touchstart', 'pointerdown', 'keydown', 'focusin'])
    addEventListener(type, () => (hasReader = true), { once: true, passive: true })
  addEventListener('scroll', onScroll, { passive: true })
  toEnd.addEventListener('click', () => {
    isFollowing = true
    keep()
  })
  return { keep, end: () => removeEventListener('scroll', onScroll) }
}

/**
 * The parts of a live turn. The markup comes from the service, which renders it as for the ended turn.
 * @param {HTMLElement} turn
 */
function liveView(turn) {
  const [strip, status, doing] = [part(turn, '.strip'), part(turn, '.status'), part(turn, '.doing')]
  const draft = part(turn, '.draft')
  const form = part(strip, '.stop')
  /** @type {Readonly<Record<string, string>>} */
  const texts = JSON.parse(strip.dataset['texts'] ?? '{}')
  let said = status.textContent ?? ''
  /** Of the button Stop, once it was pressed: it is shown until the turn ends. */
  let stopState = ''
  /** @param {string | undefined} text */
  const say = (text) => {
    if (text !== undefined && status.textContent !== text) status.textContent = text
  }
  return {
    texts,
    say,
    connected: () => say(stopState || said),
    /** @param {(form: HTMLFormElement, texts: Readonly<Record<string, string>>) => Promise<string>} send */
    stop(send) {
      form.addEventListener('submit', async (event) => {
        event.preventDefault()
        if (!(form instanceof HTMLFormElement)) return
        stopState = texts['stopping'] ?? ''
        say(stopState)
        stopState = (await send(form, texts)) || stopState
        say(stopState)
      })
    },
    /** @param {Progress} progress */
    progress({ status: text, lines }) {
      said = text
      say(stopState || said)
      doing.replaceChildren(...lines.map(progressItem))
    },
    /** @param {{ readonly text: string, readonly markup: string }} sources */
    sources({ text, markup }) {
      part(turn, '.checks').textContent = text
      part(turn, '.live-sources').replaceChildren(partOf(markup))
    },
    /** @param {Blocks} news */
    blocks({ from, blocks }) {
      while (draft.children.length > from) draft.lastElementChild?.remove()
      draft.append(partOf(blocks.join('')))
    },
  }
}

/** @param {ProgressLine} line */
function progressItem({ title, state }) {
  const item = document.createElement('li')
  item.textContent = title
  item.className = state
  item.dir = 'auto'
  return item
}

announceEarlierEnd()
followNext()
