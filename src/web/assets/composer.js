/**
 * The box for a question: Enter sends it and Shift+Enter begins a new line, links with `data-ask` fill it, and files
 * that are chosen or dropped are uploaded and named in the form. Without a connection the question stays in it.
 */
import { onFollow } from './frame.js'

const form = document.querySelector('.composer')
if (form instanceof HTMLFormElement) enhance(form)

/** @param {HTMLFormElement} form */
function enhance(form) {
  const box = form.querySelector('textarea')
  if (!box) return
  sendWithEnter(form, box)
  // On a phone the focus would open the keyboard over the page.
  if (
    !form.closest('.dock') &&
    document.activeElement === document.body &&
    !matchMedia('(pointer: coarse)').matches
  ) {
    box.focus({ preventScroll: true })
    box.setSelectionRange(box.value.length, box.value.length)
  }
  fillFromLinks(box)
  attachFiles(form)
  keepOffline(form)
  const dock = form.closest('.dock')
  if (dock) {
    // The strip of a running turn stands above the box, which grows.
    const tell = () => document.documentElement.style.setProperty('--dock', `${dock.clientHeight}px`)
    new ResizeObserver(tell).observe(dock)
  }
}

/** @param {HTMLFormElement} form @param {HTMLTextAreaElement} box */
function sendWithEnter(form, box) {
  const isTouch = matchMedia('(pointer: coarse)')
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || isTouch.matches) return
    event.preventDefault()
    if (box.value.trim() !== '') form.requestSubmit()
  })
  if (CSS.supports('field-sizing', 'content')) return
  const grow = () => {
    box.style.height = 'auto'
    box.style.height = `${box.scrollHeight}px`
  }
  box.addEventListener('input', grow)
  grow()
}

/**
 * A form that is sent without a connection would leave its page, and lose the question.
 * @param {HTMLFormElement} form
 */
function keepOffline(form) {
  /** @type {Readonly<Record<string, string>>} */
  const texts = JSON.parse(form.dataset['texts'] ?? '{}')
  const notice = document.createElement('p')
  notice.className = 'notice problem'
  notice.setAttribute('role', 'alert')
  const again = Object.assign(document.createElement('button'), { textContent: texts['sendAgain'] ?? '' })
  again.className = 'quiet'
  form.addEventListener('submit', (event) => {
    notice.remove()
    if (navigator.onLine) return
    event.preventDefault()
    notice.textContent = texts['offline'] ?? ''
    form.prepend(notice)
  })
  addEventListener('online', () => {
    if (notice.isConnected) notice.replaceChildren(`${texts['online']} `, again)
  })
}

/** @param {HTMLTextAreaElement} box */
function fillFromLinks(box) {
  onFollow('a[data-ask]', ({ dataset }) => {
    box.value = dataset['ask'] ?? ''
    box.dispatchEvent(new Event('input'))
    box.focus()
  })
}

/** @typedef {{ id?: string, name?: string, problem?: string }} Upload */

/** @param {HTMLFormElement} form */
function attachFiles(form) {
  const input = form.querySelector('input[type=file]')
  const [list, status] = [form.querySelector('.attached'), form.querySelector('.composer-status')]
  if (!(input instanceof HTMLInputElement) || !(list instanceof HTMLElement) || !status) return
  /** @type {Readonly<Record<string, string>>} */
  const texts = JSON.parse(form.dataset['texts'] ?? '{}')
  const add = async (/** @type {FileList | readonly File[]} */ files) => {
    for (const file of files) {
      const uploading = `${texts['uploading']} ${file.name}`
      status.textContent = uploading
      const sent = upload(form, file, (percent) => {
        status.textContent = `${uploading} ${percent} %`
      })
      /** @type {Upload} */
      const failed = { problem: texts['failed'] ?? '' }
      const { id, name, problem } = await sent.catch(() => failed)
      status.textContent = problem ?? `${texts['attached']}: ${name}`
      if (id !== undefined) list.append(attachedItem(list, id, name ?? file.name, texts))
      list.hidden = list.children.length === 0
    }
    input.value = ''
  }
  input.addEventListener('change', () => void add(input.files ?? []))
  form.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return
    event.preventDefault()
    form.classList.add('drop')
  })
  for (const type of ['dragleave', 'drop']) form.addEventListener(type, () => form.classList.remove('drop'))
  form.addEventListener('drop', (event) => {
    const files = event.dataTransfer?.files
    if (!files || files.length === 0) return
    event.preventDefault()
    void add(files)
  })
}

/**
 * @param {HTMLFormElement} form
 * @param {File} file
 * @param {(percent: number) => void} onProgress
 * @returns {Promise<Upload>}
 */
function upload(form, file, onProgress) {
  const body = new FormData()
  const project = form.dataset['project'] || new FormData(form).get('project')
  // The fields come first, because the file may be refused for them.
  if (typeof project === 'string' && project !== '') body.append('project_id', project)
  body.append('file', file)
  return new Promise((resolve, reject) => {
    // `fetch` does not tell how much was sent.
    const request = new XMLHttpRequest()
    // In tens, because screen readers announce each.
    request.upload.onprogress = ({ loaded, total }) => onProgress(Math.floor((10 * loaded) / total) * 10)
    request.onload = () => (request.response ? resolve(request.response) : reject(request))
    request.onerror = reject
    request.responseType = 'json'
    request.open('POST', '/ask/files')
    request.send(body)
  })
}

/**
 * @param {HTMLElement} list
 * @param {string} id
 * @param {string} name
 * @param {Readonly<Record<string, string>>} texts
 */
function attachedItem(list, id, name, texts) {
  const item = document.createElement('li')
  const label = document.createElement('bdi')
  label.textContent = name
  const field = Object.assign(document.createElement('input'), { type: 'hidden', name: 'file', value: id })
  const remove = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'quiet small',
    textContent: '×',
  })
  remove.setAttribute('aria-label', `${texts['remove']} ${name}`)
  remove.addEventListener('click', () => {
    item.remove()
    list.hidden = list.children.length === 0
    list.closest('form')?.querySelector('textarea')?.focus()
  })
  item.append(label, field, remove)
  return item
}
