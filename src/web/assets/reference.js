/** The API reference: Swagger UI with the reader's key, which stays in memory, and the colours of the page. */

/** @typedef {{ preauthorizeApiKey(scheme: string, key: string): void }} Reference */
/** @typedef {(options: object) => Reference} SwaggerUIBundle */
/** @typedef {(type: unknown, properties?: object | null, ...children: unknown[]) => object} CreateElement */
/** @typedef {{ React: { createElement: CreateElement } }} System */
/** @typedef {(name: string, isContainer?: boolean) => unknown} GetComponent */
/** @typedef {{ getComponent: GetComponent, specSelectors: { specStr(): string } }} LayoutProperties */

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

/**
 * A plugin: the page has its main landmark already, so the requests stand in a plain element; and the button that opens
 * a request holds only its path, no link and no second button.
 * @param {System} system
 */
function forScreenReaders({ React: { createElement } }) {
  return {
    components: {
      /** @param {LayoutProperties} properties */
      Requests({ getComponent, specSelectors }) {
        if (specSelectors.specStr() === '') return createElement('div')
        const parts = ['InfoContainer', 'operations', 'Models']
        return createElement(
          'div',
          { className: 'swagger-ui' },
          createElement(getComponent('SvgAssets')),
          ...parts.map((name) => createElement(getComponent(name, true), { key: name })),
        )
      },
    },
    wrapComponents: {
      CopyToClipboardBtn: () => () => null,
      /** @returns {(properties: { readonly text: string }) => object} */
      DeepLink:
        () =>
        ({ text }) =>
          createElement('span', null, text),
    },
  }
}

const form = document.getElementById('key-form')
const field = document.getElementById('key')

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
  layout: 'Requests',
  plugins: [forScreenReaders],
  // A key that was typed before the requests were loaded.
  onComplete: sendKey,
})

function sendKey() {
  if (field instanceof HTMLInputElement) reference.preauthorizeApiKey('bearer', field.value.trim())
}

if (form && field instanceof HTMLInputElement) {
  form.hidden = false
  form.addEventListener('submit', (event) => event.preventDefault())
  field.addEventListener('input', sendKey)
}
