import type { PageProps } from '../../app.js'

export function TaskPage({ address }: PageProps) {
  return <h1>{['task', ...address.path].join(' ')}</h1>
}
