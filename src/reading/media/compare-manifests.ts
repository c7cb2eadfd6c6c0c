import type { ManifestDoc, ManifestMedium, MediaManifest, ShownFrame, ShownSound } from './manifest.js'

/** A value that differs. A doc, medium or frame that only one manifest has is `null` in the other. */
export interface ManifestDifference {
  readonly task: string
  readonly doc: string
  /** The number of the medium in the doc, counted from 0. */
  readonly medium?: number
  /** The index of the frame among the sent ones. */
  readonly frame?: number
  /** The index of the piece of sound among the sent ones. */
  readonly sound?: number
  readonly field: 'doc' | 'media' | 'type' | 'digest' | 'clip' | 'size' | 'frames' | 'sounds' | 'index' | 'seconds'
  readonly a: string | number | null
  readonly b: string | number | null
}

/** The result of a comparison of two manifests. */
export interface ManifestComparison {
  readonly format: 1
  readonly a: string
  readonly b: string
  /** The number of docs that both have. */
  readonly docs: number
  readonly differences: readonly ManifestDifference[]
}

/** Times of one file can differ by the rounding of its container, in seconds. */
const sameTime = 0.000_001

/** Compares doc by doc what two manifests show. Docs are the same if task and id are. */
export function compareManifests(a: MediaManifest, b: MediaManifest): ManifestComparison {
  const others = new Map(b.docs.map(doc => [nameDoc(doc), doc]))
  const differences: ManifestDifference[] = []
  let docs = 0
  for (const doc of a.docs) {
    const other = others.get(nameDoc(doc))
    others.delete(nameDoc(doc))
    if (other !== undefined) docs += 1
    differences.push(...(other === undefined ? [makeMissing(doc, 'b')] : compareDocs(doc, other)))
  }
  differences.push(...[...others.values()].map(doc => makeMissing(doc, 'a')))
  return { format: 1, a: a.run, b: b.run, docs, differences }
}

const nameDoc = ({ task, doc }: ManifestDoc): string => JSON.stringify([task, doc])

const makeMissing = ({ task, doc, media }: ManifestDoc, from: 'a' | 'b'): ManifestDifference => ({
  ...{ task, doc, field: 'doc' },
  a: from === 'a' ? null : media.length,
  b: from === 'b' ? null : media.length,
})

type Compared = Pick<ManifestDifference, 'field' | 'a' | 'b'>

function compareDocs(a: ManifestDoc, b: ManifestDoc): readonly ManifestDifference[] {
  const { task, doc } = a
  const counts = compareValues('media', a.media.length, b.media.length)
  if (counts.length > 0) return counts.map(part => ({ task, doc, ...part }))
  return a.media.flatMap((medium, number) => {
    const other = b.media[number]
    return other === undefined ? [] : compareMedia(medium, other).map(part => ({ task, doc, medium: number, ...part }))
  })
}

type ComparedPart = Compared & Pick<ManifestDifference, 'frame' | 'sound'>

function compareMedia(a: ManifestMedium, b: ManifestMedium): readonly ComparedPart[] {
  const source = [
    ...compareValues('type', a.type, b.type),
    ...compareValues('digest', a.digest, b.digest),
    ...compareValues('clip', JSON.stringify(a.clip ?? {}), JSON.stringify(b.clip ?? {})),
    ...compareSizes(a, b),
  ]
  return [
    ...source,
    ...compareLists('frames', [a.frames, b.frames], (left, right, frame) =>
      compareFrames(left, right).map(part => ({ frame, ...part })),
    ),
    ...compareLists('sounds', [a.sounds, b.sounds], (left, right, sound) =>
      compareSounds(left, right).map(part => ({ sound, ...part })),
    ),
  ]
}

/** Compares the frames or sounds of a video one by one, if both lists have the same length. */
function compareLists<T>(
  field: 'frames' | 'sounds',
  [a, b]: readonly [readonly T[] | null | undefined, readonly T[] | null | undefined],
  compare: (left: T, right: T, number: number) => readonly ComparedPart[],
): readonly ComparedPart[] {
  const counts = compareValues(field, a?.length ?? null, b?.length ?? null)
  if (counts.length > 0) return counts
  return (a ?? []).flatMap((left, number) => {
    const right = b?.[number]
    return right === undefined ? [] : compare(left, right, number)
  })
}

function compareFrames(a: ShownFrame, b: ShownFrame): readonly Compared[] {
  return [
    // A store that an earlier version filled does not know the numbers.
    ...(a.index === undefined || b.index === undefined ? [] : compareValues('index', a.index, b.index)),
    ...compareSounds(a, b),
    ...compareSizes(a, b),
  ]
}

const compareSounds = (a: ShownSound, b: ShownSound): readonly Compared[] => [
  ...(Math.abs(a.seconds - b.seconds) <= sameTime ? [] : compareValues('seconds', a.seconds, b.seconds)),
  ...compareValues('digest', a.digest, b.digest),
]

type Sized = Pick<ShownFrame, 'width' | 'height'>

const compareSizes = (a: Sized, b: Sized): readonly Compared[] =>
  a.width === undefined || b.width === undefined ? [] : compareValues('size', formatSize(a), formatSize(b))

const formatSize = ({ width = 0, height = 0 }: Sized): string => `${width}x${height}`

const compareValues = (field: Compared['field'], a: Compared['a'], b: Compared['b']): readonly Compared[] =>
  a === b ? [] : [{ field, a, b }]
