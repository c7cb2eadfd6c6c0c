import { byCodeUnit } from '../layout/glob.js'

/** One archive: a file, or the pieces that it was cut into, in order. */
export interface ArchiveGroup {
  readonly name: string
  readonly kind: 'zip' | 'tar'
  readonly paths: readonly string[]
}

/**
 * The archives among paths: `.zip`, `.tar`, `.tar.gz`, `.tgz`, `.tar.zst`, and what such names go on to (`x.tar.part_aa`,
 * `x.zip.001`), which are pieces of one, as are `x.z01`, `x.z02` and the `x.zip` that ends them. `x_0.tar`, `x_1.tar` may be pieces or archives of their own: they are one group, and
 * whoever reads them sees which.
 */
export function archiveGroups(paths: readonly string[]): readonly ArchiveGroup[] {
  const groups = new Map<string, ArchiveGroup>()
  for (const path of [...paths].sort(byPiece)) {
    const group = groupOf(path)
    if (group === undefined) continue
    const { name, kind } = group
    groups.set(name, { name, kind, paths: [...(groups.get(name)?.paths ?? []), path] })
  }
  return [...groups.values()]
}

function groupOf(path: string): { readonly name: string; readonly kind: 'zip' | 'tar' } | undefined {
  const split = /^(.*)\.z\d{2,}$/i.exec(path)?.[1]
  if (split !== undefined) return { name: `${split}.zip`, kind: 'zip' }
  const match = /^(.*?)(\.zip|\.tar(?:\.gz|\.zst)?|\.tgz)((?:[._-]?(?:part)?[._-]?(?:\d+|[a-z]{2,3}))?)$/i.exec(path)
  const [, stem, ending, piece] = match ?? []
  if (stem === undefined || ending === undefined) return undefined
  if (/zip/i.test(ending)) return { name: `${stem}${ending}`, kind: 'zip' }
  return { name: `${piece === '' ? stem.replace(/_\d+$/, '') : stem}${ending}`, kind: 'tar' }
}

/** `x.part2` before `x.part10`, and `x.z01` before `x.zip`. */
const byPiece = (a: string, b: string): number => byCodeUnit(padded(a), padded(b)) || byCodeUnit(a, b)

const padded = (path: string): string => path.replace(/\d+/g, digits => digits.padStart(12, '0'))
