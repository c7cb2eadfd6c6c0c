import type { PageProps } from '../../app.js'

export function RunPage({ address }: PageProps) {
  return <h1>{['run', ...address.path].join(' ')}</h1>
}
