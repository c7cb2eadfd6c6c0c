/** Writes event files of TensorBoard: records of Protocol Buffers, each with its length and two checksums. */
import { computeMaskedCrc } from './masked-crc.js'

/** One event: numbers and texts of a step. */
export interface TensorboardEvent {
  /** Seconds since 1970. */
  readonly wallTime: number
  readonly step: number
  readonly scalars?: ReadonlyMap<string, number>
  /** Markdown by tag. */
  readonly texts?: ReadonlyMap<string, string>
}

/** Returns the content of an event file. */
export const formatEventFile = (begunAt: number, events: readonly TensorboardEvent[]): Buffer =>
  Buffer.concat([
    formatRecord(Buffer.concat([double(1, begunAt), text(3, 'brain.Event:2')])),
    ...events.map(event => formatRecord(formatEvent(event))),
  ])

function formatRecord(data: Buffer): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(data.length))
  return Buffer.concat([length, checksum(length), data, checksum(data)])
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4)
  sum.writeUInt32LE(computeMaskedCrc(bytes))
  return sum
}

/** `Event`: wall_time = 1, step = 2, summary = 5. */
const formatEvent = ({ wallTime, step, scalars = new Map(), texts = new Map() }: TensorboardEvent): Buffer =>
  Buffer.concat([
    double(1, wallTime),
    ...(step === 0 ? [] : [varint(2, step)]),
    message(5, [
      ...[...scalars].map(([tag, value]) => message(1, [text(1, tag), float(2, value)])),
      ...[...texts].map(([tag, value]) => formatText(tag, value)),
    ]),
  ])

/** `Summary.Value`: tag = 1, tensor = 8, metadata = 9. A text is a tensor (dtype = 1, string_val = 8) of the plugin `text`. */
const formatText = (tag: string, value: string): Buffer =>
  message(1, [
    text(1, tag),
    message(9, [message(1, [text(1, 'text')])]),
    message(8, [varint(1, stringType), message(2, [message(2, [varint(1, 1)])]), text(8, value)]),
  ])

/** `DT_STRING` of TensorFlow. */
const stringType = 7

const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

const key = (field: number, type: number): Buffer => formatVarint((field << 3) | type)

function formatVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = BigInt(value)
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128)
  return Buffer.from([...bytes, Number(rest)])
}

const varint = (field: number, value: number): Buffer => Buffer.concat([key(field, wire.varint), formatVarint(value)])

function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([key(field, wire.fixed64), bytes])
}

function float(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return Buffer.concat([key(field, wire.fixed32), bytes])
}

function message(field: number, parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([key(field, wire.bytes), formatVarint(content.length), content])
}

const text = (field: number, value: string): Buffer => message(field, [Buffer.from(value)])
