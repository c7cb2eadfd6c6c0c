import type { PageProps } from '../../app.js'

export function JobsPage({ address }: PageProps) {
  return <h1>{['jobs', ...address.path].join(' ')}</h1>
}
