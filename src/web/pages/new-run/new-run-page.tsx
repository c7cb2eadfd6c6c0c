import type { PageProps } from '../../app.js'

export function NewRunPage({ address }: PageProps) {
  return <h1>{['new-run', ...address.path].join(' ')}</h1>
}
