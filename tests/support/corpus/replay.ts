import { makeLastingFile } from '../../../cache/media/lasting-file.js'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { projectRoot } from '../../../cache/code/build-info.js'
import { sha256, type MediaDigest } from '../../../cache/digest.js'
import type { JsonObject, ResponseBody, Usage } from '../../../cache/records.js'
import { AttemptError, type Model, type ModelAnswer, type ModelRequest } from '../../../stages/model/model.js'
import type { BackendContext } from '../../../stages/model/define-backend.js'
import { parseModelArgs } from '../../../stages/model/model-args.js'
import { findBackend } from '../../../stages/model/registry.js'
import type { CannedReply, CorpusCase, Responder } from './cases.js'

/** A received request, without parts that differ between sends. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The outcome of a case. For a failure, only its class and whether it is retried count. */
export interface Outcome {
  readonly sent: readonly SentRequest[]
  readonly answer?: { readonly body: ResponseBody; readonly usage?: Usage | undefined }
  readonly failure?: string
  /** The server's replies, if they depend on the request. */
  readonly replies?: readonly CannedReply[]
}

export interface Replayer {
  replay(one: CorpusCase): Promise<Outcome>
  close(): Promise<void>
}

/** Paths of health checks, which have no effect on answers. */
const healthPaths = new Set(['/health', '/api/version', '/version', '/health_generate'])

/** A stand-in server on a real socket, with programs in place of ffmpeg. Cases are replayed one after another. */
export async function openReplayer(media: ReadonlyMap<MediaDigest, Uint8Array>): Promise<Replayer> {
  const folder = await mkdtemp(join(tmpdir(), 'corpus-'))
  const mediaFolder = join(folder, 'media')
  await mkdir(mediaFolder)
  for (const [digest, bytes] of media) await writeFile(join(mediaFolder, digest.slice(7)), bytes)
  const path = process.env['PATH']
  process.env['PATH'] = [await standInPrograms(folder), path].join(delimiter)
  let sent: SentRequest[] = []
  let replies: readonly CannedReply[] | Responder = []
  let given: CannedReply[] = []
  const server = createServer((request, response) => {
    void bytesOf(request).then(bytes => {
      const { method = '', url = '' } = request
      if (method === 'GET' && healthPaths.has(url)) return void response.end('{"version":"0.12.6"}')
      const body = textOf(bytes)
      const reply =
        typeof replies === 'function'
          ? replies({ path: url, body })
          : replies[Math.min(sent.length, replies.length - 1)]
      if (typeof replies === 'function' && reply !== undefined) given.push(reply)
      sent.push(masked({ method, path: url, headers: keptHeaders(request), body }))
      send(response, reply)
    })
  })
  const origin = await listen(server)
  /** Masks addresses and paths that differ between runs. Names of uploaded files depend on them. */
  const masked = (value: SentRequest): SentRequest => {
    const text = JSON.stringify(value).replaceAll(origin, '{origin}').replaceAll(mediaFolder, '{media}')
    return JSON.parse(text.replace(/files\/p[0-9a-f]{39}/g, 'files/{name}')) as SentRequest
  }
  const send = (response: ServerResponse, reply: CannedReply | undefined): void => {
    const placed = ({ status = 200, headers = {}, body }: CannedReply) => ({ status, headers, body })
    const { status, headers, body } = JSON.parse(
      JSON.stringify(placed(reply ?? { status: 500, body: '' })).replaceAll('{origin}', origin),
    ) as Required<CannedReply>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  const context = contextIn(mediaFolder, folder)
  const models = new Map<string, Model>()
  const modelOf = async (one: CorpusCase): Promise<Model> => {
    const name = JSON.stringify([one.backend, one.args])
    const known = models.get(name)
    if (known !== undefined) return known
    const placed = name.replaceAll('{origin}', origin).replaceAll('{root}', projectRoot)
    const [id, args] = JSON.parse(placed) as [string, JsonObject]
    const backend = await findBackend(id, [])
    // Media that an API does not take were rejected when the cases were recorded, and they are converted by default now.
    const asRecorded = 'media' in backend.args ? { media: 'original', ...args } : args
    const model = await backend.open(parseModelArgs(backend, asRecorded), context)
    if (isKept(one)) models.set(name, model)
    return model
  }
  return {
    async replay(one) {
      sent = []
      replies = one.replies
      given = []
      const model = await modelOf(one)
      const { input, generation, sample = 0 } = one
      const outcome = await asked(model, { input, generation, sample })
      if (!isKept(one)) await model.close?.()
      return plain({ sent, ...outcome, ...(typeof replies === 'function' && { replies: given }) })
    },
    async close() {
      process.env['PATH'] = path
      await Promise.all([...models.values()].map(async model => model.close?.()))
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await rm(folder, { recursive: true })
    },
  }
}

async function asked(model: Model, request: ModelRequest): Promise<Pick<Outcome, 'answer' | 'failure'>> {
  try {
    const { body, usage }: ModelAnswer = await model.answer(request, new AbortController().signal)
    return { answer: { body, usage } }
  } catch (error) {
    return { failure: failureOf(error) }
  }
}

function failureOf(error: unknown): string {
  if (error instanceof AttemptError) return `${error.class}, ${error.isRetryable ? 'to be tried again' : 'for good'}`
  if (error instanceof Error && error.name === 'PipelineError') return 'PipelineError'
  throw error
}

/** Whether the model treats each request like its first. A remote model probes the format of log-likelihoods once, and uploads once. */
const isKept = ({ backend, input, args }: CorpusCase): boolean =>
  backend === 'onnx_vlm' || (input.type === 'generate_until' && args['max_inline_mb'] === undefined)

/** The outcome as it is read from a file, without undefined fields. */
const plain = (outcome: Outcome): Outcome => JSON.parse(JSON.stringify(outcome)) as Outcome

function contextIn(mediaFolder: string, folder: string): BackendContext {
  const mediaPath = (digest: MediaDigest): string => join(mediaFolder, digest.slice(7))
  let derivations = 0
  return {
    env: {},
    openMediaFile: digest => Promise.resolve(makeLastingFile(mediaPath(digest))),
    readMedia: digest => readFile(mediaPath(digest)),
    fileDigest: async path => sha256<'file'>(await readFile(path)),
    async deriveMedia(_, __, make) {
      const place = join(folder, `derived-${derivations++}`)
      await mkdir(place)
      const { files, about } = await make(place, new AbortController().signal)
      const media = files.map(async file => {
        const bytes = await readFile(file)
        const digest = sha256<'media'>(bytes)
        await writeFile(mediaPath(digest), bytes)
        return digest
      })
      return { media: await Promise.all(media), about }
    },
  }
}

/** Creates programs in place of ffmpeg. Videos have one of two shapes, one with an ever slower frame rate, and frames are images that contain the arguments. */
async function standInPrograms(folder: string): Promise<string> {
  const programs = join(folder, 'bin')
  await mkdir(programs)
  const probe = `#!/bin/sh
for last; do :; done
if grep -q 'video two' "$last" 2> /dev/null
then
  echo 'stream|width=1081|height=1920|time_base=1/1000|avg_frame_rate=30000/1001|nb_read_packets=97'
  i=0
  while [ $i -lt 97 ]; do
    echo "packet|pts=$((i * i))|flags=__"
    i=$((i + 1))
  done
else echo 'stream|width=640|height=361|avg_frame_rate=25/1|nb_read_packets=250'
fi
`
  const mpeg = `#!/bin/sh
[ "$1" = -version ] && exit 0
while [ $# -gt 1 ]; do
  case "$1" in -vf) filter=$2 ;; -frames:v) count=$2 ;; esac
  shift
done
i=1
while [ $i -le $count ]; do
  printf '\\211PNG\\r\\n\\032\\n%s %s' "$filter" $i > "$(printf "$1" $i)"
  i=$((i + 1))
done
`
  await writeFile(join(programs, 'ffprobe'), probe, { mode: 0o755 })
  await writeFile(join(programs, 'ffmpeg'), mpeg, { mode: 0o755 })
  return programs
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function textOf(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : `base64:${bytes.toString('base64')}`
}

/** Headers that describe the transport, not the content. */
const sendingHeaders = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'transfer-encoding',
  'user-agent',
])

const keptHeaders = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !sendingHeaders.has(name))
      .map(([name, value]) => [name, String(value)] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
