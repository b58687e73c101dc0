/** The field that finds an operation of the API reference by its method, address or title. */

const field = document.getElementById('filter')
const found = document.getElementById('found')

export function filterOperations() {
  field?.addEventListener('input', () => {
    const wanted = field instanceof HTMLInputElement ? field.value.trim().toLowerCase() : ''
    const counts = [...document.querySelectorAll('[data-group]')].map((group) => filterGroup(group, wanted))
    const sum = counts.reduce((a, b) => a + b, 0)
    if (found)
      found.textContent = wanted === '' ? '' : sum === 0 ? (found.dataset['none'] ?? '') : String(sum)
  })
}

/**
 * Hides what does not match, and the group if nothing does.
 * @param {Element} group @param {string} wanted
 */
function filterGroup(group, wanted) {
  const operations = [...group.querySelectorAll('details.operation')]
  const matching = operations.filter((one) =>
    (one.querySelector('summary')?.textContent ?? '').toLowerCase().includes(wanted),
  )
  for (const one of operations) one.toggleAttribute('hidden', !matching.includes(one))
  group.toggleAttribute('hidden', matching.length === 0)
  return matching.length
}
