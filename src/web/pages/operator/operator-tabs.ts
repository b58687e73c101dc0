export const operatorTabs = [
  { href: '/operator', label: 'Accounts' },
  { href: '/operator/audit', label: 'Audit log' },
  { href: '/operator/library', label: 'Library' },
  { href: '/operator/health', label: 'Health' },
]
