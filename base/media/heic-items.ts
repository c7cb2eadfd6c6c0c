import { WorkBudget } from '../files/work-budget.js'
import { bytesSource } from './byte-source.js'
import { type Box, boxesIn } from './iso-boxes.js'

/** A change of a decoded picture, in the order in which they are made. */
export type HeicChange =
  | { readonly type: 'crop'; readonly width: number; readonly height: number; readonly x: number; readonly y: number }
  /** Counterclockwise, in quarters of a circle. */
  | { readonly type: 'turn'; readonly quarters: number }
  | { readonly type: 'flip'; readonly axis: 'vertical' | 'horizontal' }

/** The coded pictures of a HEIC file, and how they become the picture that it shows. */
export interface HeicPicture {
  /** An HEVC stream (ITU-T H.265, annex B) with one picture for each tile, row by row. */
  readonly stream: Buffer
  readonly columns: number
  readonly rows: number
  /** The size in pixels of the joined tiles, without what they have beyond the picture. */
  readonly width: number
  readonly height: number
  readonly changes: readonly HeicChange[]
  /** The colours, if the file states them: matrix coefficients (ITU-T H.273), and whether all values of a byte are used. */
  readonly colours?: { readonly matrix: number; readonly isFullRange: boolean }
}

/** A picture in a form that is not read here. */
export class UnknownHeicError extends Error {
  override readonly name = 'UnknownHeicError'
}

const mostBoxes = 70_000
const mostTiles = 4096
/** The maximum number of boxes, entries and units of a file that are read. A picture of 4,096 tiles takes some 50,000. */
const mostSteps = 500_000
/** Beside the coded pictures, which are at most as long as the file: the parameters that each tile brings. */
const parameterBytes = 4 * 2 ** 20
const startCode = Buffer.from([0, 0, 0, 1])
/** Ends a sequence, so that the next tile leans on none before it. */
const endOfSequence = Buffer.from([0, 0, 0, 1, 0x48, 0x01])

/**
 * Reads the primary picture of a HEIC file. Its tiles stay coded.
 *
 * Source: ISO/IEC 23008-12, sections 6 and 7; ISO/IEC 14496-15, section 8.3.
 *
 * @throws RangeError if the file ends too early, or reading it takes more work than a picture needs. UnknownHeicError for pictures that are derived in other ways than by a grid.
 */
export function readHeicPicture(file: Buffer): HeicPicture {
  const budget = new WorkBudget({ steps: mostSteps, bytes: 2 * file.length + parameterBytes })
  const meta = findBox(file, { type: '', from: 0, to: file.length }, { type: 'meta', budget })
  if (meta === undefined) throw new UnknownHeicError('it has no list of pictures')
  const items = new HeicItems(file, { ...meta, from: meta.from + 4 }, budget)
  const { primary } = items
  const type = items.typeOf(primary)
  const changes = items.properties(primary).flatMap(property => readChange(file, property))
  const { width, height } = readSize(file, items.properties(primary))
  const colours = readColours(file, items.properties(primary))
  const appearance = { changes, ...(colours && { colours }) }
  if (type === 'hvc1') return { stream: items.stream([primary]), columns: 1, rows: 1, width, height, ...appearance }
  if (type !== 'grid') throw new UnknownHeicError(`its pictures are of the type ${type}`)
  const grid = items.data(primary)
  const [rows, columns] = [grid.readUInt8(2) + 1, grid.readUInt8(3) + 1]
  const tiles = items.tiles(primary)
  if (tiles.length !== rows * columns || tiles.length > mostTiles) throw new UnknownHeicError('its tiles do not fit')
  const wide = (grid.readUInt8(1) & 1) === 1
  const size = wide
    ? { width: grid.readUInt32BE(4), height: grid.readUInt32BE(8) }
    : { width: grid.readUInt16BE(4), height: grid.readUInt16BE(6) }
  const tileColours = colours ?? readColours(file, items.properties(tiles[0] ?? 0))
  return {
    stream: items.stream(tiles),
    columns,
    rows,
    ...size,
    ...appearance,
    ...(tileColours && { colours: tileColours }),
  }
}

/** The pictures in a file, which its box `meta` lists by number. */
class HeicItems {
  readonly primary: number
  readonly #file: Buffer
  readonly #meta: Box
  readonly #budget: WorkBudget
  readonly #types = new Map<number, string>()
  readonly #parts = new Map<number, readonly { readonly from: number; readonly to: number }[]>()
  readonly #properties = new Map<number, readonly Box[]>()

  constructor(file: Buffer, meta: Box, budget: WorkBudget) {
    this.#file = file
    this.#meta = meta
    this.#budget = budget
    const primary = this.#box(meta, 'pitm')
    this.primary =
      file.readUInt8(primary.from) === 0 ? file.readUInt16BE(primary.from + 4) : file.readUInt32BE(primary.from + 4)
    this.#readTypes(this.#box(meta, 'iinf'))
    this.#readPlaces(this.#box(meta, 'iloc'))
    this.#readProperties(this.#box(meta, 'iprp'))
  }

  typeOf = (item: number): string => this.#types.get(item) ?? ''
  properties = (item: number): readonly Box[] => this.#properties.get(item) ?? []

  data(item: number): Buffer {
    const parts = this.#parts.get(item) ?? []
    return Buffer.concat(
      parts.map(({ from, to }) => {
        this.#budget.produce(Math.max(0, to - from))
        if (from < 0 || to > this.#file.length) throw new RangeError('a picture lies beyond the end')
        return this.#file.subarray(from, to)
      }),
    )
  }

  /** Lists the pictures from which a grid is made. */
  tiles(item: number): readonly number[] {
    const file = this.#file
    const references = this.#box(this.#meta, 'iref')
    const isWide = file.readUInt8(references.from) > 0
    const read = (at: number): number => (isWide ? file.readUInt32BE(at) : file.readUInt16BE(at))
    const bytes = isWide ? 4 : 2
    for (const { type, from } of this.#list({ ...references, from: references.from + 4 })) {
      if (type !== 'dimg' || read(from) !== item) continue
      const count = file.readUInt16BE(from + bytes)
      return Array.from({ length: count }, (_, index) => read(from + bytes + 2 + index * bytes))
    }
    return []
  }

  /** Joins coded pictures to one stream. Each brings its parameters. */
  stream(items: readonly number[]): Buffer {
    const pieces: Buffer[] = []
    let bytes = 0
    for (const item of items) {
      const setup = this.properties(item).find(({ type }) => type === 'hvcC')
      if (this.typeOf(item) !== 'hvc1' || setup === undefined) throw new UnknownHeicError('a tile is no HEVC')
      const data = this.data(item)
      bytes += data.length
      // A file can name the same bytes again and again.
      if (bytes > this.#file.length) throw new UnknownHeicError('its tiles share their data')
      const { units, lengthBytes } = readParameters(this.#file, setup, this.#budget)
      for (const unit of units) pieces.push(startCode, unit)
      for (let at = 0; at < data.length;) {
        this.#budget.step()
        const length = data.readUIntBE(at, lengthBytes)
        if (at + lengthBytes + length > data.length) throw new RangeError('a picture ends too early')
        pieces.push(startCode, data.subarray(at + lengthBytes, at + lengthBytes + length))
        at += lengthBytes + length
      }
      pieces.push(endOfSequence)
    }
    return Buffer.concat(pieces)
  }

  #box(within: Box, type: string): Box {
    const box = findBox(this.#file, within, { type, budget: this.#budget })
    if (box === undefined) throw new UnknownHeicError(`it has no box ${type}`)
    return box
  }

  #list(within: Box): Iterable<Box> {
    return listBoxes(this.#file, within, this.#budget)
  }

  #readTypes({ from, to }: Box): void {
    const file = this.#file
    const entries = from + (file.readUInt8(from) === 0 ? 6 : 8)
    for (const entry of this.#list({ type: '', from: entries, to })) {
      const version = file.readUInt8(entry.from)
      if (entry.type !== 'infe' || version < 2) continue
      const bytes = version === 2 ? 2 : 4
      const type = entry.from + 4 + bytes + 2
      this.#types.set(file.readUIntBE(entry.from + 4, bytes), file.toString('latin1', type, type + 4))
    }
  }

  #readPlaces({ from }: Box): void {
    const file = this.#file
    const version = file.readUInt8(from)
    const sizes = file.readUInt16BE(from + 4)
    const [offset, length, base] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15]
    const index = version === 0 ? 0 : sizes & 15
    let at = from + 6
    const read = (bytes: number): number => {
      at += bytes
      if (bytes === 0) return 0
      return bytes === 8 ? Number(file.readBigUInt64BE(at - 8)) : file.readUIntBE(at - bytes, bytes)
    }
    const idat = findBox(file, this.#meta, { type: 'idat', budget: this.#budget })
    const count = read(version < 2 ? 2 : 4)
    for (let item = 0; item < Math.min(count, mostBoxes); item += 1) {
      this.#budget.step()
      const id = read(version < 2 ? 2 : 4)
      const method = version === 0 ? 0 : read(2) & 15
      read(2)
      const start = read(base) + (method === 1 ? (idat?.from ?? NaN) : 0)
      const extents = read(2)
      const parts: { from: number; to: number }[] = []
      for (let extent = 0; extent < extents; extent += 1) {
        this.#budget.step()
        read(index)
        const begin = start + read(offset)
        parts.push({ from: begin, to: begin + read(length) })
      }
      if (method <= 1) this.#parts.set(id, parts)
    }
  }

  #readProperties(within: Box): void {
    const file = this.#file
    const all = [...this.#list(this.#box(within, 'ipco'))]
    for (const box of this.#list(within)) {
      if (box.type !== 'ipma') continue
      const isWide = (file.readUInt8(box.from + 3) & 1) === 1
      const idBytes = file.readUInt8(box.from) === 0 ? 2 : 4
      let at = box.from + 8
      const count = file.readUInt32BE(box.from + 4)
      for (let entry = 0; entry < Math.min(count, mostBoxes); entry += 1) {
        this.#budget.step()
        const id = file.readUIntBE(at, idBytes)
        const propertyCount = file.readUInt8(at + idBytes)
        at += idBytes + 1
        const boxes: Box[] = []
        for (let property = 0; property < propertyCount; property += 1) {
          this.#budget.step()
          const number = isWide ? file.readUInt16BE(at) & 0x7fff : file.readUInt8(at) & 0x7f
          at += isWide ? 2 : 1
          const associatedBox = all[number - 1]
          if (associatedBox !== undefined) boxes.push(associatedBox)
        }
        this.#properties.set(id, boxes)
      }
    }
  }
}

function* listBoxes(file: Buffer, { from, to }: Box, budget: WorkBudget): Generator<Box> {
  for (const box of boxesIn(bytesSource(file), from, Math.min(to, file.length), mostBoxes)) {
    budget.step()
    yield box
  }
}

function findBox(
  file: Buffer,
  within: Box,
  { type, budget }: { readonly type: string; readonly budget: WorkBudget },
): Box | undefined {
  for (const box of listBoxes(file, within, budget)) if (box.type === type) return box
  return undefined
}

/** Reads the parameter sets of a coded picture, and the number of bytes that state the length of a unit. */
function readParameters(
  file: Buffer,
  { from }: Box,
  budget: WorkBudget,
): { readonly units: readonly Buffer[]; readonly lengthBytes: number } {
  const units: Buffer[] = []
  let at = from + 23
  for (let array = file.readUInt8(from + 22); array > 0; array -= 1) {
    const count = file.readUInt16BE(at + 1)
    at += 3
    for (let unit = 0; unit < count; unit += 1) {
      const length = file.readUInt16BE(at)
      budget.step()
      budget.produce(length)
      if (at + 2 + length > file.length) throw new RangeError('a parameter set ends too early')
      units.push(file.subarray(at + 2, at + 2 + length))
      at += 2 + length
    }
  }
  return { units, lengthBytes: (file.readUInt8(from + 21) & 3) + 1 }
}

function readSize(file: Buffer, properties: readonly Box[]): { readonly width: number; readonly height: number } {
  const box = properties.find(({ type }) => type === 'ispe')
  if (box === undefined) throw new UnknownHeicError('it states no size')
  return { width: file.readUInt32BE(box.from + 4), height: file.readUInt32BE(box.from + 8) }
}

function readColours(file: Buffer, properties: readonly Box[]): HeicPicture['colours'] {
  const box = properties.find(({ type, from }) => type === 'colr' && file.toString('latin1', from, from + 4) === 'nclx')
  if (box === undefined) return undefined
  return { matrix: file.readUInt16BE(box.from + 8), isFullRange: file.readUInt8(box.from + 10) >= 0x80 }
}

function readChange(file: Buffer, { type, from }: Box): readonly HeicChange[] {
  if (type === 'irot') return [{ type: 'turn', quarters: file.readUInt8(from) & 3 }]
  if (type === 'imir') return [{ type: 'flip', axis: (file.readUInt8(from) & 1) === 0 ? 'vertical' : 'horizontal' }]
  if (type !== 'clap') return []
  const [width = NaN, height = NaN, x = NaN, y = NaN] = [0, 8, 16, 24].map(
    at => file.readInt32BE(from + at) / file.readInt32BE(from + at + 4),
  )
  // The offsets are those of the centre.
  return [{ type: 'crop', width, height, x, y }]
}
