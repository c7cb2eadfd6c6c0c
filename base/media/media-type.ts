import { WorkBudget } from '../files/work-budget.js'
import { bytesSource, type ByteSource } from './byte-source.js'
import { trackKinds } from './iso-boxes.js'

/** The type of a media file. It follows from the bytes alone, because names and servers' headers are often wrong. */
export interface MediaType {
  /** `file` is a document with pages, that is, a PDF. */
  readonly kind: 'image' | 'audio' | 'video' | 'file'
  readonly mime: string
  /** The format's short name, such as `png` or `wav`. */
  readonly format: string
}

/** The number of bytes from the start that {@link sniffMediaType} reads. */
export const sniffLength = 64 * 2 ** 10

/** The number of bytes that most formats need. */
const signatureLength = 64

/**
 * Detects the type of a medium from its first bytes, or returns undefined for an unknown format.
 *
 * @param source the whole medium. An MP4 file may list its tracks at its end.
 */
export function sniffMediaType(bytes: Uint8Array, source: ByteSource = bytesSource(bytes)): MediaType | undefined {
  const text = (length: number): string =>
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, length)).toString('latin1')
  const start = text(signatureLength)
  for (const [magic, type] of signatures) if (start.startsWith(magic)) return type
  const group = start.slice(8, 12)
  if (start.startsWith('RIFF')) return group === 'AVI ' ? aviMedia(text(sniffLength)) : riff[group]
  // A WAV file that may be larger than 4 GB.
  if (start.startsWith('RF64')) return group === 'WAVE' ? type('audio', 'rf64', 'audio/x-rf64') : undefined
  if (start.startsWith('FORM')) return group === 'AIFF' || group === 'AIFC' ? type('audio', 'aiff') : undefined
  if (start.startsWith('OggS'))
    return /\x80theora|OVP80|BBCD\0/.test(text(sniffLength)) ? type('video', 'ogg') : oggAudio
  if (start.slice(4, 8) === 'ftyp') return isoMedia(group, source)
  if (start.startsWith('\x1a\x45\xdf\xa3')) return matroskaMedia(bytes, start)
  if (start.startsWith('FLV\x01')) return flashMedia(bytes)
  if (start.startsWith(asfHeader)) return asfMedia(text(sniffLength))
  const packets = findPackets(bytes)
  if (packets !== undefined) {
    const kind = hasOnlySoundStreams(bytes, packets) ? 'audio' : 'video'
    return type(kind, 'ts', `${kind}/mp2t`)
  }
  if (text(pdfWithin).includes(pdfMagic)) return pdf
  if (isAacFrame(bytes)) return type('audio', 'aac')
  return mpegAudio(bytes)
}

const type = (kind: MediaType['kind'], format: string, mime = `${kind}/${format}`): MediaType => ({
  kind,
  mime,
  format,
})

const mp3 = type('audio', 'mp3', 'audio/mpeg')
const mp2 = type('audio', 'mp2', 'audio/x-mp2')
const mpeg = type('video', 'mpeg')
const pdf = type('file', 'pdf', 'application/pdf')
const pdfMagic = '%PDF-'
/** A byte order mark, blank lines or a printer's header may precede it. Source: PDF Reference 1.7, appendix H, note 13. */
const pdfWithin = 1024
const oggAudio = type('audio', 'ogg')

const signatures: readonly (readonly [string, MediaType])[] = [
  ['\x89PNG\r\n\x1a\n', type('image', 'png')],
  ['\xff\xd8\xff', type('image', 'jpeg')],
  ['GIF87a', type('image', 'gif')],
  ['GIF89a', type('image', 'gif')],
  ['BM', type('image', 'bmp')],
  ['II*\0', type('image', 'tiff')],
  ['MM\0*', type('image', 'tiff')],
  // BigTIFF, for files over 4 GB.
  ['II+\0', type('image', 'tiff')],
  ['MM\0+', type('image', 'tiff')],
  [pdfMagic, pdf],
  ['fLaC', type('audio', 'flac')],
  ['ID3', mp3],
  // An MPEG program stream, or a bare video stream.
  ['\0\0\x01\xba', mpeg],
  ['\0\0\x01\xb3', mpeg],
  ['caff', type('audio', 'caf', 'audio/x-caf')],
  ['#!AMR', type('audio', 'amr')],
  ['.snd', type('audio', 'au', 'audio/basic')],
]

const riff: Readonly<Record<string, MediaType>> = {
  WEBP: type('image', 'webp'),
  WAVE: type('audio', 'wav'),
}

/** The headers of an AVI file's streams stand at its beginning. */
const aviMedia = (start: string): MediaType =>
  /strh[^]{4}auds/.test(start) && !/strh[^]{4}vids/.test(start)
    ? type('audio', 'avi', 'audio/x-msvideo')
    : type('video', 'avi', 'video/x-msvideo')

const heicBrands: ReadonlySet<string> = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'])

/** The brand of an ISO base media file tells its format. A file of sounds alone is audio, whatever its brand. */
function isoMedia(brand: string, source: ByteSource): MediaType {
  if (brand === 'avif' || brand === 'avis') return type('image', 'avif')
  // A brand for pictures of any codec. The further brands name it.
  const isAnyPicture = brand === 'mif1' || brand === 'msf1'
  if (isAnyPicture && /avi[fs]/.test(source.read(16, 48).toString('latin1'))) return type('image', 'avif')
  if (isAnyPicture || heicBrands.has(brand)) return type('image', 'heic')
  const kinds = trackKinds(source) ?? []
  const hasOnlySounds = kinds.includes('soun') && !kinds.includes('vide')
  if (brand.startsWith('M4A') || hasOnlySounds) return type('audio', 'm4a', 'audio/mp4')
  if (brand === 'qt  ') return type('video', 'mov', 'video/quicktime')
  return type('video', 'mp4')
}

/**
 * Returns whether a WebM or Matroska file is as long as it states.
 *
 * @param bytes its beginning
 * @param size of the whole file
 */
export function isWholeMatroska(bytes: Uint8Array, size: number): boolean {
  const budget = new WorkBudget({ steps: mostElements })
  const segment = findElement(ebmlElements(bytes, { from: 0, to: bytes.byteLength, budget }), ebmlIds.segment)
  if (segment === undefined) return bytes.byteLength < size
  if (segment.to > size) return false
  if (bytes.byteLength < size) return true
  // A stream states no length. Then its last element may.
  for (const { to } of ebmlElements(bytes, { ...segment, budget })) if (to > size) return false
  return true
}

/** WebM and Matroska may hold audio only. The file is a video unless all of its tracks are listed in these bytes and none has video. */
function matroskaMedia(bytes: Uint8Array, start: string): MediaType {
  const isMatroska = start.includes('matroska')
  const kind = hasOnlySound(bytes) ? 'audio' : 'video'
  return isMatroska ? type(kind, 'mkv', `${kind}/x-matroska`) : type(kind, 'webm')
}

const ebmlIds = { segment: 0x18538067, tracks: 0x1654ae6b, track: 0xae, trackType: 0x83 } as const
const soundTrack = 2

function hasOnlySound(bytes: Uint8Array): boolean {
  const budget = new WorkBudget({ steps: mostElements })
  const segment = findElement(ebmlElements(bytes, { from: 0, to: bytes.byteLength, budget }), ebmlIds.segment)
  if (segment === undefined) return false
  const tracks = findElement(ebmlElements(bytes, { ...segment, budget }), ebmlIds.tracks)
  if (tracks === undefined || tracks.to > bytes.byteLength) return false
  let trackCount = 0
  for (const track of ebmlElements(bytes, { ...tracks, budget })) {
    if (track.id !== ebmlIds.track) continue
    const field = findElement(ebmlElements(bytes, { ...track, budget }), ebmlIds.trackType)
    if (bytes[field?.from ?? -1] !== soundTrack) return false
    trackCount += 1
  }
  return trackCount > 0
}

/** The maximum number of elements that are looked at. The clusters of a recording have some seconds each. The smallest element has two bytes. */
const mostElements = 100_000

interface EbmlElement {
  readonly id: number
  /** Start and end of the content. The end may lie beyond the available bytes. */
  readonly from: number
  readonly to: number
}

function findElement(elements: Iterable<EbmlElement>, id: number): EbmlElement | undefined {
  for (const element of elements) if (element.id === id) return element
  return undefined
}

/**
 * Lists the elements that begin in a part of an EBML file. Each has an id, a length of 1 to 8 bytes, and content. What comes after the budget is
 * spent is not listed.
 */
function* ebmlElements(
  bytes: Uint8Array,
  { from, to, budget }: { readonly from: number; readonly to: number; readonly budget: WorkBudget },
): Generator<EbmlElement> {
  let at = from
  while (at < Math.min(to, bytes.byteLength) && budget.tryStep()) {
    const idLength = Math.clz32(bytes[at] ?? 0) - 23
    const sizeAt = at + idLength
    const sizeLength = Math.clz32(bytes[sizeAt] ?? 0) - 23
    const content = sizeAt + sizeLength
    if (idLength > 4 || sizeLength > 8 || content > bytes.byteLength) return
    let id = 0
    for (let byte = at; byte < sizeAt; byte += 1) id = id * 256 + (bytes[byte] ?? 0)
    // The first set bit gives the number of bytes and is not part of the number.
    let size = (bytes[sizeAt] ?? 0) & (0xff >> sizeLength)
    for (let byte = sizeAt + 1; byte < content; byte += 1) size = size * 256 + (bytes[byte] ?? 0)
    // If all bits are set, the element is as long as its parent.
    const end = size === 2 ** (7 * sizeLength) - 1 ? to : content + size
    yield { id, from: content, to: end }
    at = end
  }
}

/** The header says whether there is video (1) and audio (4). Live streams may set neither. */
const flashMedia = ({ 4: flags = 0 }: Uint8Array): MediaType =>
  (flags & 5) === 4 ? type('audio', 'flv', 'audio/x-flv') : type('video', 'flv', 'video/x-flv')

const asfHeader = '\x30\x26\xb2\x75\x8e\x66\xcf\x11'
/** The bytes after the first four of a stream type's id. */
const asfStream = '\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b'

/** Windows Media has one container for video and audio. Its header names the type of each stream. */
function asfMedia(start: string): MediaType {
  const isVideo = start.includes(`\xc0\xef\x19\xbc\x4d${asfStream}`)
  const isAudio = start.includes(`\x40\x9e\x69\xf8\x4d${asfStream}`)
  return isAudio && !isVideo ? type('audio', 'wma', 'audio/x-ms-wma') : type('video', 'wmv', 'video/x-ms-wmv')
}

/** The minimum number of packets that are looked at, if they are there. A text hardly has the right letter in so many places by chance. */
const fewestPackets = 3
const mostPackets = 32

/** The first packet, and the distance between packets. */
interface PacketLayout {
  readonly first: number
  readonly packet: number
}

/** Packets have 188 bytes and begin with `G`. On Blu-ray discs four bytes precede each packet. */
function findPackets(bytes: Uint8Array): PacketLayout | undefined {
  const sync = 0x47
  return [
    { first: 0, packet: 188 },
    { first: 4, packet: 192 },
  ].find(({ first, packet }) => {
    const count = Math.min(mostPackets, Math.ceil((bytes.length - first) / packet))
    return (
      count >= fewestPackets &&
      Array.from({ length: count }, (_, index) => bytes[first + index * packet]).every(byte => byte === sync)
    )
  })
}

/** MPEG audio, AAC, AC-3 and E-AC-3. Source: ISO/IEC 13818-1, table 2-34, and ATSC A/53-3. */
const soundStreams: ReadonlySet<number> = new Set([0x03, 0x04, 0x0f, 0x11, 0x81, 0x87])
/** Private data, which may be of any kind. A descriptor names it. */
const privateStream = 0x06

/** Reads the tables of a transport stream: the first (packets 0) names the packets of the second, which lists the streams. */
function hasOnlySoundStreams(bytes: Uint8Array, { first, packet }: PacketLayout): boolean {
  const tablePackets = new Set<number>()
  const two = (at: number, mask: number): number => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) & mask
  for (let at = first; at + 188 <= bytes.length; at += packet) {
    const id = two(at + 1, 0x1fff)
    const isStart = ((bytes[at + 1] ?? 0) & 0x40) !== 0
    if (!isStart || (id !== 0 && !tablePackets.has(id))) continue
    const hasMore = ((bytes[at + 3] ?? 0) & 0x20) !== 0
    const payload = at + 4 + (hasMore ? 1 + (bytes[at + 4] ?? 0) : 0)
    const table = payload + 1 + (bytes[payload] ?? 0)
    const end = table + 3 + two(table + 1, 0xfff) - 4
    if (end > at + 188) return false
    if (id === 0) {
      for (let entry = table + 8; entry < end; entry += 4)
        if (two(entry, 0xffff) !== 0) tablePackets.add(two(entry + 2, 0x1fff))
      continue
    }
    const kinds: boolean[] = []
    for (let entry = table + 12 + two(table + 10, 0xfff); entry < end; entry += 5 + two(entry + 3, 0xfff)) {
      const descriptors = Buffer.from(bytes.subarray(entry + 5, entry + 5 + two(entry + 3, 0xfff)))
      const stream = bytes[entry] ?? 0
      kinds.push(soundStreams.has(stream) || (stream === privateStream && descriptors.includes('Opus')))
    }
    return kinds.length > 0 && kinds.every(isSound => isSound)
  }
  return false
}

/** An AAC frame has twelve set bits, layer 0, and a valid sampling rate. */
function isAacFrame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes
  return first === 0xff && (second & 0xf6) === 0xf0 && ((third >> 2) & 0x0f) <= 12
}

/** An MPEG audio frame has eleven set bits, then a valid version and layer. Of the layers, III is MP3 and II its predecessor. */
function mpegAudio(bytes: Uint8Array): MediaType | undefined {
  const [first = 0, second = 0] = bytes
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || (second & 0x18) === 0x08) return undefined
  return { 0x02: mp3, 0x04: mp2 }[second & 0x06]
}
