import { createPublicKey, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { checkFields } from '../../base/errors/check-fields.js'
import { PipelineError, messageOf, systemCode } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { shownPath } from '../../base/files/shown-path.js'
import { decodeBase64, findHiddenText } from './certificate-text.js'
import { certificatePath, hashChunks, signedBytes, type Certificate } from './certificate.js'
import { computeRoot } from './merkle-tree.js'

/** The result of checking a bundle and its certificate. Each problem is one sentence. */
export interface Verification {
  readonly file: string
  readonly certificate: Certificate
  readonly problems: readonly string[]
}

/** The fields that the checks read. A field that is not named here is signed or refused like the others. */
const certificateSchema = z.looseObject({
  format: z.literal(1),
  file: z.looseObject({
    name: z.string(),
    bytes: z.number(),
    chunk_bytes: z
      .int()
      .min(1 << 12)
      .max(1 << 24),
  }),
  root: z.string(),
  chunks: z.array(z.string()),
  parts: z.array(z.looseObject({ name: z.string(), offset: z.number(), bytes: z.number() })),
  run: z.json(),
  judgement: z.json(),
  signed_at: z.string(),
  public_key: z.string(),
  signature: z.string(),
})

/**
 * Checks an exported file against its certificate: the signature, and every byte of the file.
 *
 * @param options `certificate`: its path. @default the file's with `.cert.json`. `publicKey`: a PEM file; the certificate must be of this key
 * @throws PipelineError (usage) if a file is missing or is no certificate
 */
export async function verifyBundle(
  file: string,
  options: { readonly certificate?: string; readonly publicKey?: string } = {},
): Promise<Verification> {
  checkFields(options, { certificate: z.string().optional(), publicKey: z.string().optional() })
  const { certificate: path = certificatePath(file), publicKey } = options
  if (!existsSync(file)) throw new PipelineError('usage', `no file ${shownPath(file)}`)
  const { certificate, problems: hidden } = await readCertificate(path)
  const problems = [...hidden, ...checkSignature(certificate), ...(await checkBytes(file, certificate))]
  if (publicKey !== undefined) problems.push(...(await checkKey(certificate, publicKey)))
  return { file, certificate, problems }
}

async function readCertificate(
  path: string,
): Promise<{ readonly certificate: Certificate; readonly problems: readonly string[] }> {
  const bytes = await readFile(path).catch((error: unknown) => {
    const why = systemCode(error) === 'ENOENT' ? 'is not there' : `can't be read: ${messageOf(error)}`
    throw new PipelineError(
      'usage',
      `the certificate ${shownPath(path)} ${why}. An export that is signed writes it beside its file: ${command('export', ['RUN'], { sign: 'KEY' })}`,
      { cause: error },
    )
  })
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    certificateSchema.parse(value)
    const hidden = findHiddenText(text, value)
    return {
      // The value itself, because a parsed one would lack what the schema does not name.
      certificate: value as Certificate,
      problems: hidden === undefined ? [] : [`the certificate was changed after it was signed: ${hidden}`],
    }
  } catch (error) {
    throw new PipelineError('usage', `${shownPath(path)} is no certificate of this program, or it is damaged`, {
      cause: error,
    })
  }
}

function checkSignature({ public_key: key, signature, ...statement }: Certificate): string[] {
  const wrong = ['the certificate was changed after it was signed: its signature is not that of its key']
  const [keyBytes, signatureBytes] = [decodeBase64(key), decodeBase64(signature)]
  if (keyBytes === undefined || signatureBytes === undefined)
    return ['the certificate was changed after it was signed: its key or its signature is not in Base64']
  try {
    const publicKey = createPublicKey({ key: keyBytes, format: 'der', type: 'spki' })
    const isOfKey = publicKey.export({ type: 'spki', format: 'der' }).equals(keyBytes)
    return isOfKey && verify(null, signedBytes(statement), publicKey, signatureBytes) ? [] : wrong
  } catch {
    return wrong
  }
}

async function checkBytes(file: string, { file: signed, chunks, parts, root }: Certificate): Promise<string[]> {
  const { chunk_bytes: chunkBytes } = signed
  const fileHashes = await hashChunks(file, chunkBytes)
  const problems = computeRoot(chunks) === root ? [] : ['the hashes of the certificate do not give its root']
  if (fileHashes.bytes !== signed.bytes)
    problems.push(`the file has ${fileHashes.bytes} bytes, and ${signed.bytes} were signed`)
  const ranges = listRanges(chunks.flatMap((hash, at) => (fileHashes.chunks[at] === hash ? [] : [at])))
  for (const { first, last } of ranges.slice(0, mostRanges)) {
    const [from, to] = [first * chunkBytes, Math.min((last + 1) * chunkBytes, signed.bytes)]
    const names = parts.flatMap(({ name, offset, bytes }) => (offset < to && offset + bytes > from ? [name] : []))
    problems.push(
      `bytes ${from} to ${to - 1} are not those that were signed (${names.join(', ') || 'media, or the end of the file'})`,
    )
  }
  if (ranges.length > mostRanges)
    problems.push(`the bytes of ${ranges.length - mostRanges} further places are not those that were signed`)
  return problems
}

/** The maximum number of places in a file that are named. */
const mostRanges = 5

/** Joins neighbouring numbers of an ascending list. */
function listRanges(numbers: readonly number[]): readonly { readonly first: number; readonly last: number }[] {
  const ranges: { readonly first: number; last: number }[] = []
  for (const number of numbers) {
    const range = ranges.at(-1)
    if (range?.last === number - 1) range.last = number
    else ranges.push({ first: number, last: number })
  }
  return ranges
}

async function checkKey({ public_key: key }: Certificate, path: string): Promise<string[]> {
  const expected = await readFile(path)
    .then(pem => createPublicKey(pem).export({ type: 'spki', format: 'der' }).toString('base64'))
    .catch((error: unknown) => {
      const why = systemCode(error) === 'ENOENT' ? 'it is not there' : 'it holds none in PEM form'
      throw new PipelineError('usage', `${shownPath(path)} can't be read as a key: ${why}`, { cause: error })
    })
  return expected === key ? [] : [`the certificate is of another key than ${shownPath(path)}`]
}
