/** Signs statements about exported runs: requests, model, code, scoring, and every byte of the file. */
import { createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto'
import { open, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { PipelineError, messageOf, systemCode } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { shownPath } from '../../base/files/shown-path.js'
import { writeWhole } from '../../base/files/write-whole.js'
import { canonicalJson, isList, isObject, type Json } from '../../base/values/canonical-json.js'
import { listFiles, manifestName, manifestText, type Manifest } from '../../cache/bundle/manifest.js'
import { blockSize, paddingAfter } from '../../cache/bundle/tar.js'
import { checkOutputFile, type OutputKind } from '../../cache/output-path.js'
import { chooseChunkBytes, computeRoot, hashLeaf } from './merkle-tree.js'

/** The statement that is signed. */
export interface Statement {
  readonly format: 1
  readonly file: { readonly name: string; readonly bytes: number; readonly chunk_bytes: number }
  /** The root of the Merkle tree over the file's chunks (RFC 6962). The hash of each chunk locates changed bytes. */
  readonly root: string
  readonly chunks: readonly string[]
  /** The parts of the file with their offsets. Media and the end of the file follow the last part. */
  readonly parts: readonly { readonly name: string; readonly offset: number; readonly bytes: number }[]
  readonly run: Json
  /** The newest finished judgement: rules and code of scoring, the judge model, and the scores. */
  readonly judgement: Json
  readonly signed_at: string
}

/** A statement with the public key and the Ed25519 signature of its canonical JSON, both in Base64. */
export interface Certificate extends Statement {
  readonly public_key: string
  readonly signature: string
}

/** Returns the path of a bundle's certificate. */
export const certificatePath = (file: string): string => `${file}.cert.json`

/**
 * Reads an Ed25519 private key in PEM form.
 *
 * @throws PipelineError (usage) if there is no such file, or it holds another kind of key
 */
export async function readPrivateKey(file: string): Promise<KeyObject> {
  const refuse = (why: string): PipelineError =>
    new PipelineError('usage', [
      `${shownPath(file)} ${why}.`,
      '  Make a key with:  openssl genpkey -algorithm ed25519 -out key.pem',
    ])
  const pem = await readFile(file).catch((error: unknown) => {
    throw refuse(systemCode(error) === 'ENOENT' ? 'is not there' : `can't be read: ${messageOf(error)}`)
  })
  const key = parseKey(pem)
  if (key === undefined) throw refuse('holds no private key in PEM form')
  if (key.asymmetricKeyType !== 'ed25519') throw refuse('is no Ed25519 key')
  return key
}

/** Parses a key. Returns undefined instead of an error of node:crypto, whose OpenSSL codes do not help a user. */
function parseKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

const certificateFile: OutputKind = {
  name: 'a certificate',
  isOwn: head => /^\s*\{[^]*"chunk_bytes"/.test(head.toString('utf8')),
}

/**
 * Rejects the certificate of a bundle, before either is written.
 *
 * @param store the location of the store whose run is written
 * @throws PipelineError (usage) if the certificate would replace another file
 */
export function checkCertificateFile(file: string, store: string): void {
  const path = certificatePath(file)
  checkOutputFile({ path, label: option('sign'), store }, certificateFile)
}

/** Signs a bundle that was just written, and writes the certificate beside it. */
export async function writeCertificate(file: string, by: Parameters<typeof signBundle>[1]): Promise<void> {
  await writeWhole(certificatePath(file), `${JSON.stringify(await signBundle(file, by), undefined, 2)}\n`)
}

/** Makes the certificate of a bundle. */
export async function signBundle(
  file: string,
  { manifest, key, now }: { readonly manifest: Manifest; readonly key: KeyObject; readonly now: number },
): Promise<Certificate> {
  const { size: bytes } = await stat(file)
  const chunkBytes = chooseChunkBytes(bytes)
  const { chunks } = await hashChunks(file, chunkBytes)
  const statement: Statement = {
    format: 1,
    file: { name: basename(file), bytes, chunk_bytes: chunkBytes },
    root: computeRoot(chunks),
    chunks,
    parts: locateParts(manifest),
    run: describeRun(manifest),
    judgement: describeJudgement(manifest),
    signed_at: new Date(now).toISOString(),
  }
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return {
    ...statement,
    public_key: spki.toString('base64'),
    signature: sign(null, signedBytes(statement), key).toString('base64'),
  }
}

/** Returns the bytes that are signed: the canonical JSON of the statement. */
export const signedBytes = (statement: Statement): Buffer => Buffer.from(canonicalJson(statement as object as Json))

/** Hashes the chunks of a file in their order. */
export async function hashChunks(
  file: string,
  chunkBytes: number,
): Promise<{ readonly chunks: readonly string[]; readonly bytes: number }> {
  const handle = await open(file, 'r')
  try {
    const chunks: string[] = []
    const buffer = Buffer.alloc(chunkBytes)
    let bytes = 0
    for (;;) {
      const { bytesRead } = await readWhole(handle, buffer, bytes)
      if (bytesRead === 0) return { chunks, bytes }
      chunks.push(hashLeaf(buffer.subarray(0, bytesRead)))
      bytes += bytesRead
    }
  } finally {
    await handle.close()
  }
}

/** Fills the buffer. A single read may return fewer bytes. */
async function readWhole(
  handle: Awaited<ReturnType<typeof open>>,
  buffer: Buffer,
  position: number,
): Promise<{ readonly bytesRead: number }> {
  let filled = 0
  while (filled < buffer.length) {
    const { bytesRead } = await handle.read(buffer, filled, buffer.length - filled, position + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return { bytesRead: filled }
}

/** Computes where the manifest and the tables begin, each with its header before it. */
function locateParts(manifest: Manifest): Statement['parts'] {
  const files = [{ name: manifestName, bytes: Buffer.byteLength(manifestText(manifest)) }, ...listFiles(manifest)]
  let next = 0
  return files.map(({ name, bytes }) => {
    const offset = next
    next += blockSize + bytes + paddingAfter(bytes)
    return { name, offset, bytes: next - offset }
  })
}

function describeRun({ run, content, partial, pending, media }: Manifest): Json {
  const { id, name, asked, provenance, createdAt } = run
  const { version, commit, dirty, node } = provenance
  return JSON.parse(
    JSON.stringify({
      id,
      name,
      created_at: new Date(createdAt).toISOString(),
      asked,
      program: { version, commit, dirty, node },
      ...(content && { content }),
      partial,
      pending,
      media,
    }),
  ) as Json
}

function describeJudgement({ run, judgements }: Manifest): Json {
  const newest = judgements.findLast(({ finishedAt }) => finishedAt !== undefined)
  if (newest === undefined) return null
  const judges = describeJudges(run, newest)
  const scores = (newest.aggregates ?? [])
    .filter(({ group }) => group === undefined)
    .map(({ task, metric, filter, value, interval, n, total }) => ({ task, metric, filter, value, interval, n, total }))
  return JSON.parse(
    JSON.stringify({
      number: newest.number,
      tasks: newest.tasks,
      ...judges,
      scores,
    }),
  ) as Json
}

/** A judge model of a judgement, as its scores' keys name it. */
interface DescribedJudge {
  readonly model: Json
  readonly args: Json
  readonly code?: Json | undefined
}

/**
 * Describes the judge models of a judgement by its own rules. The settings of the run name those of its first judgement only. `judge` is the model that
 * gave all verdicts, and absent if there are several; `judges` names those of each task, and of each metric that has its own.
 */
function describeJudges(
  { asked }: Manifest['run'],
  { tasks }: Manifest['judgements'][number],
): { readonly judge?: Pick<DescribedJudge, 'model' | 'args'>; readonly judges?: readonly object[] } {
  const judges = tasks.flatMap(({ config }, index) => {
    const task = asked.tasks[index]?.name ?? ''
    return [
      ...(config.judge === undefined ? [] : [{ task, models: listModels(config.judge) }]),
      ...Object.entries<Json | undefined>(config.judges ?? {}).map(([metric, judge]) => ({
        task,
        metric,
        models: listModels(judge),
      })),
    ]
  })
  const all = new Map(
    judges.flatMap(({ models }) => models.map(model => [canonicalJson(model as object as Json), model])),
  )
  const [first] = all.values()
  if (first === undefined) return {}
  return { ...(all.size === 1 && { judge: { model: first.model, args: first.args } }), judges }
}

/** Lists the models of one judge, or of a panel. */
function listModels(judge: Json | undefined): readonly DescribedJudge[] {
  if (!isObject(judge)) return []
  if (isList(judge['panel'])) return judge['panel'].flatMap(listModels)
  const { model, code } = judge
  if (!isObject(model)) return []
  const { backend = null, args = {}, ...rest } = model
  return [{ model: backend, args, ...rest, code }]
}
