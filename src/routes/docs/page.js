/** Follows the light or dark setting of the reader's system, also when it changes. */
const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

globalThis.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#api',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  // A key lives as long as the page and is written nowhere.
  persistAuthorization: false,
  // The public validator of Swagger is another host.
  validatorUrl: null,
  syntaxHighlight: { theme: dark.matches ? 'obsidian' : 'idea' },
})
