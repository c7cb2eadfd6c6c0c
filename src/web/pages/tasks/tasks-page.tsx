import type { PageProps } from '../../app.js'

export function TasksPage({ address }: PageProps) {
  return <h1>{['tasks', ...address.path].join(' ')}</h1>
}
