/** Follows the light or dark setting of the system, also when it changes. */
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
  // A key is kept until the page closes, and is never stored.
  persistAuthorization: false,
  // Swagger's public validator is on another host.
  validatorUrl: null,
  syntaxHighlight: { theme: dark.matches ? 'obsidian' : 'idea' },
})
