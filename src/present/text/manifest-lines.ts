import { formatCount, formatQuantity } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { ManifestComparison, ManifestDifference } from '../../reading/media/compare-manifests.js'
import type { MediaManifest } from '../../reading/media/manifest.js'
import type { Paint } from './layout/paint.js'
import { table } from './layout/table.js'

const mostRows = 20

/** Formats which media the docs of a run showed. */
export function formatManifest({ run, docs }: MediaManifest, paint: Paint): string[] {
  const media = docs.flatMap(doc => doc.media)
  const frames = media.flatMap(({ frames: mediumFrames }) => mediumFrames ?? [])
  const unknown = media.filter(({ frames: mediumFrames }) => mediumFrames === null).length
  const counts = [formatQuantity(docs.length, 'doc'), `${formatCount(media.length)} media`]
  if (frames.length > 0) counts.push(formatQuantity(frames.length, 'frame'))
  const rows = docs.slice(0, mostRows).map(({ task, doc, media: docMedia }) => {
    const kinds = docMedia.map(({ type, frames: sent }) =>
      sent === undefined ? type : `${type} as ${countFrames(sent)}`,
    )
    return [task, doc, kinds.join(', '), docMedia[0]?.digest.slice(0, 19) ?? '']
  })
  return [
    `${run}: ${counts.join(', ')}`,
    ...(rows.length === 0
      ? []
      : table([{ title: 'task' }, { title: 'doc' }, { title: 'media' }, { title: 'first digest' }], rows, paint)),
    ...tellRest(docs.length),
    ...(unknown === 0
      ? []
      : [
          `The frames of ${formatQuantity(unknown, 'video')} are not in this store. Resume the run, or read its own store.`,
        ]),
  ]
}

const countFrames = (frames: readonly unknown[] | null): string =>
  frames === null ? 'frames' : formatQuantity(frames.length, 'frame')

const tellRest = (count: number): string[] =>
  count <= mostRows ? [] : [`… and ${formatCount(count - mostRows)} more, all of them with --json`]

/** Formats what differs between two manifests. */
export function formatManifestComparison({ a, b, docs, differences }: ManifestComparison, paint: Paint): string[] {
  if (differences.length === 0) return [`${a} and ${b} showed the same media (${formatQuantity(docs, 'doc')})`]
  const rows = differences
    .slice(0, mostRows)
    .map(difference => [
      difference.task,
      difference.doc,
      describeField(difference),
      formatValue(difference.a),
      formatValue(difference.b),
    ])
  return [
    `${formatQuantity(differences.length, 'difference')} in media (${formatQuantity(docs, 'doc')} in both)`,
    ...table([{ title: 'task' }, { title: 'doc' }, { title: 'what' }, { title: a }, { title: b }], rows, paint),
    ...tellRest(differences.length),
  ]
}

const describeField = ({ medium, frame, sound, field }: ManifestDifference): string =>
  [
    ...(medium === undefined ? [] : [`medium ${medium}`]),
    ...(frame === undefined ? [] : [`frame ${frame}`]),
    ...(sound === undefined ? [] : [`sound ${sound}`]),
    field,
  ].join(', ')

const formatValue = (value: string | number | null): string =>
  value === null ? 'none' : oneLine(String(value).replace(/^(sha256:[0-9a-f]{12})[0-9a-f]+$/, '$1'))
