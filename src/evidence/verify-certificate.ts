import { createPublicKey, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { checkFields } from '../../base/errors/check-fields.js'
import { PipelineError, messageOf, systemCode } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { shownPath } from '../../base/files/shown-path.js'
import { certificatePath, hashChunks, signedBytes, type Certificate } from './certificate.js'
import { computeRoot } from './merkle-tree.js'

/** The result of checking a bundle and its certificate. Each problem is one sentence. */
export interface Verification {
  readonly file: string
  readonly certificate: Certificate
  readonly problems: readonly string[]
}

const certificateSchema = z.looseObject({
  format: z.literal(1),
  file: z.object({
    name: z.string(),
    bytes: z.number(),
    chunk_bytes: z
      .int()
      .min(1 << 12)
      .max(1 << 24),
  }),
  root: z.string(),
  chunks: z.array(z.string()),
  parts: z.array(z.object({ name: z.string(), offset: z.number(), bytes: z.number() })),
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
  const certificate = await readCertificate(path)
  const problems = [...checkSignature(certificate), ...(await checkBytes(file, certificate))]
  if (publicKey !== undefined) problems.push(...(await checkKey(certificate, publicKey)))
  return { file, certificate, problems }
}

async function readCertificate(path: string): Promise<Certificate> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const why = systemCode(error) === 'ENOENT' ? 'is not there' : `can't be read: ${messageOf(error)}`
    throw new PipelineError(
      'usage',
      `the certificate ${shownPath(path)} ${why}. An export that is signed writes it beside its file: ${command('export', ['RUN'], { sign: 'KEY' })}`,
      { cause: error },
    )
  })
  try {
    return certificateSchema.parse(JSON.parse(text))
  } catch (error) {
    throw new PipelineError('usage', `${shownPath(path)} is no certificate of this program, or it is damaged`, {
      cause: error,
    })
  }
}

function checkSignature({ public_key: key, signature, ...statement }: Certificate): string[] {
  const wrong = ['the certificate was changed after it was signed: its signature is not that of its key']
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify(null, signedBytes(statement), publicKey, Buffer.from(signature, 'base64')) ? [] : wrong
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
  for (const [at, hash] of chunks.entries()) {
    if (fileHashes.chunks[at] === hash) continue
    const [from, to] = [at * chunkBytes, Math.min((at + 1) * chunkBytes, signed.bytes)]
    const names = parts.flatMap(({ name, offset, bytes }) => (offset < to && offset + bytes > from ? [name] : []))
    problems.push(
      `bytes ${from} to ${to - 1} are not those that were signed (${names.join(', ') || 'media, or the end of the file'})`,
    )
  }
  return problems
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
