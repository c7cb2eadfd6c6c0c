import { crc32, deflateSync } from 'node:zlib'
import { isoBox } from './iso-media.js'

const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

function number(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  bytes.writeUIntBE(value, 0, length)
  return bytes
}

function pngChunk(name: string, data = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([bytesOf(name), data])
  return Buffer.concat([number(data.length, 4), named, number(crc32(named), 4)])
}

const png = (chunk: Buffer, count: number): Buffer =>
  Buffer.concat([
    bytesOf('\x89PNG\r\n\x1a\n'),
    pngChunk('IHDR', Buffer.from('00000001000000010802000000', 'hex')),
    ...Array.from({ length: count }, () => chunk),
    pngChunk('IEND'),
  ])

const pdf = (content: Buffer): Buffer =>
  Buffer.concat([bytesOf('%PDF-1.7\n'), content, bytesOf('\nstartxref\n9\n%%EOF')])

const repeated = (text: string, count: number): Buffer => bytesOf(text.repeat(count))

const matroska = (content: Buffer): Buffer =>
  Buffer.concat([Buffer.from('1a45dfa380' + '1853806701ffffffffffffff', 'hex'), content])

/** The boxes of a HEIC file with one coded picture. Each may be replaced. */
export function heicFile({
  infe = isoBox('infe', Buffer.from('02000000' + '00010000', 'hex'), 'hvc1', Buffer.alloc(1)),
  iloc = Buffer.from('00000000' + '4400' + '0001' + '00010000' + '0001' + '0000000000000000', 'hex'),
  iref = Buffer.alloc(0),
  properties = [isoBox('ispe', Buffer.alloc(4), number(16, 4), number(16, 4)), hevcSetup()],
  association = [Buffer.from('00000000' + '00000001' + '0001' + '02' + '01' + '02', 'hex')],
  primary = 1,
}: {
  readonly infe?: Buffer
  readonly iloc?: Buffer
  readonly iref?: Buffer
  readonly properties?: readonly Buffer[]
  readonly association?: readonly Buffer[]
  readonly primary?: number
} = {}): Buffer {
  const meta = isoBox(
    'meta',
    Buffer.alloc(4),
    isoBox('pitm', Buffer.alloc(4), number(primary, 2)),
    isoBox('iinf', Buffer.alloc(6), infe),
    isoBox('iloc', iloc),
    isoBox('iprp', isoBox('ipco', ...properties), ...association.map(content => isoBox('ipma', content))),
    ...(iref.length > 0 ? [isoBox('iref', Buffer.alloc(4), iref)] : []),
  )
  return Buffer.concat([isoBox('ftyp', 'heic', Buffer.alloc(4), 'mif1heic'), meta])
}

/** The box of a coded picture's parameters: arrays of parameter sets of these lengths. */
function hevcSetup(count = 1, length = 4): Buffer {
  const units = Array.from({ length: count }, () => Buffer.concat([number(length, 2), Buffer.alloc(length, 0x40)]))
  return isoBox('hvcC', Buffer.alloc(21), Buffer.from([3]), Buffer.from([1, 0x20]), number(count, 2), ...units)
}

const tileCount = 64 * 64

/** A grid of 4,096 tiles without data, each with the same long parameters. */
function gridFromNothing(setup: Buffer): Buffer {
  const entry = (id: number, type: string): Buffer =>
    isoBox('infe', Buffer.from('02000000', 'hex'), number(id, 2), Buffer.alloc(2), type, Buffer.alloc(1))
  const ids = Array.from({ length: tileCount }, (_, index) => index + 2)
  const associated = ids.map(id => Buffer.concat([number(id, 2), Buffer.from([1, 2])]))
  const build = (gridOffset: number): Buffer =>
    heicFile({
      infe: Buffer.concat([entry(1, 'grid'), ...ids.map(id => entry(id, 'hvc1'))]),
      iloc: Buffer.concat([
        Buffer.from('00000000' + '4400' + '0001' + '00010000' + '0001', 'hex'),
        number(gridOffset, 4),
        number(8, 4),
      ]),
      iref: isoBox('dimg', number(1, 2), number(tileCount, 2), ...ids.map(id => number(id, 2))),
      properties: [isoBox('ispe', Buffer.alloc(4), number(64, 4), number(64, 4)), setup],
      association: [
        Buffer.concat([Buffer.alloc(4), number(tileCount + 1, 4), Buffer.from('00010101', 'hex'), ...associated]),
      ],
    })
  // The grid of 64 by 64 tiles stands at the end.
  return Buffer.concat([build(build(0).length), Buffer.from('00003f3f00400040', 'hex')])
}

/** Files that are small for the work that they ask for, by the parser that reads them. */
export const laboriousMedia: Readonly<Record<string, () => Buffer>> = {
  'PNG of empty chunks': () => png(pngChunk('teXt'), 200_000),
  'JPEG of bytes that fill': () => Buffer.concat([bytesOf('\xff\xd8'), Buffer.alloc(2_000_000, 0xff)]),
  'JPEG of empty segments': () => bytesOf(`\xff\xd8${'\xff\xe0\0\x02'.repeat(500_000)}`),
  'WebP of empty chunks': () => Buffer.concat([bytesOf('RIFF\xff\xff\xff\xffWEBP'), repeated('ABCD\0\0\0\0', 500_000)]),
  'GIF of empty comments': () =>
    Buffer.concat([bytesOf('GIF89a\x01\0\x01\0\0\0\0'), repeated('\x21\xfe\0', 500_000), bytesOf(';')]),
  'MP4 of tracks that overlap': () => {
    const tracks = repeated('\0\0\0\x10trak\x7f\xff\xff\xffmdia', 200)
    const moov = Buffer.concat([tracks, repeated('\0\0\0\x08hdlr', 200_000)])
    return Buffer.concat([isoBox('ftyp', 'isom', Buffer.alloc(4)), isoBox('moov', moov)])
  },
  'Matroska of elements of two bytes': () => matroska(Buffer.alloc(4_000_000, 0x80)),
  'Matroska of empty tracks': () =>
    matroska(Buffer.concat([Buffer.from('1654ae6b' + '102dc6c0', 'hex'), repeated('\xae\x82\x80\x80', 750_000)])),
  'MPEG-TS of tables': () => Buffer.alloc(188 * 20_000, bytesOf(`G\x40\0\x10\0\0\xb0\x80${'\0'.repeat(180)}`)),
  'PDF of one word': () => pdf(repeated('/ObjStm ', 250_000)),
  'PDF of one word before one stream': () =>
    pdf(
      Buffer.concat([
        repeated('/ObjStm ', 2_000),
        bytesOf('\nstream\n'),
        deflateSync(Buffer.alloc(60 * 2 ** 20), { level: 9 }),
        bytesOf('\nendstream'),
      ]),
    ),
  'PDF of streams that inflate': () => {
    const stream = Buffer.concat([
      bytesOf('/ObjStm\nstream\n'),
      deflateSync(Buffer.alloc(2 ** 20)),
      bytesOf('\nendstream\n'),
    ])
    return pdf(Buffer.concat(Array.from({ length: 2_000 }, () => stream)))
  },
  'PDF of streams without end': () => pdf(repeated('/ObjStm stream\n', 200_000)),
  'HEIC of places without bytes': () => {
    const places = Array.from({ length: 2_000 }, (_, index) =>
      Buffer.concat([number(index + 1, 2), Buffer.from('0000ffff', 'hex')]),
    )
    return heicFile({ iloc: Buffer.concat([Buffer.from('00000000' + '0000' + '07d0', 'hex'), ...places]) })
  },
  'HEIC of properties that overlap': () =>
    heicFile({
      association: [
        ...Array.from({ length: 4_000 }, () => Buffer.from('00000000' + '00002710', 'hex')),
        Buffer.concat([Buffer.from('00000000ffffffff', 'hex'), repeated('\0\x01\0', 50_000)]),
      ],
    }),
  'HEIC of tiles without data': () => gridFromNothing(hevcSetup(1, 60_000)),
  'HEIC of empty parameters': () => gridFromNothing(hevcSetup(20_000, 0)),
}
