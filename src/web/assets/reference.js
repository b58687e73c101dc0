/** The API reference: Swagger UI with the reader's key, which stays in memory, and the colours of the page. */

/** @typedef {{ preauthorizeApiKey(scheme: string, key: string): void }} Reference */
/** @typedef {(options: object) => Reference} SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)')
const root = document.documentElement

/** Swagger UI has two sets of colours, chosen by a class. */
const follow = () => {
  const theme = root.dataset['theme']
  root.classList.toggle('dark-mode', theme === undefined ? dark.matches : theme === 'dark')
}
dark.addEventListener('change', follow)
new MutationObserver(follow).observe(root, { attributeFilter: ['data-theme'] })
follow()

const { SwaggerUIBundle } = /** @type {{ SwaggerUIBundle: SwaggerUIBundle }} */ (
  /** @type {unknown} */ (globalThis)
)
const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // A key is kept until the page closes, and is never stored.
  persistAuthorization: false,
  // Swagger's public validator is on another host.
  validatorUrl: null,
})

const form = document.getElementById('key-form')
const field = document.getElementById('key')
if (form && field instanceof HTMLInputElement) {
  form.hidden = false
  form.addEventListener('submit', (event) => event.preventDefault())
  field.addEventListener('input', () => reference.preauthorizeApiKey('bearer', field.value.trim()))
}
