import { mistakeLines } from '../../base/errors/schema-mistakes.js'
import { z } from 'zod'
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import { sha256 } from '../digest.js'
import { runKey } from '../keys.js'
import { isSettled } from '../facts/run-state.js'
import type { Aggregate, RunSpec, RunProvenance, TaskJudging } from '../records.js'
import type { BundleContent } from './content.js'
import { remarksSchema } from './remarks.js'
import { describeCode, shareCode, type WrittenRule } from '../rows/judging/rules-text.js'
import type { PortableRun, Remarks } from './portable.js'

const formatName = 'pipeline-run'
/**
 * Version 2 has labels and tags, version 3 has calls of judge models,
 * or is of scores alone. Version 4 describes code that many tasks share once.
 * A run without any is written as version 1, which older programs read, too.
 */
const formatVersions = [1, 2, 3, 4] as const
const newestVersion = 4
/** Up to this number of tasks, each has a full description of its code (about 30 kB), which older programs can read. */
const describedTasks = 32

/** A file of a bundle with its digest and its size. */
export interface Part {
  /** File name: `inputs.parquet`. */
  readonly name: string
  /** The digest of the file's bytes. */
  readonly digest: string
  readonly bytes: number
  readonly rows: number
}

/** The table of contents of a sealed run or a bundle. */
export interface Manifest {
  readonly format: typeof formatName
  readonly version: (typeof formatVersions)[number]
  /** Set if the bundle holds scores alone. Judge inputs alone are a run that is not judged yet. */
  readonly content?: 'scores'
  /** True if some items of the run have neither an answer nor a failure. */
  readonly partial: boolean
  readonly pending: number
  readonly run: Pick<PortableRun, 'id' | 'name' | 'asked' | 'provenance' | 'createdAt' | 'progress'>
  readonly judgements: readonly {
    readonly number: number
    readonly part: string
    readonly tasks: readonly TaskJudging[]
    readonly createdAt: number
    readonly finishedAt?: number
    readonly aggregates?: readonly Aggregate[]
  }[]
  readonly parts: readonly Part[]
  /** Nested bundles of the runs with requests to judge models. They follow the parts, and have no media. */
  readonly judgeCalls?: readonly Part[]
  /** The number of media that follow the parts in the bundle. */
  readonly media: number
  /** Labels and tags, in bundles only: a sealed run is written before people look at it. */
  readonly remarks?: Remarks
  /** The store's stamp of each part's rows at the time of writing, in sealed runs only. See `ExportedRun.stamp`. */
  readonly stamps?: { readonly [part: string]: string }
}

/** The name of the manifest within a bundle. */
export const manifestName = 'manifest.json'

/** Makes the manifest of a run's bundle from its parts. */
export function makeManifest(run: PortableRun, parts: readonly Part[]): Manifest {
  const { id, name, asked, provenance, createdAt, progress, pending } = run
  return {
    format: formatName,
    version: asked.tasks.length > describedTasks ? 4 : 1,
    partial: !isPortableWhole(run),
    pending,
    run: { id, name, asked, provenance, createdAt, progress },
    judgements: run.judgements.map(({ number, tasks, createdAt: created, finishedAt, aggregates }) => ({
      number,
      part: scoresPart(number),
      tasks,
      createdAt: created,
      ...(finishedAt === undefined ? {} : { finishedAt }),
      ...(aggregates === undefined ? {} : { aggregates }),
    })),
    parts,
    media: 0,
  }
}

/** The manifest of a bundle with what people said. */
export const withRemarks = (manifest: Manifest, { labels, tags }: Remarks): Manifest =>
  labels.length + tags.length === 0
    ? manifest
    : { ...manifest, version: atLeast(2, manifest), remarks: { labels, tags } }

/** The manifest of a bundle with the bundles of its judge calls. */
export const withJudgeCalls = (manifest: Manifest, judgeCalls: readonly Part[]): Manifest =>
  judgeCalls.length === 0 ? manifest : { ...manifest, version: atLeast(3, manifest), judgeCalls }

/** The manifest of a bundle that holds a part of the run. Older programs would take scores alone for a run without docs. */
export const withContent = (manifest: Manifest, content: BundleContent | undefined): Manifest =>
  content === 'scores' ? { ...manifest, version: atLeast(3, manifest), content } : manifest

const atLeast = (version: 2 | 3, manifest: Manifest): Manifest['version'] =>
  manifest.version > version ? manifest.version : version

/** Lists the files between the manifest and the media of a bundle, in their order. */
export const listFiles = ({ parts, judgeCalls = [] }: Manifest): readonly Part[] => [...parts, ...judgeCalls]

/** Names the bundle within a bundle that holds the requests to one judge model. */
export const judgeCallsPart = (number: number): string => `judge-calls-${number}.pipeline`

/** Names the file that holds the scores of a judgement. */
export const scoresPart = (judgement: number): string => `scores-${judgement}.parquet`

/** Tells whether no item of the run is pending. Items may have failed. */
export const isPortableWhole = ({ pending, progress, asked }: PortableRun): boolean =>
  isSettled({ pending, inputFinished: progress.length === asked.tasks.length && progress.every(task => task.finished) })

/** Serializes the manifest, with a digest of itself. */
export function manifestText(manifest: Manifest): string {
  const text = canonicalText(manifest)
  const content = JSON.parse(text) as Record<string, Json>
  return `${JSON.stringify({ ...content, digest: sha256(text) }, null, 2)}\n`
}

/** Writes the manifest with sorted keys. Its digest is that of this text. */
// The cast is safe because a manifest holds only JSON: interfaces lack the index signature that `Json` needs.
const canonicalText = (manifest: Manifest): string => canonicalJson(toWritten(manifest) as Json)

const toWritten = ({ judgements, ...manifest }: Manifest): object => ({
  ...manifest,
  judgements:
    manifest.version < 4
      ? judgements
      : judgements.map(judgement => ({ ...judgement, tasks: shareCode(judgement.tasks) })),
})

/**
 * Reads a text that {@link manifestText} wrote.
 *
 * @throws RangeError if the text differs by a byte, or if another version of the program wrote it
 */
export function parseManifest(text: string): Manifest {
  const manifest = parseManifestText(text)
  if (manifestText(manifest) !== text) throw new RangeError('it is not byte for byte what was written')
  if (runKey(manifest.run.asked).key !== manifest.run.id) throw new RangeError('the run is not the one that it says')
  return manifest
}

function parseManifestText(text: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new RangeError('it is no JSON', { cause: error })
  }
  const head = headSchema.safeParse(value)
  if (!head.success) throw new RangeError('it is not the manifest of a run')
  if (head.data.version > newestVersion)
    throw new RangeError(
      `it has format version ${head.data.version}, and this program reads up to ${newestVersion}: use the newer version of pipeline that wrote it`,
    )
  const whole = manifestSchema.safeParse(value)
  if (!whole.success)
    throw new RangeError(mistakeLines(whole.error.issues, value, { from: 'json', whole: 'the manifest' }).join('; '))
  const { digest: claimed, ...contents } = whole.data
  const manifest = {
    ...contents,
    judgements: contents.judgements.map(judgement => ({ ...judgement, tasks: describeCode(judgement.tasks) })),
  }
  if (sha256(canonicalText(manifest)) !== claimed) throw new RangeError('its content is not what its digest says')
  return manifest
}

const headSchema = z.object({ format: z.literal(formatName), version: z.int().positive() })

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null
const count = z.int().nonnegative()
const digest = z.templateLiteral(['sha256:', z.string().regex(/^[0-9a-f]{64}$/)])
// A name becomes a path, so it may contain nothing that leads to another folder.
const partName = z.string().regex(/^[a-z]+(-[0-9]+)?\.parquet$/)
const judgeCallsName = z.string().regex(/^judge-calls-[0-9]+\.pipeline$/)

const manifestSchema = z.strictObject({
  format: z.literal(formatName),
  version: z.literal(formatVersions),
  content: z.literal(['scores']).exactOptional(),
  partial: z.boolean(),
  pending: count,
  run: z.strictObject({
    id: z.custom<PortableRun['id']>(value => digest.safeParse(value).success),
    name: z.string().regex(/^[\w-]+$/),
    asked: z.custom<RunSpec>(isObject),
    provenance: z.custom<RunProvenance>(isObject),
    createdAt: z.number(),
    progress: z.array(z.strictObject({ docs: count, finished: z.boolean() })),
  }),
  judgements: z.array(
    z.strictObject({
      number: z.int().positive(),
      part: partName,
      tasks: z.array(z.custom<WrittenRule>(isObject)),
      createdAt: z.number(),
      finishedAt: z.number().exactOptional(),
      aggregates: z.array(z.custom<Aggregate>(isObject)).exactOptional(),
    }),
  ),
  parts: z.array(z.strictObject({ name: partName, digest, bytes: count, rows: count })),
  judgeCalls: z.array(z.strictObject({ name: judgeCallsName, digest, bytes: count, rows: count })).exactOptional(),
  media: count,
  remarks: remarksSchema.exactOptional(),
  stamps: z.record(z.string(), z.string()).exactOptional(),
  digest,
})
