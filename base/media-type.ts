/** What a file of media is, told by its bytes alone: names and servers' headers are often wrong. */
export interface MediaType {
  /** `file`: a document with pages, a PDF. */
  readonly kind: 'image' | 'audio' | 'video' | 'file'
  readonly mime: string
  /** What the format is called where there is no mime type: `png`, `wav`, … */
  readonly format: string
}

/** As many bytes from the start as {@link sniffMediaType} looks at. */
export const sniffLength = 64

/** The type of a medium by its first bytes; undefined where it is none of those known. */
export function sniffMediaType(bytes: Uint8Array): MediaType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, sniffLength)).toString('latin1')
  for (const [magic, type] of signatures) if (start.startsWith(magic)) return type
  if (start.startsWith('RIFF')) return riff[start.slice(8, 12)]
  if (start.startsWith('OggS')) return start.includes('theora') ? type('video', 'ogg') : type('audio', 'ogg')
  if (start.slice(4, 8) === 'ftyp') return isoMedia(start.slice(8, 12))
  if (start.startsWith('\x1a\x45\xdf\xa3')) return start.includes('matroska') ? matroska : type('video', 'webm')
  return isMpegAudioFrame(bytes) ? mp3 : undefined
}

const type = (kind: MediaType['kind'], format: string, mime = `${kind}/${format}`): MediaType => ({
  kind,
  mime,
  format,
})

const mp3 = type('audio', 'mp3', 'audio/mpeg')
const matroska = type('video', 'mkv', 'video/x-matroska')

const signatures: readonly (readonly [string, MediaType])[] = [
  ['\x89PNG\r\n\x1a\n', type('image', 'png')],
  ['\xff\xd8\xff', type('image', 'jpeg')],
  ['GIF87a', type('image', 'gif')],
  ['GIF89a', type('image', 'gif')],
  ['BM', type('image', 'bmp')],
  ['II*\0', type('image', 'tiff')],
  ['MM\0*', type('image', 'tiff')],
  ['%PDF-', type('file', 'pdf', 'application/pdf')],
  ['fLaC', type('audio', 'flac')],
  ['ID3', mp3],
]

const riff: Readonly<Record<string, MediaType>> = {
  WEBP: type('image', 'webp'),
  WAVE: type('audio', 'wav'),
  'AVI ': type('video', 'avi', 'video/x-msvideo'),
}

/** The brand of an ISO base media file says which of its many uses it is. */
function isoMedia(brand: string): MediaType {
  if (brand === 'avif' || brand === 'avis') return type('image', 'avif')
  if (['heic', 'heix', 'mif1', 'msf1'].includes(brand)) return type('image', 'heic')
  if (brand.startsWith('M4A')) return type('audio', 'm4a', 'audio/mp4')
  if (brand === 'qt  ') return type('video', 'mov', 'video/quicktime')
  return type('video', 'mp4')
}

/** Eleven set bits, then a version and a layer that exist. */
function isMpegAudioFrame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  return first === 0xff && (second & 0xe0) === 0xe0 && (second & 0x18) !== 0x08 && (second & 0x06) === 0x02
}
