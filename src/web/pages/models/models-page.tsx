import type { PageProps } from '../../app.js'

export function ModelsPage({ address }: PageProps) {
  return <h1>{['models', ...address.path].join(' ')}</h1>
}
