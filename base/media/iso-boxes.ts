import { WorkBudget, WorkBudgetError } from '../files/work-budget.js'
import type { ByteSource } from './byte-source.js'

/** A box of an ISO base media file (MP4, MOV, M4A, AVIF, HEIC). */
export interface Box {
  readonly type: string
  /** Start and end of the content. The end may lie beyond the medium. */
  readonly from: number
  readonly to: number
}

/** Maximum numbers of boxes that are read, because a file can be made of millions. Recordings in fragments have thousands at the top. */
const mostAtTop = 20_000
const mostInBox = 200
/** The maximum number in all tracks together. The content of one may claim to reach over those behind it. */
const mostInTracks = 10_000

/** Lists the first boxes between two positions. Source: ISO/IEC 14496-12, section 4.2. */
export function* boxesIn(source: ByteSource, from: number, to: number, most: number): Generator<Box> {
  for (let at = from, boxes = 0; at + 8 <= to && boxes < most; boxes++) {
    const head = source.read(at, 16)
    if (head.length < 8) return
    const stated = head.readUInt32BE(0)
    const isLong = stated === 1 && head.length === 16
    const size = isLong ? Number(head.readBigUInt64BE(8)) : stated === 0 ? to - at : stated
    const content = at + (isLong ? 16 : 8)
    if (at + size < content) return
    yield { type: head.toString('latin1', 4, 8), from: content, to: at + size }
    at += size
  }
}

function listChildBoxes(
  { source, budget }: { readonly source: ByteSource; readonly budget: WorkBudget },
  { from, to }: Box,
  type: string,
): readonly Box[] {
  const boxes: Box[] = []
  for (const box of boxesIn(source, from, Math.min(to, source.size), mostInBox)) {
    budget.step()
    if (box.type === type) boxes.push(box)
  }
  return boxes
}

/** Returns the kinds of the tracks, such as `vide` and `soun`. Undefined if the list of tracks is not in the source, or has too many boxes. */
export function trackKinds(source: ByteSource): readonly string[] | undefined {
  for (const box of boxesIn(source, 0, source.size, mostAtTop)) {
    if (box.type !== 'moov') continue
    const tracks = { source, budget: new WorkBudget({ steps: mostInTracks }) }
    try {
      const kinds = listChildBoxes(tracks, box, 'trak')
        .flatMap(track => listChildBoxes(tracks, track, 'mdia'))
        .flatMap(media => listChildBoxes(tracks, media, 'hdlr'))
        .map(({ from }) => source.read(from + 8, 4).toString('latin1'))
      return kinds.every(kind => kind.length === 4) ? kinds : undefined
    } catch (error) {
      if (error instanceof WorkBudgetError) return undefined
      throw error
    }
  }
  return undefined
}

/** Boxes at the top. Other bytes after the last of them are padding. */
const topBoxes: ReadonlySet<string> = new Set(
  'ftyp styp moov moof mdat meta mfra free skip wide sidx ssix prft emsg uuid pdin udta pnot'.split(' '),
)

/**
 * Returns whether a file ends where its last box does, and has the index of its samples.
 *
 * @param index the box that lists what the file holds
 * @returns true as well if that is not visible in the source
 */
export function isWholeIso(source: ByteSource, index: 'moov' | 'meta'): boolean {
  let end = 0
  let hasIndex = false
  for (const { type, to } of boxesIn(source, 0, source.size, mostAtTop)) {
    if (!topBoxes.has(type)) break
    if (to > source.size) return false
    hasIndex ||= type === index
    end = to
  }
  return hasIndex || end < source.size
}
