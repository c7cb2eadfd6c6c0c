import type { PageProps } from '../../app.js'

export function SamplesPage({ address }: PageProps) {
  return <h1>{['samples', ...address.path].join(' ')}</h1>
}
