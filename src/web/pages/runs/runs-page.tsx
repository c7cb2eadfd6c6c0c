import type { PageProps } from '../../app.js'

export function RunsPage({ address }: PageProps) {
  return <h1>{['runs', ...address.path].join(' ')}</h1>
}
