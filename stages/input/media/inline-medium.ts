import { sniffMediaType } from '../../../base/media/media-type.js'
import { MediumError } from './medium-error.js'

/** The number of characters that show whether a text is a medium: they hold the signature of every format that is read. */
const probedLength = 64
const base64Only = /^[A-Za-z0-9+/_\s-]+$/
/** Formats whose signature is so long that no path in base64's alphabet happens to begin with it. */
const recognised: ReadonlySet<string> = new Set(
  'png jpeg gif webp tiff avif heic pdf mp4 mov m4a mkv webm wav avi flac ogg'.split(' '),
)

/** Returns whether a text is a medium itself and not the path of one: a `data:` address, or base64 of a known format. */
export const isInlineMedium = (text: string): boolean => /^data:/i.test(text) || isKnownBase64(text)

/** Returns whether a text at a place where texts are expected is a medium itself. A sentence may begin with "Data:". */
export const isMediumInText = (text: string): boolean =>
  /^data:(?:[\w.+-]+\/[\w.+-]+[;,]|;base64,)/i.test(text) || isKnownBase64(text)

function isKnownBase64(text: string): boolean {
  const start = text.slice(0, probedLength)
  if (start.length < 32 || !base64Only.test(start)) return false
  const type = sniffMediaType(Buffer.from(start, 'base64'))
  return type !== undefined && recognised.has(type.format)
}

/**
 * Decodes a medium that a row holds as text: a `data:` address, or base64 as in VLMEvalKit's TSV files. Errors never contain the text.
 *
 * @throws MediumError if it is damaged
 */
export function decodeInlineMedium(text: string): Uint8Array {
  const [head, type] = /^data:([^,]*),/i.exec(text) ?? []
  if (head === undefined) {
    if (/^data:/i.test(text))
      throw new MediumError(`a data: address of ${text.length} characters has no comma before its data`)
    return decodeBase64(text, `base64 of ${text.length} characters`)
  }
  const content = text.slice(head.length)
  const name = `a data: address of ${text.length} characters`
  if (/;base64\s*$/i.test(type ?? ''))
    return decodeBase64(content.includes('%') ? unescapeContent(content, name) : content, name)
  return Buffer.from(unescapeContent(content, name), 'latin1')
}

function unescapeContent(content: string, name: string): string {
  if (/%(?![0-9a-f]{2})/i.test(content)) throw new MediumError(`${name} is damaged: its data are not percent-encoded`)
  return content.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/**
 * Decodes base64 in either alphabet, with or without line breaks and padding.
 *
 * @param name what the error calls it
 * @throws MediumError if it contains other characters
 */
export function decodeBase64(text: string, name: string): Uint8Array {
  const dense = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  const digits = dense.replace(/=+$/, '')
  const bytes = Buffer.from(digits, 'base64')
  // Node skips what is no base64, so the result is shorter than it must be.
  if (digits.length % 4 !== 1 && bytes.length === Math.floor((digits.length * 3) / 4) && bytes.length > 0) return bytes
  throw new MediumError(`${name} is damaged: it is not base64`)
}

/** The names of files have at most 255 bytes. */
const longestName = 255
/** Texts of these characters alone are hardly paths from this length on. */
const longestUndotted = 128

/** A path as errors show it. Data that were meant as a medium are not shown. */
export function shownName(name: string): string {
  const isData = /^data:/i.test(name) || name.length > longestName
  const isUndotted = name.length >= longestUndotted && /^(?:b?['"])?[A-Za-z0-9+/_=\s-]+['"]?$/.test(name)
  return isData || isUndotted
    ? `a text of ${name.length} characters, which is neither a path nor base64 of a known format`
    : name
}
