import type { PageProps } from '../../app.js'

export function SamplePage({ address }: PageProps) {
  return <h1>{['sample', ...address.path].join(' ')}</h1>
}
