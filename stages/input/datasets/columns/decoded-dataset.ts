import { shownPath } from '../../../../base/shown-path.js'
import type { Doc } from '../../tasks/doc.js'
import type { Dataset } from '../dataset.js'
import { decodedRow, holdsMedia, type Features } from './features.js'
import { bothFloats, floatsOf } from './floats.js'

/**
 * A dataset whose rows are as its schema says. What a file says of itself counts more than what a card says of it.
 *
 * @param isTyped whether the file has types of its own, so that media alone are left to be decoded
 */
export function decodedDataset(dataset: Dataset, ofCard: Features | undefined, isTyped: boolean): Dataset {
  const features = { ...ofCard, ...dataset.features }
  const names = new Set(dataset.columns.map(({ name }) => name))
  const own = Object.entries(features).filter(([name]) => names.has(name))
  if (own.length === 0) return dataset
  const decoded = Object.fromEntries(own.filter(([, feature]) => !isTyped || holdsMedia(feature)))
  const media = new Set(own.filter(([, feature]) => holdsMedia(feature)).map(([name]) => name))
  const [file = ''] = dataset.files
  return {
    ...dataset,
    features: Object.fromEntries(own),
    findFloats: async () => bothFloats((await dataset.findFloats?.()) ?? {}, floatsOf(Object.fromEntries(own))),
    columns: dataset.columns.map(column => (media.has(column.name) ? { ...column, isMedia: true } : column)),
    ...(Object.keys(decoded).length === 0 ? {} : { rows }),
  }
  async function* rows(options?: { readonly columns?: readonly string[] }): AsyncGenerator<Doc> {
    let index = 0
    for await (const row of dataset.rows(options)) {
      const at = index++
      yield decodedRow(row, decoded, () => `${shownPath(file)}, row ${at}`)
    }
  }
}
