export const operatorTabs = [
  { href: '/operator', label: 'Accounts' },
  { href: '/operator/library', label: 'Library' },
  { href: '/operator/health', label: 'Health' },
]
