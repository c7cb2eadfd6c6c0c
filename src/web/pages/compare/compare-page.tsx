import type { PageProps } from '../../app.js'

export function ComparePage({ address }: PageProps) {
  return <h1>{['compare', ...address.path].join(' ')}</h1>
}
